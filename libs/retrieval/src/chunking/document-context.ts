import type { PageText } from './chunk.js';
import { dateOf, titleOf } from './document-title.js';
import { HeadingPath, levelOf } from './headings.js';
import { contextOf } from './passage-context.js';
import type { Unit } from './units.js';

/** A page with what passages of it are made of; at least one unit. */
export interface ReadPage {
  page: PageText;
  units: Unit[];
}

/** A short line on so many pages is printed on each of them, and heads none. */
const RUNNING = 3;
/** Keeps those apart that are the same but for a number. */
const NUMBERED = '#';
/** As much of a row as a context has room for. */
const ROW = 400;

/** What holds where a document is read, unit by unit: its title and date, the headings, the table. */
export class DocumentContext {
  private readonly title: string;
  private readonly date: string;
  private readonly running: ReadonlySet<string>;
  private readonly headings = new HeadingPath();
  private page: PageText = { number: 0, text: '' };
  private table: { header: string; end: number } | null = null;
  private tableHeader = '';

  constructor(pages: readonly ReadPage[], filename: string) {
    this.running = runningLines(pages);
    const first = pages[0] ?? { page: this.page, units: [] };
    const { text } = first.page;
    this.title = titleOf(text, first.units, filename);
    this.date = dateOf(text, filename);
  }

  /** Headings go on on the next page; a label of its own begins anew. */
  turnPage(page: PageText): void {
    this.page = page;
    this.table = null;
    if (page.label) this.headings.reset(page.label);
  }

  /** Units come in the order of the text. */
  read(unit: Unit): void {
    const { text } = this.page;
    if (unit.isHeading) {
      const line = lineOf(text, unit);
      const level = isRunning(line, this.running) ? null : levelOf(line);
      if (level !== null) this.headings.enter(line, level);
    }
    this.tableHeader = '';
    if (!unit.isRow) this.table = null;
    // A line feed and no blank line between two rows.
    else if (this.table && isNextLine(text, this.table.end, unit.start))
      this.tableHeader = hasNamedCells(text, unit) ? '' : this.table.header;
    else this.table = { header: headerOf(text, unit), end: 0 };
    if (this.table) this.table.end = unit.end;
  }

  /** Of a passage that begins with the unit that was read last. */
  now(): string {
    const { title, date, tableHeader } = this;
    return contextOf({ title, date, headings: this.headings.names(), tableHeader });
  }
}

/** `Header: value; Header: value` needs no header. */
function hasNamedCells(text: string, { start, end }: Unit): boolean {
  return !text.slice(start, Math.min(end, start + ROW)).includes('|');
}

function isNextLine(text: string, end: number, start: number): boolean {
  return start - end < ROW && !/\n\s*\n/.test(text.slice(end, start));
}

/** The first row of a table with cells side by side, unless it is full of numbers. */
function headerOf(text: string, { start, end }: Unit): string {
  const row = text.slice(start, Math.min(end, start + ROW));
  const cells = row.split('|').filter((cell) => cell.trim() !== '');
  const named = cells.filter((cell) => /\p{L}/u.test(cell)).length;
  return cells.length > 1 && named * 2 > cells.length ? row : '';
}

function lineOf(text: string, { start, end }: Unit): string {
  return text.slice(start, end);
}

/** A running header without the number of its page. */
function withoutNumber(line: string): string {
  return line.replace(/^\p{N}{1,4}\s+|\s+\p{N}{1,4}$/gu, '');
}

/** A heading without a number of the page says what a running header with one repeats, and is none. */
function isRunning(line: string, running: ReadonlySet<string>): boolean {
  return running.has(line) || (withoutNumber(line) !== line && running.has(NUMBERED + withoutNumber(line)));
}

/** Headings that stand on several pages, and those that do but for a number at one end. */
function runningLines(pages: readonly ReadPage[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { page, units } of pages) {
    const lines = units.filter(({ isHeading }) => isHeading).map((unit) => lineOf(page.text, unit));
    for (const line of new Set(lines.flatMap((each) => [each, NUMBERED + withoutNumber(each)])))
      counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count >= RUNNING).map(([line]) => line));
}
