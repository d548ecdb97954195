import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkflowSchedule } from './workflow-schedule.entity.js';

/** A time at which a schedule has fired, or was held back by its overlap policy. Its key keeps it from firing again. */
@Entity('workflow_schedule_slots')
@Check('workflow_schedule_slots_outcome_check', `outcome IN ('started','queued','skipped')`)
@Check('workflow_schedule_slots_source_check', `source IN ('due','run','backfill')`)
@Index('workflow_schedule_slots_fired_at', ['firedAt'])
export class WorkflowScheduleSlot {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_schedule_slots_pkey' })
  @ForeignKey(() => WorkflowSchedule, { name: 'workflow_schedule_slots_schedule_id_fkey', onDelete: 'CASCADE' })
  scheduleId: string;

  @PrimaryColumn('timestamptz', { primaryKeyConstraintName: 'workflow_schedule_slots_pkey' })
  slotTime: Date;

  @Column('text')
  outcome: 'started' | 'queued' | 'skipped';

  /** By the clock, by hand, or caught up on by hand. */
  @Column('text')
  source: 'due' | 'run' | 'backfill';

  /** Of the run that was started, or of the request that stands in the workflow's line. */
  @Column('uuid')
  startedId: string;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  firedAt: Date;
}
