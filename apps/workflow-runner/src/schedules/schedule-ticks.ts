import { SoleTasks } from '@app/queues';
import { Scheduler } from '@app/workflows';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

/** A look at an index; it bounds how late a run starts. */
const TICK_SECONDS = 0.25;
const PRUNE_SECONDS = 3600;

/** Asks at short intervals what is due. One of all replicas does; two at once share what they find. */
@Injectable()
export class ScheduleTicks implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly tasks: SoleTasks,
    private readonly scheduler: Scheduler,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('schedules', TICK_SECONDS, async () => {
      await this.scheduler.fireDue();
    });
    this.tasks.every('old schedule slots', PRUNE_SECONDS, () => this.scheduler.prune());
  }

  onModuleDestroy(): void {
    this.scheduler.stop();
  }
}
