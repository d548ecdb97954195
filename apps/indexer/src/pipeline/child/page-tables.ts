/** Characters of a page, from the first to before the second. */
export type CharacterRange = [number, number];

/** A piece of a line that stands apart from the next; in points of the page, `y` upwards. */
export interface Segment {
  text: string;
  /** Where its characters are. */
  ranges?: CharacterRange[];
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

/** A line as PDFium gives it, in reading order. */
export interface SegmentedLine {
  segments: Segment[];
}

/** Rows of cells; `lines` says which lines of the input each row is made of, `ranges` which characters, cell by cell. */
export interface FoundTable {
  first: number;
  end: number;
  rows: { cells: string[]; lines: number[]; ranges: CharacterRange[] }[];
}

interface Row {
  cells: Segment[];
  lines: number[];
}

const MIN_ROWS = 3;
/** Line heights between two rows of one table. */
const MAX_ROW_GAP = 2.2;
/** A cell that goes on in the next line stands close below. */
const MAX_WRAP_GAP = 0.6;
/** Share of the rows in which a column has to be filled to be one. */
const FILLED = 0.6;
/** Columns of a text have more words a line than columns of a table, with rare exceptions. */
const PROSE_WORDS = 4.5;
export const LEADER = /(?:[._\u2026·] ?){4}/u;
const ENUMERATOR = /^(?:[•◦▪■●○·*–—-]|\(?[\p{L}\p{N}]{1,4}[.):])$/u;

/**
 * Tables among the lines of a page: at least three rows whose cells stand in the same columns. Only cells that follow
 * each other are taken for a row, so that the columns of an article, of which one is written after the other, stay as they are.
 */
export function findTables(lines: readonly SegmentedLine[]): FoundTable[] {
  const rows = toRows(lines);
  const found: FoundTable[] = [];
  for (let at = 0; at < rows.length;) {
    const run = takeRun(rows, at);
    const table = run === null ? null : toTable(run);
    if (run === null || table === null) at += 1;
    else {
      found.push(table);
      at = run.end;
    }
  }
  return found;
}

/** Consecutive lines at the same height are one row: some writers put every cell by itself. */
function toRows(lines: readonly SegmentedLine[]): Row[] {
  const rows: Row[] = [];
  for (const [index, { segments }] of lines.entries()) {
    const before = rows.at(-1);
    const last = before?.cells.at(-1);
    const first = segments[0];
    if (before && last && first && isBeside(last, first) && first.x0 > last.x1) {
      before.cells.push(...segments);
      before.lines.push(index);
    } else rows.push({ cells: [...segments], lines: [index] });
  }
  return rows;
}

function isBeside(a: Segment, b: Segment): boolean {
  return Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0) > 0.5 * Math.min(a.y1 - a.y0, b.y1 - b.y0);
}

interface Run {
  end: number;
  rows: Row[];
  columns: [number, number][];
}

/** As many rows from `start` on as share columns. */
function takeRun(rows: readonly Row[], start: number): Run | null {
  const taken: Row[] = [];
  let columns: [number, number][] = [];
  let end = start;
  for (let at = start; at < rows.length; at += 1) {
    const row = rows[at];
    const before = taken.at(-1);
    if (row === undefined || (before && !isBelow(before, row, MAX_ROW_GAP))) break;
    const isSingle = row.cells.length < 2;
    if (isSingle && (!before || !goesOn(before, row, columns))) break;
    const merged = mergeColumns([...columns, ...row.cells.map(spanOf)]);
    // A cell that bridges two columns, or two cells in one column, belong to something else.
    const isApart = standApart(columns, merged) || isUnderHeadings(taken, columns, merged);
    if (merged.length < 2 || !isApart || !standApart(row.cells.map(spanOf), merged)) break;
    columns = merged;
    if (isSingle && before) taken[taken.length - 1] = wrapped(before, row, columns);
    else taken.push(row);
    end = at + 1;
  }
  return taken.length >= MIN_ROWS ? { end, rows: taken, columns } : null;
}

type Cells = Pick<Row, 'cells'>;

const heightOf = (row: Cells) => Math.max(...row.cells.map(({ y0, y1 }) => y1 - y0));
const bottomOf = (row: Cells) => Math.min(...row.cells.map(({ y0 }) => y0));
const topOf = (row: Cells) => Math.max(...row.cells.map(({ y1 }) => y1));

/** @param gaps how many heights of a line may lie between them */
export function isBelow(before: Cells, row: Cells, gaps: number): boolean {
  const height = Math.min(heightOf(before), heightOf(row));
  const gap = bottomOf(before) - topOf(row);
  return gap < gaps * height && gap > -0.6 * height;
}

/** The rest of a cell that was too long for its line: within its column, close below it. */
function goesOn(before: Row, row: Row, columns: readonly [number, number][]): boolean {
  const [cell] = row.cells;
  if (!cell || !isBelow(before, row, MAX_WRAP_GAP)) return false;
  const slack = (cell.y1 - cell.y0) * 0.3;
  const column = columns.find(([x0, x1]) => cell.x0 >= x0 - slack && cell.x1 <= x1 + slack);
  return column !== undefined && before.cells.some(({ x0 }) => x0 >= column[0] - slack && x0 <= column[1]);
}

