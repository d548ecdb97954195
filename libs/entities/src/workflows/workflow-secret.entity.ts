import { Column, Entity, ForeignKey, PrimaryColumn, Unique } from 'typeorm';
import { Workflow } from './workflow.entity.js';

/** A value that nodes name as `{{_secret.<name>}}`. Copies of the workflow do not get it. */
@Entity('workflow_secrets')
@Unique('workflow_secrets_workflow_id_name_key', ['workflowId', 'name'])
export class WorkflowSecret {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_secrets_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => Workflow, { name: 'workflow_secrets_workflow_id_fkey', onDelete: 'CASCADE' })
  workflowId: string;

  @Column('text')
  name: string;

  @Column('text', { default: '' })
  description: string;

  @Column('bytea')
  valueSealed: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** When the value was set last. */
  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
