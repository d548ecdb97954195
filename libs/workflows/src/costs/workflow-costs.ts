import { type Period, PERIOD, USED_IN_WORKFLOWS } from '@app/models';
import type { DataSource } from 'typeorm';

export interface WorkflowCost {
  workflowId: string;
  /** Empty once the workflow is gone, or not the user's to see any more. */
  name: string;
  /** Of somebody else's workflow, only those that used models for the user. */
  successfulRuns: number;
  spend: number;
}

/**
 * The user's own workflows that ran, and those that used models for the user; dearest first.
 * @param currency other money is left out
 */
export function listWorkflowCosts(
  dataSource: DataSource,
  userId: number,
  { from, to }: Period,
  currency: string,
): Promise<WorkflowCost[]> {
  return dataSource.query<WorkflowCost[]>(
    `WITH ${PERIOD}, ${USED_IN_WORKFLOWS}, ran AS (
       SELECT r.workflow_id, count(*)::int AS runs
       FROM period, workflows w JOIN workflow_runs r ON r.workflow_id = w.id
       WHERE w.owner_id = $1 AND r.status = 'COMPLETED' AND r.parent_run_id IS NULL AND r.finished_at >= period.since
         AND r.finished_at < period.until
       GROUP BY r.workflow_id)
     SELECT workflow_id AS "workflowId", coalesce(used.spend, 0) AS spend, coalesce(w.name, '') AS name,
       CASE WHEN w.owner_id = $1 THEN coalesce(ran.runs, 0) ELSE
         (SELECT count(*)::int FROM workflow_runs r WHERE r.id = ANY (used.run_ids) AND r.status = 'COMPLETED')
       END AS "successfulRuns"
     FROM used FULL JOIN ran USING (workflow_id)
     LEFT JOIN workflows w ON w.id = workflow_id AND (w.owner_id = $1 OR EXISTS (
       SELECT FROM workflow_collaborators c WHERE c.workflow_id = w.id AND c.user_id = $1))
     ORDER BY spend DESC, "successfulRuns" DESC, workflow_id`,
    [userId, from, to, currency],
  );
}
