import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { WorkflowRun } from './workflow-run.entity.js';

/** What a run knows of one node. Written when there is something to keep: a missing row is a node not yet touched. */
@Entity('workflow_run_nodes')
@Check(
  'workflow_run_nodes_status_check',
  `status IN ('PENDING','RUNNING','WAITING','COMPLETED','FAILED','SKIPPED','STOPPED')`,
)
export class WorkflowRunNode {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_run_nodes_pkey' })
  @ForeignKey(() => WorkflowRun, { name: 'workflow_run_nodes_run_id_fkey', onDelete: 'CASCADE' })
  runId: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'workflow_run_nodes_pkey' })
  nodeId: string;

  @Column('text')
  status: 'PENDING' | 'RUNNING' | 'WAITING' | 'COMPLETED' | 'FAILED' | 'SKIPPED' | 'STOPPED';

  @Column('int', { default: 0 })
  attempt: number;

  @Column('json', { nullable: true })
  output: unknown;

  /** The members of `next` that a branching node took; null: all. */
  @Column('jsonb', { nullable: true })
  chosen: string[] | null;

  @Column('jsonb', { nullable: true })
  error: { code: string; message: string } | null;

  @Column('boolean', { default: false })
  handled: boolean;

  @Column('jsonb', { nullable: true })
  waiting: Record<string, unknown> | null;

  @Column('jsonb', { default: () => `'[]'` })
  warnings: string[];

  @Column('timestamptz', { nullable: true })
  startedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;

  @Column('int', { nullable: true })
  batchTotal: number | null;

  @Column('int', { default: 0 })
  batchCompleted: number;

  /** What it used of language models. */
  @Column('jsonb', { nullable: true })
  usage: { tokens: number; spend: number } | null;
}
