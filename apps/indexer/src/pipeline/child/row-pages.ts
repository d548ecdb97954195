import type { SourceCell } from '@app/extraction/kit';
import { cellAddress } from './cell-address.js';
import { normaliseLine } from './normalise.js';
import type { PageSink } from './page-sink.js';

const ROWS_PER_PAGE = 50;
const CHARACTERS_PER_PAGE = 6_000;
const CELL_CHARACTERS = 2_000;
/** Rows that are looked at for the header: a title and a few lines may stand above it. */
const LOOK = 12;
/** Rows that are looked at below an empty one, where another table may begin: a title, its header, two of its rows. */
const LOOK_AGAIN = 4;
/** Tables of fewer columns below a title may be forms: a label and its value. */
const MIN_COLUMNS_BELOW_TITLE = 3;

/** Columns that a cell goes over, from 0: the first and the last. */
export type MergedColumns = readonly [number, number];

interface WaitingRow {
  row: number;
  values: string[];
  merged: readonly MergedColumns[];
}

/**
 * Turns rows into pages of bounded size. Each row becomes one line `Header: value; Header: value`, so
 * that a passage cut out of the middle of a sheet still says what its numbers are.
 */
export class RowPages {
  private headers: string[] | null = null;
  private waiting: WaitingRow[] = [];
  /** Rows below an empty one, until it is known whether another table begins there. */
  private below: WaitingRow[] = [];
  /** Number of the last row that was not empty. */
  private last = 0;
  private lines: string[] = [];
  private cells: SourceCell[] = [];
  private characters = 0;
  private firstRow = 0;
  private lastRow = 0;
  private pages = 0;

  constructor(
    private readonly sink: PageSink,
    /** Sheet name; '' for a file that is one table. */
    private readonly name: string,
    /** Whether rows with more or fewer cells than the header say so. */
    private readonly options: { marksRagged?: boolean; /** From 0: where its rows begin. */ firstColumn?: number } = {},
  ) {}

  /**
   * The first row that is not empty is the header when it looks like one, or the first below a title and the lines of it.
   * @param row its number in the file, 1-based
   * @param merged cells of it that go over several columns
   */
  async add(row: number, cells: readonly string[], merged: readonly MergedColumns[] = []): Promise<void> {
    const values = cells.map((cell) => normaliseLine(cell.slice(0, CELL_CHARACTERS).toWellFormed()));
    if (values.every((value) => value === '')) return;
    if (this.headers !== null) return this.addBelow({ row, values, merged });
    this.waiting.push({ row, values, merged });
    if (this.waiting.length >= LOOK) await this.begin();
  }

  /** Rows above the header, and it too: a sheet may hold nothing else, and questions name columns. */
  private async begin(): Promise<void> {
    if (this.headers !== null) return;
    const rows = this.waiting;
    this.waiting = [];
    const { names, end } = findHeader(rows);
    this.headers = names;
    for (const [at, waiting] of rows.entries()) {
      if (at >= end) await this.addBelow(waiting);
      else {
        this.last = waiting.row;
        await this.push(waiting.row, this.describe(waiting.values, [], ' | '));
      }
    }
  }

  /** A row of the table, or of another one further down the sheet, which has a header of its own. */
  private async addBelow(next: WaitingRow): Promise<void> {
    const isApart = next.row > this.last + 1 && this.headers!.length > 0 && !this.options.marksRagged;
    this.last = next.row;
    if (isApart) await this.decide();
    if (!isApart && this.below.length === 0) return this.addRow(next.row, next.values, this.headers!);
    this.below.push(next);
    if (this.below.length >= LOOK_AGAIN) await this.decide();
  }

  private async decide(): Promise<void> {
    const rows = this.below;
    this.below = [];
    const at = headerBelow(rows, this.headers!);
    if (at >= 0) this.headers = rows[at]!.values;
    for (const [index, { row, values }] of rows.entries())
      await (index <= at ? this.push(row, this.describe(values, [], ' | ')) : this.addRow(row, values, this.headers!));
  }

  private async addRow(row: number, values: readonly string[], headers: readonly string[]): Promise<void> {
    const parts = this.describe(values, headers, headers.length > 0 ? '; ' : ' | ');
    await this.push(row, { ...parts, line: parts.line + this.raggedMark(row, values) });
  }

  /** A line of ours between the rows. */
  async note(text: string): Promise<void> {
    await this.begin();
    await this.decide();
    await this.push(this.lastRow, { line: text, filled: [] });
  }

  private raggedMark(row: number, values: readonly string[]): string {
    const columns = this.headers?.length ?? 0;
    const cells = values.length;
    if (!this.options.marksRagged || columns === 0 || cells === columns) return '';
    // Empty cells at the end of a row are no mistake, nor are those of a header.
    if (cells > columns && values.slice(columns).every((value) => value === '')) return '';
    if (cells < columns && this.headers?.slice(cells).every((header) => header === '')) return '';
    return ` (row ${row} has ${cells} cells, the header ${columns})`;
  }

  /** Hands over the rows that are left; returns the number of pages of this table. */
  async end(): Promise<number> {
    await this.begin();
    await this.decide();
    await this.flush(this.pages === 0);
    return this.pages;
  }

