import { readFile, stat } from 'node:fs/promises';
import { ExtractionError } from '../../extraction-error.js';
import { decodeText } from '../decode-text.js';
import { normaliseKeepingIndent } from '../normalise.js';
import type { Parser } from '../parser.js';

const MAX_BYTES = 50 * 1024 * 1024;
/** Longer sections are cut at a paragraph: no reader and no chunker wants a page of megabytes. */
const MAX_PAGE_CHARACTERS = 100_000;

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

export function cutLongText(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > MAX_PAGE_CHARACTERS) {
    const window = rest.slice(0, MAX_PAGE_CHARACTERS);
    const breaks = [window.lastIndexOf('\n\n'), window.lastIndexOf('\n'), window.lastIndexOf(' ')];
    const at = breaks.find((position) => position > MAX_PAGE_CHARACTERS / 2) ?? MAX_PAGE_CHARACTERS;
    pieces.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return [...pieces, rest];
}
