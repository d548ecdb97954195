import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Workflow } from './workflow.entity.js';

/** An offer to hand a workflow over; there is one at a time, and it ends with the answer. */
@Entity('workflow_transfers')
@Index('workflow_transfers_workflow_key', ['workflowId'], { unique: true })
@Index('workflow_transfers_from_user_id', ['fromUserId'])
@Index('workflow_transfers_to_user_id', ['toUserId'])
export class WorkflowTransfer {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_transfers_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => Workflow, { name: 'workflow_transfers_workflow_id_fkey', onDelete: 'CASCADE' })
  workflowId: string;

  /** The owner who offers it. */
  @Column('int')
  @ForeignKey(() => User, { name: 'workflow_transfers_from_user_id_fkey', onDelete: 'CASCADE' })
  fromUserId: number;

  @Column('int')
  @ForeignKey(() => User, { name: 'workflow_transfers_to_user_id_fkey', onDelete: 'CASCADE' })
  toUserId: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}
