import { readFile, stat } from 'node:fs/promises';
import { ExtractionError } from '../../extraction-error.js';
import { cutLongText } from '../cut-long-text.js';
import { decodeText } from '../decode-text.js';
import { normaliseKeepingIndent } from '../normalise.js';
import type { PageSink } from '../page-sink.js';
import type { Parser } from '../parser.js';

const MAX_BYTES = 50 * 1024 * 1024;

/** Plain text and reStructuredText. Form feeds part pages; a file without them is one page unless it is very long. */
export const parseText: Parser = async (request, sink) => emitText(await readText(request.path), sink);

/** @throws ExtractionError `too_large` */
export async function readTextBytes(path: string): Promise<Buffer> {
  const { size } = await stat(path);
  if (size > MAX_BYTES) throw new ExtractionError('too_large', 'Text files of more than 50 MB cannot be read.');
  return readFile(path);
}

export async function readText(path: string): Promise<string> {
  return decodeText(await readTextBytes(path));
}

export async function emitText(text: string, sink: PageSink): Promise<void> {
  const pages = text.split('\f').flatMap((page) => cutLongText(page).map(normaliseKeepingIndent));
  while (pages.length > 1 && pages.at(-1) === '') pages.pop();
  sink.announce(pages.length);
  for (const page of pages) await sink.emit({ text: page, ocr: false });
}
