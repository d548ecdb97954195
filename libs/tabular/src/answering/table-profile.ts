import type { QueriedFile } from '../query/query-messages.js';
import type { QueryRunner } from '../query/query-runner.js';
import { sqlName, type AskedTable } from './asked-table.js';

const SAMPLE_ROWS = 3;
/** Values of a column are worth naming up to this many. */
const FEW_VALUES = 50;
/** Rows that are looked through for them. */
const LOOKED_AT_ROWS = 100_000;
/** Columns over all tables that are looked through; the first ones. */
const LOOKED_AT_COLUMNS = 60;
const LONGEST_VALUE = 80;

/** Looks at the first rows, and at the values of text columns with few of them. Writes both into `tables`. */
export async function profileTables(
  runner: QueryRunner,
  files: readonly QueriedFile[],
  tables: readonly AskedTable[],
  signal?: AbortSignal,
): Promise<void> {
  const columns = tables
    .flatMap((table) => table.columns.filter(({ type }) => type === 'text').map((column) => ({ table, column })))
    .slice(0, LOOKED_AT_COLUMNS);
  const statements = [
    ...tables.map(({ alias }) => `SELECT * FROM ${sqlName(alias)} LIMIT ${SAMPLE_ROWS}`),
    ...columns.map(
      ({ table, column: { name } }) =>
        `SELECT DISTINCT v FROM (SELECT ${sqlName(name)} AS v FROM ${sqlName(table.alias)} LIMIT ${LOOKED_AT_ROWS})
         WHERE v IS NOT NULL LIMIT ${FEW_VALUES + 1}`,
    ),
  ];
  const results = await runner.run({ files, statements, signal });
  for (const [at, table] of tables.entries()) table.sample = results[at]!.rows;
  for (const [at, { column }] of columns.entries()) {
    const values = results[tables.length + at]!.rows.map(([value]) => String(value));
    const few = values.length <= FEW_VALUES && values.every((value) => value.length <= LONGEST_VALUE);
    column.values = few ? values.toSorted() : [];
  }
}
