import { isRowLine } from '../text/blocks.js';
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
    const units = first.units.filter((unit) => !this.running.has(lineOf(text, unit)));
    this.title = titleOf(text, units, filename);
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
      const level = this.running.has(line) ? null : levelOf(line);
      if (level !== null) this.headings.enter(line, level);
    }
    this.tableHeader = '';
    if (!unit.isRow) this.table = null;
    // A line feed and no blank line between two rows.
    else if (this.table && isNextLine(text, this.table.end, unit.start)) this.tableHeader = this.table.header;
    else this.table = { header: headerOf(text, unit), end: 0 };
    if (this.table) this.table.end = unit.end;
  }

  /** Of a passage that begins with the unit that was read last. */
  now(): string {
    const { title, date, tableHeader } = this;
    return contextOf({ title, date, headings: this.headings.names(), tableHeader });
  }
}

function isNextLine(text: string, end: number, start: number): boolean {
  return start - end < ROW && !/\n\s*\n/.test(text.slice(end, start));
}

/** The first row of a table with cells side by side; rows of named cells have no header. */
function headerOf(text: string, { start, end }: Unit): string {
  const row = text.slice(start, Math.min(end, start + ROW));
  return isRowLine(row) && row.includes('|') ? row : '';
}

function lineOf(text: string, { start, end }: Unit): string {
  return text.slice(start, end);
}

function runningLines(pages: readonly ReadPage[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { page, units } of pages) {
    const lines = new Set(units.filter(({ isHeading }) => isHeading).map((unit) => lineOf(page.text, unit)));
    for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count >= RUNNING).map(([line]) => line));
}
