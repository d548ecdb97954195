import { TextDecoder } from 'node:util';
import { InvalidRequestError, isDictionary, parseAny, parseKeepingNumbers, Refusal } from '@app/common';
import { UnsupportedMediaTypeError } from '../../http/http-errors.js';
import { checkDepth } from '../../http/request-body.guard.js';

/** What a body says, as the workflow gets it. */
export interface HookBody {
  payload: Record<string, unknown>;
  /** The files of a form. */
  uploads: object[];
}

const MAX_PARTS = 1000;

/**
 * A sender's own body as a payload (docs/contract/webhooks.md#bodies-of-senders): a JSON object or a form as it is,
 * any other JSON and
 * any text as `body`, what is no text as `body_base64`, nothing as an empty object.
 * @throws InvalidRequestError, UnsupportedMediaTypeError for a charset that nobody knows
 */
export async function readHookBody(bytes: Buffer, contentType: string | undefined): Promise<HookBody> {
  if (bytes.length === 0) return { payload: {}, uploads: [] };
  const mediaType = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (mediaType === 'multipart/form-data') return readParts(bytes, contentType!);
  return { payload: storable(readWhole(bytes, mediaType, contentType ?? '')), uploads: [] };
}

function readWhole(bytes: Buffer, mediaType: string, contentType: string): Record<string, unknown> {
  const text = decode(bytes, contentType) ?? (XML.test(mediaType) ? decodeXml(bytes, contentType) : null);
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) {
    if (text === null) throw unreadable();
    return fromJson(parseJson(text));
  }
  if (text === null || text.includes('\0')) return { body_base64: bytes.toString('base64') };
  if (mediaType === 'application/x-www-form-urlencoded') return fromEntries(readForm(bytes, contentType));
  if (mediaType !== '' && mediaType !== 'text/plain') return { body: text };
  // Some senders (Amazon SNS) call their JSON plain text, and some say nothing.
  const guessed = tryJson(text);
  return isDictionary(guessed) ? fromJson(guessed) : { body: text };
}

const XML = /^(?:application|text)\/(?:xml|[^/]+\+xml)$/;

/** An XML document that is no UTF-8 by the charset that it declares itself, where its sender names none. */
function decodeXml(bytes: Buffer, contentType: string): string | null {
  if (/;\s*charset\s*=/i.test(contentType)) return null;
  const start = bytes.toString('latin1', 0, 300);
  const declared = /^<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/.exec(start)?.[1];
  // What could be read so far has one byte a sign, whatever it says.
  if (declared === undefined || /^(?:utf|ucs|iso-10646)/i.test(declared)) return null;
  try {
    return decode(bytes, `; charset=${declared}`);
  } catch (error) {
    if (error instanceof UnsupportedMediaTypeError) return null;
    throw error;
  }
}

/** A form in the character set of its sender, escapes included. */
function* readForm(bytes: Buffer, contentType: string): Generator<[string, string]> {
  for (const pair of bytes.toString('latin1').split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
    yield [unescaped(name, contentType), unescaped(value, contentType)];
  }
}

function unescaped(text: string, contentType: string): string {
  const plain = text
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
  const decoded = decode(Buffer.from(plain, 'latin1'), contentType);
  if (decoded === null) throw unreadable();
  return decoded;
}

async function readParts(bytes: Buffer, contentType: string): Promise<HookBody> {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } })
    .formData()
    .catch((error: unknown) => {
      throw unreadable(error);
    });
  const entries = [...form];
  if (entries.length > MAX_PARTS) throw invalid('The form has too many parts.');
  const fields = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const files = entries.filter((entry): entry is [string, File] => typeof entry[1] !== 'string');
  // The parser puts U+FFFD where bytes are no UTF-8.
  const names = [...fields.flat(), ...files.flatMap(([field, file]) => [field, file.name])];
  if (names.some((text) => text.includes('\uFFFD')) && !bytes.includes('\uFFFD'))
    throw new InvalidRequestError('The form is not UTF-8.', { code: 'parse_error' });
  const uploads = await Promise.all(files.map(([field, file]) => toUpload(field, file)));
  return {
    payload: storable(fromEntries(fields)),
    uploads: uploads.map((upload) => storable(upload)),
  };
}

async function toUpload(field: string, file: File): Promise<Record<string, unknown>> {
  const bytes = Buffer.from(await file.arrayBuffer());
  const text = decode(bytes, '');
  const content = text === null || text.includes('\0') ? { base64: bytes.toString('base64') } : { text };
  return { field, file_name: file.name, content_type: file.type || null, size_bytes: bytes.length, ...content };
}

/** By the charset that the sender names, UTF-8 without one; null for bytes that are no such text. */
function decode(bytes: Buffer, contentType: string): string | null {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(charset, { fatal: true });
  } catch (error) {
    throw new UnsupportedMediaTypeError(charset, { cause: error });
  }
  try {
    return decoder.decode(bytes);
  } catch {
    // It is no text: what becomes of it depends on what it should have been.
    return null;
  }
}

function parseJson(text: string): unknown {
  try {
    return parseKeepingNumbers(text);
  } catch (error) {
    throw unreadable(error);
  }
}

function tryJson(text: string): unknown {
  try {
    return parseKeepingNumbers(text);
  } catch {
    // Then it is a text.
    return undefined;
  }
}

function fromJson(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null) checkDepth(value);
  return isDictionary(value) ? value : { body: value };
}

/** A field that comes several times is a list. */
function fromEntries(entries: Iterable<[string, string]>): Record<string, unknown> {
  const fields = new Map<string, string | string[]>();
  for (const [name, value] of entries) {
    const known = fields.get(name);
    if (Array.isArray(known)) known.push(value);
    else fields.set(name, known === undefined ? value : [known, value]);
  }
  return Object.fromEntries(fields);
}

/** What the database cannot hold is said before it is tried. */
function storable<T extends Record<string, unknown>>(value: T): T {
  const read = parseAny(value);
  if (read instanceof Refusal) throw invalid(read.message);
  return value;
}

function invalid(message: string): InvalidRequestError {
  return new InvalidRequestError(message, { code: 'invalid_payload' });
}

function unreadable(cause?: unknown): InvalidRequestError {
  return new InvalidRequestError('The body cannot be read as what its Content-Type says.', {
    code: 'parse_error',
    ...(cause !== undefined && { cause }),
  });
}