  private describe(values: readonly string[], headers: readonly string[], between: string): DescribedRow {
    let line = '';
    const filled: DescribedRow['filled'] = [];
    for (const [column, value] of values.entries()) {
      if (value === '') continue;
      if (line !== '') line += between;
      if (headers[column]) line += `${headers[column]}: `;
      filled.push({ column, start: line.length, end: line.length + value.length });
      line += value;
    }
    return { line, filled };
  }

  private async push(row: number, { line, filled }: DescribedRow): Promise<void> {
    if (this.lines.length >= ROWS_PER_PAGE || this.characters + line.length > CHARACTERS_PER_PAGE) {
      await this.flush(false);
    }
    if (this.lines.length === 0) this.firstRow = row;
    if (this.sink.wantsGeometry) {
      const before = this.characters;
      const first = this.options.firstColumn ?? 0;
      for (const { column, start, end } of filled)
        this.cells.push({ start: before + start, end: before + end, address: cellAddress(first + column, row) });
    }
    this.lines.push(line);
    this.characters += line.length + 1;
    this.lastRow = row;
  }

  private async flush(whole: boolean): Promise<void> {
    if (this.lines.length === 0) return;
    // Evidence names the sheet and the cell.
    const rows = whole || this.sink.wantsGeometry ? '' : `rows ${this.firstRow}-${this.lastRow}`;
    const label = this.name !== '' && rows !== '' ? `${this.name} (${rows})` : this.name || rows;
    const text = this.lines.join('\n');
    const geometry = this.sink.wantsGeometry ? { geometry: { cells: this.cells } } : {};
    this.lines = [];
    this.cells = [];
    this.characters = 0;
    this.pages += 1;
    await this.sink.emit({ text, ocr: false, ...(label === '' ? {} : { label }), ...geometry });
  }
}

interface DescribedRow {
  line: string;
  /** Where the values stand in the line. */
  filled: { column: number; start: number; end: number }[];
}

const filledOf = (values: readonly string[]) => values.filter((value) => value !== '');

/** What the columns are called, none where nothing says it, and before which of the rows the first of them stands. */
function findHeader(rows: readonly WaitingRow[]): { names: string[]; end: number } {
  const widest = Math.max(0, ...rows.map(({ values }) => filledOf(values).length));
  const isAbove = ({ values, merged }: WaitingRow) =>
    widest >= MIN_COLUMNS_BELOW_TITLE &&
    (filledOf(values).length === 1 || (filledOf(values).length + coveredBy(merged)) * 2 <= widest);
  const at = Math.max(
    0,
    rows.findIndex((row) => !isAbove(row)),
  );
  const [top, below] = [rows[at], rows[at + 1]];
  if (top === undefined || !looksLikeHeader(top.values)) return { names: [], end: 1 };
  const groups = below === undefined ? null : groupedNames(top, below);
  return groups === null ? { names: top.values, end: at + 1 } : { names: groups, end: at + 2 };
}

const coveredBy = (merged: readonly MergedColumns[]) => merged.reduce((sum, [from, to]) => sum + to - from, 0);

/** Names in two rows, of which the upper one gathers several columns: `Price` over `net` and `gross`. */
function groupedNames({ values, merged }: WaitingRow, { values: below }: WaitingRow): string[] | null {
  const isGroup = merged.some(([from, to]) => values[from] && filledOf(below.slice(from, to + 1)).length > 1);
  if (!isGroup || filledOf(below).some((value) => NUMBER.test(value))) return null;
  const names = Array.from({ length: Math.max(values.length, below.length) }, (_, column) => {
    const group = merged.find(([from, to]) => from <= column && column <= to)?.[0] ?? column;
    return [values[group], below[column]].filter(Boolean).join(' ');
  });
  const filled = filledOf(names);
  return new Set(filled).size === filled.length ? names : null;
}

/**
 * Which of the rows below an empty one is the header of another table, -1 for none: words that differ, over a number, below
 * a title or over as many columns as no row of this table has. Rows of words alone may go on with the table.
 */
function headerBelow(rows: readonly WaitingRow[], headers: readonly string[]): number {
  const isTitled = rows.length > 2 && filledOf(rows[0]!.values).length === 1;
  const at = isTitled ? 1 : 0;
  const [header, ...data] = rows.slice(at);
  if (header === undefined || data.length === 0 || !looksLikeHeader(header.values)) return -1;
  const isOther = isTitled || filledOf(header.values).length !== filledOf(headers).length;
  const heads = (column: number) => {
    const values = data.map(({ values: cells }) => cells[column] ?? '');
    return header.values[column] !== '' && values.every((value) => value !== '' && NUMBER.test(value));
  };
  const isFull = data.every(({ values }) => values.every((value, column) => value === '' || header.values[column]));
  return isOther && isFull && header.values.some((_, column) => heads(column)) ? at : -1;
}

const NUMBER = /^[\d\s.,:%$€£+-]+$/;

/** Several different words and no number: `Name, City, Days`, not `Total, 12`, not a title over the table. */
function looksLikeHeader(values: readonly string[]): boolean {
  const filled = filledOf(values);
  const numbers = filled.filter((value) => NUMBER.test(value));
  return filled.length >= 2 && numbers.length === 0 && new Set(filled).size === filled.length;
}
