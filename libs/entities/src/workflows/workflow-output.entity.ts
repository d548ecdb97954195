import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkflowRun } from './workflow-run.entity.js';
import { Workflow } from './workflow.entity.js';

/** The kept result of a `save_output` node. Its id is derived from run and node, so it is recorded once. */
@Entity('workflow_outputs')
@Check('workflow_outputs_type_check', `type IN ('text','json','file','table','chart','artifact')`)
@Index('workflow_outputs_workflow_created', { synchronize: false })
@Index('workflow_outputs_run_node_key', ['runId', 'nodeId'], { unique: true })
export class WorkflowOutput {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_outputs_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => Workflow, { name: 'workflow_outputs_workflow_id_fkey', onDelete: 'CASCADE' })
  workflowId: string;

  @Column('uuid')
  @ForeignKey(() => WorkflowRun, { name: 'workflow_outputs_run_id_fkey', onDelete: 'CASCADE' })
  runId: string;

  @Column('text')
  nodeId: string;

  @Column('text')
  nodeName: string;

  @Column('text')
  kind: string;

  @Column('text')
  type: 'text' | 'json' | 'file' | 'table' | 'chart' | 'artifact';

  @Column('json', { nullable: true })
  value: unknown;

  /** Bytes of the value as JSON text. */
  @Column('int')
  sizeBytes: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('text', { default: '' })
  title: string;

  /** Of a file, or of a value that is too large for `value`. */
  @Column('text', { nullable: true })
  mediaPath: string | null;

  @Column('text', { default: 'application/json' })
  mimeType: string;

  @Column('text', { nullable: true })
  mgid: string | null;

  @Column('text', { nullable: true })
  artifactId: string | null;

  @Column('text', { nullable: true })
  tableId: string | null;
}
