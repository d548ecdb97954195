import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { read, SSF, utils } from '@e965/xlsx';
import type { CellObject, WorkBook, WorkSheet } from '@e965/xlsx';
import type { FileKind } from '@app/documents/kit';
import { findMissingValues, type MissingValue } from '../../../spreadsheets/missing-values.js';
import { ExtractionError } from '../../extraction-error.js';
import { Archive } from '../archive.js';
import { drawingPages, extraPages } from '../markup/extra-pages.js';
import type { Parser } from '../parser.js';
import { RowPages, type MergedColumns } from '../row-pages.js';
import { drawingText } from './drawings.js';
import { commentsOf, sheetHeaders } from './workbook-extras.js';

const MAX_CELLS = 2_000_000;
const MAX_COLUMNS = 500;
/** What a process that reads has room for. */
const MAX_CALCULATED_CELLS = 60_000;
const FORMULA_PROGRAM = fileURLToPath(new URL('../../../spreadsheets/formula-worker.js', import.meta.url));

/**
 * XLSX, XLSM, XLSB and XLS: every sheet in the order of the workbook, its rows in pages. Hidden sheets are read too. Then
 * what stands upon the sheets: text boxes, diagrams and titles of charts; comments; headers and footers.
 */
export const parseWorkbook: Parser = async (request, sink) => {
  const bytes = await readFile(request.path);
  // Others are not in the form that is looked at, or always say what their formulas come to.
  const isXml = request.kind === 'xlsx' || request.kind === 'xlsm';
  // A file that only this reading finds damaged is read without.
  const missing = isXml
    ? await findMissingValues(request.path, FORMULA_PROGRAM, MAX_CALCULATED_CELLS).catch(() => [])
    : [];
  const workbook = open(bytes, missing.length > 0);
  fillIn(workbook, missing);
  const date1904 = workbook.Workbook?.WBProps?.date1904 === true;
  let cells = 0;
  for (const name of workbook.SheetNames) {
    const sheet = workbook.Sheets[name];
    const reference = sheet?.['!ref'];
    if (sheet === undefined || reference === undefined) continue;
    const range = utils.decode_range(reference);
    const columns = Math.min(range.e.c - range.s.c + 1, MAX_COLUMNS);
    const pages = new RowPages(sink, name, { firstColumn: range.s.c });
    const merged = mergedColumns(sheet, range.s.c);
    for (let row = range.s.r; row <= range.e.r; row += 1) {
      const values = rowValues(sheet, row, { first: range.s.c, columns, date1904 });
      cells += values.length;
      if (cells > MAX_CELLS) {
        throw new ExtractionError(
          'too_large',
          'The workbook has more than 2 million cells. Split it and upload the parts.',
        );
      }
      await pages.add(row + 1, values, merged.get(row));
    }
    await pages.end();
  }
  const comments = commentsOf(workbook);
  for (const page of await readBeside(bytes, request.kind, comments)) await sink.emit({ ...page, ocr: false });
};

/** Cells that go over several columns, by the row that they begin in. */
function mergedColumns(sheet: WorkSheet, first: number): Map<number, MergedColumns[]> {
  const merged = new Map<number, MergedColumns[]>();
  for (const { s: from, e: to } of sheet['!merges'] ?? [])
    if (to.c > from.c) merged.set(from.r, [...(merged.get(from.r) ?? []), [from.c - first, to.c - first]]);
  return merged;
}

/** What belongs to no row, on pages that say what they are. */
async function readBeside(
  bytes: Buffer,
  kind: FileKind,
  comments: string[],
): Promise<{ text: string; label: string }[]> {
  if (kind === 'xls') return extraPages({ comments });
  const archive = await Archive.open(bytes);
  const texts: string[] = [];
  for (const name of archive.names(/^xl\/(?:drawings\/drawing|charts\/chart|diagrams\/data)\d+\.xml$/)) {
    const part = await archive.readXml(name);
    // Of charts their titles: the values stand in the sheets.
    if (part) texts.push(drawingText(part));
  }
  const headersAndFooters = kind !== 'xlsb' ? await sheetHeaders(archive) : [];
  const drawn = texts.filter((text) => text !== '').join('\n\n');
  return [...drawingPages(drawn), ...extraPages({ headersAndFooters, comments })];
}

/** @param withEmpty cells without a value come with their formats */
function open(bytes: Buffer, withEmpty: boolean): WorkBook {
  try {
    return read(bytes, { dense: true, cellHTML: false, cellFormula: false, cellNF: true, sheetStubs: withEmpty });
  } catch (error) {
    if (error instanceof Error && /password|encrypt/i.test(error.message)) {
      throw new ExtractionError(
        'encrypted',
        'The workbook is protected by a password. Remove the protection and upload it again.',
        { cause: error },
      );
    }
    throw error;
  }
}

/** Puts in what the formulas come to, as their cells would show it. */
function fillIn(workbook: WorkBook, values: readonly MissingValue[]): void {
  const date1904 = workbook.Workbook?.WBProps?.date1904 === true;
  for (const { sheet, row, column, value: found } of values) {
    const cell = workbook.Sheets[sheet]?.['!data']?.[row]?.[column];
    if (cell === undefined) continue;
    cell.v = found.value;
    cell.t = found.type === 'number' ? 'n' : 's';
    cell.w =
      typeof found.value === 'number'
        ? shown(found.value, cell.z, date1904)
        : found.type === 'boolean'
          ? String(found.value).toUpperCase()
          : String(found.value);
  }
}

function shown(value: number, format: CellObject['z'], date1904: boolean): string {
  try {
    return SSF.format(format ?? 'General', value, { date1904 });
  } catch {
    return shownAnyway({ t: 'n', v: value, ...(format === undefined ? {} : { z: format }) }, date1904);
  }
}

/** Cells as Excel shows them (`w`): dates and money keep their form. A row that does not exist is empty. */
function rowValues(
  sheet: WorkSheet,
  row: number,
  { first, columns, date1904 }: { first: number; columns: number; date1904: boolean },
): string[] {
  const cells = sheet['!data']?.[row];
  if (cells === undefined) return [];
  const values: string[] = [];
  for (let column = first; column < Math.min(first + columns, cells.length); column += 1) {
    const cell = cells[column];
    values.push(cell === undefined || cell === null ? '' : (cell.w ?? shownAnyway(cell, date1904)));
  }
  return values;
}

/**
 * A value whose format the reader refused: it knows dots and signs of other scripts in dates only where they are marked as
 * letters (`dd\\.mm\\.yyyy`), which Excel does and many other programs do not.
 */
function shownAnyway({ t: type, v: value = '', z: format }: CellObject, date1904: boolean): string {
  if (type !== 'n' || typeof format !== 'string' || !SSF.is_date(format)) return String(value);
  const marked = format.replace(/"[^"]*"|\\.|\[[^\]]*\]|\.(?!0)|[^\x20-\x7e]/gu, (part) =>
    /^(?:\.|[^\x20-\x7e])$/u.test(part) ? `"${part}"` : part,
  );
  try {
    return SSF.format(marked, value, { date1904 });
  } catch {
    // Of formats nobody is sure but Excel.
    return String(value);
  }
}
