import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Workflow } from './workflow.entity.js';

/** A webhook credential: of the whole workflow (`nodeId` null) or of one of its nodes. */
@Entity('workflow_webhooks')
// UNIQUE NULLS NOT DISTINCT, so that a workflow has one credential of its own.
@Index('workflow_webhooks_workflow_node', { synchronize: false })
export class WorkflowWebhook {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_webhooks_pkey' })
  webhookId: string;

  @Column('uuid')
  @ForeignKey(() => Workflow, { name: 'workflow_webhooks_workflow_id_fkey', onDelete: 'CASCADE' })
  workflowId: string;

  @Column('text', { nullable: true })
  nodeId: string | null;

  /** For showing it again to those who may edit the workflow. */
  @Column('text')
  secretSealed: string;

  /** For checking a call: a keyed hash of the secret. */
  @Column('bytea')
  secretMac: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
