import { cutLongText } from '../cut-long-text.js';
import { decodeHtml } from '../decode-text.js';
import { htmlBlocks, htmlTitle } from '../html/html-text.js';
import { parseHtml } from '../html/html-tree.js';
import { joinBlocks } from '../markup/blocks.js';
import { normaliseLine, normaliseText } from '../normalise.js';
import type { Parser } from '../parser.js';
import { readTextBytes } from './text.js';

/** What a reader sees of a page: headings, lists and tables; nothing of it runs, and nothing is fetched. */
export const parseHtmlFile: Parser = async (request, sink) => {
  const page = parseHtml(decodeHtml(await readTextBytes(request.path)));
  const label = normaliseLine(htmlTitle(page)).slice(0, 200);
  const pieces = cutLongText(normaliseText(joinBlocks(htmlBlocks(page))));
  sink.announce(pieces.length);
  for (const text of pieces) await sink.emit({ text, ocr: false, ...(label === '' ? {} : { label }) });
};
