import type { Segment } from './page-tables.js';
import { isBelow, LEADER } from './page-tables.js';
import { textOf } from './pdf-lines.js';
import type { CharacterLine } from './pdf-lines.js';

/** A line, and what stands apart within it. */
export interface PlacedLine extends CharacterLine {
  segments: Segment[];
}

type Span = [x0: number, x1: number];

/** Lines at one height, from `first` on; `pieces` say of which line of the page each segment is. */
interface Row {
  first: number;
  pieces: { segment: Segment; line: number }[];
}

interface Block {
  first: number;
  end: number;
  /** Where nothing stands in any row of it, from left to right. */
  gutters: Span[];
}

const MIN_LINES = 5;
/** Lines of justified columns come in some pieces, too; more are a drawing, or made to keep us busy. */
const MAX_PIECES = 60;
/** In heights of a letter. */
const MIN_GUTTER = 0.75;
/** Line heights between two lines of columns; a blank line may part paragraphs in all of them. */
const MAX_GAP = 1.3;
/** A line beside which nothing stands goes on with a column only close to it. */
const MAX_SINGLE_GAP = 0.6;
const MIN_WORDS = 3.5;
/** Letters a line of scripts without blanks. */
const MIN_LETTERS = 10;
/** In widths of its letters, for what their word may be wider. */
const ROOM = 1.15;
/** Lines of prose that go on in the next one, and that begin within a sentence (German begins many words with capitals). */
const GO_ON = 0.6;
const WITHIN_SENTENCE = 0.35;
/** Of where paragraphs begin, what begins in two neighbouring columns at once: cells of rows do, paragraphs only by chance. */
const ALIGNED = 0.6;
/** In distances of two lines: more room is left between the rows of a table. */
const WIDE = 1.25;
const HYPHEN = /\p{L}[-\u2010\u00ad]\s*$/u;
const RIGHT_TO_LEFT = /^[^\p{L}]*[\p{Script=Arabic}\p{Script=Hebrew}]/u;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

/**
 * Some writers draw the columns of an article side by side, and PDFium takes what stands at one height for one line. Where a
 * gutter runs through lines of prose, they are parted, and come column by column. Rows that mean something stay as they are:
 * tables, also of whole sentences, forms, addresses side by side.
 */
export function readColumns(codes: Uint16Array, lines: readonly PlacedLine[]): PlacedLine[] {
  const rows = toRows(lines);
  if (rows.filter(isParted).length < MIN_LINES) return [...lines];
  const read: PlacedLine[] = [];
  let done = 0;
  for (let at = 0; at < rows.length;) {
    const block = blockFrom(rows, at, done);
    if (block === null) {
      at += 1;
      continue;
    }
    // Part of what is no columns would look like them: the last row of a table, whose cells go on for several lines.
    at = block.end;
    const columns = columnsOf(codes, lines, rows.slice(block.first, block.end), block.gutters);
    if (columns === null) continue;
    read.push(...lines.slice(rows[done]?.first, rows[block.first]?.first), ...columns);
    done = block.end;
  }
  return done < rows.length ? [...read, ...lines.slice(rows[done]?.first)] : read;
}

const isParted = ({ pieces }: Row) => pieces.length > 1 && pieces.length <= MAX_PIECES;

function toRows(lines: readonly PlacedLine[]): Row[] {
  const rows: Row[] = [];
  for (const [line, { segments }] of lines.entries()) {
    const pieces = segments.map((segment) => ({ segment, line }));
    const before = rows.at(-1);
    const isFew = before !== undefined && before.pieces.length + pieces.length <= MAX_PIECES;
    if (isFew && pieces.every((one) => before.pieces.every((other) => isBeside(other.segment, one.segment))))
      before.pieces.push(...pieces);
    else rows.push({ first: line, pieces });
  }
  return rows;
}

function isBeside(a: Segment, b: Segment): boolean {
  const shared = Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0);
  return shared > 0.5 * Math.min(a.y1 - a.y0, b.y1 - b.y0) && (a.x1 <= b.x0 || b.x1 <= a.x0);
}

