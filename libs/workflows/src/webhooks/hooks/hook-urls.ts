import { randomBytes } from 'node:crypto';
import { type AuditAction, AuditLog } from '@app/audit';
import { ConflictError, newId, NotFoundError } from '@app/common';
import { LiveBus } from '@app/live';
import { SealingService } from '@app/secrets';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { WorkflowAccess } from '../../access/workflow-access.js';
import type { KeyOwner } from '../webhook-keys.js';
import { hashOfToken, openSettings, openToken, sealSettings, sealToken } from './hook-places.js';
import { type HookSettings, type HookWish, toHookSettings } from './hook-settings.js';

/** How a credential is called by its address, as its owner sees it. */
export interface HookRecord {
  webhookId: string;
  nodeId: string | null;
  /** What stands after `/hooks/` in the address. */
  token: string;
  scheme: HookSettings['scheme'];
  challenge: HookSettings['challenge'];
  headerName: string | null;
  username: string | null;
  /** The secret that was made by this change; null for one that the owner gave. */
  madeSecret: string | null;
  /** Until when the address, or the secret, before this one is taken as well. */
  previousValidUntil: Date | null;
}

interface TokenRow {
  id: string;
  webhook_id: string;
  node_id: string | null;
  token_sealed: Buffer;
}

type ReceiverRow = Parameters<typeof openSettings>[1];

/** Addresses that calls may still come to after so many rotations. */
const MAX_EARLIER = 5;
const OVERLAP_MS = 24 * 3_600_000;
const OVERLAP = "interval '24 hours'";

