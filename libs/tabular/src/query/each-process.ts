import { GatewayTimeoutError } from '@app/common';
import { QueryError, type QueryErrorCode } from './query-error.js';
import type { QueryLimits } from './query-limits.js';
import type { EachRequest, QueryFailure, QueryResult } from './query-messages.js';
import { explain, type QueryProcess, tooSlow, toQueryError } from './query-process.js';

/** `source_unreadable`: its files could not be opened. */
export type OutcomeCode = QueryErrorCode | 'query_timeout' | 'source_unreadable';

export interface FailedStatement {
  code: OutcomeCode;
  message: string;
  /** For the log alone: it may name files of this machine. */
  detail?: string;
}

export type StatementOutcome = { result: QueryResult } | { error: FailedStatement };

/**
 * Runs statements one after the other in a process that has run none, and the rest in another one where it ends in the
 * middle: only the statement that it was at has to do with that.
 * @param deadlineMs by `performance.now()`
 * @throws the signal's reason
 */
export async function runEachInProcess(
  take: () => QueryProcess,
  { scopes, statements }: Pick<EachRequest, 'scopes' | 'statements'>,
  limits: QueryLimits,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<StatementOutcome[]> {
  const outcomes = new Map<number, StatementOutcome>();
  for (;;) {
    const open = [...statements.keys()].filter((at) => !outcomes.has(at));
    const ended = await converse(
      take(),
      {
        kind: 'each',
        scopes,
        statements: open.map((at) => statements[at]!),
        limits: limitsOf(limits, { deadlineMs, charactersTold: charactersOf(outcomes.values()) }),
      },
      limits,
      { signal, take: (at, outcome) => outcomes.set(open[at]!, outcome) },
    );
    if (ended === null) break;
    const { error, at } = ended;
    const culprits = error instanceof GatewayTimeoutError || at === null ? open : [open[at]!];
    for (const culprit of culprits) if (!outcomes.has(culprit)) outcomes.set(culprit, failed(error));
    if (outcomes.size === statements.length) break;
  }
  return [...statements.keys()].map((at) => outcomes.get(at)!);
}

export function failAll(statements: readonly unknown[], error: Error): StatementOutcome[] {
  return statements.map(() => failed(error));
}

/** @returns why it ended before all was told, and at which statement; null when it did not */
async function converse(
  child: QueryProcess,
  request: EachRequest,
  { rssBytes }: QueryLimits,
  { signal, take }: { signal: AbortSignal | undefined; take(at: number, outcome: StatementOutcome): void },
): Promise<{ error: Error; at: number | null } | null> {
  let begun: number | null = null;
  try {
    const asked = { limits: { totalMs: request.limits.totalMs, rssBytes }, signal, explain };
    await child.converse<void>(request, asked, (reply, { resolve }) => {
      if (reply.type === 'begun') begun = reply.at;
      if (reply.type === 'outcome') {
        begun = null;
        take(reply.at, toOutcome(reply.outcome));
      }
      if (reply.type === 'done') resolve();
    });
    return null;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof GatewayTimeoutError || error instanceof QueryError) return { error, at: begun };
    throw error;
  } finally {
    child.kill();
  }
}

/** Those of processes that ended count, too. */
function charactersOf(outcomes: Iterable<StatementOutcome>): number {
  let characters = 0;
  for (const outcome of outcomes) if ('result' in outcome) characters += JSON.stringify(outcome.result.rows).length;
  return characters;
}

function limitsOf(
  limits: QueryLimits,
  { deadlineMs, charactersTold }: { deadlineMs: number; charactersTold: number },
): EachRequest['limits'] {
  const { eachRows, cellCharacters, resultCharacters, databaseMb } = limits;
  const totalMs = Math.max(1, deadlineMs - performance.now());
  const allCharacters = limits.allCharacters - charactersTold;
  return { rows: eachRows, cellCharacters, resultCharacters, allCharacters, databaseMb, totalMs };
}

function toOutcome(outcome: QueryResult | QueryFailure): StatementOutcome {
  if (!('type' in outcome)) return { result: outcome };
  const { type, message: detail } = outcome;
  if (type === 'unopened')
    return { error: { code: 'source_unreadable', message: 'The tables of the file cannot be read.', detail } };
  if (type === 'slow') return failed(tooSlow());
  if (type === 'bulky')
    return failed(new QueryError('query_too_large', 'The queries give too much together. Ask for fewer rows.'));
  return failed(toQueryError(outcome));
}

function failed(error: Error & { code?: string }): StatementOutcome {
  return { error: { code: error.code as OutcomeCode, message: error.message } };
}
