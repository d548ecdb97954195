import { type DomainError, NotFoundError, RateLimitedError, UnauthenticatedError, ValidationError } from '@app/common';
import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Response } from 'express';
import type { ApiRequest } from './api-request.js';
import { type ErrorShape, shapeFor } from './error-shape.js';
import { asDomainError, MethodNotAllowedError, statusOf } from './http-errors.js';
import { RouteCatalog } from './route-catalog.js';
import type { RouteOptions } from './route.js';
import { SCIM_TYPE, toScimError } from './scim-error-body.js';

const SWALLOWED_BYTES = 1_048_576;

/** Where the message of an error stands that names no fields. */
const KEYS: Record<Exclude<ErrorShape, 'scim'>, string> = {
  detail: 'detail',
  error: 'error',
  message: 'message',
  fields: 'detail',
  'fields+error': 'error',
  'detail+non_field_errors': 'detail',
};

/** The body of an error in the shape of its route (docs/contract/conventions.md#errors). */
export function toErrorBody(error: DomainError, shape: Exclude<ErrorShape, 'scim'>): Record<string, unknown> {
  const { code, extra } = error;
  if (error instanceof ValidationError) {
    if (shape === 'fields' || shape === 'fields+error') return { ...error.fields, ...extra };
    const [[field, messages]] = Object.entries(error.fields) as [[string, string[]]];
    const isOfTheWhole = field === 'non_field_errors';
    if (shape === 'detail+non_field_errors' && isOfTheWhole) return { ...error.fields, ...extra };
    const text = isOfTheWhole ? messages.join(' ') : `${field}: ${messages.join(' ')}`;
    return { [KEYS[shape]]: text, code, ...extra };
  }
  return { [KEYS[shape]]: error.message, code, ...extra };
}

/**
 * A short rest of a body is read on and thrown away: a client that is still sending when its connection closes never
 * sees the answer. What is left of a long one is not waited for.
 */
function leaveUnread(request: ApiRequest, response: Response): void {
  if (Number(request.headers['content-length'] ?? Infinity) > SWALLOWED_BYTES)
    response.setHeader('Connection', 'close');
  request.unpipe();
  request.resume();
}

/** The one place where errors become answers. */
@Catch()
export class ApiExceptionFilter implements ExceptionFilter {
  private readonly logger = new Logger('Errors');

  constructor(private readonly catalog: RouteCatalog) {}

  catch(error: unknown, host: ArgumentsHost): void {
    if (host.getType() !== 'http') {
      this.logger.error(error);
      return;
    }
    const request = host.switchToHttp().getRequest<ApiRequest>();
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent || isLeft(error, response)) this.breakOff(error, response);
    else this.answer(this.refine(asDomainError(error), request), error, request, response);
  }

  /** A stream that fails half-way must not look finished, so the connection ends without the last chunk. */
  private breakOff(error: unknown, response: Response): void {
    if (!response.destroyed && !response.writableEnded) this.logger.error(asDomainError(error) ?? error);
    response.destroy();
  }

  /** The router answers 404 for a known path with another method. */
  private refine(known: DomainError | null, request: ApiRequest): DomainError | null {
    if (!(known instanceof NotFoundError) || request.declaredRoute) return known;
    const allowed = this.catalog.methodsOf(request.path);
    // A path may be refused although its method exists.
    return allowed.length === 0 || allowed.includes(request.method)
      ? known
      : new MethodNotAllowedError(request.method, allowed);
  }

  /** A path that cannot be read ends before its route is known. */
  private routeOf({ declaredRoute, method, path }: ApiRequest): RouteOptions | undefined {
    return declaredRoute ?? this.catalog.find(method, path);
  }

  private answer(known: DomainError | null, error: unknown, request: ApiRequest, response: Response): void {
    const status = known ? statusOf(known) : 500;
    const shape = isScim(request) ? 'scim' : shapeFor(this.routeOf(request)?.errors, status);
    if (status >= 500) this.logger.error(known ?? error);
    if (known instanceof RateLimitedError) response.setHeader('Retry-After', String(known.retryAfterSeconds));
    if (known instanceof UnauthenticatedError) response.setHeader('WWW-Authenticate', challengeFor(response, shape));
    if (known instanceof MethodNotAllowedError) response.setHeader('Allow', known.allowed.join(', '));
    // Whatever the route says of its successes.
    response.setHeader('Cache-Control', 'no-store');
    if (!request.complete) leaveUnread(request, response);
    if (shape === 'scim') {
      response.status(status).type(SCIM_TYPE).json(toScimError(known, status));
      return;
    }
    const body = known ? toErrorBody(known, shape) : { detail: 'Internal server error.', code: 'internal_error' };
    response.status(status).json(body);
  }
}

/** What was given up because its client has gone is no fault, and nobody reads an answer. */
function isLeft(error: unknown, response: Response): boolean {
  return response.destroyed && error instanceof Error && error.name === 'AbortError';
}

/** Routes whose clients expect more than a scheme leave it in `locals`. */
function challengeFor({ locals }: Response, shape: ErrorShape): string {
  return typeof locals.challenge === 'string' ? locals.challenge : shape === 'scim' ? 'Bearer' : 'Token';
}

/** Its clients know one shape, for paths that do not exist too. */
function isScim(request: ApiRequest): boolean {
  return /^\/scim(\/|$)/i.test(request.path);
}
