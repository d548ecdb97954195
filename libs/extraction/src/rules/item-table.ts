import type { CoercionHints } from '../coercion/coercion.js';
import type { AskedField } from './asked-field.js';
import { cellsOfRow, type CellPart, type RowCells } from './item-cells.js';
import { cellsByCuts, cutsOf } from './item-cuts.js';
import type { ItemHeader } from './item-header.js';
import type { Item } from './item-rows.js';
import { labelHits } from './label-hits.js';
import { CARRIED, TOTALS } from './item-lexicon.js';
import { readField } from './read-field.js';
import type { PageLayout, Segment } from './segment.js';

const COUNTED = new Set(['money', 'number', 'percent', 'date']);
/** In heights of a line: lines of one cell stand closer than rows of a table that are more than text. */
const WRAPPED = 0.75;
const CLOSE = 0.55;
const FAR = 5;
const MOST_ROWS = 20_000;

interface OpenItem {
  cells: Map<number, CellPart[]>;
  top: number;
  bottom: number;
}

/** A line of words alone: more of an item above or below it, or none of the table. */
interface Words {
  cells: RowCells;
  top: number;
  bottom: number;
}

/** The rows below one heading on one page. */
export class ItemTable {
  ended = false;
  private items: OpenItem[] = [];
  private words: Words[] = [];
  private sums = false;
  private strangers = 0;
  private bottom: number;

  constructor(
    private readonly layout: PageLayout,
    private readonly header: ItemHeader,
    private readonly asked: readonly AskedField[],
    private readonly hints: CoercionHints,
    /** Goes on from the page before: its heading is not on this one. */
    private readonly continued = false,
  ) {
    this.bottom = header.y1;
    if (!continued) header.cuts = cutsOf(layout, header, asked);
  }

  onPage(layout: PageLayout): ItemTable {
    return new ItemTable(layout, { ...this.header, y1: 0 }, this.asked, this.hints, true);
  }

  add(index: number): void {
    const row = this.layout.rows[index] ?? [];
    const top = Math.min(...row.map(({ y0 }) => y0));
    const bottom = Math.max(...row.map(({ y1 }) => y1));
    const waits = this.continued && this.items.length === 0;
    if (this.items.length >= MOST_ROWS || (!waits && top - this.bottom > this.layout.line * FAR)) {
      this.ended = true;
      return;
    }
    const cells = cellsOfRow(
      this.layout,
      row,
      this.header,
      cellsByCuts(this.layout, row, this.header, this.header.cuts, this.asked),
    );
    const kind = cells === null ? 'stranger' : this.kindOf(row, cells);
    if (kind === 'carried') {
      this.bottom = bottom;
      return;
    }
    if (kind === 'sum') {
      this.sums = this.items.length > 0;
      this.ended = this.sums && this.strangers > 0;
      this.bottom = bottom;
      return;
    }
    if (kind === 'item' && cells !== null) {
      this.items.push({ cells: new Map(cells), top, bottom });
      this.bottom = bottom;
      this.strangers = 0;
      return;
    }
    if (waits) return;
    if (kind === 'words' && cells !== null && !this.sums) {
      this.words.push({ cells, top, bottom });
      this.bottom = bottom;
    }
    this.strangers += 1;
    if (this.sums || this.strangers > 12) this.ended = true;
  }

  /** The items of the page, each with the lines that belong to it. */
  close(): Item[] {
    for (const block of this.blocks()) {
      const [item, ...more] = block.items;
      if (item === undefined) continue;
      for (const words of block.words)
        if (more.length === 0) attach(item, words);
        else this.place(words);
    }
    return this.items.splice(0).map(({ cells }) => {
      const byAsked = new Map<number, CellPart[]>();
      for (const [column, parts] of cells) {
        const asked = this.header.columns[column]?.asked ?? null;
        if (asked !== null) byAsked.set(asked, inReadingOrder(parts, this.layout.line));
      }
      return { layout: this.layout, header: this.header, cells: byAsked };
    });
  }

