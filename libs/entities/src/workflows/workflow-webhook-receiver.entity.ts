import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { WorkflowWebhook } from './workflow-webhook.entity.js';

/** How a credential that can be called by an address alone checks what comes there. */
@Entity('workflow_webhook_receivers')
export class WorkflowWebhookReceiver {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_webhook_receivers_pkey' })
  @ForeignKey(() => WorkflowWebhook, { name: 'workflow_webhook_receivers_webhook_id_fkey', onDelete: 'CASCADE' })
  webhookId: string;

  @Column('text')
  scheme: string;

  @Column('text')
  challenge: string;

  /** JSON: the secrets of the scheme, with what belongs to them. */
  @Column('bytea')
  settingsSealed: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
