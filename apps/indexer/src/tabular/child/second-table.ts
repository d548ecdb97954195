import { textOf } from './column-types.js';
import { isFilled, isValue } from './header-row.js';
import type { PlannedColumn, StagedTable } from './staged-table.js';
import type { Query, RowsAsked } from './typed-column.js';

/** Rows below a blank one that are looked at. */
const LOOKED_AT = 50;
/** Notes and titles that may stand between two tables. */
const BETWEEN = [1, 2, 3];
/** Longer tables are made by programs. */
const LOOKED_THROUGH = 300_000;

type Cells = readonly (string | null)[];

/**
 * The first row that names columns again, which is where another table begins below the first: it stands below a blank
 * row, perhaps below its title, has two cells or more, and words alone, above and below which there are numbers or dates.
 * @returns its place among the staged rows; null where there is none
 */
export async function findSecondTable(
  rows: Query,
  { padded }: StagedTable,
  columns: readonly PlannedColumn[],
  { condition, rowCount }: RowsAsked,
): Promise<number | null> {
  if (rowCount > LOOKED_THROUGH) return null;
  const gaps = await rows(
    `SELECT ${[...BETWEEN.map((at) => `above${at}`), 'id', ...BETWEEN.map((at) => `below${at}`)].join(', ')} FROM (
       SELECT id, ${BETWEEN.map((at) => `lag(id, ${at}) OVER w AS above${at}, lead(id, ${at}) OVER w AS below${at}`).join(', ')}
       FROM (SELECT rowid AS id FROM staged WHERE ${condition}) WINDOW w AS (ORDER BY id)
     ) WHERE id - above1 > 1 AND below1 IS NOT NULL ORDER BY id LIMIT ${LOOKED_AT}`,
  );
  if (gaps.length === 0) return null;
  const cells = columns.map(({ index }) => textOf(`c${index}`, padded)).join(', ');
  const around = await rows(
    `SELECT rowid, to_json([${cells}])::VARCHAR FROM staged WHERE list_contains([${gaps
      .flat()
      .filter((id) => id !== null)
      .join(', ')}]::BIGINT[], rowid)`,
  );
  const byRow = new Map(around.map(([rowid, json]) => [Number(rowid), JSON.parse(String(json)) as Cells]));
  const cellsOf = (rowid: unknown) => byRow.get(Number(rowid)) ?? [];
  for (const gap of gaps) {
    const above = gap.slice(0, BETWEEN.length).map(cellsOf).find(isRow);
    const from = gap.slice(BETWEEN.length);
    const at = from.findIndex((rowid) => isRow(cellsOf(rowid)));
    if (above && at !== -1 && isHeader(above, cellsOf(from[at]), cellsOf(from[at + 1]))) return Number(from[at]);
  }
  return null;
}

/** Of one cell are notes and titles. */
const isRow = (cells: Cells) => cells.filter(isFilled).length >= 2;
const isNumber = (cell: string | null | undefined) => isFilled(cell) && isValue(cell);

function isHeader(above: Cells, names: Cells, below: Cells): boolean {
  const filled = names.filter(isFilled);
  return (
    filled.length >= 2 &&
    !filled.some(isValue) &&
    names.some((name, at) => isFilled(name) && isNumber(above[at]) && isNumber(below[at]))
  );
}
