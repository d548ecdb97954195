import { instruments } from '@app/observability';
import { JsonText, type StoredActors } from '@app/workflow-definition';
import type { DataSource } from 'typeorm';
import { Acting } from '../actors/acting.js';
import { revisionAt } from '../revisions/loop-bodies.js';
import { branchOf, type Revision, type RevisionCache } from '../revisions/revision-cache.js';
import { pastActorsOf } from './child-runs.js';
import type { HeldRun, HeldRuns } from './held-runs.js';
import { type NodeStateRow, toNodeState } from './node-state-row.js';
import type { NextRun } from './run-ends.js';
import type { ClaimedRun, RunSignal } from './run-store.js';

/** In characters of its JSON. */
const MAX_READ_PAYLOAD = 32 * 1024;

/** A run as a claim gives it. */
export interface RunRow extends Omit<NextRun, 'started_at'> {
  /** Text where it comes from JSON. */
  started_at: Date | string | null;
  nodes: NodeStateRow[] | null;
  signals: RunSignal[] | null;
  body_path: string[] | null;
  acts_as: StoredActors | null;
  past_actors: StoredActors[] | null;
}

/** What a run has only once somebody has worked on it, or if it goes on from another. */
export const NOTHING_YET = { nodes: null, signals: null, body_path: null, past_actors: null };

/** Makes of a claimed row what the engine works on; the run is held from then on. */
export class RunTakeUp {
  constructor(
    private readonly dataSource: DataSource,
    private readonly revisions: RevisionCache,
    private readonly held: HeldRuns,
  ) {}

  async take(row: RunRow, workerId: string, chain = 0): Promise<ClaimedRun> {
    const { id: runId, workflow_id: workflowId, version, fence } = row;
    const held = toHeldRun(row, workerId, chain);
    if (row.lag !== null) instruments.webhookLag.observe(Math.max(0, row.lag));
    this.held.hold(runId, held);
    const { bodyPath } = held;
    const revision = await this.revisionOf(held);
    const whole = await this.revisions.get(workflowId, row.content_revision);
    const onlyNodeIds =
      row.start_node_id === null ? null : (branchOf(revision, row.start_node_id, row.run_to_the_end) ?? []);
    const inherited = onlyNodeIds && fence === 1 ? await this.inherit(row, onlyNodeIds) : [];
    const nodes = [...(row.nodes ?? []), ...inherited];
    return {
      runId,
      workflowId,
      version,
      bodyPath,
      fence,
      definition: revision.jsonSpec,
      nodes: nodes.map(toNodeState),
      signals: row.signals ?? [],
      payload: toPayload(row.payload_text),
      onlyNodeIds,
      ownerId: row.owner_id,
      acting: new Acting(row.acts_as, row.owner_id, whole, bodyPath, row.past_actors ?? []),
      requestId: row.correlation_id,
    };
  }

  /** The next request of the workflow, claimed with the end of the run before. */
  async goOn(next: NextRun, before: HeldRun): Promise<ClaimedRun> {
    // What was adopted since the first of the chain counts from the next claim on.
    const actsAs = next.content_revision === before.contentRevision ? before.actsAs : await this.actorsOf(next);
    const pastActors = next.parent_version === null ? null : await this.pastActorsOf(next.id);
    const row = { ...next, ...NOTHING_YET, acts_as: actsAs, past_actors: pastActors };
    return this.take(row, before.workerId, before.chain + 1);
  }

  /** The definition that a run follows. */
  async revisionOf({ workflowId, contentRevision, bodyPath }: HeldRun): Promise<Revision> {
    const revision = revisionAt(await this.revisions.get(workflowId, contentRevision), bodyPath);
    if (!revision) throw new Error(`Workflow ${workflowId} has no body at ${bodyPath.join('/')}.`);
    return revision;
  }

  private async actorsOf(run: Pick<NextRun, 'workflow_id' | 'content_revision'>): Promise<StoredActors | null> {
    const [row] = await this.dataSource.query<{ acts_as: StoredActors | null }[]>(
      'SELECT acts_as FROM workflow_revisions WHERE workflow_id = $1 AND content_revision = $2',
      [run.workflow_id, run.content_revision],
    );
    return row?.acts_as ?? null;
  }

  private async pastActorsOf(runId: string): Promise<StoredActors[] | null> {
    const [row] = await this.dataSource.query<{ past_actors: StoredActors[] | null }[]>(
      `SELECT ${pastActorsOf('r')} AS past_actors FROM workflow_runs r WHERE r.id = $1`,
      [runId],
    );
    return row?.past_actors ?? null;
  }

  /** A branch reads the outputs of the run before it: they become its own, so that the next branch finds them too. */
  private async inherit(row: RunRow, branch: readonly string[]): Promise<NodeStateRow[]> {
    return this.dataSource.query<NodeStateRow[]>(
      `WITH copied AS (
         INSERT INTO workflow_run_nodes (run_id, node_id, status, attempt, output, chosen, error, handled, waiting,
           warnings, started_at, finished_at, batch_total, batch_completed)
         SELECT $1, n.node_id, n.status, n.attempt, n.output, n.chosen, n.error, n.handled, n.waiting, n.warnings,
           n.started_at, n.finished_at, n.batch_total, n.batch_completed
         FROM workflow_run_nodes n JOIN workflow_runs r ON r.id = n.run_id
         WHERE r.workflow_id = $2 AND r.version = $3 AND n.node_id <> ALL($4::text[])
         ON CONFLICT DO NOTHING RETURNING *)
       SELECT * FROM copied`,
      [row.id, row.workflow_id, row.parent_version, branch],
    );
  }
}

function toHeldRun(row: RunRow, workerId: string, chain: number): HeldRun {
  return {
    workflowId: row.workflow_id,
    version: row.version,
    contentRevision: row.content_revision,
    bodyPath: row.body_path ?? [],
    lostLeases: row.lost_leases,
    saveOutputs: row.save_outputs,
    workerId,
    chain,
    actsAs: row.acts_as,
    ownerId: row.owner_id,
    startedAt: row.started_at === null ? Date.now() : new Date(row.started_at).getTime(),
    isPlain: row.parent_run_id === null && !row.is_concurrent,
  };
}

/** A large one is read by whoever refers to it, elsewhere. */
function toPayload(text: string | null): ClaimedRun['payload'] {
  if (text === null || text === 'null') return null;
  return text.length > MAX_READ_PAYLOAD ? new JsonText(text) : (JSON.parse(text) as Record<string, unknown>);
}
