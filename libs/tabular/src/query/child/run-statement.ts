import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import type { Cell, QueryResult, ResultLimits } from '../query-messages.js';
import { CellWriter, toResultType } from './cells.js';

/** Runs a statement of our own. */
export async function runStatement(
  connection: DuckDBConnection,
  sql: string,
  limits: ResultLimits,
): Promise<QueryResult> {
  return runPrepared(await connection.prepare(sql), limits);
}

/** Runs a checked statement, its parameters bound, and reads no further than the limits go. */
export async function runPrepared(statement: DuckDBPreparedStatement, limits: ResultLimits): Promise<QueryResult> {
  const started = performance.now();
  const result = await statement.stream();
  const names = uniqueNames(result.columnNames());
  const columns = result.columnTypes().map((type, at) => ({ name: names[at]!, type: toResultType(type) }));
  const writer = new CellWriter(limits.cellCharacters);
  const rows: Cell[][] = [];
  let characters = 0;
  let more = false;
  for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0 && !more; chunk = await result.fetchChunk())
    for (const values of chunk.getRows()) {
      const row = values.map((value) => writer.write(value));
      characters += JSON.stringify(row).length;
      more = rows.length >= limits.rows || characters > limits.resultCharacters;
      if (more) break;
      rows.push(row);
    }
  return { columns, rows, truncated: more || writer.cut, durationMs: Math.round(performance.now() - started) };
}

/** Two columns of a join may have one name; charts and clients need them apart. */
function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let at = 2; taken.has(unique); at++) unique = `${name}_${at}`;
    taken.add(unique);
    return unique;
  });
}
