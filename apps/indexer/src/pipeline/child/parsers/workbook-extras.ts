import { utils } from '@e965/xlsx';
import type { WorkBook } from '@e965/xlsx';
import type { Archive } from '../archive.js';
import type { Block } from '../markup/blocks.js';
import { childrenOf, findAll, textOf } from '../markup/element.js';

/** `Sheet!B2: author: text`, sheet by sheet and row by row. */
export function commentsOf(workbook: WorkBook): string[] {
  return workbook.SheetNames.flatMap((name) =>
    (workbook.Sheets[name]?.['!data'] ?? []).flatMap((row, r) =>
      (row ?? []).flatMap((cell, c) =>
        (cell?.c ?? []).map(({ a: author = '', t: text }) => {
          // Excel writes the author above the words as well.
          const words = text.startsWith(`${author}:`) ? text.slice(author.length + 1) : text;
          const said = words.replace(/\s+/g, ' ').trim();
          return said === ''
            ? ''
            : `${name}!${utils.encode_cell({ r, c })}: ${author === '' ? '' : `${author}: `}${said}`;
        }),
      ),
    ),
  ).filter((comment) => comment !== '');
}

/** Headers and footers of the sheets of an XLSX, without the codes for fonts and page numbers. */
export async function sheetHeaders(archive: Archive): Promise<Block[]> {
  const blocks: Block[] = [];
  // Cells are read elsewhere, and take most of the room.
  const cells = new Set(['x:sheetData', 'x:cols', 'x:conditionalFormatting', 'x:mergeCells', 'x:dataValidations']);
  for (const name of archive.names(/^xl\/(?:worksheets|chartsheets)\/[^/]+\.xml$/)) {
    const root = await archive.readXml(name, cells);
    for (const part of findAll(root ?? undefined, 'x:headerFooter').flatMap((each) => childrenOf(each)))
      blocks.push(...withoutCodes(textOf(part)).map((text): Block => ({ kind: 'paragraph', text })));
  }
  return blocks;
}

/** `&L`, `&C` and `&R` begin its three parts; `&&` is an ampersand; pictures, dates and numbers say nothing. */
function withoutCodes(written: string): string[] {
  return written
    .replaceAll('&&', '\u0000')
    .replace(/&(?:[LCR])/g, '\n')
    .replace(/&(?:"[^"]*"|K[0-9A-F]{6}|K\d{2}[+-]\d{3}|\d+|[A-Z])/gi, '')
    .replaceAll('\u0000', '&')
    .split('\n')
    .map((text) => text.trim())
    .filter((text) => /\p{L}{2}/u.test(text));
}
