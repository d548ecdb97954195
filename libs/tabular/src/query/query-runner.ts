import { GatewayTimeoutError } from '@app/common';
import { FairSlots } from '@app/isolation';
import type { OnModuleDestroy } from '@nestjs/common';
import { failAll, runEachInProcess, type StatementOutcome } from './each-process.js';
import { queryEntry } from './query-entry.js';
import { DEFAULT_QUERY_LIMITS, type QueryLimits } from './query-limits.js';
import type { QueriedFile, QueryResult, ScopedStatement } from './query-messages.js';
import { type QueryProcess, runInProcess, startQueryProcess, tooSlow } from './query-process.js';

/** Processes at a time; further runs wait. Each may take a core and `rssBytes`. */
const AT_ONCE = 2;
/** How long a process waits for the next question before it ends: it holds some 60 MB. */
const SPARE_MS = 60_000;

export interface QueryRun {
  /** Who asks: nobody keeps all processes from others. */
  asker?: string;
  /** Up to 5. */
  files: readonly QueriedFile[];
  /** Each a single SELECT over the files' tables. */
  statements: readonly string[];
  /** Whether each result says on which cells it rests. */
  evidence?: boolean;
  signal?: AbortSignal | undefined;
}

export interface EachRun {
  /** Who asks: nobody keeps all processes from others. */
  asker?: string;
  /** Sets of files, each up to 5, with aliases that are unique within their set. */
  scopes: readonly (readonly QueriedFile[])[];
  statements: readonly ScopedStatement[];
  signal?: AbortSignal | undefined;
}

/**
 * Runs SQL that nobody trusts, read-only over uploaded files, each run in a process of its own: it can read nothing but
 * these files, change nothing, and is killed when it breaks a limit. The caller's event loop only waits.
 */
export class QueryRunner implements OnModuleDestroy {
  private readonly limits: QueryLimits;
  private readonly slots: FairSlots;
  /** Has loaded everything, and has run nothing: the next run begins a tenth of a second earlier. */
  private spare: { child: QueryProcess; timer: NodeJS.Timeout } | null = null;
  private closed = false;

  constructor(limits: Partial<QueryLimits> = {}, atOnce = AT_ONCE) {
    this.limits = { ...DEFAULT_QUERY_LIMITS, ...limits };
    this.slots = new FairSlots(atOnce);
  }

  /**
   * One result per statement, in order.
   * @throws QueryError for a statement that may not run or does not work; GatewayTimeoutError (`query_timeout`) after
   * the time of the limits; the signal's reason
   */
  async run({ asker = '', files, statements, evidence = false, signal }: QueryRun): Promise<QueryResult[]> {
    const { rows, cellCharacters, resultCharacters, databaseMb } = this.limits;
    const limits = { rows, cellCharacters, resultCharacters, databaseMb };
    const request = { kind: 'batch' as const, files, statements, evidence, limits };
    return this.within(asker, signal, (deadline) =>
      runInProcess(this.takeProcess(), request, this.limits, deadline, signal),
    );
  }

  /**
   * One outcome per statement, in order, of one process: one that fails, takes all the time or more memory than there is
   * keeps none of the others, which then go on in another process.
   * @throws the signal's reason
   */
  async runEach({ asker = '', scopes, statements, signal }: EachRun): Promise<StatementOutcome[]> {
    if (statements.length === 0) return [];
    try {
      return await this.within(asker, signal, (deadline) =>
        runEachInProcess(() => this.takeProcess(), { scopes, statements }, this.limits, deadline, signal),
      );
    } catch (error) {
      signal?.throwIfAborted();
      // No place became free in time.
      if (error instanceof GatewayTimeoutError) return failAll(statements, error);
      throw error;
    }
  }

  onModuleDestroy(): void {
    this.closed = true;
    this.dropSpare();
  }

  private async within<T>(
    asker: string,
    signal: AbortSignal | undefined,
    work: (deadline: number) => Promise<T>,
  ): Promise<T> {
    const deadline = performance.now() + this.limits.totalMs;
    await this.enter(asker, signal);
    try {
      return await work(deadline);
    } finally {
      this.prepareSpare();
      this.slots.leave(asker);
    }
  }

  /** The wait counts towards the time of the run. */
  private async enter(asker: string, signal?: AbortSignal): Promise<void> {
    const timeout = AbortSignal.timeout(this.limits.totalMs);
    try {
      await this.slots.enter(asker, signal ? AbortSignal.any([signal, timeout]) : timeout);
    } catch (error) {
      throw signal?.aborted || !timeout.aborted ? error : tooSlow();
    }
  }

  private takeProcess(): QueryProcess {
    const child = this.spare?.child;
    if (!child?.alive) return startQueryProcess(queryEntry(), this.limits);
    clearTimeout(this.spare?.timer);
    this.spare = null;
    return child;
  }

  private prepareSpare(): void {
    if (this.closed || this.spare?.child.alive) return;
    this.dropSpare();
    const timer = setTimeout(() => this.dropSpare(), SPARE_MS);
    timer.unref();
    this.spare = { child: startQueryProcess(queryEntry(), this.limits), timer };
  }

  private dropSpare(): void {
    clearTimeout(this.spare?.timer);
    this.spare?.child.kill();
    this.spare = null;
  }
}
