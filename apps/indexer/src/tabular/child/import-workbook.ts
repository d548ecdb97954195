import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TabularContents, TabularSheet, TabularTable } from '@app/tabular';
import { ExtractionError } from '../../pipeline/extraction-error.js';
import type { ImportRequest } from '../import-messages.js';
import { cellName } from './cell-names.js';
import { notesOf, refuseTooLong, secondOf, totalRowsOf, warningsOf } from './import-csv.js';
import { stagedMerges } from './merges.js';
import { uniqueSqlNames } from './names.js';
import { tellFaults } from './tell-faults.js';
import { planTable } from './plan-table.js';
import type { WrittenSheet } from './sheet-records.js';
import { SheetJsWorkbook } from './sheetjs-workbook.js';
import type { TableBuilder } from './table-builder.js';
import type { Workbook } from './workbook.js';
import { XlsxWorkbook } from './xlsx-workbook.js';

const STREAMED: ReadonlySet<string> = new Set(['xlsx', 'xlsm']);

/** Every sheet of XLSX, XLSM, XLSB, XLS and ODS that holds anything is a table. Hidden sheets are read too. */
export async function importWorkbook(
  request: ImportRequest,
  builder: TableBuilder,
  report: (status: string) => void,
): Promise<TabularContents> {
  const { path, kind, maximum, formulaProgram } = request;
  const workbook: Workbook = STREAMED.has(kind)
    ? await XlsxWorkbook.open(path, formulaProgram)
    : await SheetJsWorkbook.open(path);
  const { sheetNames } = workbook;
  if (sheetNames.length > maximum.sheets)
    throw new ExtractionError(
      'too_large',
      `The workbook has ${sheetNames.length} sheets. At most ${maximum.sheets} are accepted.`,
    );
  const tableNames = uniqueSqlNames(sheetNames, builder.reserved, (index) => `sheet_${index + 1}`);
  const sheets: TabularSheet[] = [];
  const tables: TabularTable[] = [];
  const warnings: string[] = [];
  let rows = 0;
  for (const [index, name] of sheetNames.entries()) {
    report(`Reading the sheet "${name}".`);
    const csvPath = join(request.workFolder, `sheet-${index}.csv`);
    const written = await workbook.writeSheet(index, csvPath, maximum.columns);
    sheets.push(describe(name, written));
    const imported =
      written && (await importSheet(request, builder, { written, csvPath, sheet: name, name: tableNames[index]! }));
    await rm(csvPath);
    if (!imported) continue;
    tables.push(imported.table);
    warnings.push(...imported.warnings);
    rows += imported.table.rowCount;
    refuseTooLong(rows, maximum.rows);
  }
  workbook.close();
  if (tables.length === 0) throw new ExtractionError('empty', 'The workbook has no cells with a value.');
  return { tables, sheets, ...warningsOf(warnings) };
}

interface SheetToImport {
  written: WrittenSheet;
  csvPath: string;
  sheet: string;
  /** Of the table. */
  name: string;
}

async function importSheet(
  { options }: ImportRequest,
  builder: TableBuilder,
  { written, csvPath, sheet, name }: SheetToImport,
): Promise<{ table: TabularTable; warnings: string[] } | null> {
  const { firstRow, lastColumn, longestRecordBytes } = written;
  const merges = stagedMerges(written.merges, firstRow, lastColumn + 1);
  const staged = { columns: lastColumn + 1, delimiter: ',', padded: true, marked: true };
  await builder.stage(csvPath, staged, { longestRecordBytes, ragged: true });
  const plan = planTable(await builder.sample(staged), options.headerRow, firstRow, merges);
  const columns = await plan.columns(builder, staged);
  if (columns.length === 0) return null;
  await builder.fillMerges(staged, columns, merges, plan.firstRow);
  const { firstRowid, lastRowid, totals, notes, second, warnings, ...built } = await builder.build(
    name,
    staged,
    columns,
    plan.firstRow,
  );
  const above = firstRow + 1;
  const top = (plan.header ?? firstRowid) + above;
  const from = cellName(columns[0]!.index, top);
  const to = cellName(columns.at(-1)!.index, Math.max(lastRowid + above, top));
  const sums = new Set(totals.map(({ rowid }) => rowid + firstRow));
  const inTable = (row: number) => row >= firstRowid + firstRow && row <= lastRowid + firstRow && !sums.has(row);
  const faulty = tellFaults(built.columns, columns, written.faults, inTable);
  const range = `${from}:${to}`;
  return {
    table: {
      ...built,
      columns: faulty.columns,
      sheet,
      range,
      firstRow: firstRowid + above,
      ...totalRowsOf(totals, above),
    },
    warnings: [...warnings, ...notesOf(notes, above), ...secondOf(second, above), ...faulty.warnings].map(
      (warning) => `Sheet "${sheet}": ${warning}`,
    ),
  };
}

function describe(name: string, written: WrittenSheet | null): TabularSheet {
  if (written === null) return { name, rows: 0, columns: 0, usedRange: '' };
  const { firstRow, lastRow, firstColumn, lastColumn } = written;
  const usedRange = `${cellName(firstColumn, firstRow + 1)}:${cellName(lastColumn, lastRow + 1)}`;
  return { name, rows: lastRow - firstRow + 1, columns: lastColumn - firstColumn + 1, usedRange };
}
