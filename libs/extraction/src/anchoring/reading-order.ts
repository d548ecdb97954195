import type { SourcePage, SourceWord } from '../source/source-page.js';
import { isRaisedNote } from './raised-notes.js';
import type { Stretch } from './folded-text.js';

/** Lines at the head and foot of a page that may belong to all pages. */
const EDGE_LINES = 3;
/** Pages that a line has to be on, besides a page number. */
const REPEATED = 3;
/** Words a line; columns of a text have more than those of a table. */
const PROSE = 4;
const MIN_LINES = 6;
/** Share of the lines that a gutter may be crossed by: titles and the like. */
const CROSSING = 0.3;

export interface ReadingOrder {
  stretches: Stretch[];
  /** Between the columns of pages, by their places, whose lines run across them: fractions of the page's width. */
  gutters: Map<number, number>;
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;
const LATIN = /\p{Script=Latin}/u;

/** Words of a line, and the share of them that are single letters, from which on it is spaced out. */
const MIN_SPACED = 8;
const SPACED = 0.5;

interface Line {
  start: number;
  end: number;
  words: SourceWord[];
}

/**
 * In what order the stretches of a text are read where that is not the order of the pages' texts: the columns of a page
 * whose lines run across them one after the other, and no heads and feet between the pages. null: it makes no difference.
 *
 * @param numbers what becomes of a number before Latin words in a right-to-left line
 */
export function readingOrder(
  pages: readonly SourcePage[],
  starts: readonly number[],
  numbers: 'apart' | 'within',
): ReadingOrder | null {
  const lines = pages.map(linesOf);
  const counts = countEdges(pages, lines);
  let differs = false;
  const stretches: Stretch[] = [];
  const gutters = new Map<number, number>();
  for (const [at, page] of pages.entries()) {
    const base = starts[at] ?? 0;
    const all = lines[at] ?? [];
    const body = all.filter((line, index) => !isFurniture(page.text, line, index, all.length, counts));
    if (body.length < all.length && pages.length > 1) differs = true;
    const gutter = findGutter(page.text, body);
    if (gutter === null) {
      for (const line of body) {
        const own =
          closedUp(page.text, line) ?? leftToRightRuns(page.text, line, numbers) ?? withoutNotes(page.text, line);
        if (own !== null) differs = true;
        for (const [start, end, joined] of own ?? [[line.start, line.end]])
          stretches.push([base + start, base + end, joined ?? false]);
      }
      continue;
    }
    differs = true;
    gutters.set(at, gutter);
    for (const [start, end] of byColumns(body, gutter)) stretches.push([base + start, base + end]);
  }
  return differs ? { stretches, gutters } : null;
}

function linesOf({ text, words = [] }: SourcePage): Line[] {
  const lines: Line[] = [];
  let start = 0;
  let next = 0;
  while (start <= text.length) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    const own: SourceWord[] = [];
    for (; next < words.length && (words[next]?.start ?? 0) < end; next += 1) {
      const word = words[next];
      if (word && word.start >= start) own.push(word);
    }
    if (end > start) lines.push({ start, end, words: own });
    start = end + 1;
  }
  return lines;
}

/** Numbers aside, which count the pages. */
const keyOf = (text: string, { start, end }: Line) =>
  text
    .slice(start, Math.min(end, start + 200))
    .replace(/\d+/g, '#')
    .trim();
const isEdge = (index: number, count: number) => index < EDGE_LINES || index >= count - EDGE_LINES;

