import type { TabularColumn, TabularTable, TabularType } from '@app/tabular';
import { recogniseTypes } from './column-typing.js';
import type { Query, RowsAsked, TypedColumn } from './typed-column.js';
import { shownTextOf, textOf } from './column-types.js';
import { quoteName } from './names.js';
import { fillNamedOnce } from './named-once.js';
import { confirmNotes, findNotes, type Note } from './rows-of-notes.js';
import { findSecondTable } from './second-table.js';
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
  /** Rows below the table that say something about it. */
  notes: { rowid: number; text: string }[];
  /** The row that begins another table below; its rows are rows of this one. */
  second: number | null;
  /** For people. */
  warnings: string[];
}

/**
 * Writes the staged rows from `firstRow` (from 0) on as a table with types. Rows without any value, rows of sums, and
 * notes below the table are left out.
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
  let read = await typeRows(rows, staged, columns, condition, given);
  const filled = await fillNamedOnce(rows, staged, columns, read.totals, { condition, rowCount: given.count });
  if (filled.length > 0) read = await typeRows(rows, staged, columns, condition, given);
  const { typed, totals, notes } = read;
  const left = [...totals, ...notes].map(({ rowid }) => rowid);
  const kept = without(condition, left);
  const place = left.length === 0 ? given : await placeOf(rows, kept, firstRow);
  // Blank rows are known by their places, which are not worth a look where there are none.
  const asked = { condition: kept, rowCount: place.count };
  const second = all.count === given.count ? null : await findSecondTable(rows, staged, columns, asked);
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
    notes,
    second,
    warnings: [...typed.flatMap(warningOf), ...filled.map(filledText)],
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
  notes: Note[];
}

const leave = ({ condition, rowCount }: RowsAsked, left: readonly { rowid: number }[]): RowsAsked => ({
  condition: without(
    condition,
    left.map(({ rowid }) => rowid),
  ),
  rowCount: rowCount - left.length,
});

/** Types are recognised without the rows of sums and notes, whose words would make a column of numbers one of texts. */
async function typeRows(
  rows: Query,
  staged: StagedTable,
  columns: readonly PlannedColumn[],
  condition: string,
  place: Place,
): Promise<TypedRows> {
  const rowCount = place.count;
  const asked = { condition, rowCount };
  const below = await findNotes(rows, staged, columns, asked);
  const candidates = await findCandidates(rows, columns, asked, place);
  // Of rows that have but a label both could be said: they sum up nothing.
  const labelled = candidates.filter(({ rowid }) => !below.some((note) => note.rowid === rowid));
  const others = leave(asked, below);
  const typed = await recogniseTypes(rows, staged, columns, leave(others, labelled));
  if (labelled.length === 0 && below.length === 0) return { typed, totals: [], notes: [] };
  const totals = labelled.length === 0 ? [] : await confirmTotals(rows, labelled, typed, others.condition);
  const notes = confirmNotes(below, new Set(totals.map(({ rowid }) => rowid)));
  if (totals.length === labelled.length && notes.length === below.length) return { typed, totals, notes };
  return { typed: await recogniseTypes(rows, staged, columns, leave(asked, [...totals, ...notes])), totals, notes };
}

const warningOf = ({ column, note }: TypedColumn): string[] =>
  note === undefined ? [] : [`Column "${column.originalName || column.name}" ${note}.`];

const filledText = ({ name, originalName }: PlannedColumn): string =>
  `Column "${originalName || name}" names each group once, with its sum below: the other rows of the group were given the name.`;

const toColumn = ({ column, reading, nullable, unit }: TypedColumn): TabularColumn => ({
  name: column.name,
  originalName: column.originalName,
  type: reading?.type ?? 'text',
  nullable,
  ...(unit === undefined ? {} : { unit }),
  ...(column.headerPath === undefined ? {} : { headerPath: column.headerPath }),
});
