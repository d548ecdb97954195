import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';

const BLOCK_CHARACTERS = 256 * 1024;
/** The last row of Excel. */
const MOST_ROWS = 1_048_576;

/** Where the values of a sheet lie, counted from 0, and how its records look. */
export interface WrittenSheet {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
  longestRecordBytes: number;
}

/**
 * Writes the rows of a sheet as records of a CSV: from the first row with a value on, one for each row, with cells from
 * column A on. Rows come in their order; those that are left out are empty.
 */
export class SheetRecords {
  private readonly stream: WriteStream;
  private block = '';
  private sheet: WrittenSheet | null = null;

  constructor(path: string) {
    this.stream = createWriteStream(path);
  }

  /** @param row from 0 @param cells the texts by column; '' and holes are empty */
  add(row: number, cells: readonly (string | undefined)[]): void {
    const first = cells.findIndex(isFilled);
    if (first === -1 || row >= MOST_ROWS) return;
    const last = cells.findLastIndex(isFilled);
    const sheet = (this.sheet ??= {
      firstRow: row,
      lastRow: row - 1,
      firstColumn: first,
      lastColumn: last,
      longestRecordBytes: 0,
    });
    // One quoted empty cell: readers skip a blank line, and rows would no longer count as the sheet does.
    this.block += '""\n'.repeat(Math.max(0, row - sheet.lastRow - 1));
    let record = '';
    for (let column = 0; column <= last; column += 1) {
      const cell = cells[column];
      if (column > 0) record += ',';
      if (isFilled(cell)) record += `"${cell.replaceAll('"', '""')}"`;
    }
    this.block += `${record}\n`;
    sheet.lastRow = row;
    sheet.firstColumn = Math.min(sheet.firstColumn, first);
    sheet.lastColumn = Math.max(sheet.lastColumn, last);
    sheet.longestRecordBytes = Math.max(sheet.longestRecordBytes, record.length * 3);
  }

  /** Call it now and then: resolves when there is room for more. */
  async flush(): Promise<void> {
    if (this.block.length >= BLOCK_CHARACTERS) await this.write();
  }

  /** @returns null when the sheet has no values */
  async end(): Promise<WrittenSheet | null> {
    await this.write();
    this.stream.end();
    await finished(this.stream);
    return this.sheet;
  }

  private async write(): Promise<void> {
    const { block } = this;
    this.block = '';
    if (!this.stream.write(block)) await once(this.stream, 'drain');
  }
}

const isFilled = (cell: string | undefined): cell is string => cell !== undefined && cell !== '';
