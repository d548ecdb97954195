import type { OpenAPIObject } from '@nestjs/swagger';
import { type ErrorShape, shapeFor } from '../http/error-shape.js';
import { JSON_VALUE } from '../http/json-value.js';
import type { CatalogedRoute } from '../http/route-catalog.js';
import { SCIM_TYPE } from '../http/scim-error-body.js';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Responses = Record<string, { description: string; content: Record<string, { schema: object }>; headers?: object }>;

const code = { type: 'string', description: 'Stable, in snake_case; clients may switch on it.' };
const messages = { type: 'array', items: { type: 'string' } };
const problems = {
  type: 'array',
  description: 'Where the definition of a workflow is refused: what is wrong, one by one.',
  items: { $ref: '#/components/schemas/Problem' },
};
const oneMessage = (key: string) => ({
  type: 'object',
  required: [key, 'code'],
  // There may be more; a type that says so would make everything of it unknown to typed clients.
  properties: { [key]: { type: 'string' }, code },
});

/**
 * What demands more stands first: languages that try one after the other (serde, pydantic, zod) take the first that
 * fits, and `FieldErrors`, which demands nothing, fits whatever fits the others.
 */
const SCHEMA_NAMES: Record<ErrorShape, string[]> = {
  detail: ['DetailError'],
  error: ['ModuleError'],
  message: ['MessageError'],
  fields: ['DetailError', 'FieldErrors'],
  'fields+error': ['ModuleError', 'FieldErrors'],
  'detail+non_field_errors': ['DetailError', 'FieldErrors'],
  scim: ['ScimError'],
};

/** The error bodies of docs/contract/conventions.md#errors. */
export const errorSchemas: Schemas = {
  DetailError: oneMessage('detail'),
  ModuleError: {
    ...oneMessage('error'),
    properties: {
      error: {
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
        description: 'A list for passwords, which may be weak in more than one way.',
      },
      code,
    },
  },
  MessageError: oneMessage('message'),
  ScimError: {
    type: 'object',
    description: 'RFC 7644, section 3.12.',
    required: ['schemas', 'status', 'detail', 'code'],
    properties: {
      schemas: { type: 'array', items: { type: 'string' } },
      status: { type: 'string' },
      scimType: { type: 'string' },
      detail: { type: 'string' },
      code,
    },
  },
  Problem: {
    type: 'object',
    description: 'One thing that is wrong with the definition of a workflow.',
    required: ['code', 'node_id', 'path', 'message'],
    properties: {
      code,
      node_id: { type: 'string', nullable: true },
      path: { type: 'string' },
      message: { type: 'string' },
    },
  },
  JsonValue: JSON_VALUE,
  // What a typed client reads first has a type of its own; beside it stand the fields, by name. Two schemas, since
  // TypeScript refuses an interface whose optional properties do not fit its index signature.
  FieldErrors: {
    description:
      'Messages per field; `non_field_errors` for those of the whole body. `code` stands beside `detail` or `error` where the answer is not about fields.',
    allOf: [
      { type: 'object', properties: { code, problems, non_field_errors: messages }, additionalProperties: true },
      { type: 'object', additionalProperties: { anyOf: [messages, { type: 'string' }, problems] } },
    ],
  },
  FieldMessages: {
    type: 'object',
    description: 'Messages per field, of a body that has a field `code` itself.',
    additionalProperties: messages,
  },
} as Schemas;

const MEANINGS: Record<number, string> = {
  400: 'The request is malformed or not valid.',
  401: 'No valid access token.',
  402: 'The subscription has expired, where that closes the service.',
  403: 'Signed in, but not allowed.',
  404: 'It does not exist, or the caller may not know that it does.',
  408: 'The body did not arrive in time.',
  409: 'A conflict with the present state.',
  406: 'A media type that is not written here.',
  412: 'A version of the protocol that is not spoken here.',
  411: 'A form without its length.',
  413: 'Too many bytes.',
  415: 'A media type that is not read here.',
  416: 'A part that lies beyond the end.',
  429: 'Too many calls; wait Retry-After seconds.',
  500: 'A fault of the service.',
  502: 'A service behind this one answered wrongly.',
  503: 'Something that this needs is down or not configured.',
  504: 'A service behind this one did not answer in time.',
};

const BODILESS = new Set(['GET', 'HEAD']);

/** Every error that the route may answer with, each in its shape. */
export function errorResponses(
  { route, isPublic, isOpen, method, path }: CatalogedRoute,
  /** Names of the fields of its body. */
  fields: readonly string[] = [],
): Responses {
  const named = typeof route.errors === 'object' ? Object.keys(route.errors).map(Number) : [];
  const statuses = new Set([
    400,
    // API tokens may not do everything.
    ...(isPublic ? [] : [401, 403]),
    ...(isPublic || isOpen ? [] : [402]),
    ...(/[:*]/.test(path) ? [404] : []),
    ...(route.startsSomething ? [409] : []),
    ...(BODILESS.has(method) ? [] : [408, 411, 413, 415]),
    ...(route.rate === 'none' ? [] : [429]),
    ...named,
    500,
    503,
  ]);
  const entries = [...statuses]
    .filter((status) => !route.alsoAnswers?.[status])
    .map((status) => {
      // A path that cannot be decoded is refused before its route is known.
      const isUndecoded = status === 400 && /[:*]/.test(path);
      const names = [
        ...new Set([...(isUndecoded ? ['DetailError'] : []), ...SCHEMA_NAMES[shapeFor(route.errors, status)]]),
      ];
      const written = names.map((name) => (name === 'FieldErrors' && fields.includes('code') ? 'FieldMessages' : name));
      const refs = written.map((name) => ({ $ref: `#/components/schemas/${name}` }));
      const contentType = shapeFor(route.errors, status) === 'scim' ? SCIM_TYPE : 'application/json';
      const schema = refs.length === 1 ? refs[0]! : { anyOf: refs };
      return [String(status), { description: MEANINGS[status] ?? 'Refused.', content: { [contentType]: { schema } } }];
    });
  return Object.fromEntries(entries) as Responses;
}
