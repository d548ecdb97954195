import { createWriteStream } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TabularContents, TabularSheet, TabularTable } from '@app/tabular';
import { read, utils, type ParsingOptions, type WorkBook, type WorkSheet } from '@e965/xlsx';
import { ExtractionError } from '../../pipeline/extraction-error.js';
import type { ImportRequest } from '../import-messages.js';
import { cellName } from './cell-names.js';
import { refuseTooLong, refuseTooWide } from './import-csv.js';
import { uniqueSqlNames } from './names.js';
import { planTable } from './plan-table.js';
import { sheetAsCsv, usedCells, type UsedCells } from './sheet-csv.js';
import type { TableBuilder } from './table-builder.js';

/** Larger workbooks are parsed sheet by sheet, so that only one is in memory. */
const AT_ONCE_BYTES = 4 * 1024 * 1024;

const OPTIONS = { dense: true, cellHTML: false, cellFormula: false, cellText: false, cellNF: true } as const;

/** Every sheet of XLSX, XLS and ODS that holds anything is a table. Hidden sheets are read too. */
export async function importWorkbook(
  request: ImportRequest,
  builder: TableBuilder,
  report: (status: string) => void,
): Promise<TabularContents> {
  const sheets: TabularSheet[] = [];
  const tables: TabularTable[] = [];
  let rows = 0;
  const reader = await WorkbookReader.open(request.path, request.maximum.sheets);
  const tableNames = uniqueSqlNames(reader.sheetNames, builder.reserved, (index) => `sheet_${index + 1}`);
  for (const [index, sheet] of reader.sheetNames.entries()) {
    report(`Reading the sheet "${sheet}".`);
    const { cells, date1904 } = reader.read(index);
    sheets.push(describe(sheet, cells));
    if (cells === null) continue;
    const csvPath = join(request.workFolder, `sheet-${index}.csv`);
    const width = cells.lastColumn - cells.firstColumn + 1;
    const longest = await writeCsv(csvPath, cells, date1904);
    const staged = { columns: width, delimiter: ',', padded: true };
    await builder.stage(csvPath, staged, { longestRecordBytes: longest, ragged: false });
    await rm(csvPath);
    const plan = planTable(await builder.sample(), request.options.headerRow, cells.firstRow);
    const columns = await plan.columns(builder, staged);
    refuseTooWide(columns.length, request.maximum.columns, `The sheet "${sheet}"`);
    if (columns.length === 0) continue;
    const { firstRowid, lastRowid, ...built } = await builder.build(tableNames[index]!, staged, columns, plan.firstRow);
    rows += built.rowCount;
    refuseTooLong(rows, request.maximum.rows);
    const above = cells.firstRow + 1;
    const top = (plan.header ?? firstRowid) + above;
    const from = cellName(columns[0]!.index + cells.firstColumn, top);
    const to = cellName(columns.at(-1)!.index + cells.firstColumn, Math.max(lastRowid + above, top));
    tables.push({ ...built, sheet, range: `${from}:${to}`, firstRow: firstRowid + above });
  }
  if (tables.length === 0) throw new ExtractionError('empty', 'The workbook has no cells with a value.');
  return { tables, sheets };
}

class WorkbookReader {
  private constructor(
    private readonly bytes: Buffer,
    readonly sheetNames: readonly string[],
    private readonly whole: WorkBook | null,
  ) {}

  static async open(path: string, maxSheets: number): Promise<WorkbookReader> {
    const atOnce = (await stat(path)).size <= AT_ONCE_BYTES;
    const bytes = await readFile(path);
    const { SheetNames } = parse(bytes, { bookSheets: true });
    if (SheetNames.length > maxSheets)
      throw new ExtractionError(
        'too_large',
        `The workbook has ${SheetNames.length} sheets. At most ${maxSheets} are accepted.`,
      );
    return new WorkbookReader(bytes, SheetNames, atOnce ? parse(bytes, OPTIONS) : null);
  }

  read(index: number): { cells: UsedCells | null; date1904: boolean } {
    const workbook = this.whole ?? parse(this.bytes, { ...OPTIONS, sheets: index });
    const sheet: WorkSheet | undefined = workbook.Sheets[this.sheetNames[index]!];
    return { cells: sheet ? usedCells(sheet) : null, date1904: workbook.Workbook?.WBProps?.date1904 === true };
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

function describe(name: string, cells: UsedCells | null): TabularSheet {
  if (cells === null) return { name, rows: 0, columns: 0, usedRange: '' };
  const { firstRow, lastRow, firstColumn, lastColumn } = cells;
  const usedRange = utils.encode_range({ s: { r: firstRow, c: firstColumn }, e: { r: lastRow, c: lastColumn } });
  return { name, rows: lastRow - firstRow + 1, columns: lastColumn - firstColumn + 1, usedRange };
}

/** @returns the bytes of the longest record */
async function writeCsv(path: string, cells: UsedCells, date1904: boolean): Promise<number> {
  let longest = 0;
  const blocks = function* () {
    for (const record of sheetAsCsv(cells, date1904)) {
      longest = Math.max(longest, Buffer.byteLength(record));
      yield record;
    }
  };
  await pipeline(Readable.from(inBlocks(blocks())), createWriteStream(path));
  return longest;
}

/** A write for each record would cost more than the records do. */
function* inBlocks(records: Iterable<string>): Generator<string> {
  let block = '';
  for (const record of records) {
    block += record;
    if (block.length < 256 * 1024) continue;
    yield block;
    block = '';
  }
  if (block !== '') yield block;
}
