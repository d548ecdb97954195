import { defineKind, param, RESPOND_KIND, ToolError } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';

const MAX_BODY_BYTES = 256 * 1024;
const MAX_HEADERS = 20;
const MAX_VALUE = 2_000;

/** Headers that say something about this answer alone: nothing for cookies, other origins, proxies or the transport. */
const HEADERS =
  /^(content-type|content-language|content-disposition|cache-control|expires|etag|last-modified|location|retry-after|x-hook-secret|x-slack-no-retry|x-webhook-[a-z0-9-]{1,60})$/;
const VISIBLE = /^[\x20-\x7e]*$/;
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+(\s*;\s*[a-z0-9-]+=("[^"\\]*"|[^\s";]+))*$/i;

export const respondTool = defineKind({
  kind: RESPOND_KIND,
  version: '1.0.0',
  title: 'Respond',
  description:
    'Answers the caller of the webhook at once, while the run goes on. The first answer of a run counts; in runs that nobody called by webhook it does nothing.',
  category: categories.flow,
  icon: 'reply',
  // It answers for the run that it stands in: a model that works with tools has no caller.
  isNestable: false,
  keepsParams: true,
  sideEffects: 'idempotent',
  timeoutSeconds: 30,
  params: z.object({
    status: param(z.coerce.number().int().min(200).max(599).default(200), {
      label: 'Status',
      type: 'integer',
      description: 'HTTP status of the answer, 200 to 599.',
    }),
    body: param(z.unknown().default(''), {
      label: 'Body',
      type: 'text',
      description: 'A text is sent as it is, anything else as JSON; at most 256 KB.',
    }),
    content_type: param(z.string().trim().max(200).default(''), {
      label: 'Content type',
      description: 'When empty, text/plain for a text and application/json for anything else. Pages run no scripts.',
    }),
    headers: param(z.record(z.string(), z.coerce.string()).default({}), {
      label: 'Headers',
      description:
        'Any of cache-control, content-disposition, content-language, content-type, etag, expires, last-modified, location, retry-after, x-hook-secret, x-slack-no-retry and x-webhook-….',
    }),
  }),
  output: z.object({
    sent: z.boolean().describe('Whether this is the answer of the call that the run serves.'),
    status: z.int(),
    size_bytes: z.int(),
  }),
  examples: [
    { status: 201, body: { id: '{{_output.order.id}}' } },
    { body: '<h1>Thank you</h1>', content_type: 'text/html' },
  ],
  checkNode: ({ headers }) =>
    typeof headers === 'object' && headers !== null && !Object.hasOwn(headers, '$ref')
      ? Object.keys(headers)
          .filter((name) => !HEADERS.test(name.toLowerCase()))
          .map((name) => ({ path: 'headers', message: `${JSON.stringify(name)} cannot be set here.` }))
      : [],
  run: async ({ status, body, content_type: contentType, headers }, { callers, runId, idempotencyKey }) => {
    const checked = toHeaders(headers);
    const type = contentType || checked['content-type'] || typeOf(body);
    if (!MEDIA_TYPE.test(type)) throw invalid('content_type', 'This is no content type.');
    checked['content-type'] = inUtf8(type);
    const bytes = toBytes(status, body);
    if (bytes.length > MAX_BODY_BYTES)
      throw new ToolError('response_too_large', `The answer is larger than ${MAX_BODY_BYTES} bytes.`, false);
    const sent =
      (await callers?.answer({ status, headers: checked, body: bytes }, { runId, key: idempotencyKey })) ?? false;
    return { output: { sent, status, size_bytes: bytes.length } };
  },
});

const BEYOND_ASCII = /[\u00a0-\u{10ffff}]+/gu;
const FILENAME = /\bfilename=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i;

/** What a header can carry of other letters: those of an address, and of the name of a file (RFC 6266). */
function inAscii(name: string, value: string): string {
  if (value.length > MAX_VALUE || value.search(BEYOND_ASCII) === -1) return value;
  if (name === 'location') return value.toWellFormed().replace(BEYOND_ASCII, (letters) => encodeURIComponent(letters));
  if (name !== 'content-disposition' || /filename\*=/i.test(value)) return value;
  return value.toWellFormed().replace(FILENAME, (_, quoted: string | undefined, bare: string | undefined) => {
    const file = quoted?.replace(/\\(.)/g, '$1') ?? bare ?? '';
    const encoded = encodeURIComponent(file).replace(
      /['()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    );
    return `filename="${(quoted ?? file).replace(BEYOND_ASCII, '_')}"; filename*=UTF-8''${encoded}`;
  });
}

function toHeaders(given: Record<string, string>): Record<string, string> {
  const entries = Object.entries(given)
    .map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
    .map(([name, value]) => [name, inAscii(name, value)] as const);
  if (entries.length > MAX_HEADERS) throw invalid('headers', `There are more than ${MAX_HEADERS}.`);
  for (const [name, value] of entries) {
    if (!HEADERS.test(name)) throw invalid('headers', `${JSON.stringify(name)} cannot be set here.`);
    if (value.length > MAX_VALUE || !VISIBLE.test(value))
      throw invalid('headers', `${name} is longer than ${MAX_VALUE} characters or holds others than visible ASCII.`);
    if (name === 'location' && !/^https?:\/\/[^/]/i.test(value))
      throw invalid('headers', 'location is no address that begins with http:// or https://.');
  }
  return Object.fromEntries(entries);
}

/** What is written is UTF-8: under another charset its reader would see other letters. */
function inUtf8(type: string): string {
  const bare = type.replace(/\s*;\s*charset=(?:"[^"]*"|[^\s";]+)/gi, '');
  return bare !== type || /^text\//i.test(type) ? `${bare}; charset=utf-8` : type;
}

function typeOf(body: unknown): string {
  return typeof body === 'string' ? 'text/plain' : 'application/json; charset=utf-8';
}

/** Those of 204 and 304 have no body, whatever the node says. */
function toBytes(status: number, body: unknown): Buffer {
  if (status === 204 || status === 205 || status === 304 || body === undefined) return Buffer.alloc(0);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function invalid(field: string, message: string): ToolError {
  return new ToolError('invalid_params', `${field}: ${message}`, false);
}
