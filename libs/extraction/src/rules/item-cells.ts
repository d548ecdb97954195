import { plainSigns } from '../coercion/plain-signs.js';
import { MOST_CELLS, type HeaderColumn, type ItemHeader } from './item-header.js';
import type { PageLayout, Piece, Segment } from './segment.js';

export interface CellPart {
  segment: Segment;
  start: number;
  end: number;
}

/** What of a row stands in which column of the table; by index of `ItemHeader.columns`. */
export type RowCells = Map<number, CellPart[]>;

export function cellsOfRow(
  layout: PageLayout,
  row: readonly Segment[],
  header: ItemHeader,
  byCuts: RowCells | null,
): RowCells | null {
  if (row.length > MOST_CELLS) return null;
  const cells: RowCells = new Map();
  if (isWhole(row, header)) {
    for (const [index, segment] of row.entries()) {
      const column = header.columns[index];
      cells.set(index, [{ segment, start: segment.start, end: segment.end }]);
      if (column) widen(column, segment, header.columns[index - 1], header.columns[index + 1]);
    }
    return cells;
  }
  if (byCuts !== null) return byCuts;
  for (const segment of row)
    for (const { part, box } of partsOf(segment, header, layout.line)) {
      const column = columnOf(box, header, layout.line);
      if (column === null) return null;
      const parts = cells.get(column);
      if (parts) parts.push(part);
      else cells.set(column, [part]);
    }
  for (const parts of cells.values()) parts.sort((a, b) => a.start - b.start);
  return cells;
}

/** As many cells as headings, none of them under another's heading: they follow each other as the headings do. */
function isWhole(row: readonly Segment[], { columns }: ItemHeader): boolean {
  if (row.length !== columns.length) return false;
  return row.every((segment, index) =>
    columns.every((one, other) => other === index || overlap(one, segment) <= (segment.x1 - segment.x0) * 0.5),
  );
}

/** Headings are narrower than what stands below them: later rows, which may lack cells, are told by both. */
function widen(column: HeaderColumn, cell: Segment, before?: HeaderColumn, after?: HeaderColumn): void {
  column.x0 = Math.min(column.x0, Math.max(cell.x0, before?.x1 ?? cell.x0));
  column.x1 = Math.max(column.x1, Math.min(cell.x1, after?.x0 ?? cell.x1));
}

const isNumeric = (text: string) => /^[\d.,'()+\-٫٬]*\d[\d.,'()+\-٫٬]*%?$/u.test(plainSigns(text));

/** Numbers at the end of what looks like one cell may stand in the next columns: each under its own heading. */
function partsOf(
  segment: Segment,
  header: ItemHeader,
  line: number,
): { part: CellPart; box: Pick<Piece, 'x0' | 'x1'> }[] {
  const covered = header.columns.filter((one) => overlap(one, segment) > 0).length;
  const whole = [{ part: { segment, start: segment.start, end: segment.end }, box: segment }];
  if (covered < 2 || segment.pieces.length < 2 || segment.rtl) return whole;
  const found: typeof whole = [];
  let { pieces } = segment;
  for (;;) {
    const last = pieces.at(-1);
    if (last === undefined || pieces.length < 2) break;
    const text = segment.text.slice(last.start - segment.start, last.end - segment.start);
    const column = header.columns.findIndex((one) => overlap(one, last) > 0);
    const before = pieces.at(-2);
    const heading = header.columns[column];
    if (!isNumeric(text) || before === undefined || heading === undefined || overlap(heading, before) > 0) break;
    if (
      Math.abs(heading.x1 - last.x1) > line &&
      (last.x0 < heading.x0 - line * 0.3 || last.x1 > heading.x1 + line * 0.3)
    )
      break;
    found.unshift({ part: { segment, start: last.start, end: last.end }, box: last as Segment });
    pieces = pieces.slice(0, -1);
  }
  const [first, final] = [pieces[0], pieces.at(-1)];
  if (found.length === 0 || first === undefined || final === undefined) return whole;
  const box = { ...segment, x0: Math.min(...pieces.map(({ x0 }) => x0)), x1: Math.max(...pieces.map(({ x1 }) => x1)) };
  return [{ part: { segment, start: first.start, end: final.end }, box }, ...found];
}

const overlap = (a: Pick<Piece, 'x0' | 'x1'>, b: Pick<Piece, 'x0' | 'x1'>) =>
  Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0);

/** Under the heading that it stands in line with, else the one that it is under most, else the nearest one. */
function columnOf(box: Pick<Piece, 'x0' | 'x1'>, { columns }: ItemHeader, line: number): number | null {
  const under = columns.flatMap((one, index) => (overlap(one, box) > 0 ? [{ one, index }] : []));
  const aligned = under.filter(
    ({ one }) => Math.abs(one.x0 - box.x0) < line * 0.7 || Math.abs(one.x1 - box.x1) < line * 0.7,
  );
  const pool = aligned.length > 0 ? aligned : under;
  const [best] = pool.toSorted((a, b) => overlap(b.one, box) - overlap(a.one, box));
  if (best) return best.index;
  const near = columns
    .map((one, index) => ({ index, gap: Math.max(one.x0 - box.x1, box.x0 - one.x1), edges: edges(one, box) }))
    .toSorted((a, b) => a.edges - b.edges || a.gap - b.gap);
  const [nearest] = near;
  return nearest !== undefined && nearest.gap < line * 4 ? nearest.index : null;
}

const edges = (one: HeaderColumn, box: Pick<Piece, 'x0' | 'x1'>) =>
  Math.min(Math.abs(one.x0 - box.x0), Math.abs(one.x1 - box.x1));
