import { AgentRunRetention, BudgetBook, BudgetRetention } from '@app/dedicated-agent';
import { SoleTasks } from '@app/queues';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';

export const AGENT_RUN_DAYS = Symbol('AGENT_RUN_DAYS');

const RETENTION_SECONDS = 3_600;
const RESERVATIONS_SECONDS = 10;

/** Clears away old runs of dedicated agents, and settles what lost processes had set aside for calls. One of all replicas does. */
@Injectable()
export class AgentRunSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly retention: AgentRunRetention,
    private readonly counters: BudgetRetention,
    private readonly book: BudgetBook,
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
  }
}
