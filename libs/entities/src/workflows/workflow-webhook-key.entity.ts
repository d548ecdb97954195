import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkflowWebhook } from './workflow-webhook.entity.js';

/** What a webhook call may prove itself with beside the secret of the credential: earlier secrets, and signing keys. */
@Entity('workflow_webhook_keys')
@Check('workflow_webhook_keys_kind_check', `kind IN ('secret','signing')`)
@Check('workflow_webhook_keys_expiry_check', `kind = 'signing' OR expires_at IS NOT NULL`)
@Index('workflow_webhook_keys_webhook', ['webhookId'])
@Index('workflow_webhook_keys_signing', { synchronize: false })
export class WorkflowWebhookKey {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_webhook_keys_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => WorkflowWebhook, { name: 'workflow_webhook_keys_webhook_id_fkey', onDelete: 'CASCADE' })
  webhookId: string;

  @Column('text')
  kind: 'secret' | 'signing';

  @Column('bytea')
  keySealed: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Null for the signing key in use; what was replaced is valid until then. */
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;
}
