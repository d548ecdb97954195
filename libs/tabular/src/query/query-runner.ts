import { queryEntry } from './query-entry.js';
import { DEFAULT_QUERY_LIMITS, type QueryLimits } from './query-limits.js';
import type { QueriedFile, QueryResult } from './query-messages.js';
import { runInProcess, tooSlow } from './query-process.js';

/** Processes at a time; further runs wait. Each may take a core and `rssBytes`. */
const AT_ONCE = 2;

export interface QueryRun {
  /** Up to 5. */
  files: readonly QueriedFile[];
  /** Each a single SELECT over the files' tables. */
  statements: readonly string[];
  /** Whether each result says on which cells it rests. */
  evidence?: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Runs SQL that nobody trusts, read-only over uploaded files, each run in a process of its own: it can read nothing but
 * these files, change nothing, and is killed when it breaks a limit. The caller's event loop only waits.
 */
export class QueryRunner {
  private readonly limits: QueryLimits;
  private readonly atOnce: number;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(limits: Partial<QueryLimits> = {}, atOnce = AT_ONCE) {
    this.limits = { ...DEFAULT_QUERY_LIMITS, ...limits };
    this.atOnce = atOnce;
  }

  /**
   * One result per statement, in order.
   * @throws QueryError for a statement that may not run or does not work; GatewayTimeoutError (`query_timeout`) after
   * the time of the limits; the signal's reason
   */
  async run({ files, statements, evidence = false, signal }: QueryRun): Promise<QueryResult[]> {
    const deadline = performance.now() + this.limits.totalMs;
    await this.enter(deadline, signal);
    try {
      const { rows, cellCharacters, resultCharacters, databaseMb } = this.limits;
      const limits = { rows, cellCharacters, resultCharacters, databaseMb };
      return await runInProcess(queryEntry(), { files, statements, evidence, limits }, this.limits, deadline, signal);
    } finally {
      this.running -= 1;
      this.waiting.shift()?.();
    }
  }

  private async enter(deadline: number, signal?: AbortSignal): Promise<void> {
    while (this.running >= this.atOnce) await this.turn(deadline, signal);
    this.running += 1;
  }

  private async turn(deadline: number, signal?: AbortSignal): Promise<void> {
    const patience = AbortSignal.timeout(Math.max(1, Math.ceil(deadline - performance.now())));
    const either = signal ? AbortSignal.any([signal, patience]) : patience;
    let wake: (() => void) | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        wake = resolve;
        this.waiting.push(resolve);
        either.addEventListener('abort', () => reject(signal?.aborted ? signal.reason : tooSlow()), { once: true });
      });
    } catch (error) {
      const at = this.waiting.findIndex((waiter) => waiter === wake);
      // Woken and given up at once: the place goes to the next.
      if (at === -1) this.waiting.shift()?.();
      else this.waiting.splice(at, 1);
      throw error;
    }
  }
}
