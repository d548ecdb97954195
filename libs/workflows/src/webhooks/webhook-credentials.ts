import { isUuid, newId, NotFoundError, UnauthenticatedError } from '@app/common';
import type { DataSource, EntityManager } from 'typeorm';
import type { RevisionCache } from '../definitions/revision-cache.js';
import type { WorkflowAccess } from '../definitions/workflow-access.js';
import type { WebhookSecrets } from './webhook-secrets.js';

export interface WebhookTarget {
  workflowId: string;
  /** Null for the credential of the whole workflow. */
  nodeId: string | null;
}

export interface IssuedCredential {
  webhookId: string;
  webhookSecret: string;
  created: boolean;
}

interface CacheEntry {
  target: WebhookTarget | null;
  mac: Buffer;
  until: number;
}

interface CredentialRow {
  webhook_id: string;
  secret_sealed: string;
}

/** A revoked credential may be honoured for so long. */
const CACHE_MS = 5000;
const CACHE_ENTRIES = 10_000;

/** Who may start a workflow from outside, without a session. */
export class WebhookCredentials {
  private readonly cache = new Map<string, CacheEntry>();
  /** What an unknown id is compared with, so that it costs what a known one costs. */
  private readonly decoy: Buffer;

  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: WebhookSecrets,
    private readonly access: WorkflowAccess,
    private readonly revisions: RevisionCache,
  ) {
    this.decoy = secrets.mac(secrets.generate());
  }

  /** @throws UnauthenticatedError, the same for an unknown id and for a wrong secret. */
  async verify(webhookId: string, secret: string): Promise<WebhookTarget> {
    const { target, mac } = await this.find(webhookId);
    if (!this.secrets.matches(secret, mac) || !target) throw invalidCredential();
    return target;
  }

  /** Writes the credential of a new workflow, or of one of its nodes. */
  async create(tx: EntityManager, workflowId: string, nodeId: string | null): Promise<void> {
    const webhookId = newId();
    const secret = this.secrets.generate();
    await tx.query(
      `INSERT INTO workflow_webhooks (webhook_id, workflow_id, node_id, secret_sealed, secret_mac)
       VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
      [webhookId, workflowId, nodeId, this.secrets.seal(secret, webhookId), this.secrets.mac(secret)],
    );
  }

  /** The secret again, for those who may see it. */
  reveal(webhookId: string, sealed: string): string {
    return this.secrets.open(sealed, webhookId);
  }

  /**
   * The credential of one node, made at the first call. Owner only.
   * @throws NotFoundError for a node that the definition does not have; ForbiddenError.
   */
  async forNode(userId: number, workflowId: string, nodeId: string): Promise<IssuedCredential & { isEntry: boolean }> {
    await this.access.require(userId, workflowId, 'owner');
    const revision = await this.revisions.getNewest(workflowId);
    const node = revision.nodes.find(({ id }) => id === nodeId);
    if (!node) throw new NotFoundError('The workflow has no such node.');
    const known = await this.findForNode(workflowId, nodeId);
    if (!known) await this.create(this.dataSource.manager, workflowId, nodeId);
    const row = known ?? (await this.findForNode(workflowId, nodeId));
    if (!row) throw new NotFoundError();
    return {
      webhookId: row.webhook_id,
      webhookSecret: this.reveal(row.webhook_id, row.secret_sealed),
      created: !known,
      isEntry: node.isEntry,
    };
  }

  private async findForNode(workflowId: string, nodeId: string): Promise<CredentialRow | undefined> {
    const [row] = await this.dataSource.query<CredentialRow[]>(
      'SELECT webhook_id, secret_sealed FROM workflow_webhooks WHERE workflow_id = $1 AND node_id = $2',
      [workflowId, nodeId],
    );
    return row;
  }

  private async find(webhookId: string): Promise<CacheEntry> {
    const hit = this.cache.get(webhookId);
    if (hit && hit.until > Date.now()) return hit;
    const [row] = isUuid(webhookId)
      ? await this.dataSource.query<{ workflow_id: string; node_id: string | null; secret_mac: Buffer }[]>(
          `SELECT h.workflow_id, h.node_id, h.secret_mac FROM workflow_webhooks h JOIN workflows w ON w.id = h.workflow_id
           WHERE h.webhook_id = $1 AND w.deleted_at IS NULL`,
          [webhookId],
        )
      : [];
    const entry: CacheEntry = {
      target: row ? { workflowId: row.workflow_id, nodeId: row.node_id } : null,
      mac: row?.secret_mac ?? this.decoy,
      until: Date.now() + CACHE_MS,
    };
    this.cache.delete(webhookId);
    this.cache.set(webhookId, entry);
    if (this.cache.size > CACHE_ENTRIES) this.cache.delete(this.cache.keys().next().value!);
    return entry;
  }
}

export function invalidCredential(): UnauthenticatedError {
  return new UnauthenticatedError('Invalid webhook credentials.', { code: 'invalid_webhook_credentials' });
}
