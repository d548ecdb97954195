import type { SourcePage, SourceWord } from '../source/source-page.js';
import { SeedIndex } from './seed-index.js';
import { type FoldedText, foldText, type Stretch } from './folded-text.js';
import { readingOrder, type ReadingOrder } from './reading-order.js';

/** A text to search, its stretches in one of the orders in which the document may be read. */
export class Reading {
  private index: SeedIndex | null = null;

  constructor(readonly folded: FoldedText) {}

  get seeds(): SeedIndex {
    this.index ??= new SeedIndex(this.folded.codes);
    return this.index;
  }
}

function isSame(a: readonly Stretch[], b: readonly Stretch[]): boolean {
  return (
    a.length === b.length &&
    a.every(([start, end, joined], at) => b[at]?.[0] === start && b[at]?.[1] === end && b[at]?.[2] === joined)
  );
}

/** How many of the rising values are smaller. */
function lowerBound(values: readonly number[], limit: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The pages of a document as one text. Offsets are into it unless they are said to be a page's own. */
export class SearchedDocument {
  readonly text: string;
  private readonly starts: number[] = [];
  private readonly wordsByOffset = new Map<number, Int32Array>();
  private ordered: Reading[] | null = null;
  private readonly order: ReadingOrder | null;
  private lineEnds: number[] | null = null;
  /** As its pages give it. */
  readonly plain: Reading;

  constructor(readonly pages: readonly SourcePage[]) {
    let length = 0;
    for (const { text } of pages) {
      this.starts.push(length);
      length += text.length + 1;
    }
    this.text = pages.map(({ text }) => text).join('\n');
    this.plain = new Reading(foldText(this.text));
    this.order = readingOrder(pages, this.starts, 'apart');
  }

  /** Column by column where lines run across them, and without what repeats itself on the pages' edges; none: the same. */
  get reordered(): readonly Reading[] {
    if (this.order === null) return [];
    if (this.ordered === null) {
      const orders = [this.order, readingOrder(this.pages, this.starts, 'within')].filter((order) => order !== null);
      const distinct = orders.filter((order, at) => at === 0 || !isSame(order.stretches, this.order?.stretches ?? []));
      this.ordered = distinct.map(({ stretches }) => new Reading(foldText(this.text, stretches)));
    }
    return this.ordered;
  }

  /** Its place among the pages. */
  pageAt(offset: number): number {
    return Math.max(0, lowerBound(this.starts, offset + 1) - 1);
  }

  /** Which line of the text, from 0. */
  lineAt(offset: number): number {
    if (this.lineEnds === null) {
      const ends: number[] = [];
      for (let at = this.text.indexOf('\n'); at !== -1; at = this.text.indexOf('\n', at + 1)) ends.push(at);
      this.lineEnds = ends;
    }
    return lowerBound(this.lineEnds, offset);
  }

  /** Between the columns of a page whose lines run across them. */
  gutterOf(page: number): number | undefined {
    return this.order?.gutters.get(page);
  }

  startOf(page: number): number {
    return this.starts[page] ?? 0;
  }

  /** The word that holds the character at an offset; -1: none. @returns its place among the words of the page */
  wordAt(page: number, offset: number): number {
    let byOffset = this.wordsByOffset.get(page);
    if (byOffset === undefined) {
      const { text = '', words = [] } = this.pages[page] ?? {};
      byOffset = new Int32Array(text.length).fill(-1);
      for (const [at, { start, end }] of words.entries()) byOffset.fill(at, start, end);
      this.wordsByOffset.set(page, byOffset);
    }
    return byOffset[offset - this.startOf(page)] ?? -1;
  }

  /** Where the word at an offset stands; null: nobody knows. */
  wordOf(offset: number): { page: number; word: SourceWord } | null {
    const page = this.pageAt(offset);
    const word = this.pages[page]?.words?.[this.wordAt(page, offset)];
    return word ? { page, word } : null;
  }
}