function countEdges(pages: readonly SourcePage[], lines: readonly Line[][]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [at, { text }] of pages.entries()) {
    const all = lines[at] ?? [];
    const keys = all.filter((_, index) => isEdge(index, all.length)).map((line) => keyOf(text, line));
    for (const key of new Set(keys)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function isFurniture(text: string, line: Line, index: number, count: number, counts: Map<string, number>): boolean {
  if (!isEdge(index, count)) return false;
  const key = keyOf(text, line);
  return /^[^\p{L}]{0,4}#[^\p{L}]{0,4}$/u.test(key) || (counts.get(key) ?? 0) >= REPEATED;
}

/** An x that parts the words of many lines, wide, with sentences on both sides; null: the page has one column. */
function findGutter(text: string, lines: readonly Line[]): number | null {
  // Cells of a table that was found as one are parted by bars.
  const isRow = ({ start, end }: Line) => text.slice(start, end).includes(' | ');
  const broad = lines.filter((line) => line.words.length >= PROSE && isLevel(line.words) && !isRow(line));
  const gaps = broad.flatMap(({ words }) => (words.length >= 2 * PROSE ? wideGaps(words) : []));
  if (gaps.length < MIN_LINES) return null;
  const gutter = mostShared(gaps);
  const parted = broad.filter(({ words }) => wideGaps(words).some(([from, to]) => from <= gutter && to >= gutter));
  const crossing = broad.filter(({ words }) => words.some(({ rect }) => rect[0] < gutter && rect[2] > gutter));
  if (parted.length < MIN_LINES || crossing.length > parted.length * CROSSING) return null;
  const left = mean(parted.map(({ words }) => words.filter(({ rect }) => rect[2] <= gutter).length));
  const right = mean(parted.map(({ words }) => words.filter(({ rect }) => rect[0] >= gutter).length));
  return left >= PROSE && right >= PROSE ? gutter : null;
}

/** The middle of where the most intervals lie upon each other. */
function mostShared(intervals: readonly [number, number][]): number {
  const ends = intervals
    .flatMap(([from, to]): [number, number][] => [
      [from, 1],
      [to, -1],
    ])
    .toSorted((a, b) => a[0] - b[0]);
  let [open, most, best] = [0, 0, 0];
  for (const [at, [x, change]] of ends.entries()) {
    open += change;
    if (open <= most) continue;
    most = open;
    best = (x + (ends[at + 1]?.[0] ?? x)) / 2;
  }
  return best;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

const isLevel = (words: readonly SourceWord[]) => {
  const [first, last] = [words[0], words.at(-1)];
  return (
    first !== undefined &&
    last !== undefined &&
    Math.min(first.rect[3], last.rect[3]) > Math.max(first.rect[1], last.rect[1])
  );
};

function wideGaps(words: readonly SourceWord[]): [number, number][] {
  const level = words.toSorted((a, b) => a.rect[0] - b.rect[0]);
  const gaps: [number, number][] = [];
  let right = level[0]?.rect[2] ?? 0;
  const widths = level.slice(1).map(({ rect }) => {
    const gap: [number, number] = [right, rect[0]];
    right = Math.max(right, rect[2]);
    return gap;
  });
  const usual = widths.map(([from, to]) => to - from).toSorted((a, b) => a - b)[widths.length >> 1] ?? 0;
  for (const gap of widths) if (gap[1] - gap[0] > Math.max(0.012, 2 * usual)) gaps.push(gap);
  return gaps;
}

/** A line without the small raised digits that point to notes; null: there are none. */
function withoutNotes(text: string, { start, end, words }: Line): Stretch[] | null {
  const notes = words.filter((word, at) => isRaisedNote(text, words[at - 1], word));
  if (notes.length === 0) return null;
  const stretches: Stretch[] = [];
  let from = start;
  for (const note of notes) {
    if (note.start > from) stretches.push([from, note.start]);
    from = note.end;
  }
  return from < end ? [...stretches, [from, end]] : stretches;
}

/** A line that is written with gaps between its letters, its words put together; null: it is not. */
function closedUp(text: string, { words }: Line): Stretch[] | null {
  if (words.length < MIN_SPACED) return null;
  const single = words.filter(({ start, end }) => end - start === 1 && /\p{L}/u.test(text.slice(start, end)));
  if (single.length < words.length * SPACED) return null;
  const gapTo = (at: number) => {
    const [before, here] = [words[at - 1]?.rect, words[at]?.rect];
    return before && here ? Math.max(here[0] - before[2], before[0] - here[2]) : 0;
  };
  const usual = words.map((_, at) => gapTo(at)).toSorted((a, b) => a - b)[words.length >> 1] ?? 0;
  return words.map(({ start, end }, at): Stretch => [start, end, at > 0 && gapTo(at) < Math.max(usual * 1.8, 0.001)]);
}

/**
 * Words of Latin letters in a right-to-left line, which some readers of files give in the line's direction: each run of
 * them from left to right. null: there are none.
 */
function leftToRightRuns(text: string, { start, end, words }: Line, numbers: 'apart' | 'within'): Stretch[] | null {
  if (words.length < 2 || !RIGHT_TO_LEFT.test(text.slice(start, end))) return null;
  const stretches: Stretch[] = [];
  let run: SourceWord[] = [];
  let differs = false;
  const close = () => {
    const [first, last] = [run[0], run.at(-1)];
    const isTurned = first !== undefined && last !== undefined && first.rect[0] > last.rect[2];
    if (isTurned && run.some((word) => LATIN.test(text.slice(word.start, word.end)))) {
      // A number on the right belongs to the letters on its left, or to the line: it looks the same.
      const letters = run.findIndex((word) => LATIN.test(text.slice(word.start, word.end)));
      const before = numbers === 'apart' ? run.splice(0, letters) : [];
      run = [...before, ...run.toReversed()];
      differs = true;
    }
    stretches.push(...run.map((word): Stretch => [word.start, word.end]));
    run = [];
  };
  for (const word of words) {
    const written = text.slice(word.start, word.end);
    if (RIGHT_TO_LEFT.test(written)) {
      close();
      stretches.push([word.start, word.end]);
    } else run.push(word);
  }
  close();
  return differs ? stretches : null;
}

/** What crosses the gutter ends the columns above it. */
function byColumns(lines: readonly Line[], gutter: number): Stretch[] {
  const stretches: Stretch[] = [];
  let right: Stretch[] = [];
  for (const { start, end, words } of lines) {
    const crosses = words.length === 0 || words.some(({ rect }) => rect[0] < gutter && rect[2] > gutter);
    if (crosses) {
      stretches.push(...right, [start, end]);
      right = [];
      continue;
    }
    for (const word of words) (word.rect[2] <= gutter ? stretches : right).push([word.start, word.end]);
  }
  return [...stretches, ...right];
}