/** As many rows as have a gutter in common. @param earliest before it, rows belong to another block */
function blockFrom(rows: readonly Row[], start: number, earliest: number): Block | null {
  const seed = rows[start];
  if (seed === undefined || !isParted(seed)) return null;
  let gutters = gapsOf(seed);
  let end = start + 1;
  for (; end < rows.length && gutters.length > 0; end += 1) {
    const left = goOn(rows, end - 1, end, gutters);
    if (left.length === 0) break;
    gutters = left;
  }
  // What begins higher than the first column is read after it.
  let first = start;
  for (; first > earliest; first -= 1) {
    const row = rows[first - 1];
    const column = row?.pieces.length === 1 ? row.pieces[0]?.segment : undefined;
    const isLater = column !== undefined && gutters.some(([, x1]) => column.x0 >= x1) !== isRightToLeft([seed]);
    const left = isLater ? goOn(rows, first - 1, first, gutters, first - 1) : [];
    if (left.length < gutters.length) break;
  }
  return gutters.length > 0 && end - first >= MIN_LINES ? { first, end, gutters } : null;
}

/** What the gutters are with one row more; none: it does not belong to the rows before. */
function goOn(rows: readonly Row[], above: number, below: number, gutters: readonly Span[], added = below): Span[] {
  const [upper, lower, row] = [rows[above], rows[below], rows[added]];
  if (upper === undefined || lower === undefined || row === undefined || row.pieces.length > MAX_PIECES) return [];
  if (!isBelow(cellsOf(upper), cellsOf(lower), isParted(row) ? MAX_GAP : MAX_SINGLE_GAP)) return [];
  const height = heightOf(row);
  return gutters
    .flatMap((gutter) =>
      without(
        gutter,
        row.pieces.map(({ segment }) => segment),
      ),
    )
    .filter(([x0, x1]) => x1 - x0 >= MIN_GUTTER * height);
}

const cellsOf = ({ pieces }: Row) => ({ cells: pieces.map(({ segment }) => segment) });
const heightOf = ({ pieces }: Row) => Math.max(...pieces.map(({ segment }) => segment.y1 - segment.y0));
const topOf = ({ pieces }: Row) => Math.max(...pieces.map(({ segment }) => segment.y1));

function gapsOf(row: Row): Span[] {
  const segments = row.pieces.map(({ segment }) => segment).toSorted((a, b) => a.x0 - b.x0);
  const [x0, x1] = [segments[0]?.x0 ?? 0, Math.max(...segments.map((segment) => segment.x1))];
  return without([x0, x1], segments).filter((gap) => gap[1] - gap[0] >= MIN_GUTTER * heightOf(row));
}

function without(span: Span, segments: readonly Segment[]): Span[] {
  return segments.reduce<Span[]>(
    (left, { x0, x1 }) =>
      left.flatMap(([from, to]): Span[] => {
        if (x1 <= from || x0 >= to) return [[from, to]];
        return [...(x0 > from ? [[from, x0] as Span] : []), ...(x1 < to ? [[x1, to] as Span] : [])];
      }),
    [span],
  );
}

/** A column's lines, one for each row, and how wide it is. */
interface Column {
  lines: (Segment | null)[];
  width: number;
}

/** The lines of a block column by column; null where its rows are to be read across. */
function columnsOf(
  codes: Uint16Array,
  lines: readonly PlacedLine[],
  rows: readonly Row[],
  gutters: readonly Span[],
): PlacedLine[] | null {
  const sorted = gutters.toSorted((a, b) => a[0] - b[0]);
  const columnAt = (segment: Segment) => sorted.filter(([x0]) => segment.x0 >= x0).length;
  const parted = Array.from({ length: sorted.length + 1 }, (_, column) =>
    rows.map(({ pieces }) => pieces.filter(({ segment }) => columnAt(segment) === column)),
  );
  const columns = parted.map((column) => toColumn(column.map((pieces) => pieces.map(({ segment }) => segment))));
  if (!columns.every(isProse) || areRows(columns, rows)) return null;
  const inOrder = isRightToLeft(rows) ? parted.toReversed() : parted;
  return inOrder.flatMap((column) => column.flatMap((pieces) => pieceLines(codes, lines, pieces)));
}

