import { JobClock } from '@app/dedicated-agent';
import { SoleTasks } from '@app/queues';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

/** A look at an index; it bounds how late a run starts. */
const TICK_SECONDS = 0.5;
const PRUNE_SECONDS = 3600;

/** Asks at short intervals which jobs are due. One of all replicas does; two at once share what they find. */
@Injectable()
export class JobTicks implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly clock: JobClock,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('jobs of dedicated agents', TICK_SECONDS, async () => {
      await this.clock.fireDue();
    });
    this.tasks.every('old executions of jobs', PRUNE_SECONDS, () => this.clock.prune());
  }

  onModuleDestroy(): void {
    this.clock.stop();
  }
}
