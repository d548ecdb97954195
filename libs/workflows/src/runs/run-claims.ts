import { workflowOwnerIsActive } from '@app/access';
import { executeRunJob } from '@app/contracts';
import { instruments } from '@app/observability';
import type { DataSource } from 'typeorm';
import { ACTIVE_RUNS } from './active-runs.js';
import { bodyPathOf, pastActorsOf } from './child-runs.js';
import type { HeldRuns } from './held-runs.js';
import { nodeRowAsText } from './node-state-row.js';
import { RunBegins } from './run-begins.js';
import type { ClaimedRun } from './run-store.js';
import { NOTHING_YET, type RunRow, type RunTakeUp } from './run-take-up.js';
import { unconsumedSignals } from './signal-rows.js';

/** So many workers may be lost over a run before it is given up as poison (docs/contract/reliability.md#jobs (f)). */
export const MAX_LOST_LEASES = 5;
/** Remembered to be tried again sooner than the sweeper would. */
const MOST_TURNED_AWAY = 500;
/** Until a run is claimed again that could not be taken up. */
const RETRY_AFTER = '10 seconds';

function lagOf(run: string): string {
  return `(SELECT extract(epoch FROM now() - q.queued_at)::float8 FROM workflow_requests q WHERE q.id = ${run}.queue_request_id)`;
}

/** Which worker has a run: claims, leases and their renewal, suspects of a crash, and handing back. */
export class RunClaims {
  private readonly begins: RunBegins;
  /** Runs that could not be taken up because another suspect is at work here. */
  private readonly turnedAway = new Set<string>();
  private draining = false;

  /** @param giveUp ends a run over which too many workers were lost; it is held */
  constructor(
    private readonly dataSource: DataSource,
    private readonly held: HeldRuns,
    private readonly takeUp: RunTakeUp,
    private readonly leaseSeconds: number,
    private readonly giveUp: (run: ClaimedRun) => Promise<void>,
  ) {
    this.begins = new RunBegins(dataSource, leaseSeconds);
  }

  private get suspects(): HeldRuns['suspects'] {
    return this.held.suspects;
  }

  get isDraining(): boolean {
    return this.draining;
  }

  /** Null: there is nothing to do (already finished, held by a live worker, not due yet). */
  async claim(runId: string, workerId: string): Promise<ClaimedRun | null> {
    if (this.draining) return null;
    const begun = await this.begins.claim(runId, workerId);
    if (begun) return this.takeOrPutBack({ ...begun, ...NOTHING_YET }, workerId);
    return this.draining ? null : this.claimAgain(runId, workerId);
  }

  /** A run that was turned away and that may be tried again now, each once; the sweeper finds it otherwise. */
  nextTurnedAway(): string | null {
    const [runId] = this.turnedAway;
    if (runId === undefined || this.draining || !this.suspects.isFree) return null;
    this.turnedAway.delete(runId);
    return runId;
  }

  /** Of a run that was begun before, or that is no plain one. */
  private async claimAgain(runId: string, workerId: string): Promise<ClaimedRun | null> {
    const mayBeSuspect = this.suspects.take(runId, this.leaseSeconds * 1000);
    const row = await this.claimRow(runId, workerId, mayBeSuspect).catch((error: unknown) => {
      if (!this.held.has(runId)) this.suspects.leave(runId);
      throw error;
    });
    if (!row || row.lost_leases === 0) {
      if (mayBeSuspect && !this.held.has(runId)) this.suspects.leave(runId);
      if (!row && !mayBeSuspect && this.turnedAway.size < MOST_TURNED_AWAY) this.turnedAway.add(runId);
    }
    if (!row) return null;
    if (row.lost_leases > 0) instruments.leasesLost.inc({ work: 'run' });
    const run = await this.takeOrPutBack(row, workerId);
    if (row.lost_leases < MAX_LOST_LEASES) return run;
    await this.giveUp(run);
    return null;
  }

