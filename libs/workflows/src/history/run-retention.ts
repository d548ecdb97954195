import type { DataSource } from 'typeorm';
import { BODY_KEY } from '../runs/run-store.js';
import type { HistoryLimit, HistoryLimits } from './history-limits.js';
import { PARENT_IS_ACTIVE } from './run-history.js';

/** Workflows that are looked at in one statement. */
const PAGE = 1_000;
/** Of one sweep. */
const PAGES_AT_LEAST = 2;
/** Sweeps after which every workflow was looked at, on a platform that has more of them than fit into these pages. */
const SWEEPS_A_ROUND = 30;
const FIRST = '00000000-0000-0000-0000-000000000000';
/** Runs that one statement deletes, with all that hangs on them. */
const BATCH = 500;
/**
 * Bodies of loops are of interest while one looks at the run that they belong to, and there are many of them. They end
 * before it does, and are found by when.
 */
const BODIES_KEPT = '1 day';

interface Crowded {
  id: string;
  owner_id: number;
  current_run_id: string | null;
  oldest: Date | null;
  newer: number | null;
}

/**
 * Removes runs that are old, and what goes beyond the number that is kept of a workflow
 * (docs/contract/workflows.md#history).
 */
export class RunRetention {
  /** Where the next sweep goes on. */
  private after = FIRST;

  constructor(
    private readonly dataSource: DataSource,
    private readonly limits: HistoryLimits,
  ) {}

  /**
   * For a sweeper; several at once share the work. Of very many workflows one sweep looks at some, and the next one goes
   * on from there. @returns how many runs went.
   */
  async sweep(): Promise<number> {
    let removed = await this.removeBodies();
    let pages = await this.pagesOfSweep();
    // A sweep that comes to the end does not begin again.
    for (let last = false; !last && pages > 0; pages -= 1) {
      const page = await this.dataSource.query<Crowded[]>(
        // Its oldest run tells of a workflow whether there is anything to do.
        `SELECT w.id, w.owner_id, w.current_run_id, r.finished_at AS oldest, w.current_run_version - r.version AS newer
         FROM (SELECT * FROM workflows WHERE id > $1 ORDER BY id LIMIT ${PAGE}) w
         LEFT JOIN LATERAL (
           SELECT finished_at, version FROM workflow_runs r
           WHERE r.workflow_id = w.id AND r.finished_at IS NOT NULL AND r.id IS DISTINCT FROM w.current_run_id
           ORDER BY version LIMIT 1) r ON true
         ORDER BY w.id`,
        [this.after],
      );
      for (const workflow of page) {
        if (workflow.oldest === null || workflow.newer === null) continue;
        removed += await this.keepWithin(workflow, { oldest: workflow.oldest, newer: workflow.newer });
      }
      last = page.length < PAGE;
      this.after = last ? FIRST : page.at(-1)!.id;
    }
    return removed;
  }

  /** A limit that cannot be read ends the sweep before anything goes. */
  private async keepWithin(workflow: Crowded, { oldest, newer }: { oldest: Date; newer: number }): Promise<number> {
    const exceeds = ({ days, runs }: HistoryLimit) =>
      oldest.getTime() < Date.now() - days * 86_400_000 || newer >= runs;
    if (!exceeds(await this.limits.limitFor(workflow.owner_id))) return 0;
    const limit = await this.limits.readFor(workflow.owner_id);
    return exceeds(limit) ? this.removeFrom(workflow, limit.days, limit.runs) : 0;
  }

  /** By Postgres' own estimate of how many workflows there are. */
  private async pagesOfSweep(): Promise<number> {
    const [{ workflows }] = await this.dataSource.query<[{ workflows: number }]>(
      `SELECT reltuples::float8 AS workflows FROM pg_class WHERE oid = 'workflows'::regclass`,
    );
    return Math.max(PAGES_AT_LEAST, Math.ceil(workflows / PAGE / SWEEPS_A_ROUND));
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
             AND r.finished_at < now() - interval '${BODIES_KEPT}' AND parent.finished_at < now() - interval '${BODIES_KEPT}'
           ORDER BY r.finished_at LIMIT ${BATCH} FOR UPDATE OF r SKIP LOCKED)`,
      );
      removed += count;
      if (count < BATCH) return removed;
    }
  }
}
