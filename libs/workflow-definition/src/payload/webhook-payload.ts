import { InvalidRequestError, toJsonText } from '@app/common';

/** docs/contract/conventions.md#limits. */
export const MAX_PAYLOAD_BYTES = 65_536;
/** Where a payload tells of the call that brought it: `headers`, `query`, `uploads` and `files`. */
export const REQUEST_KEY = '_request';
/**
 * What the platform alone writes beside the fields of a payload, or reads from there: the call, the slot of a schedule,
 * item and place of the body of a loop, and the roots of references. No caller can write them.
 */
const SYSTEM_KEYS: ReadonlySet<string> = new Set([
  REQUEST_KEY,
  '_schedule',
  '_item',
  '_index',
  '_webhook_payload',
  '_output',
  '_secret',
]);
const MAX_DEPTH = 64;

/** References to files of the platform; a caller without a session must not name them. `file_urls` is not one. */
const FILE_REFERENCE =
  /^_?(file|media|document|attachment|upload)s?[-_ .]?(path|uid|uuid|id|ref|key)s?$|^_?(file|path)s?$|^attached[-_ .]?files?$/i;

/** The payload of a webhook call, ready for its row. */
export interface CallPayload {
  /** JSON; null without a payload. */
  text: string | null;
  /** Addresses of remote files to be ingested, as the call named them. */
  fileUrls: string[];
}

/** What else is known of a call, for the workflow to see. */
export interface CallRequest {
  headers?: Readonly<Record<string, string>>;
  /** Of the address. */
  query?: Readonly<Record<string, string | string[]>>;
  /** The files of a form, as the call brought them. */
  uploads?: readonly object[];
}

/**
 * A payload as the workflow may see it: without what the platform alone writes.
 * @param keepFileReferences for signed-in callers; otherwise they are removed at any depth.
 * @throws InvalidRequestError when it is no object, too large or too deep.
 */
export function readPayload(payload: unknown, { keepFileReferences = false } = {}): Record<string, unknown> | null {
  if (payload === undefined || payload === null) return null;
  if (typeof payload !== 'object' || Array.isArray(payload)) throw invalid('The payload must be a JSON object.');
  const isClean = !namesFiles(payload, 0);
  // Only now is the payload known to be flat enough to be written as text.
  checkSize(JSON.stringify(payload));
  const rest = keepFileReferences || isClean ? payload : withoutFileReferences(payload);
  return withoutSystemKeys(rest as Record<string, unknown>);
}

/**
 * The payload of a call from outside, written as text once.
 * @param request what the workflow may know of the call itself
 * @throws InvalidRequestError when it is no object, too large or too deep.
 */
export function readCallPayload(payload: unknown, request: CallRequest = {}): CallPayload {
  const told = Object.fromEntries(
    Object.entries(request).filter(([, value]) => Object.keys(value as object).length > 0),
  );
  const tells = Object.keys(told).length > 0;
  if (payload === undefined || payload === null)
    return { text: tells ? toJsonText({ [REQUEST_KEY]: told }) : null, fileUrls: [] };
  if (typeof payload !== 'object' || Array.isArray(payload)) throw invalid('The payload must be a JSON object.');
  const isClean = !namesFiles(payload, 0) && withoutSystemKeys(payload as Record<string, unknown>) === payload;
  const text = toJsonText(payload);
  checkSize(text);
  if (request.uploads?.length) checkSize(text + toJsonText(request.uploads));
  const fileUrls = fileUrlsOf(payload as Record<string, unknown>);
  if (isClean && !tells) return { text, fileUrls };
  const rest = withoutSystemKeys(withoutFileReferences(payload) as Record<string, unknown>);
  return { text: toJsonText(tells ? { ...rest, [REQUEST_KEY]: told } : rest), fileUrls };
}

/** The same object where it has none of them. */
export function withoutSystemKeys(payload: Record<string, unknown>): Record<string, unknown> {
  if (!Object.keys(payload).some((key) => SYSTEM_KEYS.has(key))) return payload;
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !SYSTEM_KEYS.has(key)));
}

/** The remote files that the payload names for ingestion. */
export function fileUrlsOf(payload: Record<string, unknown> | null): string[] {
  const urls = payload?.file_urls;
  const list = typeof urls === 'string' ? [urls] : Array.isArray(urls) ? urls : [];
  return list.filter((url): url is string => typeof url === 'string' && url !== '').slice(0, 100);
}

function checkSize(text: string): void {
  // Of n characters there are between n and 3n bytes.
  if (text.length * 3 <= MAX_PAYLOAD_BYTES || Buffer.byteLength(text) <= MAX_PAYLOAD_BYTES) return;
  throw invalid(`The payload is larger than ${MAX_PAYLOAD_BYTES} bytes.`);
}

function namesFiles(value: object, depth: number): boolean {
  if (depth >= MAX_DEPTH) throw invalid(`The payload is nested more than ${MAX_DEPTH} levels deep.`);
  const isList = Array.isArray(value);
  let found = false;
  for (const key of Object.keys(value)) {
    if (!isList && FILE_REFERENCE.test(key)) found = true;
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === 'object' && item !== null && namesFiles(item, depth + 1)) found = true;
  }
  return found;
}

function withoutFileReferences(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutFileReferences);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !FILE_REFERENCE.test(key))
      .map(([key, item]) => [key, withoutFileReferences(item)]),
  );
}

function invalid(message: string): InvalidRequestError {
  return new InvalidRequestError(message, { code: 'invalid_payload' });
}
