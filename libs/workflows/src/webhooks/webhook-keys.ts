import { randomBytes } from 'node:crypto';
import { type AuditAction, AuditLog } from '@app/audit';
import { ConflictError, newId, NotFoundError, ValidationError } from '@app/common';
import { LiveBus } from '@app/live';
import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { WorkflowAccess } from '../access/workflow-access.js';
import { sealWebhookKey } from './webhook-key-place.js';
import { WebhookSecrets } from './webhook-secrets.js';

export interface KeyOwner {
  userId: number;
  username: string;
}

export interface RotatedSecret {
  webhookId: string;
  webhookSecret: string;
  /** Until when the earlier ones are taken; null when they are not. */
  previousValidUntil: Date | null;
}

export interface IssuedSigningKey {
  webhookId: string;
  /** `whsec_` and base64: shown this once. */
  signingKey: string;
  previousValidUntil: Date | null;
}

interface LockedCredential {
  webhook_id: string;
  secret_sealed: string;
}

/** Secrets that calls may still bring after so many rotations. */
const MAX_EARLIER = 5;
const OVERLAP = "interval '24 hours'";
const SIGNING_KEY = /^whsec_([A-Za-z0-9+/]{2,}={0,2})$/;

/**
 * Changes what webhook calls have to prove themselves with (docs/contract/webhooks.md#proofs-and-replays). Owner
 * only.
 */
