import { param } from '@app/workflow-definition';
import { z } from 'zod';
import { namedFile } from '../files/stored-file.js';

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

const MB = 1024 * 1024;
const MAX_ADDRESS = 8_000;
const scalar = z.union([z.string().max(20_000), z.number(), z.boolean(), z.null()]);
/** A parameter without a value, such as a reference to a skipped node, is left out. */
const pairs = z.record(z.string().min(1).max(500), scalar);

const text = (label: string, when: Record<string, unknown>, description: string) =>
  param(z.string().max(2_000).default(''), { label, visibleWhen: when, description });
const secret = (label: string, when: Record<string, unknown>, use: string) =>
  param(z.string().max(20_000).default(''), {
    label,
    type: 'secret',
    visibleWhen: when,
    description: `${use} Name a secret, like {{_secret.name}}.`,
  });

export const authParams = {
  auth: param(z.enum(['none', 'basic', 'bearer', 'header', 'query', 'oauth2']).default('none'), {
    label: 'Sign-in',
    description: 'How the request proves who it is from.',
    acceptsRef: false,
    options: [
      { value: 'none', label: 'None' },
      { value: 'basic', label: 'User name and password' },
      { value: 'bearer', label: 'Bearer token' },
      { value: 'header', label: 'Key in a header' },
      { value: 'query', label: 'Key in the address' },
      { value: 'oauth2', label: 'OAuth 2 client credentials' },
    ],
  }),
  username: text('User name', { auth: 'basic' }, 'For Basic sign-in.'),
  password: secret('Password', { auth: 'basic' }, 'For Basic sign-in.'),
  token: secret('Token', { auth: 'bearer' }, 'Sent as Authorization: Bearer.'),
  key_name: text('Name of the key', { auth: ['header', 'query'] }, 'Such as X-Api-Key.'),
  key_value: secret('Key', { auth: ['header', 'query'] }, 'The value of the key.'),
  token_url: text('Token address', { auth: 'oauth2' }, 'Where the OAuth token is asked for.'),
  client_id: text('Client id', { auth: 'oauth2' }, 'As the provider gave it out.'),
  client_secret: secret('Client secret', { auth: 'oauth2' }, 'As the provider gave it out.'),
  scope: text('Scope', { auth: 'oauth2' }, 'What the token is for, separated by spaces.'),
  audience: text('Audience', { auth: 'oauth2' }, 'Whom the token is for, where the provider asks for it.'),
  client_auth: param(z.enum(['basic', 'body']).default('basic'), {
    label: 'Where the client secret goes',
    description: 'In the header or in the body of the token request.',
    acceptsRef: false,
    visibleWhen: { auth: 'oauth2' },
    options: [
      { value: 'basic', label: 'Authorization header' },
      { value: 'body', label: 'Form field' },
    ],
  }),
};

export const bodyParams = {
  body_kind: param(z.enum(['none', 'json', 'form', 'multipart', 'text', 'raw']).default('none'), {
    label: 'Body',
    description: 'What the request carries.',
    acceptsRef: false,
    options: [
      { value: 'none', label: 'None' },
      { value: 'json', label: 'JSON' },
      { value: 'form', label: 'Form' },
      { value: 'multipart', label: 'Form with files' },
      { value: 'text', label: 'Text' },
      { value: 'raw', label: 'A file or bytes' },
    ],
  }),
  body: param(z.unknown().optional(), {
    label: 'Content',
    type: 'object',
    description: 'Any value for JSON, an object of fields for a form, a text for text, Base64 for bytes.',
    visibleWhen: { body_kind: ['json', 'form', 'multipart', 'text', 'raw'] },
  }),
  file: param(namedFile(z.string().max(MAX_ADDRESS)).default(''), {
    label: 'File',
    description: 'The path of a stored file to send, or a file of an earlier output.',
    type: 'file',
    visibleWhen: { body_kind: 'raw' },
  }),
  files: param(
    z
      .array(z.object({ field: z.string().min(1).max(200), file: namedFile() }))
      .max(20)
      .default([]),
    { label: 'Files', description: 'Each with the field that it fills.', visibleWhen: { body_kind: 'multipart' } },
  ),
  content_type: param(z.string().max(200).default(''), {
    label: 'Content type',
    description: 'That of the body kind when empty.',
    visibleWhen: { body_kind: ['json', 'text', 'raw'] },
  }),
};

