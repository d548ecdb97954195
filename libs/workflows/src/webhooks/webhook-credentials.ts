import { newId, NotFoundError } from '@app/common';
import type { DataSource, EntityManager } from 'typeorm';
import type { RevisionCache } from '../revisions/revision-cache.js';
import type { WorkflowAccess } from '../access/workflow-access.js';
import type { WebhookSecrets } from './webhook-secrets.js';

export interface IssuedCredential {
  webhookId: string;
  webhookSecret: string;
  created: boolean;
}

interface CredentialRow {
  webhook_id: string;
  secret_sealed: string;
}

/** Webhook credentials as their owners get them. */
export class WebhookCredentials {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: WebhookSecrets,
    private readonly access: WorkflowAccess,
    private readonly revisions: RevisionCache,
  ) {}

  /** Writes the credential of a new workflow, or of one of its nodes. @returns whether there was none. */
  async create(tx: EntityManager, workflowId: string, nodeId: string | null): Promise<boolean> {
    const webhookId = newId();
    const secret = this.secrets.generate();
    const written = await tx.query<unknown[]>(
      `INSERT INTO workflow_webhooks (webhook_id, workflow_id, node_id, secret_sealed, secret_mac)
       VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING 1`,
      [webhookId, workflowId, nodeId, this.secrets.seal(secret, webhookId), this.secrets.mac(secret)],
    );
    return written.length > 0;
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
    const created = !known && (await this.create(this.dataSource.manager, workflowId, nodeId));
    const row = known ?? (await this.findForNode(workflowId, nodeId));
    if (!row) throw new NotFoundError();
    return {
      webhookId: row.webhook_id,
      webhookSecret: this.reveal(row.webhook_id, row.secret_sealed),
      created,
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
}
