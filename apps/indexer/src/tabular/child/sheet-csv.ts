import { SSF, type CellObject, type WorkSheet } from '@e965/xlsx';

/** The cells of a sheet that hold something, and the rectangle around them; rows and columns count from 0. */
export interface UsedCells {
  rows: readonly (readonly (CellObject | undefined)[] | undefined)[];
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}

const isFilled = (cell: CellObject | undefined | null): cell is CellObject =>
  cell !== undefined && cell !== null && cell.t !== 'z' && cell.v !== undefined && cell.v !== '';

/** The range that a workbook declares may be far larger than what is in it. Null for a sheet without values. */
export function usedCells(sheet: WorkSheet): UsedCells | null {
  const rows: UsedCells['rows'] = sheet['!data'] ?? [];
  let firstRow = -1;
  let lastRow = -1;
  let firstColumn = Infinity;
  let lastColumn = -1;
  rows.forEach((cells, row) => {
    const first = cells?.findIndex(isFilled) ?? -1;
    if (cells === undefined || first === -1) return;
    if (firstRow === -1) firstRow = row;
    lastRow = row;
    firstColumn = Math.min(firstColumn, first);
    lastColumn = Math.max(lastColumn, cells.findLastIndex(isFilled));
  });
  return firstRow === -1 ? null : { rows, firstRow, lastRow, firstColumn, lastColumn };
}

/** One record for each row of the rectangle, empty rows included, so that records and rows count alike. */
export function* sheetAsCsv(
  { rows, firstRow, lastRow, firstColumn, lastColumn }: UsedCells,
  date1904: boolean,
): Generator<string> {
  for (let row = firstRow; row <= lastRow; row += 1) {
    const cells = rows[row];
    let record = '';
    for (let column = firstColumn; column <= lastColumn; column += 1) {
      const cell = cells?.[column];
      if (column > firstColumn) record += ',';
      // A record of one empty cell would be a blank line, which readers skip.
      if (isFilled(cell)) record += `"${textOf(cell, date1904).replaceAll('"', '""')}"`;
      else if (firstColumn === lastColumn) record += '""';
    }
    yield `${record}\n`;
  }
}

function textOf(cell: CellObject, date1904: boolean): string {
  switch (cell.t) {
    case 'n':
      return numberText(Number(cell.v), cell.z, date1904);
    case 'b':
      return cell.v ? 'true' : 'false';
    case 'd':
      return cell.v instanceof Date ? isoText(cell.v.toISOString()) : String(cell.v);
    // The value of an error is a number; what people see is "#DIV/0!", which is no value.
    case 'e':
      return '';
    default:
      return String(cell.v).replaceAll('\u0000', '');
  }
}

const two = (part: number) => String(part).padStart(2, '0');

function numberText(value: number, format: CellObject['z'], date1904: boolean): string {
  if (format === undefined || format === 'General' || !SSF.is_date(String(format))) return String(value);
  const date = SSF.parse_date_code(value, { date1904 });
  // Hours without a day, such as "7:30" or "[h]:mm", are no moment.
  if (!date || value < 1) return String(value);
  const day = `${String(date.y).padStart(4, '0')}-${two(date.m)}-${two(date.d)}`;
  const time = `${two(date.H)}:${two(date.M)}:${two(Math.floor(date.S))}`;
  return time === '00:00:00' ? day : `${day} ${time}`;
}

const isoText = (text: string) =>
  text
    .replace('T00:00:00.000Z', '')
    .replace('T', ' ')
    .replace(/\.000Z$/, '')
    .replace('Z', '');
