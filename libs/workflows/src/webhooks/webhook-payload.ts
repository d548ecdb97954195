import { InvalidRequestError, toJsonText } from '@app/common';

/** Document 2, section 8. */
export const MAX_PAYLOAD_BYTES = 65_536;
/** Where a payload tells of the call that brought it: `headers` and `files`. Callers cannot write it. */
export const REQUEST_KEY = '_request';
const MAX_DEPTH = 64;

/** References to files of the platform; a caller without a session must not name them. `file_urls` is not one. */
const FILE_REFERENCE = /^_?(file|media|document|attachment|upload)s?_?(path|uid|uuid|id|ref|key)s?$|^attached_files$/i;

/** The payload of a webhook call, ready for its row. */
export interface CallPayload {
  /** JSON; null without a payload. */
  text: string | null;
  /** Addresses of remote files to be ingested, as the call named them. */
  fileUrls: string[];
}

/**
 * A payload as the workflow may see it.
 * @param keepFileReferences for signed-in callers; otherwise they are removed at any depth.
 * @throws InvalidRequestError when it is no object, too large or too deep.
 */
export function readPayload(payload: unknown, { keepFileReferences = false } = {}): Record<string, unknown> | null {
  if (payload === undefined || payload === null) return null;
  if (typeof payload !== 'object' || Array.isArray(payload)) throw invalid('The payload must be a JSON object.');
  const isClean = !namesFiles(payload, 0);
  // Only now is the payload known to be flat enough to be written as text.
  checkSize(JSON.stringify(payload));
  return (keepFileReferences || isClean ? payload : withoutFileReferences(payload)) as Record<string, unknown>;
}

/**
 * The payload of a call from outside, written as text once.
 * @param headers what the workflow may know of the call's headers
 * @throws InvalidRequestError when it is no object, too large or too deep.
 */
export function readCallPayload(payload: unknown, headers: Readonly<Record<string, string>> = {}): CallPayload {
  const hasHeaders = Object.keys(headers).length > 0;
  if (payload === undefined || payload === null)
    return { text: hasHeaders ? toJsonText({ [REQUEST_KEY]: { headers } }) : null, fileUrls: [] };
  if (typeof payload !== 'object' || Array.isArray(payload)) throw invalid('The payload must be a JSON object.');
  const isClean = !namesFiles(payload, 0) && !Object.hasOwn(payload, REQUEST_KEY);
  const text = toJsonText(payload);
  checkSize(text);
  const fileUrls = fileUrlsOf(payload as Record<string, unknown>);
  if (isClean && !hasHeaders) return { text, fileUrls };
  const { [REQUEST_KEY]: _forged, ...rest } = withoutFileReferences(payload) as Record<string, unknown>;
  return { text: toJsonText(hasHeaders ? { ...rest, [REQUEST_KEY]: { headers } } : rest), fileUrls };
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