  /** The first worker may have been lost to a neighbour; from then on a run is the only suspect of its process. */
  private async claimRow(runId: string, workerId: string, mayBeSuspect: boolean): Promise<RunRow | undefined> {
    const [row] = await this.dataSource.query<RunRow[]>(
      `WITH claimed AS (
         UPDATE workflow_runs SET status = 'RUNNING', fence = fence + 1, lease_owner = $2,
           lease_expires_at = now() + $3 * interval '1 second', wake_at = NULL,
           lost_leases = lost_leases + (lease_owner IS NOT NULL)::int, started_at = coalesce(started_at, now())
         WHERE id = $1 AND ($4::boolean OR lease_owner IS NULL AND lost_leases = 0)
           AND ${workflowOwnerIsActive('workflow_runs.workflow_id')}
           AND (status = 'PENDING' OR status = 'RUNNING'
           AND (lease_expires_at <= now() OR lease_owner IS NULL AND (wake_at <= now() OR EXISTS (
             SELECT 1 FROM workflow_signals s WHERE s.run_id = workflow_runs.id AND NOT s.consumed))))
         RETURNING *)
       SELECT c.id, c.workflow_id, c.version, c.content_revision, c.fence, c.lost_leases, c.payload::text AS payload_text,
         c.parent_version, c.start_node_id, c.run_to_the_end, c.save_outputs, c.correlation_id, c.parent_run_id,
         c.is_concurrent, c.started_at, w.owner_id,
         CASE WHEN c.fence = 1 THEN ${lagOf('c')} END AS lag,
         CASE WHEN c.fence > 1 OR c.parent_version IS NOT NULL THEN (
           SELECT json_agg(${nodeRowAsText('n')}) FROM workflow_run_nodes n WHERE n.run_id = c.id) END AS nodes,
         CASE WHEN c.fence > 1 THEN ${unconsumedSignals('c.id')} END AS signals,
         ${bodyPathOf('c')} AS body_path, (SELECT v.acts_as FROM workflow_revisions v
           WHERE v.workflow_id = c.workflow_id AND v.content_revision = c.content_revision) AS acts_as,
         ${pastActorsOf('c')} AS past_actors
       FROM claimed c JOIN workflows w ON w.id = c.workflow_id`,
      [runId, workerId, this.leaseSeconds, mayBeSuspect],
    );
    return row;
  }

  async heartbeat(runIds: readonly string[], workerId: string): Promise<string[]> {
    if (runIds.length === 0) return [];
    const rows = await this.dataSource.query<{ id: string }[]>(
      `WITH mine AS MATERIALIZED (
         SELECT id, ${workflowOwnerIsActive('workflow_runs.workflow_id')} AS is_wanted FROM workflow_runs
         WHERE id = ANY($1::uuid[]) AND lease_owner = $2 AND status = 'RUNNING'
         -- In the order in which runs that end together are taken.
         ORDER BY id FOR NO KEY UPDATE),
       kept AS (
         UPDATE workflow_runs r SET lease_expires_at = now() + $3 * interval '1 second'
         FROM mine m WHERE r.id = m.id AND m.is_wanted RETURNING r.id),
       rested AS (
         UPDATE workflow_runs r SET fence = fence + 1, lease_owner = NULL, lease_expires_at = NULL, wake_at = now()
         FROM mine m WHERE r.id = m.id AND NOT m.is_wanted)
       SELECT id FROM kept`,
      [runIds, workerId, this.leaseSeconds],
    );
    const kept = rows.map(({ id }) => id);
    for (const id of runIds)
      if (kept.includes(id)) this.suspects.renew(id, this.leaseSeconds * 1000);
      else this.held.letGo(id);
    return kept;
  }

  /** From now on nothing new is claimed, not even by finishing a run. */
  drain(): void {
    this.draining = true;
  }

  /** Gives what this worker still holds back to the others. @returns how many runs. */
  async releaseAll(workerId: string): Promise<number> {
    const rows = await this.dataSource.query<{ id: string; outbox_id: string; fence: number }[]>(
      `WITH freed AS (
         UPDATE workflow_runs SET lease_owner = NULL, lease_expires_at = NULL, wake_at = now()
         WHERE id IN (SELECT id FROM ${ACTIVE_RUNS} a WHERE lease_owner = $1) AND lease_owner = $1 AND status = 'RUNNING'
         RETURNING id, fence, correlation_id)
       SELECT id, fence, workflow_ring(jsonb_build_object('job', $2::text, 'queue', $3::text, 'jobKey', id || ':' || fence,
         'payload', jsonb_build_object('runId', id, 'fence', fence), 'requestId', correlation_id), 0) AS outbox_id
       FROM freed`,
      [workerId, executeRunJob.name, executeRunJob.queue],
    );
    return rows.length;
  }

  /** A storage that is away is no fault of the run: it is tried again later, and no lease counts as lost. */
  private async takeOrPutBack(row: RunRow, workerId: string): Promise<ClaimedRun> {
    try {
      return await this.takeUp.take(row, workerId);
    } catch (error) {
      this.held.letGo(row.id);
      await this.dataSource.query(
        `UPDATE workflow_runs SET lease_owner = NULL, lease_expires_at = NULL, wake_at = now() + interval '${RETRY_AFTER}'
         WHERE id = $1 AND fence = $2 AND status = 'RUNNING'`,
        [row.id, row.fence],
      );
      throw error;
    }
  }
}
