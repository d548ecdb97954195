import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Workflow } from './workflow.entity.js';

/** One execution of a workflow, pinned to a revision. At most one per workflow is active, concurrent ones aside. */
@Entity('workflow_runs')
@Check('workflow_runs_status_check', `status IN ('PENDING','RUNNING','COMPLETED','FAILED','STOPPED')`)
@Check('workflow_runs_trigger_check', `trigger IN ('manual','webhook','schedule','branch','agent','api')`)
// Only a run at work is leased. A RUNNING run without a lease is parked.
@Check(
  'workflow_runs_lease_check',
  `(lease_owner IS NULL) = (lease_expires_at IS NULL) AND (lease_owner IS NULL OR status = 'RUNNING')`,
)
@Index('workflow_runs_ended_bodies', { synchronize: false })
@Index('workflow_runs_workflow_version_key', ['workflowId', 'version'], { unique: true })
@Check(
  'workflow_runs_parent_check',
  `(parent_run_id IS NULL) = (parent_node_id IS NULL) AND (parent_run_id IS NULL) = (parent_key IS NULL) AND (parent_run_id IS NULL OR is_concurrent)`,
)
// Unique for active runs that are not concurrent; the sweeper finds all active runs through these two.
@Index('workflow_runs_active', { synchronize: false })
@Index('workflow_runs_active_concurrent', { synchronize: false })
@Index('workflow_runs_parent', { synchronize: false })
@Index('workflow_runs_active_schedule', { synchronize: false })
@Index('workflow_runs_triggered_by_id', ['triggeredById'], { where: 'triggered_by_id IS NOT NULL' })
export class WorkflowRun {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_runs_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => Workflow, { name: 'workflow_runs_workflow_id_fkey', onDelete: 'CASCADE' })
  workflowId: string;

  @Column('int')
  version: number;

  @Column('int')
  contentRevision: number;

  @Column('text')
  status: 'PENDING' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'STOPPED';

  @Column('text')
  trigger: 'manual' | 'webhook' | 'schedule' | 'branch' | 'agent' | 'api';

  @Column('int', { nullable: true })
  @ForeignKey(() => User, { name: 'workflow_runs_triggered_by_id_fkey', onDelete: 'SET NULL' })
  triggeredById: number | null;

  /** The webhook request that this run serves. */
  @Column('uuid', { nullable: true })
  queueRequestId: string | null;

  /** Runs beside the current one and supersedes nothing: a child of another run, or an overlapping slot of a schedule. */
  @Column('boolean', { default: false })
  isConcurrent: boolean;

  @Column('uuid', { nullable: true })
  scheduleId: string | null;

  /** The run, its node and the wait of that node that this run's end is a signal for. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => WorkflowRun, { name: 'workflow_runs_parent_run_id_fkey', onDelete: 'CASCADE' })
  parentRunId: string | null;

  @Column('text', { nullable: true })
  parentNodeId: string | null;

  @Column('text', { nullable: true })
  parentKey: string | null;

  /** The run whose outputs a branch or a retry reuses. */
  @Column('int', { nullable: true })
  parentVersion: number | null;

  /** Set for a branch. */
  @Column('text', { nullable: true })
  startNodeId: string | null;

  @Column('boolean', { default: true })
  runToTheEnd: boolean;

  @Column('boolean', { default: true })
  saveOutputs: boolean;

  @Column('json', { nullable: true })
  payload: Record<string, unknown> | null;

  /** Id and trace of the request that asked for it, see `currentOrigin`. */
  @Column('text', { nullable: true })
  correlationId: string | null;

  /** Claims so far; a write must carry the newest. */
  @Column('int', { default: 0 })
  fence: number;

  /** Workers that were lost over it. */
  @Column('int', { default: 0 })
  lostLeases: number;

  @Column('text', { nullable: true })
  leaseOwner: string | null;

  @Column('timestamptz', { nullable: true })
  leaseExpiresAt: Date | null;

  /** When a parked run goes on; null: when somebody answers. */
  @Column('timestamptz', { nullable: true })
  wakeAt: Date | null;

  @Column('jsonb', { nullable: true })
  error: { nodeId: string | null; code: string; message: string } | null;

  /** Of language models. */
  @Column('bigint', { default: 0 })
  tokens: string;

  @Column('numeric', { precision: 18, scale: 6, default: 0 })
  spend: string;

  /** When its history may be swept; null: by the general rule. */
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;
}
