import type { DataSource } from 'typeorm';
import { BODY_KEY } from '../runs/run-store.js';
import type { HistoryLimits } from './history-limits.js';
import { PARENT_IS_ACTIVE } from './run-history.js';

/** Workflows that are looked at in one statement. */
const PAGE = 1_000;
/** Runs that one statement deletes, with all that hangs on them. */
const BATCH = 500;
/** Bodies of loops are of interest while one looks at the run that they belong to, and there are many of them. */
const BODIES_KEPT = '1 day';

interface Crowded {
  id: string;
  owner_id: number;
  current_run_id: string | null;
}

/**
 * Removes runs that are old, and what goes beyond the number that is kept of a workflow
 * (docs/contract/workflows.md#history).
 */
export class RunRetention {
  constructor(
    private readonly dataSource: DataSource,
    private readonly limits: HistoryLimits,
  ) {}

  /** For a sweeper; several at once share the work. @returns how many runs went. */
  async sweep(): Promise<number> {
    let removed = await this.removeBodies();
    let after = '00000000-0000-0000-0000-000000000000';
    for (;;) {
      const page = await this.dataSource.query<(Crowded & { oldest: Date | null; newer: number | null })[]>(
        // Its oldest run tells of a workflow whether there is anything to do.
        `SELECT w.id, w.owner_id, w.current_run_id, r.finished_at AS oldest, w.current_run_version - r.version AS newer
         FROM (SELECT * FROM workflows WHERE id > $1 ORDER BY id LIMIT ${PAGE}) w
         LEFT JOIN LATERAL (
           SELECT finished_at, version FROM workflow_runs r
           WHERE r.workflow_id = w.id AND r.finished_at IS NOT NULL AND r.id IS DISTINCT FROM w.current_run_id
           ORDER BY version LIMIT 1) r ON true
         ORDER BY w.id`,
        [after],
      );
      for (const workflow of page) {
        const { days, runs } = this.limits.limitFor(workflow.owner_id);
        if (workflow.oldest === null || workflow.newer === null) continue;
        const isOld = workflow.oldest.getTime() < Date.now() - days * 86_400_000;
        if (isOld || workflow.newer >= runs) removed += await this.removeFrom(workflow, days, runs);
      }
      if (page.length < PAGE) return removed;
      after = page.at(-1)!.id;
    }
  }

  private async removeFrom({ id, current_run_id: current }: Crowded, days: number, runs: number): Promise<number> {
    // Runs that others started are not counted: they go with those.
    const [cut] = await this.dataSource.query<{ version: number }[]>(
      `SELECT version FROM workflow_runs WHERE workflow_id = $1 AND parent_run_id IS NULL
       ORDER BY version DESC OFFSET $2 LIMIT 1`,
      [id, runs],
    );
    let removed = 0;
    for (;;) {
      const [, count] = await this.dataSource.query<[unknown, number]>(
        `DELETE FROM workflow_runs WHERE id IN (
           SELECT r.id FROM workflow_runs r
           WHERE r.workflow_id = $1 AND r.finished_at IS NOT NULL AND r.id IS DISTINCT FROM $2
             AND (r.version <= $3 OR r.finished_at < now() - $4 * interval '1 day') AND NOT ${PARENT_IS_ACTIVE}
           ORDER BY r.version LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
        [id, current, cut?.version ?? 0, days],
      );
      removed += count;
      if (count < BATCH) return removed;
    }
  }

  private async removeBodies(): Promise<number> {
    let removed = 0;
    for (;;) {
      const [, count] = await this.dataSource.query<[unknown, number]>(
        `DELETE FROM workflow_runs WHERE id IN (
           SELECT r.id FROM workflow_runs r JOIN workflow_runs parent ON parent.id = r.parent_run_id
           WHERE r.parent_run_id IS NOT NULL AND r.parent_key LIKE '${BODY_KEY}%' AND r.status = 'COMPLETED'
             AND parent.finished_at < now() - interval '${BODIES_KEPT}'
           LIMIT ${BATCH} FOR UPDATE OF r SKIP LOCKED)`,
      );
      removed += count;
      if (count < BATCH) return removed;
    }
  }
}
