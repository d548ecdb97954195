import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { WorkflowWebhookReceiver } from './workflow-webhook-receiver.entity.js';

/** An address at which a credential is called: the one in use, or one that was replaced and is taken for a while. */
@Entity('workflow_webhook_urls')
@Index('workflow_webhook_urls_token_hash_key', ['tokenHash'], { unique: true })
@Index('workflow_webhook_urls_webhook', ['webhookId'])
@Index('workflow_webhook_urls_current', { synchronize: false })
export class WorkflowWebhookUrl {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'workflow_webhook_urls_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => WorkflowWebhookReceiver, { name: 'workflow_webhook_urls_webhook_id_fkey', onDelete: 'CASCADE' })
  webhookId: string;

  /** SHA-256 of the token, by which a call finds its row. */
  @Column('bytea')
  tokenHash: Buffer;

  /** For showing the address again to those who may edit the workflow. */
  @Column('bytea')
  tokenSealed: Buffer;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Null for the one in use. */
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;
}
