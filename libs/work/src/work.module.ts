import { hostname } from 'node:os';
import type { AppConfig } from '@app/config';
import { JobQueues, JobWorkers, Outbox, PeriodicTasks } from '@app/queues';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { LeaseKeeper } from './lease-keeper.js';
import { WorkClaims } from './work-claims.js';
import { WorkPerformer } from './work-performer.js';
import { WorkRunner } from './work-runner.js';

/** Background work on rows, for an app. Global; needs a `DataSource` and `QueuesModule`. */
@Global()
@Module({})
export class WorkModule {
  /** @param app names the process in the rows that it works on */
  static forRoot({ leases }: AppConfig, app: string): DynamicModule {
    const worker = `${app}@${hostname()}:${process.pid}`;
    return {
      module: WorkModule,
      imports: [DiscoveryModule],
      providers: [
        {
          provide: WorkClaims,
          inject: [DataSource, Outbox],
          useFactory: (dataSource: DataSource, outbox: Outbox) =>
            new WorkClaims(dataSource, outbox, leases.leaseSeconds, worker),
        },
        {
          provide: LeaseKeeper,
          inject: [WorkClaims],
          useFactory: (claims: WorkClaims) => new LeaseKeeper(claims, leases),
        },
        {
          provide: WorkPerformer,
          inject: [WorkClaims, LeaseKeeper, JobWorkers],
          useFactory: (claims: WorkClaims, keeper: LeaseKeeper, workers: JobWorkers) =>
            new WorkPerformer(claims, keeper, ({ job }) => workers.placesOf(job.queue)),
        },
        {
          provide: WorkRunner,
          inject: [
            WorkClaims,
            LeaseKeeper,
            WorkPerformer,
            JobWorkers,
            Outbox,
            JobQueues,
            PeriodicTasks,
            DiscoveryService,
            MetadataScanner,
            Reflector,
          ],
          useFactory: (
            claims: WorkClaims,
            keeper: LeaseKeeper,
            performer: WorkPerformer,
            workers: JobWorkers,
            outbox: Outbox,
            jobQueues: JobQueues,
            tasks: PeriodicTasks,
            discovery: DiscoveryService,
            scanner: MetadataScanner,
            reflector: Reflector,
          ) =>
            new WorkRunner(leases.sweepSeconds, claims, keeper, performer, workers, outbox, jobQueues, tasks, {
              discovery,
              scanner,
              reflector,
            }),
        },
      ],
      exports: [WorkClaims, WorkPerformer, WorkRunner],
    };
  }
}
