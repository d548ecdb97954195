import { createWriteStream, type WriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type { Merge } from '../../spreadsheets/merge-range.js';
import { ExtractionError } from '../../pipeline/extraction-error.js';

const BLOCK_CHARACTERS = 256 * 1024;
/** A small workbook can name one long text, or its last row and column, a million times. */
const MOST_CHARACTERS = 1024 ** 3;
const LONGEST_RECORD = 16 * 1024 ** 2;
/** The last row of Excel. */
const MOST_ROWS = 1_048_576;

/** Where the values of a sheet lie, counted from 0, and how its records look. */
export interface WrittenSheet {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
  longestRecordBytes: number;
  merges: Merge[];
  faults: CellFaults;
}

/** Cells that are empty in the table though they are not in the sheet. */
export class CellFaults {
  /** Formulas without a value. */
  readonly missing = new CellList();
  /** What people see as an error, such as `#DIV/0!`. */
  readonly errors = new CellList();
}

/** Rows by columns, both counted from 0. */
class CellList {
  private readonly rows = new Map<number, number[]>();
  count = 0;

  add(row: number, column: number): void {
    this.count += 1;
    const rows = this.rows.get(column);
    if (rows) rows.push(row);
    else this.rows.set(column, [row]);
  }

  /** How many cells of a column lie in rows that `has` knows. */
  countIn(column: number, has: (row: number) => boolean): number {
    return (this.rows.get(column) ?? []).filter(has).length;
  }
}

/**
 * Writes the rows of a sheet as records of a CSV: from the first row with a value on, one for each row, with cells from
 * column A on. Rows come in their order; those that are left out are empty.
 */
export class SheetRecords {
  private readonly stream: WriteStream;
  private block = '';
  private sheet: WrittenSheet | null = null;
  private characters = 0;

  constructor(
    path: string,
    private readonly maxColumns: number,
  ) {
    this.stream = createWriteStream(path);
  }

  /**
   * @param row from 0; one that is not below the one before stands below it nevertheless
   * @param cells the texts by column; '' and holes are empty
   * @throws ExtractionError
   */
  add(row: number, cells: readonly (string | undefined)[]): void {
    const first = cells.findIndex(isFilled);
    if (first === -1) return;
    const last = cells.findLastIndex(isFilled);
    const sheet = (this.sheet ??= {
      firstRow: row,
      lastRow: row - 1,
      firstColumn: first,
      lastColumn: last,
      longestRecordBytes: 0,
      merges: [],
      faults: new CellFaults(),
    });
    const place = Math.max(row, sheet.lastRow + 1);
    if (!(place < MOST_ROWS)) throw tooLarge('has more rows than Excel can show');
    // One quoted empty cell: readers skip a blank line, and rows would no longer count as the sheet does.
    this.block += '""\n'.repeat(place - sheet.lastRow - 1);
    let record = '';
    for (let column = 0; column <= last; column += 1) {
      const cell = cells[column];
      if (column > 0) record += ',';
      if (isFilled(cell)) record += `"${cell.replaceAll('"', '""')}"`;
      if (record.length > LONGEST_RECORD) throw tooLarge(`has more than 16 MB of text in row ${row + 1}`);
    }
    this.block += `${record}\n`;
    this.characters += record.length;
    if (this.characters > MOST_CHARACTERS) throw tooLarge('has more than 1 GB of text');
    sheet.lastRow = place;
    sheet.firstColumn = Math.min(sheet.firstColumn, first);
    sheet.lastColumn = Math.max(sheet.lastColumn, last);
    const columns = sheet.lastColumn - sheet.firstColumn + 1;
    if (columns > this.maxColumns) throw tooLarge(`has ${columns} columns. At most ${this.maxColumns} are accepted`);
    sheet.longestRecordBytes = Math.max(sheet.longestRecordBytes, record.length * 3);
  }

  /** Call it now and then: resolves when there is room for more. */
  async flush(): Promise<void> {
    if (this.block.length >= BLOCK_CHARACTERS) await this.write();
  }

  /** @returns null when the sheet has no values */
  async end(merges: Merge[], faults: CellFaults): Promise<WrittenSheet | null> {
    if (this.sheet !== null) Object.assign(this.sheet, { merges, faults });
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

const tooLarge = (what: string) => new ExtractionError('too_large', `A sheet of the workbook ${what}.`);
