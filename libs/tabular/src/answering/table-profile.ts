import { QueryError } from '../query/query-error.js';
import type { QueryResult } from '../query/query-messages.js';
import type { QueryRun, QueryRunner } from '../query/query-runner.js';
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
  run: Omit<QueryRun, 'statements' | 'evidence'>,
  tables: readonly AskedTable[],
): Promise<void> {
  const samples = tables.map(({ alias }) => `SELECT * FROM ${sqlName(alias)} LIMIT ${SAMPLE_ROWS}`);
  const columns = tables
    .flatMap((table) => table.columns.filter(({ type }) => type === 'text').map((column) => ({ table, column })))
    .slice(0, LOOKED_AT_COLUMNS);
  const values = columns.map(
    ({ table, column: { name } }) =>
      `SELECT DISTINCT v FROM (SELECT ${sqlName(name)} AS v FROM ${sqlName(table.alias)} LIMIT ${LOOKED_AT_ROWS})
       WHERE length(v) <= ${LONGEST_VALUE} LIMIT ${FEW_VALUES + 1}`,
  );
  const results = await runAll(runner, run, samples, values);
  for (const [at, table] of tables.entries()) table.sample = results[at]!.rows;
  for (const [at, { column }] of columns.entries()) {
    const found = results[tables.length + at]?.rows.map(([value]) => String(value)) ?? [];
    column.values = found.length <= FEW_VALUES ? found.toSorted() : [];
  }
}

/** Values are a help, no condition: a table that is too heavy to look through can be asked all the same. */
async function runAll(
  runner: QueryRunner,
  run: Omit<QueryRun, 'statements' | 'evidence'>,
  samples: string[],
  values: string[],
): Promise<QueryResult[]> {
  try {
    return await runner.run({ ...run, statements: [...samples, ...values] });
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return runner.run({ ...run, statements: samples });
  }
}
