import type { ApiScope } from '@app/auth';
import type { Part } from '@app/entitlements';
import { applyDecorators, HttpCode, SetMetadata, type Type, UseInterceptors } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { AnswerHeader } from './answer-headers.js';
import type { ReadHeader, ReadQuery } from './read-parts.js';
import type { ErrorShapes } from './error-shape.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';

/** A limit of the route's own, in place of the general one. Its window is the minute of the clock. */
export interface RateLimit {
  /** Routes with the same bucket share one count. */
  bucket: string;
  perMinute: number;
  /** Whether a guard of the route's own counts, per credential that only it knows. */
  perCredential?: true;
}

/** An answer that no DTO describes: streamed text, a file, a page, JSON of another protocol. */
export interface RawResponse {
  /** More than one where the request decides. */
  contentType: string | readonly string[];
  description: string;
  /** For the API reference, where the kind of content does not say enough. */
  example?: unknown;
}

/** One of several DTOs, where the request decides. */
export interface OneOfResponse {
  anyOf: readonly Type[];
}

/** A DTO, a list of DTOs, no body at all, one of several DTOs, or raw bytes. */
export type RouteResponse = Type | readonly [Type] | null | OneOfResponse | RawResponse;

export interface RouteOptions {
  /** A few words for the API reference. */
  summary: string;
  description?: string;
  /** The shape of the error bodies; `detail` unless told. */
  errors?: ErrorShapes;
  response: RouteResponse;
  /** 200 unless told, 204 for `response: null`. */
  status?: number;
  /** Further successful answers, by status. */
  alsoAnswers?: Readonly<Record<number, RouteResponse>>;
  /** What an API token needs to call it, or one of these; without one it is for sessions alone. */
  scope?: ApiScope | readonly ApiScope[];
  /** Whether tokens that users granted to MCP clients are good here. */
  forMcpClients?: true;
  /** `none` for routes that are not limited at all. */
  rate?: RateLimit | 'none';
  /** Whether only staff may call it: 403 for others. */
  staffOnly?: true;
  /** What it belongs to, where that is not what its controller says (`@PartOf`). */
  feature?: Part;
  /**
   * Whether it stays open to those whose plan lacks the feature, or has expired: for what reads, exports, deletes, stops
   * or takes back. By the method unless told: GET and DELETE do.
   */
  open?: boolean;
  /** Whether it starts nothing that costs, though its method is not one of reading: viewers of an organisation may call it. */
  forViewers?: true;
  /**
   * Whether a client may repeat the call safely with an `Idempotency-Key` (docs/contract/conventions.md#idempotency):
   * JSON in, JSON out.
   */
  startsSomething?: boolean;
  /** Whether the handler reads the request body itself, as uploads do; then nothing is parsed before it. */
  readsOwnBody?: boolean;
  /** Whether the path may be written without its last slash, too, where clients do so. */
  optionalSlash?: true;
  /** Whether the bytes of the body stay beside what was parsed, for a signature over them. */
  keepsRawBody?: true;
  /** Whether the body may hold the rows of a whole table (`ROWS_BODY_LIMIT_BYTES`). */
  bringsRows?: true;
  /** Makes a body above the deployment's limit a 400 of this kind; 413 unless told. */
  bodyTooLarge?: Readonly<{ code: string; message: string }>;
  /** What a route that reads its own body takes, for OpenAPI, such as `multipart/form-data`. */
  consumes?: string | readonly string[];
  /** The fields of that form beside its files (`@ReceivesFiles`). */
  form?: Type;
  /** An example of that body. */
  example?: unknown;
  /** Whether the body may be missing: nothing in it has to be said. */
  bodyOptional?: true;
  /** Name of the operation in generated clients, where the rule of `operation-names.ts` makes none to be proud of. */
  operationId?: string;
  /** Whether the answer comes as Server-Sent Events where `?framing=sse` asks for them. */
  framing?: true;
  /** Whether a field of the body asks for the answer as Server-Sent Events. */
  streamsOnRequest?: true;
  /** Kinds of text that the same answer comes as where the query asks for them, beside JSON. */
  alsoAs?: readonly string[];
  /** Further headers that the handler reads. */
  readsHeaders?: readonly ReadHeader[];
  /** Parameters of the query that the handler reads without a DTO. */
  readsQuery?: ReadQuery;
  /** Headers of its answers, beside those that come from what else the route declares. */
  answersHeaders?: readonly AnswerHeader[];
}

export const ROUTE = 'atrium:route';

export function isRawResponse(response: RouteResponse): response is RawResponse {
  return typeof response === 'object' && response !== null && 'contentType' in response;
}

function schemaOfRaw(contentType: string): object {
  if (contentType.endsWith('json')) return { type: 'object', additionalProperties: true };
  return contentType.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' };
}

const EVENTS = { 'text/event-stream': { schema: { type: 'string' } } };

/** Kinds of content of a route beside that of its response. */
function othersOf({ streamsOnRequest, alsoAs = [] }: RouteOptions): object | null {
  const texts = alsoAs.map((type) => [type, { schema: { type: 'string' } }]);
  const others = { ...(streamsOnRequest && EVENTS), ...Object.fromEntries(texts) };
  return Object.keys(others).length > 0 ? others : null;
}

function describe(status: number, response: RouteResponse, others: object | null = null): MethodDecorator {
  if (response === null) return ApiResponse({ status, description: 'No body.' });
  if (isRawResponse(response)) {
    const types = [response.contentType].flat();
    const content = Object.fromEntries(
      types.map((type) => [
        type,
        { schema: schemaOfRaw(type), ...(response.example === undefined ? {} : { example: response.example }) },
      ]),
    );
    return ApiResponse({ status, description: response.description, content });
  }
  if ('anyOf' in response) {
    const schema = { anyOf: response.anyOf.map((type) => ({ $ref: getSchemaPath(type) })) };
    return applyDecorators(
      ApiExtraModels(...response.anyOf),
      ApiResponse({ status, description: 'Done.', content: { 'application/json': { schema } } }),
    );
  }
  const [type, isArray] = typeof response === 'function' ? [response, false] : [response[0], true];
  if (!others) return ApiResponse({ status, description: 'Done.', type, isArray });
  const content = { 'application/json': { schema: { $ref: getSchemaPath(type) } }, ...others };
  return applyDecorators(ApiExtraModels(type), ApiResponse({ status, description: 'Done.', content }));
}

/**
 * Declares a route: what it answers, how its errors look, how often it may be called. The guards and OpenAPI read the
 * same declaration, and the api does not start while a route is without one.
 */
export function Route(options: RouteOptions): MethodDecorator {
  const status = options.status ?? (options.response === null ? 204 : 200);
  const { summary, description } = options;
  return applyDecorators(
    SetMetadata(ROUTE, { ...options, status }),
    HttpCode(status),
    ApiOperation({ summary, ...(description ? { description } : {}) }),
    describe(status, options.response, othersOf(options)),
    ...(options.form ? [ApiExtraModels(options.form)] : []),
    ...(options.startsSomething ? [UseInterceptors(IdempotencyInterceptor)] : []),
    ...Object.entries(options.alsoAnswers ?? {}).map(([other, response]) => describe(Number(other), response)),
  );
}
