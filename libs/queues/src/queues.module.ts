import type { AppConfig } from '@app/config';
import { QUEUES, type QueueName } from '@app/contracts';
import { BullModule } from '@nestjs/bull';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { JobQueues } from './job-queues.js';
import { JobWorkers } from './job-workers.js';
import { Outbox } from './outbox.js';
import { PeriodicTasks } from './periodic-tasks.js';
import { failFast } from './redis-options.js';
import { RedisConnections } from './redis-connections.js';
import { Relay } from './relay.js';
import { SoleTasks } from './sole-tasks.js';
import { TotalsFolding } from './totals-folding.js';
import { QUEUES_OPTIONS, type QueuesOptions } from './tokens.js';

/** Jobs for an app: every app can ask for work; `consumes` names the queues that this one works on. */
@Global()
@Module({})
export class QueuesModule {
  static forRoot(
    config: AppConfig,
    { consumes = {} }: { consumes?: Partial<Record<QueueName, number>> } = {},
  ): DynamicModule {
    const options: QueuesOptions = { keyPrefix: config.redis.keyPrefix, consumes };
    const connections = new RedisConnections(config.redis.url);
    const producers = QUEUES.map((name) => ({
      name,
      prefix: `${options.keyPrefix}:bull`,
      createClient: () => connections.shared('asking', failFast),
    }));
    return {
      module: QueuesModule,
      imports: [BullModule.registerQueue(...producers), DiscoveryModule],
      providers: [
        { provide: QUEUES_OPTIONS, useValue: options },
        { provide: RedisConnections, useValue: connections },
        JobQueues,
        Outbox,
        PeriodicTasks,
        SoleTasks,
        Relay,
        TotalsFolding,
        JobWorkers,
      ],
      exports: [Outbox, JobQueues, PeriodicTasks, SoleTasks, JobWorkers],
    };
  }
}
