import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Workflow } from './workflow.entity.js';

/** One webhook call in the queue of its workflow (docs/contract/webhooks.md#queue-requests). */
@Entity('workflow_requests')
@Check('workflow_requests_status_check', `status IN ('pending','running','done','failed','cancelled')`)
@Check('workflow_requests_approval_check', `NOT awaiting_approval OR status IN ('pending', 'cancelled')`)
@Index('workflow_requests_seq_key', ['seq'], { unique: true })
@Index('workflow_requests_active', { synchronize: false })
@Index('workflow_requests_ended', { synchronize: false })
@Check('workflow_requests_files_check', `NOT awaiting_files OR status IN ('pending', 'cancelled')`)
@Index('workflow_requests_by_state', ['workflowId', 'status', 'seq'])
@Index('workflow_requests_queued_at', { synchronize: false })
@Index('workflow_requests_idempotency_key', { synchronize: false })
@Index('workflow_requests_waiting_schedule', { synchronize: false })
export class WorkflowRequest {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_requests_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => Workflow, { name: 'workflow_requests_workflow_id_fkey', onDelete: 'CASCADE' })
  workflowId: string;

  /** The order in which requests of a workflow run; a retry takes a new one. */
  @Column('bigint', { default: () => `nextval('workflow_requests_seq')` })
  seq: string;

  @Column('text')
  status: 'pending' | 'running' | 'done' | 'failed' | 'cancelled';

  @Column('json', { nullable: true })
  payload: Record<string, unknown> | null;

  @Column('text', { array: true, default: () => `'{}'` })
  fileUrls: string[];

  /** Set when the request runs a branch. */
  @Column('text', { nullable: true })
  startNodeId: string | null;

  @Column('boolean', { default: true })
  runToTheEnd: boolean;

  @Column('text', { nullable: true })
  idempotencyKey: string | null;

  /** Pending, but not in line before somebody lets it pass. */
  @Column('boolean', { default: false })
  awaitingApproval: boolean;

  /** Set for a slot of a schedule that stands in line with the calls. */
  @Column('uuid', { nullable: true })
  scheduleId: string | null;

  @Column('int', { nullable: true })
  runVersion: number | null;

  @Column('text', { default: '' })
  detail: string;

  /** X-Request-Id of the call, and its trace, see `currentOrigin`. */
  @Column('text', { nullable: true })
  correlationId: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  queuedAt: Date;

  @Column('timestamptz', { nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;

  /** When somebody let it pass; a retry then waits for nobody. */
  @Column('timestamptz', { nullable: true })
  approvedAt: Date | null;

  /** Its files are still being fetched; those behind it wait with it. */
  @Column('boolean', { default: false })
  awaitingFiles: boolean;
}