export const paginationParams = {
  pagination: param(z.enum(['none', 'link_header', 'next_url', 'cursor', 'page', 'offset']).default('none'), {
    label: 'Pages',
    description: 'How further pages of the answer are found.',
    acceptsRef: false,
    options: [
      { value: 'none', label: 'A single answer' },
      { value: 'link_header', label: 'Next address in the Link header' },
      { value: 'next_url', label: 'Next address in the answer' },
      { value: 'cursor', label: 'Cursor in the answer' },
      { value: 'page', label: 'Page number' },
      { value: 'offset', label: 'Offset' },
    ],
  }),
  items_path: text(
    'Where the items are',
    { pagination: ['link_header', 'next_url', 'cursor', 'page', 'offset'] },
    'A path in the answer, like data.items; the whole answer when empty.',
  ),
  next_path: text(
    'Where the next address or the cursor is',
    { pagination: ['next_url', 'cursor'] },
    'A path in the answer, like links.next.',
  ),
  page_param: text(
    'Parameter',
    { pagination: ['cursor', 'page', 'offset'] },
    'The query parameter for cursor, page number or offset; cursor, page and offset when empty.',
  ),
  first_page: param(z.coerce.number().int().min(0).max(1_000_000).default(1), {
    label: 'First page',
    description: 'The number or the offset to begin with.',
    type: 'integer',
    visibleWhen: { pagination: 'page' },
  }),
  max_pages: param(z.coerce.number().int().min(1).max(200).default(10), {
    label: 'At most this many pages',
    description: 'Where reading further pages stops.',
    type: 'integer',
    visibleWhen: { pagination: ['link_header', 'next_url', 'cursor', 'page', 'offset'] },
  }),
  max_items: param(z.coerce.number().int().min(1).max(100_000).default(10_000), {
    label: 'At most this many items',
    description: 'Where reading further pages stops.',
    type: 'integer',
    visibleWhen: { pagination: ['link_header', 'next_url', 'cursor', 'page', 'offset'] },
  }),
};

export const httpParams = z.object({
  method: param(z.enum(METHODS).default('GET'), {
    label: 'Method',
    description: 'What the request does; only GET, HEAD and OPTIONS may be repeated at will.',
    acceptsRef: false,
  }),
  url: param(z.string().trim().min(1).max(MAX_ADDRESS), { label: 'Address', description: 'Begins with https://.' }),
  query: param(pairs.default({}), {
    label: 'Query parameters',
    description: 'Added to the address; null and empty lists are left out.',
    type: 'object',
  }),
  headers: param(pairs.default({}), { label: 'Headers', description: 'Sent along with the request.', type: 'object' }),
  ...authParams,
  ...bodyParams,
  response: param(z.enum(['auto', 'json', 'text', 'file']).default('auto'), {
    label: 'Answer',
    description: 'How the answer is read.',
    acceptsRef: false,
    options: [
      { value: 'auto', label: 'As its content type says' },
      { value: 'json', label: 'JSON' },
      { value: 'text', label: 'Text' },
      { value: 'file', label: 'A file' },
    ],
  }),
  filename: param(z.string().max(500).default(''), {
    label: 'Name of the file',
    description: 'The one that the host gives when empty.',
    visibleWhen: { response: ['auto', 'file'] },
  }),
  fail_on_status: param(z.boolean().default(true), {
    label: 'Fail on status 400 and above',
    description: 'Otherwise the answer is the output whatever its status.',
  }),
  follow_redirects: param(z.boolean().default(true), {
    label: 'Follow redirects',
    description: 'Whether an answer that points elsewhere is followed.',
  }),
  timeout_seconds: param(z.coerce.number().min(1).max(120).default(30), {
    label: 'Seconds for one answer',
    description: 'From the first byte sent to the last received.',
    type: 'number',
  }),
  max_bytes: param(
    z.coerce
      .number()
      .int()
      .min(1)
      .max(50 * MB)
      .default(10 * MB),
    { label: 'Largest answer, in bytes', description: 'A larger one fails the node.', type: 'integer' },
  ),
  max_retries: param(z.coerce.number().int().min(0).max(8).default(3), {
    label: 'Further tries',
    type: 'integer',
    description: 'After 429, 5xx and failed connections, for requests that may be repeated.',
  }),
  safe_to_repeat: param(z.boolean().default(false), {
    label: 'The host recognises repetitions',
    acceptsRef: false,
    description: 'It reads the Idempotency-Key, so that POST and PATCH may be repeated as well.',
  }),
  ...paginationParams,
});

export type HttpParams = z.output<typeof httpParams>;
