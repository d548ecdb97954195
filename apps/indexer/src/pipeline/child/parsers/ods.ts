import { readFile } from 'node:fs/promises';
import { ExtractionError } from '../../extraction-error.js';
import { joinBlocks, oneLine } from '../markup/blocks.js';
import { childrenOf, type MarkupElement } from '../markup/element.js';
import { drawingPages, extraPages } from '../markup/extra-pages.js';
import { streamXml } from '../markup/xml-tree.js';
import { embeddedTexts, FORMATTING, headersAndFooters, openOdfArchive } from '../odf/odf-file.js';
import { OdfLists } from '../odf/odf-lists.js';
import { OdfText } from '../odf/odf-text.js';
import type { Parser } from '../parser.js';
import { RowPages } from '../row-pages.js';

const MAX_CELLS = 2_000_000;
const MAX_COLUMNS = 500;
const ROWS = { name: 'table:table-row', within: 'table:table' };

/**
 * ODS: every sheet in the order of the workbook, its rows in pages as it shows them; then what stands upon the sheets,
 * comments, headers and footers. Rows are read one by one: no sheet is too long for the memory.
 */
export const parseOds: Parser = async (request, sink) => {
  const archive = await openOdfArchive(await readFile(request.path));
  const content = await archive.stream('content.xml');
  if (content === null) throw new Error('The file has no content.');
  const text = new OdfText(new OdfLists([]), await embeddedTexts(archive));
  let sheet: MarkupElement | undefined;
  let pages: RowPages | undefined;
  let rest: MarkupElement | undefined;
  let row = 0;
  let cells = 0;
  for await (const { element, within } of streamXml(content, ROWS, FORMATTING)) {
    if (within === undefined) {
      rest = element;
      continue;
    }
    if (within !== sheet) {
      await pages?.end();
      row = 0;
      sheet = within;
      pages = new RowPages(sink, within.attributes['table:name'] ?? '');
    }
    const values = rowValues(element, text);
    cells += values.length;
    if (cells > MAX_CELLS)
      throw new ExtractionError(
        'too_large',
        'The workbook has more than 2 million cells. Split it and upload the parts.',
      );
    await pages?.add(row + 1, values);
    row += Number(element.attributes['table:number-rows-repeated'] ?? 1) || 1;
  }
  await pages?.end();
  const upon = rest ? joinBlocks(text.blocks(rest)) : '';
  const styles = await archive.readXml('styles.xml', FORMATTING).catch(() => null);
  const extra = { headersAndFooters: headersAndFooters(styles, text), comments: text.comments };
  for (const page of [...drawingPages(upon), ...extraPages(extra)]) await sink.emit({ ...page, ocr: false });
};

/** Cells as the sheet shows them, each in one line. Empty ones at the end of a row are none. */
function rowValues(row: MarkupElement, text: OdfText): string[] {
  const values: string[] = [];
  let empty = 0;
  for (const cell of childrenOf(row, 'table:table-cell', 'table:covered-table-cell')) {
    const value = oneLine(text.blocks(cell));
    const repeated = Math.min(Number(cell.attributes['table:number-columns-repeated'] ?? 1) || 1, MAX_COLUMNS);
    if (value === '') {
      empty += repeated;
      continue;
    }
    if (values.length + empty + repeated > MAX_COLUMNS) break;
    values.push(...Array.from({ length: empty }, () => ''), ...Array.from({ length: repeated }, () => value));
    empty = 0;
  }
  return values;
}