@Injectable()
export class WebhookKeys {
  private readonly audit: AuditLog;

  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly secrets: WebhookSecrets,
    private readonly sealing: SealingService,
    private readonly live: LiveBus,
  ) {
    this.audit = new AuditLog(dataSource);
  }

  /**
   * A new secret; those before it are taken for 24 hours more each, or no more at all.
   * @param nodeId null for the credential of the whole workflow
   * @throws NotFoundError, ForbiddenError; ConflictError `rotation_limit_reached`
   */
  async rotateSecret(
    owner: KeyOwner,
    workflowId: string,
    nodeId: string | null,
    keepPrevious: boolean,
  ): Promise<RotatedSecret> {
    return this.change(owner, workflowId, nodeId, 'webhook.secret_rotated', async (row, tx) => {
      const webhookId = row.webhook_id;
      const webhookSecret = this.secrets.generate();
      const earlier = this.secrets.open(row.secret_sealed, webhookId);
      await tx.query(
        `DELETE FROM workflow_webhook_keys WHERE webhook_id = $1 AND kind = 'secret' AND (expires_at <= now() OR NOT $2)`,
        [webhookId, keepPrevious],
      );
      const until = keepPrevious ? await this.keep(tx, webhookId, earlier) : null;
      await tx.query('UPDATE workflow_webhooks SET secret_sealed = $2, secret_mac = $3 WHERE webhook_id = $1', [
        webhookId,
        this.secrets.seal(webhookSecret, webhookId),
        this.secrets.mac(webhookSecret),
      ]);
      return { webhookId, webhookSecret, previousValidUntil: until };
    });
  }

  /**
   * From now on calls must be signed with this key; one that was set before is taken for 24 hours more.
   * @param given the sender's own key, when the sender is the one who makes it
   * @throws ValidationError for a key that is none; NotFoundError, ForbiddenError
   */
  async setSigningKey(
    owner: KeyOwner,
    workflowId: string,
    nodeId: string | null,
    given: string | null,
  ): Promise<IssuedSigningKey> {
    const signingKey = given === null ? `whsec_${randomBytes(32).toString('base64')}` : readSigningKey(given);
    return this.change(owner, workflowId, nodeId, 'webhook.signing_key_set', async ({ webhook_id: webhookId }, tx) => {
      await tx.query(
        `DELETE FROM workflow_webhook_keys WHERE webhook_id = $1 AND kind = 'signing' AND expires_at <= now()`,
        [webhookId],
      );
      const [[previous]] = await tx.query<[{ expires_at: Date }[], number]>(
        `UPDATE workflow_webhook_keys SET expires_at = now() + ${OVERLAP}
         WHERE webhook_id = $1 AND kind = 'signing' AND expires_at IS NULL RETURNING expires_at`,
        [webhookId],
      );
      const id = newId();
      await tx.query(
        `INSERT INTO workflow_webhook_keys (id, webhook_id, kind, key_sealed) VALUES ($1, $2, 'signing', $3)`,
        [id, webhookId, sealWebhookKey(this.sealing, id, signingKey)],
      );
      return { webhookId, signingKey, previousValidUntil: previous?.expires_at ?? null };
    });
  }

  /** From now on the secret is enough again. @throws NotFoundError when there is no key; ForbiddenError. */
  async removeSigningKey(owner: KeyOwner, workflowId: string, nodeId: string | null): Promise<void> {
    await this.change(
      owner,
      workflowId,
      nodeId,
      'webhook.signing_key_removed',
      async ({ webhook_id: webhookId }, tx) => {
        const [, count] = await tx.query<[unknown, number]>(
          `DELETE FROM workflow_webhook_keys WHERE webhook_id = $1 AND kind = 'signing'`,
          [webhookId],
        );
        if (count === 0) throw new NotFoundError('The credential has no signing key.');
        return { webhookId };
      },
    );
  }

  private async keep(tx: EntityManager, webhookId: string, secret: string): Promise<Date> {
    const [{ count }] = await tx.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM workflow_webhook_keys WHERE webhook_id = $1 AND kind = 'secret'`,
      [webhookId],
    );
    if (count >= MAX_EARLIER)
      throw new ConflictError('The secret was rotated too often within 24 hours.', { code: 'rotation_limit_reached' });
    const id = newId();
    const [row] = await tx.query<[{ expires_at: Date }]>(
      `INSERT INTO workflow_webhook_keys (id, webhook_id, kind, key_sealed, expires_at)
       VALUES ($1, $2, 'secret', $3, now() + ${OVERLAP}) RETURNING expires_at`,
      [id, webhookId, sealWebhookKey(this.sealing, id, secret)],
    );
    return row.expires_at;
  }

  private async change<T extends { webhookId: string }>(
    owner: KeyOwner,
    workflowId: string,
    nodeId: string | null,
    action: AuditAction,
    write: (row: LockedCredential, tx: EntityManager) => Promise<T>,
  ): Promise<T> {
    const result = await this.dataSource.transaction(async (tx) => {
      await this.access.hold(tx, owner.userId, workflowId, 'owner');
      const [row] = await tx.query<LockedCredential[]>(
        `SELECT webhook_id, secret_sealed FROM workflow_webhooks
         WHERE workflow_id = $1 AND node_id IS NOT DISTINCT FROM $2 FOR UPDATE`,
        [workflowId, nodeId],
      );
      if (!row) throw new NotFoundError('The node has no webhook credential.');
      const written = await write(row, tx);
      await this.audit.record(
        {
          action,
          actor: owner,
          target: `workflow:${workflowId}`,
          details: { webhook_id: row.webhook_id, ...(nodeId !== null && { node_id: nodeId }) },
        },
        tx,
      );
      return written;
    });
    this.live.invalidate('webhooks:changed', { webhookId: result.webhookId });
    return result;
  }
}

/** Standard Webhooks asks for 24 to 64 bytes. */
function readSigningKey(given: string): string {
  const base64 = SIGNING_KEY.exec(given.trim())?.[1] ?? '';
  const bytes = Buffer.from(base64, 'base64');
  if (
    bytes.length >= 24 &&
    bytes.length <= 64 &&
    bytes.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '')
  )
    return `whsec_${bytes.toString('base64')}`;
  throw new ValidationError({ signing_key: ['Enter whsec_ and the base64 of 24 to 64 bytes.'] });
}
