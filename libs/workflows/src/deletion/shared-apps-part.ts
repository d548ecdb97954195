import type { EntityManager } from 'typeorm';
import { requestsPart } from './definition-parts.js';
import { stopAllRuns } from './stop-all-runs.js';
import type { WorkflowPart } from './workflow-part.js';

const DETAIL = 'The app is not shared any more.';

/**
 * Takes apps off those who received them; the rows of their workflows are locked. They stay in the trash, out of reach,
 * so that sharing again brings them back as they were.
 * @param condition on `workflows a`, with `$1`.
 * @returns their ids.
 */
export async function takeAppsBack(
  tx: EntityManager,
  state: 'source_trashed' | 'withdrawn',
  condition: string,
  value: unknown,
): Promise<string[]> {
  const [apps] = await tx.query<[{ id: string }[], number]>(
    `UPDATE workflows a SET app_state = $2, deleted_at = coalesce(a.deleted_at, now()), purge_at = CASE
         WHEN a.deleted_at IS NOT NULL THEN a.purge_at
         ELSE coalesce((SELECT s.purge_at FROM workflows s WHERE s.id = a.app_of_id), now() + interval '30 days') END
     WHERE ${condition} RETURNING a.id`,
    [value, state],
  );
  for (const { id } of apps) {
    await stopAllRuns(id, 'withdrawn', DETAIL, tx);
    await requestsPart.trash?.(id, tx);
  }
  return apps.map(({ id }) => id);
}

/** Apps that were shared off a workflow go with it; copies stay (docs/contract/workflows.md#sharing). */
export const sharedAppsPart: WorkflowPart = {
  name: 'apps shared off it',
  tables: [],
  async countFor(workflowId, db) {
    const [row] = await db.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM workflows WHERE app_of_id = $1 AND app_state <> 'withdrawn'`,
      [workflowId],
    );
    return { shared_apps: row.count };
  },
  async deleteFor() {
    // They are workflows: `WorkflowDestruction` takes them first.
    return { counts: {} };
  },
  async trash(workflowId, tx) {
    const condition = `a.app_of_id = $1 AND a.app_state = 'shared' AND a.deleted_at IS NULL`;
    return { shared_apps: (await takeAppsBack(tx, 'source_trashed', condition, workflowId)).length };
  },
  async restore(workflowId, tx) {
    await tx.query(
      `UPDATE workflows SET app_state = 'shared', deleted_at = NULL, purge_at = NULL
       WHERE app_of_id = $1 AND app_state = 'source_trashed'`,
      [workflowId],
    );
  },
};

/** An offer to hand the workflow over does not outlast the trash. */
export const transfersPart: WorkflowPart = {
  name: 'transfers',
  tables: ['workflow_transfers'],
  async deleteFor(workflowId, tx) {
    const [, count] = await tx.query<[unknown, number]>('DELETE FROM workflow_transfers WHERE workflow_id = $1', [
      workflowId,
    ]);
    return { counts: { transfers: count } };
  },
  async trash(workflowId, tx) {
    await tx.query('DELETE FROM workflow_transfers WHERE workflow_id = $1', [workflowId]);
    return {};
  },
};
