import { InvalidRequestError } from '@app/common';
import { EgressError, type EgressGuard } from '@app/integrations';

export const AUTH_TYPES = ['none', 'bearer', 'header', 'oauth'] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** What a client wants a server to be; absent fields stay as they are, or take their default. */
export interface ServerDraft {
  label?: string;
  url?: string;
  authType?: AuthType;
  authHeaderName?: string;
  /** Empty: none. */
  secret?: string;
  enabled?: boolean;
}

const MAX_LABEL = 100;
const MAX_URL = 2000;
const MAX_SECRET = 8000;
const RESOLVE_MS = 2000;
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;

/** Headers that belong to HTTP, to the protocol, or to those who stand in between. */
const FOREIGN_HEADERS = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'date',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'last-event-id',
  'origin',
  'range',
  'referer',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
]);
const FOREIGN_PREFIXES = ['mcp-', 'proxy-', 'sec-', 'x-forwarded-', ':'];

const refuse = (code: string, message: string) => new InvalidRequestError(message, { code });

/** @throws InvalidRequestError (`mcp_label_required`, `mcp_label_too_long`) */
export function checkLabel(label: string | undefined): string {
  const text = (label ?? '')
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  if (text === '') throw refuse('mcp_label_required', 'Give the server a name.');
  if (text.length > MAX_LABEL) throw refuse('mcp_label_too_long', `The name has at most ${MAX_LABEL} characters.`);
  return text;
}

/**
 * The address as it is stored. A name is resolved once, so that a plainly private one is refused at once; what counts
 * is the check of each connection.
 * @throws InvalidRequestError (`mcp_url_not_https`, `mcp_address_blocked`, `mcp_url_too_long`)
 */
export async function checkUrl(raw: string | undefined, guard: EgressGuard): Promise<string> {
  const text = (raw ?? '').trim();
  if (text.length > MAX_URL) throw refuse('mcp_url_too_long', `The address has at most ${MAX_URL} characters.`);
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'http:' && guard.isAllowed(url.hostname, url.port || '80');
  if (!url || (url.protocol !== 'https:' && !isHttp))
    throw refuse('mcp_url_not_https', 'Enter the address of the server. It begins with https://.');
  url.hash = '';
  try {
    guard.checkUrl(url);
    await resolveSoon(url, guard);
  } catch (error) {
    if (error instanceof EgressError && error.failure === 'blocked') throw refuse('mcp_address_blocked', error.message);
    if (!(error instanceof EgressError)) throw error;
  }
  return url.href;
}

/** A name that is not known yet, or slow to be found, is no reason to refuse it. */
async function resolveSoon(url: URL, guard: EgressGuard): Promise<void> {
  const late = new Promise<void>((done) => setTimeout(done, RESOLVE_MS).unref());
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  await Promise.race([guard.resolve(url.hostname, port), late]);
}

/** @throws InvalidRequestError (`mcp_header_name_required`, `mcp_header_name_invalid`) */
export function checkHeaderName(name: string | undefined, authType: AuthType): string {
  const text = (name ?? '').trim();
  if (text === '') {
    if (authType === 'header') throw refuse('mcp_header_name_required', 'Name the header that carries the key.');
    return '';
  }
  const lower = text.toLowerCase();
  const isForeign = FOREIGN_HEADERS.has(lower) || FOREIGN_PREFIXES.some((prefix) => lower.startsWith(prefix));
  if (!TOKEN.test(text) || isForeign)
    throw refuse('mcp_header_name_invalid', 'This is no name of a header that may be set.');
  return text;
}

/** Null: none. @throws InvalidRequestError (`mcp_secret_invalid`) */
export function checkSecret(secret: string): string | null {
  const text = secret.trim();
  if (text.length > MAX_SECRET || !/^[\x20-\x7e]*$/.test(text))
    throw refuse('mcp_secret_invalid', 'A token or key has one line of letters, digits and signs, without accents.');
  return text === '' ? null : text;
}
