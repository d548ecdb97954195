import type { DuckDBConnection } from '@duckdb/node-api';
import type { BatchRequest, Evidence, QueryReply, QueryRequest, QueryResult } from '../query-messages.js';
import { findEvidence } from './evidence.js';
import { failureOf, messageOf } from './failures.js';
import { parseStatement } from './parse-statement.js';
import { runEach } from './run-each.js';
import { runPrepared } from './run-statement.js';
import { openWorkspace } from './workspace.js';

/** The process that runs statements: one request. Whoever started it ends it. */
async function answer(request: QueryRequest, tell: (reply: QueryReply) => void): Promise<void> {
  if (request.kind === 'each') await runEach(request, tell);
  else tell(await answerBatch(request));
}

async function answerBatch({ files, statements, evidence, limits }: BatchRequest): Promise<QueryReply> {
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
      const { tree, prepared } = await parseStatement(connection, sql, tables);
      const result = await runPrepared(prepared, limits);
      if (evidence) result.evidence = await evidenceOf(connection, tree, files, limits);
      results.push(result);
    }
  } catch (error) {
    return failureOf(error);
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

process.once('message', (request: QueryRequest) => {
  void answer(request, (reply) => process.send?.(reply));
});
// A statement may keep its threads busy after the api is gone; nothing gentler would end them.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
