import type { DuckDBConnection } from '@duckdb/node-api';
import type { Evidence, QueryReply, QueryRequest, QueryResult } from '../query-messages.js';
import { findEvidence } from './evidence.js';
import { parseStatement } from './parse-statement.js';
import { runStatement } from './run-statement.js';
import { RefusedStatement } from './sql-guard.js';
import { openWorkspace } from './workspace.js';

/** The process that runs statements: one request, one reply. Whoever started it ends it. */
async function answer({ files, statements, evidence, limits }: QueryRequest): Promise<QueryReply> {
  const tables = new Set(files.flatMap(({ tables }) => tables.map(({ alias }) => alias.toLowerCase())));
  let connection: DuckDBConnection;
  try {
    connection = await openWorkspace(files, limits.databaseMb);
  } catch (error) {
    return { type: 'unopened', message: messageOf(error) };
  }
  const results: QueryResult[] = [];
  try {
    for (const sql of statements) {
      const tree = await parseStatement(connection, sql, tables);
      const result = await runStatement(connection, sql, limits);
      if (evidence) result.evidence = await evidenceOf(connection, tree, files, limits);
      results.push(result);
    }
  } catch (error) {
    return { type: error instanceof RefusedStatement ? 'refused' : 'failed', message: messageOf(error) };
  }
  return { type: 'results', results };
}

/** An answer stands without its cells, too: finding them may need more memory than the answer did. */
async function evidenceOf(...found: Parameters<typeof findEvidence>): Promise<Evidence[]> {
  try {
    return await findEvidence(...found);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [];
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

process.once('message', (request: QueryRequest) => {
  void answer(request).then((reply) => process.send?.(reply));
});
// A statement may keep its threads busy after the api is gone; nothing gentler would end them.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