function toColumn(lines: readonly Segment[][]): Column {
  const whole = lines.map((segments) => (segments.length === 0 ? null : around(segments)));
  const found = whole.filter((line) => line !== null);
  return { lines: whole, width: Math.max(...found.map(({ x1 }) => x1)) - Math.min(...found.map(({ x0 }) => x0)) };
}

function around(segments: readonly Segment[]): Segment {
  return {
    text: segments.map(({ text }) => text).join(' '),
    x0: Math.min(...segments.map(({ x0 }) => x0)),
    x1: Math.max(...segments.map(({ x1 }) => x1)),
    y0: Math.min(...segments.map(({ y0 }) => y0)),
    y1: Math.max(...segments.map(({ y1 }) => y1)),
  };
}

/** The next line's first word would have found room: this one ends a paragraph, or a cell. */
function isEnded(line: Segment, next: Segment, { width }: Column): boolean {
  const own = line.x1 - line.x0;
  const word = /^\S+/.exec(next.text)?.[0].length ?? 0;
  return width - own > ((word + 1) * ROOM * own) / Math.max(1, line.text.length);
}

/** Lines that go on in the next one, and have words enough. */
function isProse(column: Column): boolean {
  const found = column.lines.filter((line) => line !== null);
  if (found.length < MIN_LINES || found.some(({ text }) => LEADER.test(text))) return false;
  const ended = found.slice(1).filter((line, at) => isEnded(found[at] ?? line, line, column)).length;
  if (ended > (1 - GO_ON) * found.length) return false;
  const words = found.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0);
  const unspaced = found.reduce((sum, { text }) => sum + (text.match(UNSPACED)?.length ?? 0), 0);
  if (words < MIN_WORDS * found.length && unspaced < MIN_LETTERS * found.length) return false;
  const begins = found.slice(1).flatMap(({ text }) => /^[\p{Lu}\p{Ll}]/u.exec(text) ?? []);
  const within = begins.filter((letter) => /\p{Ll}/u.test(letter));
  return begins.length < found.length / 2 || within.length >= WITHIN_SENTENCE * begins.length;
}

/** Whether what stands side by side begins side by side, as the cells of a table do, and translations. */
function areRows(columns: readonly Column[], rows: readonly Row[]): boolean {
  const steps = rows.slice(1).map((row, at) => topOf(rows[at] ?? row) - topOf(row));
  const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
  const begins = columns.map((column) =>
    steps.map((step, at) => {
      const [before, here] = [column.lines[at], column.lines[at + 1]];
      if (!here) return false;
      return !before || isEnded(before, here, column) || step > WIDE * usual;
    }),
  );
  return begins.some((marks, at) => {
    const other = begins[at + 1];
    if (other === undefined) return false;
    const together = marks.filter((mark, row) => mark && other[row]).length;
    const fewest = Math.min(marks.filter(Boolean).length, other.filter(Boolean).length);
    return together > 0 && together >= ALIGNED * fewest;
  });
}

function isRightToLeft(rows: readonly Row[]): boolean {
  const texts = rows.flatMap(({ pieces }) => pieces.map(({ segment }) => segment.text));
  return texts.filter((text) => RIGHT_TO_LEFT.test(text)).length > texts.length / 2;
}

/** What a row has of one column, as lines of its own. */
function pieceLines(codes: Uint16Array, lines: readonly PlacedLine[], pieces: Row['pieces']): PlacedLine[] {
  const numbers = [...new Set(pieces.map(({ line }) => line))];
  return numbers.flatMap((number) => {
    const whole = lines[number];
    const segments = pieces.filter(({ line }) => line === number).map(({ segment }) => segment);
    const ranges = segments.flatMap((segment) => segment.ranges ?? []);
    if (whole === undefined || ranges.length === 0) return [];
    const first = Math.min(...ranges.map(([from]) => from));
    const end = Math.max(...ranges.map(([, to]) => to));
    if (end === whole.end) return [{ first, end, segments, isHyphenated: whole.isHyphenated }];
    // PDFium finds hyphens at the ends of its own lines alone.
    const text = textOf(codes.subarray(first, end));
    if (!HYPHEN.test(text)) return [{ first, end, segments, isHyphenated: false }];
    return [{ first, end: first + text.trimEnd().length - 1, segments, isHyphenated: true }];
  });
}
