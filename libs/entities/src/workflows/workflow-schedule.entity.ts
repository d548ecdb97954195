import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Workflow } from './workflow.entity.js';

/** When a workflow runs by itself (docs/contract/schedules.md#the-schedule). */
@Entity('workflow_schedules')
@Check('workflow_schedules_kind_check', `kind IN ('cron','interval','once')`)
@Check('workflow_schedules_state_check', `state IN ('active','paused','completed','error')`)
@Check('workflow_schedules_policy_check', `overlap_policy IN ('skip','queue_one','queue_all','allow')`)
@Check('workflow_schedules_due_check', `(next_run_at IS NULL) = (due_at IS NULL)`)
@Index('workflow_schedules_workflow_created', ['workflowId', 'createdAt'])
@Index('workflow_schedules_created_by_id', { synchronize: false })
@Index('workflow_schedules_due', { synchronize: false })
export class WorkflowSchedule {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_schedules_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => Workflow, { name: 'workflow_schedules_workflow_id_fkey', onDelete: 'CASCADE' })
  workflowId: string;

  @Column('text')
  name: string;

  @Column('text')
  kind: 'cron' | 'interval' | 'once';

  @Column('text', { nullable: true })
  cron: string | null;

  @Column('int', { nullable: true })
  intervalMinutes: number | null;

  @Column('timestamptz', { nullable: true })
  runAt: Date | null;

  @Column('text')
  timezone: string;

  @Column('json', { default: () => `'{}'` })
  payload: Record<string, unknown>;

  @Column('boolean')
  enabled: boolean;

  @Column('text')
  state: 'active' | 'paused' | 'completed' | 'error';

  @Column('text')
  overlapPolicy: 'skip' | 'queue_one' | 'queue_all' | 'allow';

  @Column('int')
  catchupWindowSeconds: number;

  @Column('int')
  jitterSeconds: number;

  @Column('timestamptz', { nullable: true })
  startAt: Date | null;

  @Column('timestamptz', { nullable: true })
  endAt: Date | null;

  /** Intervals are counted from here. */
  @Column('timestamptz')
  anchorAt: Date;

  /** The slot that comes next; null while it does not fire, also in the trash. */
  @Column('timestamptz', { nullable: true })
  nextRunAt: Date | null;

  /** The same with its jitter: when a runner takes it. */
  @Column('timestamptz', { nullable: true })
  dueAt: Date | null;

  /** A runner is at it until then; by the clock of the database. */
  @Column('timestamptz', { nullable: true })
  claimedUntil: Date | null;

  @Column('timestamptz', { nullable: true })
  lastRunAt: Date | null;

  @Column('int', { nullable: true })
  lastRunVersion: number | null;

  @Column('text', { nullable: true })
  lastStatus: string | null;

  @Column('text', { default: '' })
  lastError: string;

  @Column('int', { default: 0 })
  missedCount: number;

  @Column('int', { default: 0 })
  failureStreak: number;

  @Column('int', { nullable: true })
  pauseAfterFailures: number | null;

  /** Changes by people. */
  @Column('int', { default: 1 })
  version: number;

  @Column('int', { nullable: true })
  @ForeignKey(() => User, { name: 'workflow_schedules_created_by_id_fkey', onDelete: 'SET NULL' })
  createdById: number | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Of what people set; runs do not move it. */
  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
