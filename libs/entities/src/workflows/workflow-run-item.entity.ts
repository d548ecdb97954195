import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { WorkflowRun } from './workflow-run.entity.js';

/** One item of a batch or loop node: done once per run, whatever happens to the workers. */
@Entity('workflow_run_items')
@Check('workflow_run_items_status_check', `status IN ('STARTED','COMPLETED','FAILED','LOST')`)
export class WorkflowRunItem {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_run_items_pkey' })
  @ForeignKey(() => WorkflowRun, { name: 'workflow_run_items_run_id_fkey', onDelete: 'CASCADE' })
  runId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'workflow_run_items_pkey' })
  nodeId: string;

  @PrimaryColumn('int', { primaryKeyConstraintName: 'workflow_run_items_pkey' })
  itemIndex: number;

  /** `LOST`: its worker was lost while it may have taken effect. */
  @Column('text')
  status: 'STARTED' | 'COMPLETED' | 'FAILED' | 'LOST';

  /** Tries of the node that had failed before. */
  @Column('int', { default: 0 })
  round: number;

  @Column('json', { nullable: true })
  output: unknown;

  @Column('jsonb', { nullable: true })
  error: { code: string; message: string } | null;
}
