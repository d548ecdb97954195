import { readFile, stat } from 'node:fs/promises';
import { timeFormatOf } from '@app/common';
import { read, type CellObject, type ParsingOptions, type Range, type WorkBook } from '@e965/xlsx';
import { ExtractionError } from '../../pipeline/extraction-error.js';
import { dateText, isDateFormat, isoText } from './cell-text.js';
import { MOST_MERGES, type Merge } from '../../spreadsheets/merge-range.js';
import { numberFormatOf, numberText, type NumberFormat } from './number-format.js';
import { CellFaults, SheetRecords, type WrittenSheet } from './sheet-records.js';
import type { Workbook } from './workbook.js';

/** Larger workbooks are parsed sheet by sheet, so that only one is in memory. */
const AT_ONCE_BYTES = 4 * 1024 * 1024;

const OPTIONS = { dense: true, cellHTML: false, cellFormula: true, cellText: false, cellNF: true } as const;

/** XLS and ODS, which cannot be read as a stream. */
export class SheetJsWorkbook implements Workbook {
  private constructor(
    private readonly bytes: Buffer,
    readonly sheetNames: readonly string[],
    private readonly whole: WorkBook | null,
  ) {}

  static async open(path: string): Promise<SheetJsWorkbook> {
    const atOnce = (await stat(path)).size <= AT_ONCE_BYTES;
    const bytes = await readFile(path);
    const { SheetNames } = parse(bytes, { bookSheets: true });
    return new SheetJsWorkbook(bytes, SheetNames, atOnce ? parse(bytes, OPTIONS) : null);
  }

  /** Formulas of XLS and XLSB always have a value; of ODS those that have none are told. */
  async writeSheet(index: number, path: string, maxColumns: number): Promise<WrittenSheet | null> {
    const workbook = this.whole ?? parse(this.bytes, { ...OPTIONS, sheets: index });
    const rows = workbook.Sheets[this.sheetNames[index]!]?.['!data'] ?? [];
    const date1904 = workbook.Workbook?.WBProps?.date1904 === true;
    const records = new SheetRecords(path, maxColumns);
    const faults = new CellFaults();
    for (const [row, cells] of rows.entries()) {
      const texts = cells?.map((cell, column) => {
        if (cell?.f !== undefined && (cell.v === undefined || cell.t === 'z')) faults.missing.add(row, column);
        else if (cell?.t === 'e') faults.errors.add(row, column);
        return textOf(cell, date1904);
      });
      records.add(row, texts ?? []);
      await records.flush();
    }
    return records.end(mergesOf(workbook.Sheets[this.sheetNames[index]!]?.['!merges'] ?? []), faults);
  }

  close(): void {
    // Nothing is open: the file is in memory.
  }
}

function parse(bytes: Buffer, options: ParsingOptions): WorkBook {
  try {
    return read(bytes, options);
  } catch (error) {
    if (error instanceof Error && /password|encrypt/i.test(error.message))
      throw new ExtractionError(
        'encrypted',
        'The workbook is protected by a password. Remove the protection and upload it again.',
        { cause: error },
      );
    throw error;
  }
}

const mergesOf = (ranges: readonly Range[]): Merge[] =>
  ranges
    .slice(0, MOST_MERGES)
    .map(({ s, e }) => ({ top: s.r, bottom: e.r, left: s.c, right: e.c }))
    .filter(({ top, bottom, left, right }) => bottom > top || right > left);

const formats = new Map<string, NumberFormat | null>();

function formatOf(code: string): NumberFormat | null {
  const known = formats.get(code);
  if (known !== undefined) return known;
  const format = numberFormatOf(code);
  // A hostile workbook has a format for every cell.
  if (formats.size < 5_000) formats.set(code, format);
  return format;
}

function textOf(cell: CellObject | undefined | null, date1904: boolean): string | undefined {
  if (cell === undefined || cell === null || cell.v === undefined) return undefined;
  switch (cell.t) {
    case 'n': {
      const format = String(cell.z ?? 'General');
      return isDateFormat(format)
        ? dateText(Number(cell.v), date1904, timeFormatOf(format))
        : numberText(Number(cell.v), formatOf(format));
    }
    case 'b':
      return cell.v ? 'true' : 'false';
    case 'd':
      return cell.v instanceof Date ? isoText(cell.v.toISOString()) : String(cell.v);
    // What people see, such as "#DIV/0!", is no value.
    case 'e':
    case 'z':
      return undefined;
    default:
      return String(cell.v).replaceAll('\u0000', '');
  }
}