/** Addresses that start a workflow without a credential in the call. Owner only. */
@Injectable()
export class HookUrls {
  private readonly audit: AuditLog;

  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly sealing: SealingService,
    private readonly live: LiveBus,
  ) {
    this.audit = new AuditLog(dataSource);
  }

  /**
   * Gives the credential an address, or changes how calls of its address are checked: the address then stays.
   * @param nodeId null for the credential of the whole workflow
   * @param keepPrevious whether a secret that is replaced is taken for 24 hours more
   * @throws ValidationError by wire names; NotFoundError, ForbiddenError
   */
  async put(
    owner: KeyOwner,
    workflowId: string,
    nodeId: string | null,
    wish: HookWish,
    keepPrevious: boolean,
  ): Promise<HookRecord> {
    return this.change(owner, workflowId, nodeId, async (webhookId, known, tx) => {
      const { settings, made } = toHookSettings(wish, known);
      const isReplaced = known !== null && known.scheme === settings.scheme && settings.secrets !== known.secrets;
      const until = isReplaced && keepPrevious && known.secrets.length > 0 ? Date.now() + OVERLAP_MS : null;
      if (until !== null) settings.secrets.push(...earlierSecrets(known!, until));
      await tx.query(
        `INSERT INTO workflow_webhook_receivers (webhook_id, scheme, challenge, settings_sealed) VALUES ($1, $2, $3, $4)
         ON CONFLICT (webhook_id) DO UPDATE SET scheme = excluded.scheme, challenge = excluded.challenge,
           settings_sealed = excluded.settings_sealed, updated_at = now()`,
        [webhookId, settings.scheme, settings.challenge, sealSettings(this.sealing, webhookId, settings)],
      );
      const token = (await this.findToken(tx, webhookId)) ?? (await this.writeToken(tx, webhookId));
      return {
        action: known ? 'webhook.url_changed' : 'webhook.url_opened',
        record: toRecord(webhookId, nodeId, token, settings, made, until === null ? null : new Date(until)),
      };
    });
  }

  /**
   * A new address; those before it are taken for 24 hours more each, or no more at all.
   * @throws NotFoundError when there is none, ForbiddenError; ConflictError `rotation_limit_reached`
   */
  async rotate(owner: KeyOwner, workflowId: string, nodeId: string | null, keepPrevious: boolean): Promise<HookRecord> {
    return this.change(owner, workflowId, nodeId, async (webhookId, settings, tx) => {
      if (!settings) throw new NotFoundError('The credential has no address.');
      await tx.query('DELETE FROM workflow_webhook_urls WHERE webhook_id = $1 AND (expires_at <= now() OR NOT $2)', [
        webhookId,
        keepPrevious,
      ]);
      const [[previous]] = await tx.query<[{ expires_at: Date }[], number]>(
        `UPDATE workflow_webhook_urls SET expires_at = now() + ${OVERLAP}
         WHERE webhook_id = $1 AND expires_at IS NULL RETURNING expires_at`,
        [webhookId],
      );
      const [{ count }] = await tx.query<[{ count: number }]>(
        'SELECT count(*)::int AS count FROM workflow_webhook_urls WHERE webhook_id = $1',
        [webhookId],
      );
      if (count > MAX_EARLIER)
        throw new ConflictError('The address was rotated too often within 24 hours.', {
          code: 'rotation_limit_reached',
        });
      const token = await this.writeToken(tx, webhookId);
      return {
        action: 'webhook.url_rotated',
        record: toRecord(webhookId, nodeId, token, settings, null, previous?.expires_at ?? null),
      };
    });
  }

  /** From now on no address leads to the credential. @throws NotFoundError when there is none; ForbiddenError. */
  async close(owner: KeyOwner, workflowId: string, nodeId: string | null): Promise<void> {
    await this.change(owner, workflowId, nodeId, async (webhookId, settings, tx) => {
      if (!settings) throw new NotFoundError('The credential has no address.');
      await tx.query('DELETE FROM workflow_webhook_receivers WHERE webhook_id = $1', [webhookId]);
      return { action: 'webhook.url_closed', record: toRecord(webhookId, nodeId, '', settings, null, null) };
    });
  }

  /** The address of a credential, for those who may see its secret. @returns the token; null without one. */
  async findTokenOf(webhookId: string): Promise<string | null> {
    return this.findToken(this.dataSource.manager, webhookId);
  }

  /** All of a workflow, for its owner. @throws NotFoundError, ForbiddenError. */
  async list(userId: number, workflowId: string): Promise<HookRecord[]> {
    await this.access.require(userId, workflowId, 'owner');
    const rows = await this.dataSource.query<(TokenRow & ReceiverRow & { previous: Date | null })[]>(
      `SELECT u.id, u.token_sealed, h.node_id, r.webhook_id, r.scheme, r.challenge, r.settings_sealed,
         (SELECT max(e.expires_at) FROM workflow_webhook_urls e WHERE e.webhook_id = r.webhook_id AND e.expires_at > now())
           AS previous
       FROM workflow_webhooks h JOIN workflow_webhook_receivers r ON r.webhook_id = h.webhook_id
       JOIN workflow_webhook_urls u ON u.webhook_id = r.webhook_id AND u.expires_at IS NULL
       WHERE h.workflow_id = $1`,
      [workflowId],
    );
    return rows.map((row) => {
      const token = openToken(this.sealing, row.id, row.token_sealed);
      return toRecord(row.webhook_id, row.node_id, token, openSettings(this.sealing, row), null, row.previous);
    });
  }

  private async findToken(db: EntityManager, webhookId: string): Promise<string | null> {
    const [row] = await db.query<Pick<TokenRow, 'id' | 'token_sealed'>[]>(
      'SELECT id, token_sealed FROM workflow_webhook_urls WHERE webhook_id = $1 AND expires_at IS NULL',
      [webhookId],
    );
    return row ? openToken(this.sealing, row.id, row.token_sealed) : null;
  }

  private async writeToken(tx: EntityManager, webhookId: string): Promise<string> {
    const id = newId();
    const token = randomBytes(32).toString('base64url');
    await tx.query(
      'INSERT INTO workflow_webhook_urls (id, webhook_id, token_hash, token_sealed) VALUES ($1, $2, $3, $4)',
      [id, webhookId, hashOfToken(token), sealToken(this.sealing, id, token)],
    );
    return token;
  }

  private async change(
    owner: KeyOwner,
    workflowId: string,
    nodeId: string | null,
    write: (
      webhookId: string,
      known: HookSettings | null,
      tx: EntityManager,
    ) => Promise<{ action: AuditAction; record: HookRecord }>,
  ): Promise<HookRecord> {
    const record = await this.dataSource.transaction(async (tx) => {
      await this.access.hold(tx, owner.userId, workflowId, 'owner');
      const [row] = await tx.query<{ webhook_id: string }[]>(
        `SELECT webhook_id FROM workflow_webhooks
         WHERE workflow_id = $1 AND node_id IS NOT DISTINCT FROM $2 FOR UPDATE`,
        [workflowId, nodeId],
      );
      if (!row) throw new NotFoundError('The node has no webhook credential.');
      const [known] = await tx.query<ReceiverRow[]>(
        'SELECT webhook_id, scheme, challenge, settings_sealed FROM workflow_webhook_receivers WHERE webhook_id = $1',
        [row.webhook_id],
      );
      const written = await write(row.webhook_id, known ? openSettings(this.sealing, known) : null, tx);
      await this.audit.record(
        {
          action: written.action,
          actor: owner,
          target: `workflow:${workflowId}`,
          details: {
            webhook_id: row.webhook_id,
            scheme: written.record.scheme,
            ...(nodeId !== null && { node_id: nodeId }),
          },
        },
        tx,
      );
      return written.record;
    });
    this.live.invalidate('webhooks:changed', { webhookId: record.webhookId });
    return record;
  }
}

/** Those that are still taken, for as long as they were, and the one in use until then. */
function earlierSecrets({ secrets }: HookSettings, until: number): HookSettings['secrets'] {
  return secrets
    .filter((secret) => secret.until === null || secret.until > Date.now())
    .map((secret) => ({ ...secret, until: secret.until ?? until }))
    .slice(0, MAX_EARLIER);
}

function toRecord(
  webhookId: string,
  nodeId: string | null,
  token: string,
  { scheme, challenge, headerName, username }: HookSettings,
  madeSecret: string | null,
  previousValidUntil: Date | null,
): HookRecord {
  return { webhookId, nodeId, token, scheme, challenge, headerName, username, madeSecret, previousValidUntil };
}
