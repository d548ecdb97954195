import type { TabularColumn, TabularTable, TabularType } from '@app/tabular';
import { recogniseTypes } from './column-typing.js';
import type { Query, TypedColumn } from './typed-column.js';
import { shownTextOf, textOf } from './column-types.js';
import { quoteName } from './names.js';
import type { PlannedColumn, StagedTable } from './staged-table.js';
import { confirmTotals, findCandidates, without, type Candidate } from './total-rows.js';

const DUCKDB_TYPES: Record<TabularType, string> = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  datetime: 'TIMESTAMP',
};

export interface BuiltTable extends Pick<TabularTable, 'name' | 'rowCount' | 'columns' | 'contiguous'> {
  /** Of the staged rows, from 0. */
  firstRowid: number;
  lastRowid: number;
  totals: { rowid: number; label: string }[];
  /** For people. */
  warnings: string[];
}

/**
 * Writes the staged rows from `firstRow` (from 0) on as a table with types. Rows without any value, and rows of sums,
 * are left out.
 */
export async function buildTable(
  rows: Query,
  name: string,
  staged: StagedTable,
  columns: readonly PlannedColumn[],
  firstRow: number,
): Promise<BuiltTable> {
  const anything = `coalesce(${columns.map(({ index }) => textOf(`c${index}`, staged.padded)).join(', ')}) IS NOT NULL`;
  const all = await placeOf(rows, `rowid >= ${firstRow}`, firstRow);
  const given = await placeOf(rows, `rowid >= ${firstRow} AND ${anything}`, firstRow);
  const condition = all.count === given.count ? `rowid >= ${firstRow}` : `rowid >= ${firstRow} AND ${anything}`;
  const { typed, totals, doubtful } = await typeRows(rows, staged, columns, condition, given);
  const kept = without(
    condition,
    totals.map(({ rowid }) => rowid),
  );
  const place = totals.length === 0 ? given : await placeOf(rows, kept, firstRow);
  const selected = typed.map(({ column, reading, text }) => {
    const value =
      reading === null
        ? shownTextOf(`c${column.index}`, staged.padded, staged.marked)
        : `CAST(${reading.value(text)} AS ${DUCKDB_TYPES[reading.type]})`;
    return `${value} AS ${quoteName(column.name)}`;
  });
  await rows(`CREATE TABLE built.${quoteName(name)} AS SELECT ${selected.join(', ')} FROM staged WHERE ${kept}`);
  await rows('DROP TABLE staged');
  const { count, first, last } = place;
  return {
    name,
    rowCount: count,
    columns: typed.map(toColumn),
    contiguous: last - first + 1 === count || count === 0,
    firstRowid: first,
    lastRowid: last,
    totals,
    warnings: [...typed.flatMap(warningOf), ...doubtful],
  };
}

interface Place {
  count: number;
  first: number;
  last: number;
}

async function placeOf(rows: Query, condition: string, firstRow: number): Promise<Place> {
  const [[count, first, last]] = (await rows(
    `SELECT count(*), coalesce(min(rowid), ${firstRow}), coalesce(max(rowid), ${firstRow - 1}) FROM staged WHERE ${condition}`,
  )) as [[bigint, bigint, bigint]];
  return { count: Number(count), first: Number(first), last: Number(last) };
}

interface TypedRows {
  typed: TypedColumn[];
  totals: Candidate[];
  doubtful: string[];
}

/** Types are recognised without the rows of sums, whose label would make a column of numbers one of texts. */
async function typeRows(
  rows: Query,
  staged: StagedTable,
  columns: readonly PlannedColumn[],
  condition: string,
  place: Place,
): Promise<TypedRows> {
  const rowCount = place.count;
  const candidates = await findCandidates(rows, columns, { condition, rowCount }, place);
  const typeAllBut = (left: readonly Candidate[]) =>
    recogniseTypes(rows, staged, columns, {
      condition: without(
        condition,
        left.map(({ rowid }) => rowid),
      ),
      rowCount: rowCount - left.length,
    });
  const typed = await typeAllBut(candidates);
  if (candidates.length === 0) return { typed, totals: [], doubtful: [] };
  const totals = await confirmTotals(rows, candidates, typed, condition);
  if (totals.length === candidates.length) return { typed, totals, doubtful: [] };
  return { typed: await typeAllBut(totals), totals, doubtful: [] };
}

const warningOf = ({ column, note }: TypedColumn): string[] =>
  note === undefined ? [] : [`Column "${column.originalName || column.name}" ${note}.`];

const toColumn = ({ column, reading, nullable, unit }: TypedColumn): TabularColumn => ({
  name: column.name,
  originalName: column.originalName,
  type: reading?.type ?? 'text',
  nullable,
  ...(unit === undefined ? {} : { unit }),
  ...(column.headerPath === undefined ? {} : { headerPath: column.headerPath }),
});
