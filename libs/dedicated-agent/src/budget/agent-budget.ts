import { setTimeout as sleep } from 'node:timers/promises';
import { isUuid } from '@app/common';
import type { TokenUsage, UsageContext } from '@app/integrations';
import { CallBudget, CallBudgets, type CallNeed, type HeldCall } from '@app/models';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { BudgetBook, LEASE_SECONDS, type SoftCapWarning } from './budget-book.js';

const FIRST_LOOK_MS = 100;
const LAST_LOOK_MS = 2_000;
/** Of which it is remembered whether they are runs. */
const MAX_TURNS = 10_000;

/** A run, as long as this process asks models for it. */
interface CountedRun {
  /** Why nothing more is asked. */
  refusal: Error | null;
  /** What was used is written down in order, and before more is set aside. */
  settling: Promise<void>;
  /** Soft caps that were reached, which nobody was told of yet. */
  warnings: SoftCapWarning[];
}

/** Sets aside, before each call that is made for a run of an agent, the most that it can take. */
@Injectable()
export class AgentBudget extends CallBudget implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(AgentBudget.name);
  /** By turn; null: no run of an agent. A turn that is one was that before it began. */
  private readonly turns = new Map<string, CountedRun | null>();
  /** Reservations of calls under way, with the moment when they have surely ended. */
  private readonly open = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly book: BudgetBook,
    private readonly budgets: CallBudgets,
  ) {
    super();
  }

  onModuleInit(): void {
    this.budgets.use(this);
  }

  async hold(
    { turnId }: UsageContext & { turnId: string },
    need: CallNeed,
    signal: AbortSignal | undefined,
  ): Promise<HeldCall | null> {
    const run = await this.runOf(turnId);
    if (!run) return null;
    for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 2, LAST_LOOK_MS)) {
      if (run.refusal) throw run.refusal;
      await run.settling;
      signal?.throwIfAborted();
      const reserved = await this.book.reserve(turnId, need);
      if (reserved === null) return null;
      if (reserved.does === 'refuse') throw (run.refusal = reserved.error);
      if (reserved.does === 'hold') {
        const { id, maxOutputTokens } = reserved;
        this.keep(id, need.seconds);
        return { maxOutputTokens, settle: (usage) => this.settle(id, turnId, run, usage) };
      }
      await sleep(pause, undefined, signal ? { signal } : {}).catch(() => undefined);
    }
  }

  /** Soft caps that the run has reached since this was last asked. */
  async takeWarnings(runId: string): Promise<SoftCapWarning[]> {
    const run = this.turns.get(runId);
    if (!run) return [];
    await run.settling;
    return run.warnings.splice(0);
  }

  /** What was used is written down before the database is left. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all([...this.turns.values()].map((run) => run?.settling));
  }

  private settle(id: string, runId: string, run: CountedRun, usage: TokenUsage): void {
    const before = run.settling;
    run.settling = this.settleAfter(before, { id, runId, run, usage });
  }

  private async settleAfter(
    before: Promise<void>,
    { id, runId, run, usage }: { id: string; runId: string; run: CountedRun; usage: TokenUsage },
  ): Promise<void> {
    await before;
    try {
      run.warnings.push(...(await this.book.settle(id, runId, usage)));
    } catch (error) {
      // It stands until its time is over, and then counts as spent.
      this.logger.warn(`What a call of the run ${runId} took could not be written down: ${String(error)}`);
    } finally {
      this.open.delete(id);
    }
  }

  private async runOf(turnId: string): Promise<CountedRun | null> {
    const known = this.turns.get(turnId);
    if (known !== undefined) return known;
    const isRun = isUuid(turnId) && (await this.book.isRun(turnId));
    // Somebody else may have asked at the same moment.
    const meanwhile = this.turns.get(turnId);
    if (meanwhile !== undefined) return meanwhile;
    const run: CountedRun | null = isRun ? { refusal: null, settling: Promise.resolve(), warnings: [] } : null;
    this.turns.set(turnId, run);
    if (this.turns.size > MAX_TURNS) this.turns.delete(this.turns.keys().next().value!);
    return run;
  }

  private keep(id: string, seconds: number): void {
    this.open.set(id, Date.now() + seconds * 1000);
    this.timer ??= setInterval(() => void this.putOff(), (LEASE_SECONDS * 1000) / 4).unref();
  }

  private async putOff(): Promise<void> {
    const now = Date.now();
    // One that nobody has ended by then never will be: its reader left it lying.
    for (const [id, until] of this.open) if (until < now) this.open.delete(id);
    if (this.open.size === 0) return;
    try {
      await this.book.putOff([...this.open.keys()]);
    } catch (error) {
      this.logger.warn(`Reservations could not be put off: ${String(error)}`);
    }
  }
}
