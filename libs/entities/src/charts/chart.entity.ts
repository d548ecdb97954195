import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { ChatTurn } from '../retrieval/chat.entity.js';
import { Workflow } from '../workflows/workflow.entity.js';

/**
 * A picture of rows (docs/contract/boards.md#charts). One that has lost its turn and its workflow, and stands on no board,
 * is removed by triggers (`charts_remove_loose`).
 */
@Entity('charts')
@Index('charts_workflow_id', ['workflowId'])
@Index('charts_origin_key', ['ownerId', 'originKey'], { unique: true, where: 'origin_key IS NOT NULL' })
@Index('charts_owner_created', ['ownerId', 'createdAt'])
@Index('charts_turn_id', ['turnId'])
export class Chart {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'charts_pkey' })
  mgid: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'charts_owner_id_fkey', onDelete: 'CASCADE' })
  ownerId: number;

  /** The turn that drew it. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => ChatTurn, { name: 'charts_turn_id_fkey', onDelete: 'SET NULL' })
  turnId: string | null;

  /** The workflow that drew it, whose final deletion removes it too. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => Workflow, { name: 'charts_workflow_id_fkey', onDelete: 'SET NULL' })
  workflowId: string | null;

  /** Of the run that drew it last. */
  @Column('int', { nullable: true })
  runVersion: number | null;

  /** By which whoever draws it again finds it: a node of a workflow. */
  @Column('text', { nullable: true })
  originKey: string | null;

  @Column('text')
  title: string;

  @Column('text')
  chartType: string;

  /** Vega-Lite without data; the field `c0` is the first cell of a row. */
  @Column('jsonb')
  spec: unknown;

  /** `{name, type}` each. */
  @Column('jsonb')
  columns: unknown;

  /** Lists of cells. */
  @Column('jsonb')
  rows: unknown;

  @Column('boolean', { default: false })
  truncated: boolean;

  /** `{type, source_ref, sql}`. */
  @Column('jsonb')
  source: unknown;

  @Column('timestamptz', { default: () => 'now()' })
  refreshedAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