  private kindOf(row: readonly Segment[], cells: RowCells): 'item' | 'words' | 'sum' | 'carried' | 'stranger' {
    const keys = row.flatMap((segment) => labelHits(segment, (key) => TOTALS.has(key)).flatMap((hit) => hit.keys));
    if (keys.some((key) => CARRIED.has(key))) return 'carried';
    const mapped = [...cells.keys()].filter((column) => this.askedOf(column) !== null);
    const counted = this.countedColumns();
    const readable = counted.filter((column) => this.isReadable(column, cells.get(column)));
    const filled = mapped.length;
    const all = this.header.columns.filter((one) => one.asked !== null).length;
    const isSum = keys.some((key) => TOTALS.has(key));
    // "Shipping | 1 | 5.00 | 5.00" is an item, "Total | | | 15.00" is none.
    if (isSum && (readable.length < 2 || filled < all)) return 'sum';
    if (this.sums || this.continued)
      return filled === all && readable.length === counted.length && counted.length > 0
        ? 'item'
        : this.wordsOnly(cells, counted)
          ? 'words'
          : 'stranger';
    // Of words alone any line could be one: a line of labels is none.
    if (counted.length === 0 && row.some(({ text }) => /[:：]\s*$/u.test(text))) return 'stranger';
    if (counted.length === 0) return filled === all ? 'item' : filled > 0 ? 'words' : 'stranger';
    if (readable.length > 0 && readable.length * 2 >= counted.length && filled * 2 >= all) return 'item';
    return this.wordsOnly(cells, counted) ? 'words' : 'stranger';
  }

  private wordsOnly(cells: RowCells, counted: readonly number[]): boolean {
    return [...cells.keys()].every((column) => this.askedOf(column) !== null && !counted.includes(column));
  }

  private countedColumns(): number[] {
    return this.header.columns.flatMap((_, column) => (COUNTED.has(this.askedOf(column)?.kind ?? '') ? [column] : []));
  }

  private askedOf(column: number): AskedField | null {
    const index = this.header.columns[column]?.asked ?? null;
    return index === null ? null : (this.asked[index] ?? null);
  }

  private isReadable(column: number, parts: readonly CellPart[] | undefined): boolean {
    const asked = this.askedOf(column);
    if (asked === null || parts === undefined) return false;
    const text = parts.map(({ start, end }) => this.layout.page.text.slice(start, end)).join(' ');
    const read = readField(asked, text, this.hints);
    return !('problem' in read) || read.problem.startsWith('ambiguous');
  }

  /** Lines that stand close to each other: a row of the table, where its rows stand further apart than its lines. */
  private blocks(): { items: OpenItem[]; words: Words[]; bottom: number }[] {
    const blocks: { items: OpenItem[]; words: Words[]; bottom: number }[] = [];
    const lines = [
      ...this.items.map((item) => ({ item, ...item })),
      ...this.words.map((words) => ({ words, ...words })),
    ];
    for (const line of lines.sort((a, b) => a.top - b.top)) {
      let block = blocks.at(-1);
      if (block === undefined || line.top - block.bottom > this.layout.line * CLOSE) {
        block = { items: [], words: [], bottom: line.bottom };
        blocks.push(block);
      }
      block.bottom = Math.max(block.bottom, line.bottom);
      if ('item' in line) block.items.push(line.item);
      else block.words.push(line.words);
    }
    return blocks;
  }

  /** To the item whose lines are nearer; a heading between rows is as far from both. */
  private place(words: Words): void {
    const before = this.items.findLast((item) => item.top <= words.top);
    const after = this.items.find((item) => item.top > words.top);
    const limit = this.layout.line * WRAPPED;
    const up = before === undefined ? Number.POSITIVE_INFINITY : words.top - before.bottom;
    const down = after === undefined ? Number.POSITIVE_INFINITY : after.top - words.bottom;
    const item = up <= down ? before : after;
    if (item === undefined || Math.min(up, down) > limit) return;
    attach(item, words);
  }
}

function attach(item: OpenItem, words: Words): void {
  for (const [column, parts] of words.cells) item.cells.set(column, [...(item.cells.get(column) ?? []), ...parts]);
  item.top = Math.min(item.top, words.top);
  item.bottom = Math.max(item.bottom, words.bottom);
}

/** From line to line, and within one as the text has it: parts of a line do not stand at the very same height. */
function inReadingOrder(parts: readonly CellPart[], line: number): CellPart[] {
  let number = 0;
  let before: CellPart | undefined;
  const numbered = parts
    .toSorted((a, b) => a.segment.y0 - b.segment.y0)
    .map((part) => {
      if (before !== undefined && part.segment.y0 - before.segment.y0 > line * 0.5) number += 1;
      before = part;
      return { part, number };
    });
  return numbered.sort((a, b) => a.number - b.number || a.part.start - b.part.start).map(({ part }) => part);
}
