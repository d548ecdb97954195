import { findWorkflowOwner } from '@app/access';
import type { WorkflowPart } from '@app/workflows';

/** How many titles `delete-impact` names. */
const SAMPLE = 10;

const OWN = 'c.workflow_id = $1 AND c.owner_id = $2';

/**
 * Charts that a workflow drew go with it for good, and their tiles, as long as they belong to its owner: what it drew on
 * somebody else's account stays theirs, while it stands on a board.
 */
export const chartsOfWorkflow: WorkflowPart = {
  name: 'charts',
  tables: ['charts'],

  async countFor(workflowId, db) {
    const owner = await findWorkflowOwner(db, workflowId);
    const [{ count, sample }] = await db.query<[{ count: number; sample: string[] }]>(
      `SELECT count(*)::int AS count,
         coalesce((array_agg(c.title ORDER BY c.refreshed_at DESC, c.mgid))[1:${SAMPLE}], '{}') AS sample
       FROM charts c WHERE ${OWN}`,
      [workflowId, owner],
    );
    // Boards on which nothing else stands.
    const [{ emptied }] = await db.query<[{ emptied: number }]>(
      `SELECT count(*)::int AS emptied FROM (
         SELECT t.board_id FROM board_tiles t LEFT JOIN charts c ON c.mgid = t.mgid AND ${OWN}
         WHERE t.board_id IN (SELECT s.board_id FROM board_tiles s JOIN charts c ON c.mgid = s.mgid WHERE ${OWN})
         GROUP BY t.board_id HAVING count(c.mgid) = count(*)) AS boards_without_more`,
      [workflowId, owner],
    );
    return { charts: { count, sample }, dashboards: { emptied } };
  },

  async deleteFor(workflowId, tx) {
    const owner = await findWorkflowOwner(tx, workflowId);
    // Boards first, as everybody does who changes tiles.
    await tx.query(
      `SELECT FROM boards WHERE id IN (SELECT t.board_id FROM board_tiles t JOIN charts c ON c.mgid = t.mgid WHERE ${OWN})
       ORDER BY id FOR NO KEY UPDATE`,
      [workflowId, owner],
    );
    // No tile is made of them from here on.
    await tx.query(`SELECT FROM charts c WHERE ${OWN} ORDER BY mgid FOR UPDATE`, [workflowId, owner]);
    await tx.query(
      `WITH gone AS (DELETE FROM board_tiles t USING charts c WHERE c.mgid = t.mgid AND ${OWN} RETURNING t.board_id)
       UPDATE boards SET revision = revision + 1, updated_at = now() WHERE id IN (SELECT board_id FROM gone)`,
      [workflowId, owner],
    );
    const [, charts] = await tx.query<[unknown, number]>(`DELETE FROM charts c WHERE ${OWN}`, [workflowId, owner]);
    await tx.query('UPDATE charts SET workflow_id = NULL, origin_key = NULL WHERE workflow_id = $1', [workflowId]);
    return { counts: { charts } };
  },
};
