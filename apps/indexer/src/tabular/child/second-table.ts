import { textOf } from './column-types.js';
import { isFilled, isValue } from './header-row.js';
import type { PlannedColumn, StagedTable } from './staged-table.js';
import type { Query, RowsAsked } from './typed-column.js';

/** Rows below a blank one that are looked at. */
const LOOKED_AT = 50;
/** Longer tables are made by programs. */
const LOOKED_THROUGH = 300_000;

type Cells = readonly (string | null)[];

/**
 * The first row that names columns again, which is where another table begins below the first: it stands below a blank
 * row, has two cells or more, and words alone, above and below which there are numbers or dates.
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
    `SELECT previous, id, next FROM (
       SELECT id, lag(id) OVER w AS previous, lead(id) OVER w AS next
       FROM (SELECT rowid AS id FROM staged WHERE ${condition}) WINDOW w AS (ORDER BY id)
     ) WHERE id - previous > 1 AND next IS NOT NULL ORDER BY id LIMIT ${LOOKED_AT}`,
  );
  if (gaps.length === 0) return null;
  const cells = columns.map(({ index }) => textOf(`c${index}`, padded)).join(', ');
  const around = await rows(
    `SELECT rowid, to_json([${cells}])::VARCHAR FROM staged WHERE list_contains([${gaps.flat().join(', ')}]::BIGINT[], rowid)`,
  );
  const byRow = new Map(around.map(([rowid, json]) => [Number(rowid), JSON.parse(String(json)) as Cells]));
  const cellsOf = (rowid: unknown) => byRow.get(Number(rowid)) ?? [];
  const second = gaps.find(([above, names, below]) => isHeader(cellsOf(above), cellsOf(names), cellsOf(below)));
  return second === undefined ? null : Number(second[1]);
}

const isNumber = (cell: string | null | undefined) => isFilled(cell) && isValue(cell);

function isHeader(above: Cells, names: Cells, below: Cells): boolean {
  const filled = names.filter(isFilled);
  return (
    filled.length >= 2 &&
    !filled.some(isValue) &&
    names.some((name, at) => isFilled(name) && isNumber(above[at]) && isNumber(below[at]))
  );
}
