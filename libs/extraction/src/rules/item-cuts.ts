import { labelHits } from './label-hits.js';
import { plainSigns } from '../coercion/plain-signs.js';
import type { AskedField } from './asked-field.js';
import type { CellPart, RowCells } from './item-cells.js';
import type { ItemHeader } from './item-header.js';
import { TOTALS } from './item-lexicon.js';
import type { PageLayout, Piece, Segment } from './segment.js';

/** Lines of a table that are looked at: more of them say nothing new of its columns. */
const MOST_ROWS = 80;
const MOST_WORDS = 200;
/** In heights of a line: what is further below is of no table, what is further beside of no column. */
const FAR = 5;
const BESIDE = 4;
/** Of the lines of a table, how many may go over the line between two columns: notes below an item do. */
const CROSSING = 0.25;
const COUNTED = new Set(['money', 'number', 'percent', 'date']);

interface Word extends Piece {
  text: string;
  segment: Segment;
}

/** Where each column of a table ends and the next one begins; null where its lines do not tell. */
export type Cuts = readonly number[] | null;

/**
 * Columns of dense tables stand no further apart than words do. What parts them is a blank that all their lines share, between
 * the end of one heading and the beginning of the next one.
 */
export function cutsOf(layout: PageLayout, header: ItemHeader, asked: readonly AskedField[]): Cuts {
  if (layout.scale === null || header.columns.length < 2) return null;
  const rows = linesBelow(layout, header).map((row) => row.flatMap((segment) => wordsOf(segment)));
  if (rows.length === 0 || rows.some((row) => row.length > MOST_WORDS)) return null;
  const cuts: number[] = [];
  for (const [index, column] of header.columns.slice(0, -1).entries()) {
    const next = header.columns[index + 1];
    if (next === undefined) return null;
    const counts = [column, next].map((one) => isCounted(header, header.columns.indexOf(one), asked));
    const cut = bestCut(rows, column.x1, next.x0, counts[0] === true, counts[1] === true);
    if (cut === null) return null;
    cuts.push(cut);
  }
  return cuts;
}

const isCounted = (header: ItemHeader, column: number, asked: readonly AskedField[]): boolean => {
  const index = header.columns[column]?.asked ?? null;
  return index !== null && COUNTED.has(asked[index]?.kind ?? '');
};

function linesBelow(layout: PageLayout, header: ItemHeader): Segment[][] {
  const lines: Segment[][] = [];
  let bottom = header.y1;
  for (const row of layout.rows.slice(header.row + 1, header.row + 1 + MOST_ROWS)) {
    if (Math.min(...row.map(({ y0 }) => y0)) - bottom > layout.line * FAR) break;
    const sums = row.some((segment) =>
      labelHits(segment, (key) => TOTALS.has(key)).some(({ keys }) => keys.some((key) => TOTALS.has(key))),
    );
    if (sums && row.length < header.columns.length) break;
    // A line of words alone may be of any width.
    if (row.some(({ text }) => /\p{N}/u.test(text))) lines.push(row);
    bottom = Math.max(...row.map(({ y1 }) => y1));
  }
  return lines;
}

const wordsOf = (segment: Segment): Word[] =>
  segment.pieces.map((piece) => ({
    ...piece,
    segment,
    text: segment.text.slice(piece.start - segment.start, piece.end - segment.start),
  }));

const isFigure = (text: string) => /\d/.test(plainSigns(text)) && !/\p{L}/u.test(text);

/** Between two headings the blank that fewest lines write over; words are left of figures, and the widest blank is the best. */
function bestCut(
  rows: readonly (readonly Word[])[],
  left: number,
  right: number,
  countedLeft: boolean,
  countedRight: boolean,
): number | null {
  if (right - left < 0.2) return null;
  const inside = rows.map((row) => row.filter(({ x0, x1 }) => x1 > left && x0 < right));
  const edges = [
    ...new Set([
      left,
      right,
      ...inside.flat().flatMap(({ x0, x1 }) => [x0, x1].filter((edge) => edge > left && edge < right)),
    ]),
  ].sort((a, b) => a - b);
  let best: { cut: number; strangers: number; wide: number } | null = null;
  for (const [at, from] of edges.slice(0, -1).entries()) {
    const to = edges[at + 1] ?? from;
    const cut = (from + to) / 2;
    const crossing = inside.filter((row) => row.some(({ x0, x1 }) => x0 < cut && x1 > cut)).length;
    if (crossing > rows.length * CROSSING) continue;
    const strangers = inside
      .flat()
      .filter(({ x0, x1, text }) =>
        (x0 + x1) / 2 < cut ? countedLeft && !isFigure(text) : countedRight && !isFigure(text),
      ).length;
    const score = { cut, strangers: strangers + crossing, wide: to - from };
    if (
      best === null ||
      score.strangers < best.strangers ||
      (score.strangers === best.strangers && score.wide > best.wide)
    )
      best = score;
  }
  return best?.cut ?? null;
}

/** The words of a line, each in the column between whose cuts it stands; null where the line is not of such cells. */
export function cellsByCuts(
  layout: PageLayout,
  row: readonly Segment[],
  header: ItemHeader,
  cuts: Cuts,
  asked: readonly AskedField[],
): RowCells | null {
  const [first, last] = [header.columns[0], header.columns.at(-1)];
  if (cuts === null || first === undefined || last === undefined) return null;
  const cells: RowCells = new Map();
  for (const segment of row) {
    let at = -1;
    let part: CellPart | undefined;
    for (const word of wordsOf(segment).sort((a, b) => a.start - b.start)) {
      const middle = (word.x0 + word.x1) / 2;
      if (word.x0 - last.x1 > layout.line * BESIDE || first.x0 - word.x1 > layout.line * BESIDE) return null;
      // A word over a cut belongs to neither side.
      if (cuts.some((cut) => Math.min(cut - word.x0, word.x1 - cut) > layout.line * 0.4)) return null;
      const found = cuts.findIndex((cut) => middle < cut);
      const column = found === -1 ? cuts.length : found;
      if (part !== undefined && at === column) {
        part.end = word.end;
        continue;
      }
      part = { segment, start: word.start, end: word.end };
      at = column;
      cells.set(column, [...(cells.get(column) ?? []), part]);
    }
  }
  let figures = 0;
  for (const [column, parts] of cells) {
    if (!isCounted(header, column, asked)) continue;
    const text = parts.map(({ start, end }) => layout.page.text.slice(start, end)).join(' ');
    if (!/\d/.test(plainSigns(text))) return null;
    figures += 1;
  }
  return figures > 0 ? cells : null;
}
