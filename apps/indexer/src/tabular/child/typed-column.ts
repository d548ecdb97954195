import { textOf } from './column-types.js';
import type { Reading } from './reading-sql.js';
import type { PlannedColumn } from './staged-table.js';
import type { Style } from './styled-numbers.js';

export interface TypedColumn {
  column: PlannedColumn;
  /** Null for text. */
  reading: Reading | null;
  /** SQL of what `reading` reads. */
  text: string;
  nullable: boolean;
  unit?: string;
  /** Why numbers stayed text, for people. */
  note?: string;
}

export type Query = (sql: string) => Promise<unknown[][]>;

export interface RowsAsked {
  /** SQL that is true for the rows of the table. */
  condition: string;
  rowCount: number;
}

/** What the sample tells of a column. */
export interface SampledColumn {
  column: PlannedColumn;
  text: string;
  /** Readings that fit it. */
  readings: Reading[];
  /** Of numbers that no such reading fits; with the units, where they are mixed. */
  style: Style | { mixed: string[] } | null;
}

/** Of each column: the readings that fit all its texts, how many cells hold anything, and how many a value. */
export async function fitting<R extends Reading>(
  rows: Query,
  columns: readonly { column?: PlannedColumn; text: string; readings: readonly R[] }[],
  from: string,
  condition: string,
  padded: boolean,
): Promise<{ readings: R[]; given: number; values: number }[]> {
  const texts = columns.map(({ text, column }, at) => {
    const raw = column ? `, ${textOf(`c${column.index}`, padded)} IS NOT NULL AS g${at}` : '';
    return `${text} AS v${at}${raw}`;
  });
  const aggregates = columns.flatMap(({ column, readings }, at) => [
    column ? `count(*) FILTER (g${at})` : '0',
    `count(v${at})`,
    ...readings.map(({ fits }) => `coalesce(bool_and(v${at} IS NULL OR (${fits(`v${at}`)})), true)`),
  ]);
  const [row] = await rows(
    `SELECT ${aggregates.join(', ')} FROM (SELECT ${texts.join(', ')} FROM ${from} WHERE ${condition})`,
  );
  let next = 0;
  return columns.map(({ readings }) => {
    const given = Number(row![next++]);
    const values = Number(row![next++]);
    return { given, values, readings: readings.filter(() => Boolean(row![next++])) };
  });
}
