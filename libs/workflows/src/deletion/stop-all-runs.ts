import { toJsonText } from '@app/common';
import type { EntityManager } from 'typeorm';

export interface StoppedRuns {
  runIds: string[];
  /** Runs of other workflows that were waiting for one of them; jobs are added for these after the commit. */
  waitingRunIds: string[];
}

/**
 * Ends the current run and all beside it. The caller holds the workflow's row.
 * @param code and detail go into the error of each run.
 */
export async function stopAllRuns(
  workflowId: string,
  code: string,
  detail: string,
  tx: EntityManager,
): Promise<StoppedRuns> {
  const runs = await tx.query<{ id: string; parent_run_id: string | null }[]>(
    `SELECT id, parent_run_id FROM workflow_runs
     WHERE workflow_id = $1 AND status IN ('PENDING', 'RUNNING') ORDER BY is_concurrent, version`,
    [workflowId],
  );
  const error = toJsonText({ nodeId: null, code, message: detail });
  for (const { id } of runs) await tx.query('SELECT workflow_stop_run($1, $2, $3::jsonb)', [id, detail, error]);
  const runIds = runs.map(({ id }) => id);
  const parents = runs.map(({ parent_run_id: parent }) => parent).filter((parent) => parent !== null);
  return { runIds, waitingRunIds: [...new Set(parents)].filter((parent) => !runIds.includes(parent)) };
}