function wrapped(before: Row, row: Row, columns: readonly [number, number][]): Row {
  const [rest] = row.cells;
  const at = rest ? columnOf(rest, columns) : -1;
  const cells = before.cells.map((cell) =>
    rest && columnOf(cell, columns) === at
      ? {
          text: `${cell.text} ${rest.text}`,
          ranges: [...(cell.ranges ?? []), ...(rest.ranges ?? [])],
          x0: Math.min(cell.x0, rest.x0),
          x1: Math.max(cell.x1, rest.x1),
          y0: rest.y0,
          y1: cell.y1,
        }
      : cell,
  );
  return { cells, lines: [...before.lines, ...row.lines] };
}

function mergeColumns(spans: [number, number][]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [x0, x1] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && x0 <= last[1]) last[1] = Math.max(last[1], x1);
    else merged.push([x0, x1]);
  }
  return merged;
}

function columnOf({ x0, x1 }: Pick<Segment, 'x0' | 'x1'>, columns: readonly [number, number][]): number {
  return columns.findIndex(([from, to]) => x0 >= from && x1 <= to);
}

const spanOf = ({ x0, x1 }: Segment): [number, number] => [x0, x1];

/** No two of them came to lie in one column. */
function standApart(spans: readonly [number, number][], columns: readonly [number, number][]): boolean {
  return new Set(spans.map(([x0, x1]) => columnOf({ x0, x1 }, columns))).size === spans.length;
}

/**
 * Whether columns that a wide cell bridges were one all along: a heading in the middle of its column, and short cells at
 * the edge of it.
 */
function isUnderHeadings(
  rows: readonly Row[],
  columns: readonly [number, number][],
  merged: readonly [number, number][],
): boolean {
  const { headings, unnamed } = looseHeadings(rows, columns);
  return merged.every(([x0, x1]) => {
    const joined = columns.flatMap((span, at) => (span[0] >= x0 && span[1] <= x1 ? [at] : []));
    if (joined.length < 2) return true;
    return (
      joined.length === 2 && joined.some((at) => headings.includes(at)) && joined.some((at) => unnamed.includes(at))
    );
  });
}

/** Columns that have a cell in the first row alone, and those that have one in all but that. */
function looseHeadings(
  [first, ...rest]: readonly Row[],
  columns: readonly [number, number][],
): { headings: number[]; unnamed: number[] } {
  const filledIn = (row: Row | undefined) => new Set(row?.cells.map((cell) => columnOf(cell, columns)));
  const named = filledIn(first);
  const below = new Set(rest.flatMap((row) => [...filledIn(row)]));
  const all = columns.map((_, at) => at);
  return {
    headings: all.filter((at) => named.has(at) && !below.has(at)),
    unnamed: all.filter((at) => !named.has(at) && below.has(at)),
  };
}

/** Headings that stand beside all cells of their columns, put to them: as many as lack one, each next to its own. */
function withHeadings({ rows, columns }: Pick<Run, 'rows' | 'columns'>): [number, number][] {
  const { headings, unnamed } = looseHeadings(rows, columns);
  const isNext = headings.every((at, n) => Math.abs(at - (unnamed[n] ?? Infinity)) === 1);
  if (headings.length === 0 || headings.length !== unnamed.length || !isNext) return columns;
  const joined = headings.flatMap((at, n): [number, number][] => {
    const [one, other] = [columns[at], columns[unnamed[n] ?? at]];
    return one && other ? [[Math.min(one[0], other[0]), Math.max(one[1], other[1])]] : [];
  });
  return mergeColumns([...columns, ...joined]);
}

function toTable(run: Run): FoundTable | null {
  const { rows } = run;
  const columns = withHeadings(run);
  const filled = columns.map((_, at) => rows.flatMap(({ cells }) => cells.filter((c) => columnOf(c, columns) === at)));
  const full = filled.filter((cells) => cells.length >= rows.length * FILLED);
  if (full.length < 2) return null;
  const wordy = full.filter((cells) => mean(cells.map(({ text }) => text.split(/\s+/).length)) > PROSE_WORDS);
  if (wordy.length >= 2) return null;
  // Tables of contents lead the eye by dots.
  if (rows.filter(({ cells }) => cells.some(({ text }) => LEADER.test(text))).length > rows.length / 2) return null;
  const [first = []] = filled;
  if (columns.length === 2 && first.filter(({ text }) => ENUMERATOR.test(text.trim())).length > first.length / 2)
    return null;
  const beginning = (letter: RegExp) =>
    rows.flatMap(({ cells }) => cells.filter(({ text }) => letter.test(text))).length;
  // A name in another script turns no table around.
  const fromTheRight = beginning(/^[\p{Script=Arabic}\p{Script=Hebrew}]/u);
  const isRightToLeft = fromTheRight > 0 && fromTheRight >= beginning(/^\p{Script=Latin}/u);
  const lines = rows.flatMap((row) => row.lines);
  return {
    first: Math.min(...lines),
    end: Math.max(...lines) + 1,
    rows: rows.map((row) => {
      const found = columns.map((_, at) => row.cells.find((cell) => columnOf(cell, columns) === at));
      const cells = isRightToLeft ? found.toReversed() : found;
      return {
        cells: cells.map((cell) => cell?.text ?? ''),
        lines: row.lines,
        ranges: cells.flatMap((cell) => cell?.ranges ?? []),
      };
    }),
  };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
