import type { DuckDBConnection } from '@duckdb/node-api';
import type { EachRequest, QueryFailure, QueryReply, QueryResult, ScopedStatement } from '../query-messages.js';
import { failureOf, messageOf } from './failures.js';
import { bindParameters, toDatabaseParameters } from './parameters.js';
import { parseStatement } from './parse-statement.js';
import { runPrepared } from './run-statement.js';
import { openScopes, type OpenScope } from './workspace.js';

/** Before the time of the run is over: what was found is told first. */
const SPARED_MS = 300;
/** However many others wait: with less, a page of many slow queries would begin them all and end none. */
const LEAST_MS = 1000;
/** The database hears of it only while a statement runs. */
const INTERRUPT_MS = 50;

/**
 * Runs each statement, whatever becomes of the others. One that takes more than its share of the time waits until the
 * others are done, and then has what is left.
 */
export async function runEach(request: EachRequest, tell: (reply: QueryReply) => void): Promise<void> {
  const { statements, limits } = request;
  const ends = performance.now() + limits.totalMs - SPARED_MS;
  const scopes = await openScopes(request.scopes, limits.databaseMb);
  const run = new EachRun(scopes, limits);
  const slow: number[] = [];
  const left = () => ends - performance.now();
  for (const [at, statement] of statements.entries()) {
    tell({ type: 'begun', at });
    const share = Math.max(LEAST_MS, left() / 2 / (statements.length - at));
    const outcome = await run.outcomeOf(statement, Math.min(share, left()));
    if ('type' in outcome && outcome.type === 'slow') slow.push(at);
    else tell({ type: 'outcome', at, outcome });
  }
  for (const [done, at] of slow.entries()) {
    tell({ type: 'begun', at });
    tell({ type: 'outcome', at, outcome: await run.outcomeOf(statements[at]!, left() / (slow.length - done)) });
  }
  tell({ type: 'done' });
}

class EachRun {
  private characters = 0;

  constructor(
    private readonly scopes: readonly OpenScope[],
    private readonly limits: EachRequest['limits'],
  ) {}

  async outcomeOf(statement: ScopedStatement, ms: number): Promise<QueryResult | QueryFailure> {
    const scope = this.scopes[statement.scope]!;
    if ('unopened' in scope) return { type: 'unopened', message: messageOf(scope.unopened) };
    const time = new Time(scope.connection, ms);
    try {
      const result = await this.run(scope, statement);
      // A stream that is interrupted between two of its chunks ends as if it had no more rows.
      if (time.isOver) return { type: 'slow', message: '' };
      const characters = this.characters + JSON.stringify(result.rows).length;
      if (characters > this.limits.allCharacters) return { type: 'bulky', message: '' };
      this.characters = characters;
      return result;
    } catch (error) {
      return time.isOver ? { type: 'slow', message: '' } : failureOf(error);
    } finally {
      time.stop();
    }
  }

  private async run(
    { connection, tables }: Exclude<OpenScope, { unopened: unknown }>,
    { sql, parameters }: ScopedStatement,
  ): Promise<QueryResult> {
    const known = new Set(parameters.map(({ name }) => name));
    const { prepared } = await parseStatement(connection, toDatabaseParameters(sql, known), tables, known);
    bindParameters(prepared, parameters);
    return runPrepared(prepared, this.limits);
  }
}

/** Interrupts what a connection does, when its time is over. */
class Time {
  isOver = false;
  private readonly timer: NodeJS.Timeout;
  private repeated: NodeJS.Timeout | undefined;

  constructor(connection: DuckDBConnection, ms: number) {
    this.timer = setTimeout(
      () => {
        this.isOver = true;
        connection.interrupt();
        this.repeated = setInterval(() => connection.interrupt(), INTERRUPT_MS);
      },
      Math.max(1, ms),
    );
  }

  stop(): void {
    clearTimeout(this.timer);
    clearInterval(this.repeated);
  }
}
