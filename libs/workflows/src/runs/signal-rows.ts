import type { DataSource } from 'typeorm';
import type { RunSignal } from './run-store.js';

/** SQL: the signals of the run with the id `run` that no written state has taken in, oldest first; null without any. */
export function unconsumedSignals(run: string): string {
  return `(SELECT jsonb_agg(jsonb_build_object('nodeId', node_id, 'waitId', wait_id, 'value', value) ORDER BY created_at)
    FROM workflow_signals WHERE run_id = ${run} AND NOT consumed)`;
}

/** What nodes of runs wait for; the primary key lets the first value of each wait win. */
export class SignalRows {
  constructor(private readonly dataSource: DataSource) {}

  async unconsumed(runId: string): Promise<RunSignal[]> {
    const [row] = await this.dataSource.query<[{ signals: RunSignal[] | null }]>(
      `SELECT ${unconsumedSignals('$1')} AS signals`,
      [runId],
    );
    return row.signals ?? [];
  }

  /** @returns the value that was faster, else null. */
  async close(runId: string, nodeId: string, waitId: string): Promise<RunSignal | null> {
    const [closed] = await this.dataSource.query<unknown[]>(
      `WITH closed AS (
         INSERT INTO workflow_signals (run_id, node_id, wait_id, consumed) VALUES ($1, $2, $3, true)
         ON CONFLICT DO NOTHING RETURNING 1)
       SELECT * FROM closed`,
      [runId, nodeId, waitId],
    );
    if (closed) return null;
    const [known] = await this.dataSource.query<{ value: unknown; consumed: boolean }[]>(
      'SELECT value, consumed FROM workflow_signals WHERE run_id = $1 AND node_id = $2 AND wait_id = $3',
      [runId, nodeId, waitId],
    );
    // Consumed: an earlier worker closed it and died before it could write so.
    return known && !known.consumed ? { nodeId, waitId, value: known.value } : null;
  }
}
