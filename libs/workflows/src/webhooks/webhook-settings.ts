import { AuditLog } from '@app/audit';
import { NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { WorkflowAccess } from '../access/workflow-access.js';
import type { KeyOwner } from './webhook-keys.js';

export interface CredentialRecord {
  webhookId: string;
  /** Null for the credential of the whole workflow. */
  nodeId: string | null;
  hasSigningKey: boolean;
  signingKeyCreatedAt: Date | null;
  /** Until when the last of the earlier secrets is taken. */
  previousSecretsUntil: Date | null;
  createdAt: Date;
}

export interface WebhookSettingsRecord {
  workflowId: string;
  requiresApproval: boolean;
  credentials: CredentialRecord[];
}

/** How a workflow takes calls. Owner only. */
@Injectable()
export class WebhookSettings {
  private readonly audit: AuditLog;

  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
  ) {
    this.audit = new AuditLog(dataSource);
  }

  /** @throws NotFoundError, ForbiddenError. */
  async get(userId: number, workflowId: string): Promise<WebhookSettingsRecord> {
    await this.access.require(userId, workflowId, 'owner');
    const [[workflow], credentials] = await Promise.all([
      this.dataSource.query<{ requires_approval: boolean }[]>('SELECT requires_approval FROM workflows WHERE id = $1', [
        workflowId,
      ]),
      this.dataSource.query<CredentialRecord[]>(
        `SELECT h.webhook_id AS "webhookId", h.node_id AS "nodeId", h.created_at AS "createdAt",
           coalesce(bool_or(k.kind = 'signing'), false) AS "hasSigningKey",
           max(k.created_at) FILTER (WHERE k.kind = 'signing' AND k.expires_at IS NULL) AS "signingKeyCreatedAt",
           max(k.expires_at) FILTER (WHERE k.kind = 'secret') AS "previousSecretsUntil"
         FROM workflow_webhooks h LEFT JOIN workflow_webhook_keys k
           ON k.webhook_id = h.webhook_id AND (k.expires_at IS NULL OR k.expires_at > now())
         WHERE h.workflow_id = $1 GROUP BY h.webhook_id ORDER BY h.node_id NULLS FIRST`,
        [workflowId],
      ),
    ]);
    if (!workflow) throw new NotFoundError();
    return { workflowId, requiresApproval: workflow.requires_approval, credentials };
  }

  /** Calls that wait for approval go on waiting when none is needed any more. @throws NotFoundError, ForbiddenError. */
  async setApproval(owner: KeyOwner, workflowId: string, requiresApproval: boolean): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await this.access.hold(tx, owner.userId, workflowId, 'owner');
      const [, count] = await tx.query<[unknown, number]>(
        'UPDATE workflows SET requires_approval = $2 WHERE id = $1 AND requires_approval <> $2',
        [workflowId, requiresApproval],
      );
      if (count === 0) return;
      await this.audit.record(
        {
          action: 'webhook.approval_changed',
          actor: owner,
          target: `workflow:${workflowId}`,
          details: { requires_approval: requiresApproval },
        },
        tx,
      );
    });
  }
}
