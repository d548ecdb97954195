import type { OpenAPIObject } from '@nestjs/swagger';
import type { ReadHeader, ReadQuery } from '../http/read-parts.js';
import type { CatalogedRoute } from '../http/route-catalog.js';
import { JSON_VALUE_REF } from '../http/json-value.js';
import { SCIM_TYPE } from '../http/scim-error-body.js';
import { filesOf } from '../uploads/upload.interceptor.js';
import { operationNameOf } from './operation-names.js';
import type { Schema } from './schema-2020.js';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Parameter = {
  name: string;
  in: 'header' | 'query' | 'path';
  required: boolean;
  description: string;
  schema: Schema;
};

const header = (name: string, description: string, schema: Schema = { type: 'string' }): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

const HEADERS = {
  'Last-Event-ID': header('Last-Event-ID', 'The `id` of the last event that arrived: only what came after it is sent.'),
  'If-None-Match': header('If-None-Match', 'The `ETag` of a copy that the client has: 304 while it is still good.'),
  Range: header('Range', 'A part of the file, such as `bytes=0-1023`: 206.'),
  'If-Range': header('If-Range', 'The `ETag` of the parts that the client has; after a change the whole file comes.'),
  'Mcp-Session-Id': header('Mcp-Session-Id', 'As `initialize` answered it. It is taken, and nothing depends on it.'),
  'MCP-Protocol-Version': header('MCP-Protocol-Version', 'The version of the protocol that was agreed on.'),
  'Tus-Resumable': {
    ...header('Tus-Resumable', 'Version of the protocol.', { type: 'string', enum: ['1.0.0'] }),
    required: true,
  },
  'Upload-Length': header('Upload-Length', 'Bytes of the whole file.', { type: 'integer', minimum: 0 }),
  'Upload-Metadata': header('Upload-Metadata', 'Names and base64 values, comma-separated; `filename` is needed.'),
  'Upload-Offset': header('Upload-Offset', 'Where the part begins, in bytes.', { type: 'integer', minimum: 0 }),
} as const satisfies Record<ReadHeader, Parameter>;

const query = (name: string, description: string, schema: Schema = { type: 'string' }): Parameter => ({
  ...header(name, description, schema),
  in: 'query',
});
const needed = (parameter: Parameter): Parameter => ({ ...parameter, required: true });

const QUERIES = {
  signedAddress: [
    query('exp', 'Until when the signed address is good, in seconds since 1970.', { type: 'integer', minimum: 0 }),
    query('kid', 'Which key it was signed with.'),
    query('sig', 'The signature over the path and the rest of the query.'),
    query('disposition', 'Whether the file is to be saved rather than shown.', {
      type: 'string',
      enum: ['inline', 'attachment'],
    }),
    query('u', 'For whom it was signed: it is good while they may read the file.', { type: 'integer', minimum: 1 }),
    query('link', 'The secret of a permanent link, in place of the others.'),
  ],
  authorization: [
    needed(query('client_id', 'As the registration answered it.')),
    needed(query('response_type', 'How the client gets what it asks for.', { type: 'string', enum: ['code'] })),
    query('redirect_uri', 'Where the answer goes: one of those that the client registered.'),
    needed(query('code_challenge', 'The base64url SHA-256 of the verifier (RFC 7636).')),
    needed(query('code_challenge_method', 'How it was made.', { type: 'string', enum: ['S256'] })),
    query('scope', 'What the client asks for, separated by spaces.'),
    query('state', "The client's own, which comes back unchanged."),
    query('resource', 'The address of the MCP endpoint that the token is for (RFC 8707).'),
  ],
} as const satisfies Record<ReadQuery, readonly Parameter[]>;

const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'A repeated call with the same key and body gets the first answer, for 24 hours.',
  { type: 'string', minLength: 1, maxLength: 255 },
);

const FRAMING: Parameter = {
  name: 'framing',
  in: 'query',
  required: false,
  description:
    'With `sse` the answer comes as Server-Sent Events; `Accept: text/event-stream; framing=sse` asks for the same.',
  schema: { type: 'string', enum: ['sse'] },
};

/** Parameters that the route reads beside those of its handler. */
export function furtherParameters(
  { route, isPublic, path }: CatalogedRoute,
  known: readonly { name: string }[],
): Parameter[] {
  const wanted = [
    ...[...path.matchAll(/\*(\w+)/g)].map(([, name]) => ({
      ...header(name!, 'The rest of the path.'),
      in: 'path' as const,
      required: true,
    })),
    ...(route.framing ? [FRAMING] : []),
    ...((route.startsSomething || route.framing) && !isPublic ? [IDEMPOTENCY_KEY] : []),
    ...(route.readsHeaders ?? []).map((name) => HEADERS[name]),
    ...(route.readsQuery ? QUERIES[route.readsQuery] : []),
  ];
  const names = new Set(known.map(({ name }) => name.toLowerCase()));
  return wanted.filter(({ name }) => !names.has(name.toLowerCase()));
}

const ANYTHING: Schema = { description: 'Any JSON value.', anyOf: [JSON_VALUE_REF, { type: 'null' }] };

function schemaOfBytes(type: string): Schema {
  if (type === SCIM_TYPE) return { type: 'object', additionalProperties: true };
  if (type.endsWith('json')) return ANYTHING;
  if (type === 'application/x-www-form-urlencoded') return { type: 'object', additionalProperties: { type: 'string' } };
  return type.startsWith('text/') || type.endsWith('xml') ? { type: 'string' } : { type: 'string', format: 'binary' };
}

/** The body of a route that reads it itself. */
export function ownBody(
  cataloged: CatalogedRoute,
  schemas: Readonly<Record<string, Schema>>,
): NonNullable<Operation['requestBody']> | undefined {
  const { route } = cataloged;
  if (!route.consumes) return undefined;
  const content = Object.fromEntries(
    [route.consumes].flat().map((type) => {
      const schema = type === 'multipart/form-data' ? formOf(cataloged, schemas) : schemaOfBytes(type);
      return [type, { schema, ...(route.example === undefined ? {} : { example: route.example }) }];
    }),
  );
  return { required: route.bodyOptional !== true, content } as NonNullable<Operation['requestBody']>;
}

/** The files that `@ReceivesFiles` reads, and the fields of the form beside them. */
function formOf(cataloged: CatalogedRoute, schemas: Readonly<Record<string, Schema>>): Schema {
  const { controller, handler, route } = cataloged;
  const name = operationNameOf(cataloged);
  const files = filesOf(controller, handler);
  if (!files || !route.form)
    throw new Error(`${controller.name}.${handler} takes a form: say with @ReceivesFiles and \`form\` what is in it.`);
  const fields = schemas[route.form.name] ?? {};
  const file: Schema = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' };
  const property = files.maxFiles === 1 ? file : { type: 'array', items: file, minItems: 1, maxItems: files.maxFiles };
  return {
    // Generators name the type of a form after its title, or else by a number that the next form changes.
    title: `${name[0]!.toUpperCase()}${name.slice(1)}Form`,
    type: 'object',
    required: [files.field, ...((fields.required as string[] | undefined) ?? [])],
    properties: { [files.field]: property, ...(fields.properties as Record<string, Schema> | undefined) },
  };
}
