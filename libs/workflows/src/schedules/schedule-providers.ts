import { SystemClock } from '@app/common';
import { Gates } from '@app/entitlements';
import { Outbox } from '@app/queues';
import { DataSource } from 'typeorm';
import { WorkflowAccess } from '../access/workflow-access.js';
import { RunAnnouncer } from '../runs/run-announcer.js';
import { ScheduleRuns } from './schedule-runs.js';
import { Scheduler } from './scheduler.js';
import { Schedules } from './schedules.js';
import { SlotFiring } from './slot-firing.js';

/** @param queueLimit how many requests may wait per workflow. */
export function scheduleProviders(queueLimit: number) {
  const clock = new SystemClock();
  return [
    {
      provide: SlotFiring,
      inject: [DataSource, Outbox, RunAnnouncer, Gates],
      useFactory: (database: DataSource, outbox: Outbox, announcer: RunAnnouncer, gates: Gates) =>
        new SlotFiring(database, outbox, announcer, gates, queueLimit),
    },
    {
      provide: Scheduler,
      inject: [DataSource, SlotFiring],
      useFactory: (database: DataSource, firing: SlotFiring) => new Scheduler(database, firing, clock),
    },
    {
      provide: Schedules,
      inject: [DataSource, WorkflowAccess],
      useFactory: (database: DataSource, access: WorkflowAccess) => new Schedules(database, access, clock),
    },
    {
      provide: ScheduleRuns,
      inject: [DataSource, WorkflowAccess, Schedules, SlotFiring],
      useFactory: (database: DataSource, access: WorkflowAccess, schedules: Schedules, firing: SlotFiring) =>
        new ScheduleRuns(database, access, schedules, firing, clock),
    },
  ];
}
