import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Workflow } from './workflow.entity.js';

/** A saved state of a definition. Never changed, so that runs can be pinned to it and processes may cache it. */
@Entity('workflow_revisions')
@Index('workflow_revisions_created_by_id', ['createdById'], { where: 'created_by_id IS NOT NULL' })
export class WorkflowRevision {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_revisions_pkey' })
  @ForeignKey(() => Workflow, { name: 'workflow_revisions_workflow_id_fkey', onDelete: 'CASCADE' })
  workflowId: string;

  @PrimaryColumn('int', { primaryKeyConstraintName: 'workflow_revisions_pkey' })
  contentRevision: number;

  @Column('text')
  name: string;

  @Column('json')
  jsonSpec: Record<string, unknown>;

  /** Canvas layout of the client. */
  @Column('jsonb', { default: () => `'{}'` })
  vueflowJson: Record<string, unknown>;

  /** A name that somebody gave this state; it is kept as long as it has one. */
  @Column('text', { nullable: true })
  label: string | null;

  /** What was changed against the revision before, for people. */
  @Column('text', { default: '' })
  changeSummary: string;

  @Column('int', { nullable: true })
  @ForeignKey(() => User, { name: 'workflow_revisions_created_by_id_fkey', onDelete: 'SET NULL' })
  createdById: number | null;

  /**
   * Who last changed which node: `{all, nodes?: {key: user}}`, with the rights of whom it reaches things. Changed by
   * adoption. Null for apps, whose nodes are their receiver's.
   */
  @Column('jsonb', { nullable: true })
  actsAs: Record<string, unknown> | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
