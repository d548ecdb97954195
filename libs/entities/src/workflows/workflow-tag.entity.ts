import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Workflow } from './workflow.entity.js';

/** A word by which one user sorts workflows; nobody else sees it. */
@Entity('workflow_tags')
// Unique whatever the case.
@Index('workflow_tags_owner_name', { synchronize: false })
export class WorkflowTag {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_tags_pkey' })
  id: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'workflow_tags_owner_id_fkey', onDelete: 'CASCADE' })
  ownerId: number;

  @Column('text')
  name: string;

  /** Like `#1a2b3c`. */
  @Column('text')
  color: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

/** A tag on a workflow that its owner sees, or once saw. */
@Entity('workflow_tag_links')
@Index('workflow_tag_links_workflow_id', ['workflowId'])
export class WorkflowTagLink {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_tag_links_pkey' })
  @ForeignKey(() => WorkflowTag, { name: 'workflow_tag_links_tag_id_fkey', onDelete: 'CASCADE' })
  tagId: string;

  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_tag_links_pkey' })
  @ForeignKey(() => Workflow, { name: 'workflow_tag_links_workflow_id_fkey', onDelete: 'CASCADE' })
  workflowId: string;
}
