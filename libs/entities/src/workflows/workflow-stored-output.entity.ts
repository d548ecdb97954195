import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkflowRun } from './workflow-run.entity.js';

/**
 * An output that lies in the file storage, since it is too large for the row of its node. Triggers on that row write
 * and delete it; a branch or a retry that takes the output over shares the file.
 */
@Entity('workflow_stored_outputs')
@Index('workflow_stored_outputs_key', ['storageKey'])
export class WorkflowStoredOutput {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_stored_outputs_pkey' })
  @ForeignKey(() => WorkflowRun, { name: 'workflow_stored_outputs_run_id_fkey', onDelete: 'CASCADE' })
  runId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'workflow_stored_outputs_pkey' })
  nodeId: string;

  @Column('text')
  storageKey: string;

  @Column('bigint')
  sizeBytes: string;

  @Column('text')
  sha256: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
