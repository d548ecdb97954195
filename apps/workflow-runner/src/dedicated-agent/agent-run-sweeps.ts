import { AgentRunRetention, BudgetBook, BudgetRetention, RunLogCompaction } from '@app/dedicated-agent';
import { SoleTasks } from '@app/queues';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';

export const AGENT_RUN_DAYS = Symbol('AGENT_RUN_DAYS');

const RETENTION_SECONDS = 3_600;
const RESERVATIONS_SECONDS = 10;
const COMPACT_SECONDS = 60;

/**
 * Clears away old runs of dedicated agents, settles what lost processes had set aside for calls, and keeps the logs of
 * ended runs small. One of all replicas does.
 */
@Injectable()
export class AgentRunSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly retention: AgentRunRetention,
    private readonly counters: BudgetRetention,
    private readonly book: BudgetBook,
    private readonly compaction: RunLogCompaction,
    @Inject(AGENT_RUN_DAYS) private readonly days: number,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('old runs of dedicated agents', RETENTION_SECONDS, async () => {
      while (await this.retention.removeSome(this.days));
      while (await this.counters.removeSome(this.days));
    });
    this.tasks.every('lost reservations of budgets', RESERVATIONS_SECONDS, async () => {
      while ((await this.book.sweep()) > 0);
    });
    this.tasks.every('logs of ended runs of dedicated agents', COMPACT_SECONDS, async () => {
      while ((await this.compaction.compactSome()).mayBeMore);
    });
  }
}
