import { InvalidRequestError } from '@app/common';

/** Document 2, section 8. */
export const MAX_PAYLOAD_BYTES = 65_536;
const MAX_DEPTH = 64;

/** References to files of the platform; a caller without a session must not name them. `file_urls` is not one. */
const FILE_REFERENCE = /^_?(file|media|document|attachment|upload)s?_?(path|uid|uuid|id|ref|key)s?$|^attached_files$/i;

/**
 * A payload as the workflow may see it.
 * @param keepFileReferences for signed-in callers; otherwise they are removed at any depth.
 * @throws InvalidRequestError when it is no object, too large or too deep.
 */
export function readPayload(payload: unknown, { keepFileReferences = false } = {}): Record<string, unknown> | null {
  if (payload === undefined || payload === null) return null;
  if (typeof payload !== 'object' || Array.isArray(payload)) throw invalid('The payload must be a JSON object.');
  const cleaned = withoutFileReferences(payload, 0) as Record<string, unknown>;
  // Only now is the payload known to be flat enough to be written as text.
  if (Buffer.byteLength(JSON.stringify(payload)) > MAX_PAYLOAD_BYTES)
    throw invalid(`The payload is larger than ${MAX_PAYLOAD_BYTES} bytes.`);
  return keepFileReferences ? (payload as Record<string, unknown>) : cleaned;
}

/** The remote files that the payload names for ingestion. */
export function fileUrlsOf(payload: Record<string, unknown> | null): string[] {
  const urls = payload?.file_urls;
  const list = typeof urls === 'string' ? [urls] : Array.isArray(urls) ? urls : [];
  return list.filter((url): url is string => typeof url === 'string').slice(0, 100);
}

function withoutFileReferences(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) throw invalid(`The payload is nested more than ${MAX_DEPTH} levels deep.`);
  if (Array.isArray(value)) return value.map((item) => withoutFileReferences(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !FILE_REFERENCE.test(key))
      .map(([key, item]) => [key, withoutFileReferences(item, depth + 1)]),
  );
}

function invalid(message: string): InvalidRequestError {
  return new InvalidRequestError(message, { code: 'invalid_payload' });
}
