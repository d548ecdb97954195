import { GatewayTimeoutError } from '@app/common';
import { type Ending, IsolatedProcess } from '@app/isolation';
import { QueryError } from './query-error.js';
import type { QueryLimits } from './query-limits.js';
import type { BatchRequest, QueryFailure, QueryReply, QueryRequest, QueryResult } from './query-messages.js';

export type QueryProcess = IsolatedProcess<QueryRequest, QueryReply>;

const HEAP_MB = 256;
const OUT_OF_MEMORY = /out of memory|bad_alloc|cannot allocate|allocation failed|failed to allocate/i;
const TOO_LARGE = 'The query needs more memory than it may have. Ask for less at a time.';

/**
 * A process that waits for a request. Its JavaScript sees no file; DuckDB, whose own code stands outside of Node's
 * permissions, opens the files of the request and then closes itself to all others (see `openWorkspace`). It cannot get
 * more address space than the limits grant.
 */
export function startQueryProcess(entry: string, { addressSpaceBytes }: QueryLimits): QueryProcess {
  return new IsolatedProcess({ entry, heapMb: HEAP_MB, natives: ['@duckdb/node-api'], addressSpaceBytes });
}

/**
 * Runs one batch in a process that has run none, and ends the process whatever happens.
 * @param deadlineMs by `performance.now()`
 * @throws QueryError; GatewayTimeoutError (`query_timeout`); the signal's reason
 */
export async function runInProcess(
  child: QueryProcess,
  request: BatchRequest,
  { rssBytes }: QueryLimits,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<QueryResult[]> {
  try {
    const limits = { totalMs: Math.max(1, deadlineMs - performance.now()), rssBytes };
    return await child.converse<QueryResult[]>(request, { limits, signal, explain }, (reply, { resolve, fail }) => {
      if (reply.type === 'results') resolve(reply.results);
      else if ('message' in reply) fail(toError(reply));
    });
  } finally {
    child.kill();
  }
}

export function tooSlow(): GatewayTimeoutError {
  return new GatewayTimeoutError('The query took too long.', { code: 'query_timeout' });
}

function toError(failure: QueryFailure): Error {
  if (failure.type === 'unopened') return new Error(`The files of tables could not be opened: ${failure.message}`);
  return toQueryError(failure);
}

export function toQueryError({ type, message }: QueryFailure): QueryError {
  if (type === 'refused') return new QueryError('query_refused', message);
  return OUT_OF_MEMORY.test(message)
    ? new QueryError('query_too_large', TOO_LARGE)
    : new QueryError('query_failed', message);
}

export function explain({ cause }: Ending): GatewayTimeoutError | QueryError {
  if (cause === 'time') return tooSlow();
  if (cause === 'memory') return new QueryError('query_too_large', TOO_LARGE);
  return new QueryError('query_failed', 'The query ended unexpectedly.');
}
