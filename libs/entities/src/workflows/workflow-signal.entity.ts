import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { WorkflowRun } from './workflow-run.entity.js';

/** What a waiting node was waiting for: a person's answer or the end of a child run. The first one wins. */
@Entity('workflow_signals')
@Index('workflow_signals_unconsumed', { synchronize: false })
@Index('workflow_signals_client_message', { synchronize: false })
export class WorkflowSignal {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_signals_pkey' })
  @ForeignKey(() => WorkflowRun, { name: 'workflow_signals_run_id_fkey', onDelete: 'CASCADE' })
  runId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'workflow_signals_pkey' })
  nodeId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'workflow_signals_pkey' })
  waitId: string;

  @Column('jsonb', { nullable: true })
  value: unknown;

  @Column('int', { nullable: true })
  @ForeignKey(() => User, { name: 'workflow_signals_answered_by_id_fkey', onDelete: 'SET NULL' })
  answeredById: number | null;

  /** A state of the node that has taken it in is written. */
  @Column('boolean', { default: false })
  consumed: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
