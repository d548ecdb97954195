import type { DataSource } from 'typeorm';

/** How far a run is; nodes that wait do so for a person or a time. */
export interface RunSteps {
  total: number;
  finished: number;
  waiting: number;
}

/** For a caller who has checked access. Null when there is no such run. */
export async function countRunSteps(
  dataSource: DataSource,
  workflowId: string,
  version: number,
): Promise<RunSteps | null> {
  const [row] = await dataSource.query<RunSteps[]>(
    `SELECT greatest(json_array_length((v.json_spec -> 'nodes')::json), count(n.*))::int AS total,
       count(n.*) FILTER (WHERE n.status IN ('COMPLETED', 'FAILED', 'SKIPPED', 'STOPPED'))::int AS finished,
       count(n.*) FILTER (WHERE n.status = 'WAITING')::int AS waiting
     FROM workflow_runs r
     LEFT JOIN workflow_revisions v ON v.workflow_id = r.workflow_id AND v.content_revision = r.content_revision
     LEFT JOIN workflow_run_nodes n ON n.run_id = r.id
     WHERE r.workflow_id = $1 AND r.version = $2 GROUP BY r.id, v.workflow_id, v.content_revision`,
    [workflowId, version],
  );
  return row ?? null;
}

/** Which run of its workflow it is; null when there is no such run. For work on its behalf. */
export async function findRunVersion(dataSource: DataSource, runId: string): Promise<number | null> {
  const [run] = await dataSource.query<{ version: number }[]>('SELECT version FROM workflow_runs WHERE id = $1', [
    runId,
  ]);
  return run?.version ?? null;
}

/** The id of a run, and the name of its workflow. For a caller who has checked access. */
export async function findRunNamed(
  dataSource: DataSource,
  workflowId: string,
  version: number,
): Promise<{ id: string; name: string } | null> {
  const [run] = await dataSource.query<{ id: string; name: string }[]>(
    `SELECT r.id, w.name FROM workflow_runs r JOIN workflows w ON w.id = r.workflow_id
     WHERE r.workflow_id = $1 AND r.version = $2`,
    [workflowId, version],
  );
  return run ?? null;
}
