import type { DataSource, EntityManager } from 'typeorm';
import { deleteInBatches } from './delete-in-batches.js';
import type { WorkflowPart } from './workflow-part.js';

async function count(db: DataSource | EntityManager, from: string, workflowId: string): Promise<number> {
  const [row] = await db.query<[{ count: number }]>(`SELECT count(*)::int AS count FROM ${from}`, [workflowId]);
  return row.count;
}

/** The webhook queue. In the trash nothing waits in it. */
export const requestsPart: WorkflowPart = {
  name: 'webhook requests',
  tables: ['workflow_requests'],
  order: 30,
  async countFor(workflowId, db) {
    const waiting = `workflow_requests WHERE workflow_id = $1 AND status IN ('pending', 'running')`;
    return { queued_webhook_runs: await count(db, waiting, workflowId) };
  },
  async deleteFor(workflowId, tx) {
    return {
      counts: { webhook_requests: await deleteInBatches(tx, 'workflow_requests', 'workflow_id = $1', [workflowId]) },
    };
  },
  async trash(workflowId, tx) {
    const [row] = await tx.query<[{ count: number }]>(
      `WITH cancelled AS (
         UPDATE workflow_requests SET status = 'cancelled', finished_at = now(), detail = $2
         WHERE workflow_id = $1 AND status = 'pending' RETURNING 1)
       SELECT count(*)::int FROM cancelled`,
      [workflowId, 'The workflow was moved to the trash.'],
    );
    await tx.query('UPDATE workflows SET pending_requests = 0 WHERE id = $1', [workflowId]);
    return { cancelled_requests: row.count };
  },
};

export const revisionsPart: WorkflowPart = {
  name: 'revisions',
  tables: ['workflow_revisions'],
  order: 60,
  async countFor(workflowId, db) {
    return { spec_revisions: await count(db, 'workflow_revisions WHERE workflow_id = $1', workflowId) };
  },
  async deleteFor(workflowId, tx) {
    const revisions = await deleteInBatches(tx, 'workflow_revisions', 'workflow_id = $1', [workflowId]);
    return { counts: { spec_revisions: revisions } };
  },
};

export const webhooksPart: WorkflowPart = {
  name: 'webhook credentials',
  tables: ['workflow_webhooks'],
  order: 60,
  async deleteFor(workflowId, tx) {
    return { counts: { webhooks: await deleteInBatches(tx, 'workflow_webhooks', 'workflow_id = $1', [workflowId]) } };
  },
};

export const collaboratorsPart: WorkflowPart = {
  name: 'collaborators',
  tables: ['workflow_collaborators'],
  order: 60,
  async countFor(workflowId, db) {
    return { collaborators: await count(db, 'workflow_collaborators WHERE workflow_id = $1', workflowId) };
  },
  async deleteFor(workflowId, tx) {
    const members = await deleteInBatches(tx, 'workflow_collaborators', 'workflow_id = $1', [workflowId]);
    return { counts: { collaborators: members } };
  },
};

export const secretsPart: WorkflowPart = {
  name: 'secrets',
  tables: ['workflow_secrets'],
  order: 60,
  async countFor(workflowId, db) {
    return { secrets: await count(db, 'workflow_secrets WHERE workflow_id = $1', workflowId) };
  },
  async deleteFor(workflowId, tx) {
    return { counts: { secrets: await deleteInBatches(tx, 'workflow_secrets', 'workflow_id = $1', [workflowId]) } };
  },
};

/** Of whoever sees the workflow; the tags themselves stay. */
export const tagsPart: WorkflowPart = {
  name: 'tags',
  tables: ['workflow_tag_links'],
  order: 60,
  async deleteFor(workflowId, tx) {
    return { counts: { tags: await deleteInBatches(tx, 'workflow_tag_links', 'workflow_id = $1', [workflowId]) } };
  },
};
