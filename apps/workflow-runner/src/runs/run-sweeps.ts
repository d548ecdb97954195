import type { AppConfig } from '@app/config';
import { PeriodicTasks } from '@app/queues';
import { RunSweeper } from '@app/workflows';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';

/** Looks for lost and forgotten runs at intervals. Every replica does; they do not get into each other's way. */
@Injectable()
export class RunSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly sweeper: RunSweeper,
    private readonly leases: AppConfig['leases'],
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('lost and forgotten runs', this.leases.sweepSeconds, () => this.sweeper.sweep());
  }
}
