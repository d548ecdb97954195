import type { DataSource } from 'typeorm';

/** Runs of somebody's workflows that completed since the month began (UTC), without those that other runs called. */
export async function countRunsOfMonth(dataSource: DataSource, ownerIds: readonly number[]): Promise<number> {
  const [{ runs }] = await dataSource.query<[{ runs: number }]>(
    `SELECT count(*)::int AS runs FROM workflows w JOIN workflow_runs r ON r.workflow_id = w.id
     WHERE w.owner_id = ANY($1::int[]) AND r.status = 'COMPLETED' AND r.parent_run_id IS NULL
       AND r.finished_at >= date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`,
    [ownerIds],
  );
  return runs;
}
