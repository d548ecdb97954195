import { isUtf8 } from 'node:buffer';
import { parseKeepingNumbers } from '@app/common';
import { type HttpResponse, type ToolContext, ToolError } from '@app/workflow-definition';

/** Of answers that are held in memory; files may be larger. */
export const MAX_TEXT_BYTES = 20 * 1024 * 1024;
/** Up to here nobody asks for room. */
const SMALL_BYTES = 1024 * 1024;

/** @throws ToolError `response_too_large`, EgressError */
export async function readText(response: HttpResponse, room?: ToolContext['room']): Promise<string> {
  const chunks: Uint8Array[] = [];
  let hasRoom = false;
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > MAX_TEXT_BYTES)
      throw new ToolError('response_too_large', 'The answer is too large for anything but a file.', false);
    if (!hasRoom && bytes > SMALL_BYTES) await room?.(MAX_TEXT_BYTES);
    hasRoom ||= bytes > SMALL_BYTES;
    chunks.push(chunk);
  }
  return decode(Buffer.concat(chunks), headerOf(response, 'content-type'));
}

export function headerOf({ headers }: Pick<HttpResponse, 'headers'>, name: string): string {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? '');
}

/** As its content type says. */
export function kindOf(response: HttpResponse): 'json' | 'text' | 'file' {
  const type = headerOf(response, 'content-type').split(';')[0]!.trim().toLowerCase();
  if (type === 'application/json' || type === 'text/json' || type.endsWith('+json')) return 'json';
  if (type === '' || type.startsWith('text/') || /[/+](xml|javascript|x-www-form-urlencoded|yaml)$/.test(type))
    return 'text';
  return 'file';
}

/** @throws ToolError `response_invalid` */
export function parseJson(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return parseKeepingNumbers(text);
  } catch (cause) {
    throw new ToolError('response_invalid', 'The host answered with something that is no JSON.', false, { cause });
  }
}

/** Without what signs somebody in: outputs are shown to everybody who may see the workflow. */
export function shownHeaders({ headers }: HttpResponse): Record<string, string> {
  const hidden = new Set(['set-cookie', 'authorization', 'www-authenticate', 'proxy-authenticate']);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || hidden.has(name) ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

/** What the host calls the file: RFC 6266, else the end of its path. */
export function filenameOf(response: HttpResponse): string {
  const disposition = headerOf(response, 'content-disposition');
  const encoded = /filename\*\s*=\s*utf-8''([^;\s]+)/i.exec(disposition)?.[1];
  const plain = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(disposition);
  const named = (encoded && decodePart(encoded)) || plain?.[1] || plain?.[2];
  const fromPath = decodePart(response.url.pathname.split('/').at(-1) ?? '');
  // A host chooses the name, never the folder.
  const name = (named || fromPath).split(/[/\\]/).at(-1);
  return name || 'download';
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Of a page that names its encoding itself, this far from its beginning at most, as browsers look for it. */
const DECLARED_WITHIN = 1_024;

function decode(bytes: Buffer, contentType: string): string {
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ?? charsetIn(bytes, contentType);
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // A name that no decoder has.
    return bytes.toString('utf8');
  }
}

/** What the bytes say where the host says nothing: a mark of UTF-16, the declaration of XML, a `meta` of HTML. */
function charsetIn(bytes: Buffer, contentType: string): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  // Who wrote before there was UTF-8 says nothing, and nearly always means this; its letters were lost for good.
  const unsaid = isUtf8(bytes) ? 'utf-8' : 'windows-1252';
  if (!/[/+](html|xml)\b/i.test(contentType)) return unsaid;
  const head = bytes.toString('latin1', 0, DECLARED_WITHIN);
  const declared =
    /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)/i.exec(head) ??
    /<meta[^>]*?\scharset\s*=\s*["']?([\w.:-]+)/i.exec(head);
  const named = declared ?? /<meta[^>]*?\scontent\s*=\s*["'][^"'>]*?charset\s*=\s*([\w.:-]+)/i.exec(head);
  // It was read as ASCII, so it cannot be of two bytes a letter.
  return named && !/^utf-?16/i.test(named[1]!) ? named[1]! : unsaid;
}
