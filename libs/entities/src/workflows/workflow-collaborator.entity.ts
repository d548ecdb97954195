import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { Workflow } from './workflow.entity.js';

@Entity('workflow_collaborators')
@Check('workflow_collaborators_role_check', `role IN ('editor','viewer')`)
@Index('workflow_collaborators_user_id', ['userId'])
export class WorkflowCollaborator {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_collaborators_pkey' })
  @ForeignKey(() => Workflow, { name: 'workflow_collaborators_workflow_id_fkey', onDelete: 'CASCADE' })
  workflowId: string;

  @PrimaryColumn('int', { primaryKeyConstraintName: 'workflow_collaborators_pkey' })
  @ForeignKey(() => User, { name: 'workflow_collaborators_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  @Column('text')
  role: 'editor' | 'viewer';

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
