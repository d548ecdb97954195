import { WAITING_TURNS } from '@app/agents';
import { measureWaiting, pingDatabase } from '@app/entities';
import { WAITING_MESSAGES } from '@app/messages';
import { HealthRegistry } from '@app/observability';
import { JobQueues } from '@app/queues';
import { WAITING_RUNS } from '@app/workflows';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** What this process cannot work without. */
@Injectable()
export class HealthChecks implements OnApplicationBootstrap {
  constructor(
    private readonly registry: HealthRegistry,
    private readonly dataSource: DataSource,
    private readonly jobQueues: JobQueues,
  ) {}

  onApplicationBootstrap(): void {
    this.registry.register('database', () => pingDatabase(this.dataSource));
    this.registry.register('queue', () => this.jobQueues.ping());
    measureWaiting(this.dataSource, 'workflow-runner', [...WAITING_RUNS, ...WAITING_TURNS, ...WAITING_MESSAGES]);
  }
}
