import type { SourceWord } from '../source/source-page.js';
import type { FoldedText } from './folded-text.js';
import type { Occurrence } from './occurrences.js';
import { isRaisedNote } from './raised-notes.js';
import type { SearchedDocument } from './searched-document.js';

const MOST_MARKS = 4;
/** Widths of a page: a blank and a little more. */
const CLOSE = 0.015;

/** Words of a page that a quote takes, in its order, and which of their characters. */
export interface TakenWords {
  /** Its place among the pages. */
  page: number;
  words: { at: number; word: SourceWord; from: number; to: number }[];
}

/** The words of a place, page by page. */
export function takenWords(document: SearchedDocument, { from }: FoldedText, { start, end }: Occurrence): TakenWords[] {
  const taken: TakenWords[] = [];
  for (let code = start; code < end; code += 1) {
    const offset = from[code] ?? 0;
    const page = document.pageAt(offset);
    const at = document.wordAt(page, offset);
    const word = document.pages[page]?.words?.[at];
    if (word === undefined) continue;
    const own = offset - document.startOf(page);
    let last = taken.at(-1);
    if (last?.page !== page) {
      last = { page, words: [] };
      taken.push(last);
    }
    const before = last.words.at(-1);
    if (before?.at === at) {
      before.from = Math.min(before.from, own);
      before.to = Math.max(before.to, own + 1);
    } else {
      if (before) last.words.push(...marksBetween(document, page, before.at, at));
      last.words.push({ at, word, from: own, to: own + 1 });
    }
  }
  return taken;
}

/** Dashes and the like that stand alone between two words are part of what was quoted. */
function marksBetween(document: SearchedDocument, page: number, before: number, after: number): TakenWords['words'] {
  const { words = [] } = document.pages[page] ?? {};
  if (after === before + 1) return [];
  if (after > before && after <= before + 1 + MOST_MARKS) {
    const between = words.slice(before + 1, after).map((_, index) => markAt(document, page, before + 1 + index));
    if (between.every((mark) => mark !== null)) return between;
  }
  // They are read after each other, and do not stand beside each other: what belongs to either stands close to it.
  const [behind, ahead] = [markAt(document, page, before + 1), markAt(document, page, after - 1)];
  return [behind, ahead].filter((mark, at): mark is Taken => standClose(mark?.word, words[at === 0 ? before : after]));
}

type Taken = TakenWords['words'][number];

function markAt(document: SearchedDocument, page: number, at: number): Taken | null {
  const { words = [], text = '' } = document.pages[page] ?? {};
  const word = words[at];
  if (word === undefined || /[\p{L}\p{N}\p{Sc}]/u.test(text.slice(word.start, word.end))) return null;
  return { at, word, from: word.start, to: word.end };
}

function standClose(mark: SourceWord | undefined, word: SourceWord | undefined): boolean {
  if (mark === undefined || word === undefined) return false;
  const [a, b] = [mark.rect, word.rect];
  const height = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
  return height > 0 && Math.max(a[0] - b[2], b[0] - a[2]) < CLOSE;
}

/** With dashes and the like that stand alone before and behind it, where the quote has some there. */
export function withMarksAround(document: SearchedDocument, taken: TakenWords[], quote: string): TakenWords[] {
  const [first, last] = [taken[0], taken.at(-1)];
  if (first && /^\s*[^\p{L}\p{N}\p{Sc}\s]+\s/u.test(quote))
    first.words.unshift(...marksBeside(document, first.page, first.words[0]?.at, -1));
  if (last && /\s[^\p{L}\p{N}\p{Sc}\s]+\s*$/u.test(quote))
    last.words.push(...marksBeside(document, last.page, last.words.at(-1)?.at, 1));
  return taken;
}

function marksBeside(document: SearchedDocument, page: number, from = 0, step: 1 | -1): Taken[] {
  const mark = markAt(document, page, from + step);
  return mark ? [mark] : [];
}

/** A number and the note behind it, taken for one number. */
export function countsNotes(document: SearchedDocument, taken: readonly TakenWords[]): boolean {
  return taken.some(({ page, words }) => {
    const { text = '' } = document.pages[page] ?? {};
    return words.some(({ word }, at) => {
      const before = words[at - 1]?.word;
      return isRaisedNote(text, before, word) && /\d/.test(text[word.start - 1] ?? '');
    });
  });
}

/** From one column of a page into the other, on one line: words that nobody reads after each other. */
export function crossesGutter(document: SearchedDocument, taken: readonly TakenWords[]): boolean {
  return taken.some(({ page, words }) => {
    const gutter = document.gutterOf(page);
    if (gutter === undefined) return false;
    return words.some(({ word: { rect } }, at) => {
      const before = words[at - 1]?.word.rect;
      if (before === undefined || before[2] > gutter || rect[0] < gutter) return false;
      return Math.min(before[3], rect[3]) - Math.max(before[1], rect[1]) > 0.4 * (rect[3] - rect[1]);
    });
  });
}
