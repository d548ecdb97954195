import { readFile, stat } from 'node:fs/promises';
import { ExtractionError } from '../../extraction-error.js';
import { cutLongText } from '../cut-long-text.js';
import { decodeText } from '../decode-text.js';
import { normaliseKeepingIndent } from '../normalise.js';
import type { Parser } from '../parser.js';

const MAX_BYTES = 50 * 1024 * 1024;

/** Plain text and Markdown. Form feeds part pages; a file without them is one page unless it is very long. */
export const parseText: Parser = async (request, sink) => {
  const { size } = await stat(request.path);
  if (size > MAX_BYTES) throw new ExtractionError('too_large', 'Text files of more than 50 MB cannot be read.');
  const text = decodeText(await readFile(request.path));
  const pages = text.split('\f').flatMap((page) => cutLongText(page).map(normaliseKeepingIndent));
  while (pages.length > 1 && pages.at(-1) === '') pages.pop();
  sink.announce(pages.length);
  for (const page of pages) await sink.emit({ text: page, ocr: false });
};
