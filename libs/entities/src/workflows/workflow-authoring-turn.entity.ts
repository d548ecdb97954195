import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';

/**
 * One request to have a workflow built, changed or explained (docs/contract/workflows.md#workflows-from-plain-words).
 */
@Entity('workflow_authoring_turns')
@Check('workflow_authoring_turns_status_check', `status IN ('running', 'completed', 'clarification', 'failed')`)
@Index('workflow_authoring_turns_user_created', { synchronize: false })
@Index('workflow_authoring_turns_created', ['createdAt'])
export class WorkflowAuthoringTurn {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_authoring_turns_pkey' })
  id: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'workflow_authoring_turns_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  /** No foreign key: what was said outlives the workflow. */
  @Column('uuid', { nullable: true })
  workflowId: string | null;

  @Column('text', { nullable: true })
  conversationId: string | null;

  @Column('text')
  prompt: string;

  @Column('text', { default: 'running' })
  status: 'running' | 'completed' | 'clarification' | 'failed';

  /** The answer as the client got it, once there is one. */
  @Column('jsonb', { nullable: true })
  result: Record<string, unknown> | null;

  /** Of its events; the writer counts here, so that two writers cannot give the same number. */
  @Column('int', { default: 0 })
  lastSeq: number;

  /** Moved on by the process that works on it. */
  @Column('timestamptz', { default: () => 'now()' })
  heartbeatAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
