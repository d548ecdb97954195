import { workflowOwnerIsActive } from '@app/access';
import { toJsonText } from '@app/common';
import { executeRunJob } from '@app/contracts';
import type { LocalFile } from '@app/integrations';
import { processSuspects } from '@app/isolation';
import { instruments, noteEnd } from '@app/observability';
import { Outbox } from '@app/queues';
import {
  type ChildEnd,
  isTerminalNodeStatus,
  type ItemState,
  JsonText,
  type NodeState,
  type OutputHint,
  type StoredActors,
  type StoredOutput,
} from '@app/workflow-definition';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { Acting } from '../actors/acting.js';
import { branchOf, type Revision, type RevisionCache } from '../revisions/revision-cache.js';
import { revisionAt } from '../revisions/loop-bodies.js';
import { ACTIVE_RUNS } from './active-runs.js';
import { bodyPathOf, ChildRuns, pastActorsOf } from './child-runs.js';
import { keptOutputs } from './kept-outputs.js';
import { nodeRowAsText, type NodeStateRow, toNodeState } from './node-state-row.js';
import type { OutputFiles } from '../outputs/output-files.js';
import type { SharedApps } from '../access/shared-apps.js';
import type { RunAnnouncer } from './run-announcer.js';
import type { RunNotifier } from './run-notifier.js';
import { RunBegins } from './run-begins.js';
import { RunEnds, type NextRun } from './run-ends.js';
import { RunItems } from './run-items.js';
import { SignalRows, unconsumedSignals } from './signal-rows.js';
import {
  type ChildRun,
  type ChildStart,
  type ClaimedRun,
  type FinishedRun,
  type RunHandle,
  type RunOutcome,
  type RunSignal,
  RunStore,
} from './run-store.js';

/** So many workers may be lost over a run before it is given up as poison (docs/contract/reliability.md#jobs (f)). */
const MAX_LOST_LEASES = 5;
/** Remembered to be tried again sooner than the sweeper would. */
const MOST_TURNED_AWAY = 500;
/** So many requests of one workflow run back to back before the other workflows get their turn. */
const MAX_CHAIN = 25;
/** In characters of its JSON. */
const MAX_READ_PAYLOAD = 32 * 1024;
/** Until a run is claimed again that could not be taken up. */
const RETRY_AFTER = '10 seconds';

interface RunRow extends Omit<NextRun, 'started_at'> {
  /** Text where it comes from JSON. */
  started_at: Date | string | null;
  nodes: NodeStateRow[] | null;
  signals: RunSignal[] | null;
  body_path: string[] | null;
  acts_as: StoredActors | null;
  past_actors: StoredActors[] | null;
}

/** What a run has only once somebody has worked on it, or if it goes on from another. */
const NOTHING_YET = { nodes: null, signals: null, body_path: null, past_actors: null };

/** What the store itself remembers of a run that this process holds. */
interface HeldRun {
  workflowId: string;
  version: number;
  contentRevision: number;
  bodyPath: string[];
  lostLeases: number;
  saveOutputs: boolean;
  workerId: string;
  /** Requests that were started back to back before this one. */
  chain: number;
  actsAs: StoredActors | null;
  ownerId: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** It answers to no parent, and holds its workflow's turn. */
  isPlain: boolean;
}

function lagOf(run: string): string {
  return `(SELECT extract(epoch FROM now() - q.queued_at)::float8 FROM workflow_requests q WHERE q.id = ${run}.queue_request_id)`;
}

const OUTCOMES = { COMPLETED: 'completed', FAILED: 'failed', STOPPED: 'stopped' } as const;

function noteRunEnd({ runId }: RunHandle, { workflowId, version, ownerId, startedAt }: HeldRun, end: RunOutcome): void {
  noteEnd({
    work: 'run',
    outcome: OUTCOMES[end.status],
    ids: { workflowId, runId, version, nodeId: end.error?.nodeId ?? null },
    ownerId,
    code: end.error?.code,
    seconds: (Date.now() - startedAt) / 1000,
  });
}

/** A claim and a finish are one statement each; a run of quick nodes needs nothing else. */
export class PostgresRunStore extends RunStore {
  private readonly logger = new Logger(PostgresRunStore.name);
  private readonly held = new Map<string, HeldRun>();
  private readonly children: ChildRuns;
  private readonly items: RunItems;
  private readonly signals: SignalRows;
  private readonly begins: RunBegins;
  private readonly ends: RunEnds;
  /** Runs that could not be taken up because another suspect is at work here. */
  private readonly turnedAway = new Set<string>();
  /** Shared with turns; tests set another. */
  suspects = processSuspects;
  private draining = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly revisions: RevisionCache,
    private readonly announcer: RunAnnouncer,
    private readonly notifier: RunNotifier,
    private readonly files: OutputFiles,
    apps: SharedApps,
    private readonly leaseSeconds: number,
  ) {
    super();
    this.children = new ChildRuns(dataSource, outbox, revisions, files, apps);
    this.items = new RunItems(dataSource);
    this.signals = new SignalRows(dataSource);
    this.begins = new RunBegins(dataSource, leaseSeconds);
    this.ends = new RunEnds(dataSource, outbox, leaseSeconds, () => this.held.size);
  }

  /** Null: there is no such run (any more). */
  async ownerOf(runId: string): Promise<number | null> {
    const [row] = await this.dataSource.query<{ owner_id: number }[]>(
      'SELECT w.owner_id FROM workflow_runs r JOIN workflows w ON w.id = r.workflow_id WHERE r.id = $1',
      [runId],
    );
    return row?.owner_id ?? null;
  }

  async claimRun(runId: string, workerId: string): Promise<ClaimedRun | null> {
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
           SELECT jsonb_agg(${nodeRowAsText('n')}) FROM workflow_run_nodes n WHERE n.run_id = c.id) END AS nodes,
         CASE WHEN c.fence > 1 THEN ${unconsumedSignals('c.id')} END AS signals,
         ${bodyPathOf('c')} AS body_path, (SELECT v.acts_as FROM workflow_revisions v
           WHERE v.workflow_id = c.workflow_id AND v.content_revision = c.content_revision) AS acts_as,
         ${pastActorsOf('c')} AS past_actors
       FROM claimed c JOIN workflows w ON w.id = c.workflow_id`,
      [runId, workerId, this.leaseSeconds, mayBeSuspect],
    );
    return row;
  }

  async saveProgress(run: RunHandle, nodes: readonly NodeState[]): Promise<boolean> {
    const held = this.heldRun(run);
    const rows = await this.dataSource.query<unknown[]>(
      `WITH held AS MATERIALIZED (
         SELECT id, workflow_id FROM workflow_runs WHERE id = $1 AND fence = $2 AND status = 'RUNNING' FOR NO KEY UPDATE)
       SELECT workflow_write_nodes(id, $3::jsonb),
         CASE WHEN $4::jsonb IS NOT NULL THEN workflow_write_outputs(workflow_id, id, $4::jsonb) END
       FROM held`,
      [run.runId, run.fence, await this.files.toRowsText(run, nodes), await this.outputsOf(run, held, nodes)],
    );
    if (rows.length === 0) this.letGo(run.runId);
    else this.announcer.nodesChanged(held.workflowId, held.version);
    return rows.length > 0;
  }

  async finishRun(run: RunHandle, nodes: readonly NodeState[], outcome: RunOutcome): Promise<FinishedRun> {
    const held = this.heldRun(run);
    const { workflowId } = held;
    const claimsNext = !this.draining && held.chain < MAX_CHAIN;
    const { accepted, parentRunId, next, receipt } = await this.ends.write({
      ...run,
      workflowId,
      outcome,
      nodes: await this.files.toRowsText(run, nodes),
      outputs: await this.outputsOf(run, held, nodes),
      worker: claimsNext ? held.workerId : null,
      isPlain: held.isPlain && nodes.every(({ usage, consumed }) => !usage && !consumed?.length),
    });
    this.letGo(run.runId);
    if (!accepted) return { accepted, next: null, parentRunId: null };
    noteRunEnd(run, held, outcome);
    this.announcer.nodesChanged(workflowId, held.version);
    if (parentRunId) await this.notifier.notifyOfSignal(parentRunId);
    if (receipt) this.outbox.publishSoon([receipt]);
    return { accepted, next: next && claimsNext ? await this.goOn(next, held) : null, parentRunId };
  }

  async parkRun(run: RunHandle, nodes: readonly NodeState[], wakeAt: number | null): Promise<boolean> {
    const held = this.heldRun(run);
    const message = this.outbox.prepare(executeRunJob, { runId: run.runId, fence: run.fence });
    const [row] = await this.dataSource.query<{ outbox_id: string | null }[]>(
      `WITH held AS (
         UPDATE workflow_runs SET lease_owner = NULL, lease_expires_at = NULL, wake_at = to_timestamp($4 / 1000.0),
           lost_leases = 0
         WHERE id = $1 AND fence = $2 AND status = 'RUNNING' RETURNING id, workflow_id)
       SELECT workflow_write_nodes(id, $3::jsonb),
         CASE WHEN $5::jsonb IS NOT NULL THEN workflow_write_outputs(workflow_id, id, $5::jsonb) END,
         CASE WHEN $4::double precision IS NOT NULL THEN workflow_ring($6::jsonb, $7) END AS outbox_id
       FROM held`,
      [
        run.runId,
        run.fence,
        await this.files.toRowsText(run, nodes),
        wakeAt,
        await this.outputsOf(run, held, nodes),
        toJsonText(message),
        wakeAt === null ? 0 : Math.max(0, (wakeAt - Date.now()) / 1000),
      ],
    );
    this.letGo(run.runId);
    if (!row) return false;
    this.announcer.nodesChanged(held.workflowId, held.version);
    // A signal that was committed while this was being written was announced in vain.
    if ((await this.signals.unconsumed(run.runId)).length > 0) await this.notifier.notify(run.runId);
    return true;
  }

  takeSignals({ runId }: RunHandle): Promise<RunSignal[]> {
    return this.signals.unconsumed(runId);
  }

  closeWait({ runId }: RunHandle, nodeId: string, waitId: string): Promise<RunSignal | null> {
    return this.signals.close(runId, nodeId, waitId);
  }

  startChild(run: RunHandle, child: ChildRun): Promise<ChildStart> {
    const { workflowId, contentRevision } = this.heldRun(run);
    return this.children.start(run, child, { workflowId, contentRevision });
  }

  childEnds(run: RunHandle, nodeId: string, keys: readonly string[]): Promise<ChildEnd[]> {
    return this.children.ends(run.runId, nodeId, keys);
  }

  stopChildren(run: RunHandle, nodeId: string, keys: readonly string[], reason: string): Promise<void> {
    return this.children.stop(run.runId, nodeId, keys, reason);
  }

  async saveItems(run: RunHandle, nodeId: string, items: readonly ItemState[]): Promise<boolean> {
    const held = this.held.get(run.runId);
    const isKept = await this.items.save(run, nodeId, items);
    if (!isKept || !held || held.lostLeases === 0) return isKept;
    // A long batch may lose many workers over the days and still get on; a node that gets nowhere has its own limit.
    held.lostLeases = 0;
    await this.dataSource.query('UPDATE workflow_runs SET lost_leases = 0 WHERE id = $1', [run.runId]);
    return true;
  }

  loadItems(
    run: RunHandle,
    nodeId: string,
    options: { withOutputs: boolean; from?: number; to?: number },
  ): Promise<ItemState[]> {
    return this.items.load(run.runId, nodeId, options);
  }

  keepOutput(
    { runId }: RunHandle,
    source: JsonText | { path: string; preview: string },
    hint: OutputHint | null,
  ): Promise<StoredOutput> {
    return this.files.keep(runId, source, hint);
  }

  readOutput(output: StoredOutput): Promise<JsonText> {
    return this.files.text(output);
  }

  localOutput(output: StoredOutput): Promise<LocalFile> {
    return this.files.local(output);
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
      else this.letGo(id);
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

  private letGo(runId: string): void {
    this.held.delete(runId);
    this.suspects.leave(runId);
  }

  private heldRun({ runId }: RunHandle): HeldRun {
    const held = this.held.get(runId);
    if (!held) throw new Error(`Run ${runId} is not held by this process.`);
    return held;
  }

  private async revisionOf({ workflowId, contentRevision, bodyPath }: HeldRun): Promise<Revision> {
    const revision = revisionAt(await this.revisions.get(workflowId, contentRevision), bodyPath);
    if (!revision) throw new Error(`Workflow ${workflowId} has no body at ${bodyPath.join('/')}.`);
    return revision;
  }

  private async outputsOf(run: RunHandle, held: HeldRun, nodes: readonly NodeState[]): Promise<string | null> {
    if (!held.saveOutputs) return null;
    const revision = await this.revisionOf(held);
    const outputs = await keptOutputs(run.runId, revision, nodes, (stored) => this.files.text(stored));
    return outputs && toJsonText(outputs);
  }

  /** A storage that is away is no fault of the run: it is tried again later, and no lease counts as lost. */
  private async takeOrPutBack(row: RunRow, workerId: string): Promise<ClaimedRun> {
    try {
      return await this.take(row, workerId, 0);
    } catch (error) {
      this.letGo(row.id);
      await this.dataSource.query(
        `UPDATE workflow_runs SET lease_owner = NULL, lease_expires_at = NULL, wake_at = now() + interval '${RETRY_AFTER}'
         WHERE id = $1 AND fence = $2 AND status = 'RUNNING'`,
        [row.id, row.fence],
      );
      throw error;
    }
  }

  private async take(row: RunRow, workerId: string, chain: number): Promise<ClaimedRun> {
    const { id: runId, workflow_id: workflowId, version, fence, save_outputs: saveOutputs } = row;
    const bodyPath = row.body_path ?? [];
    const held = {
      workflowId,
      version,
      contentRevision: row.content_revision,
      bodyPath,
      lostLeases: row.lost_leases,
      saveOutputs,
      workerId,
      chain,
      actsAs: row.acts_as,
      ownerId: row.owner_id,
      startedAt: row.started_at === null ? Date.now() : new Date(row.started_at).getTime(),
      isPlain: row.parent_run_id === null && !row.is_concurrent,
    };
    if (row.lag !== null) instruments.webhookLag.observe(Math.max(0, row.lag));
    this.held.set(runId, held);
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
  private async goOn(next: NextRun, before: HeldRun): Promise<ClaimedRun> {
    // What was adopted since the first of the chain counts from the next claim on.
    const actsAs = next.content_revision === before.contentRevision ? before.actsAs : await this.actorsOf(next);
    return this.take(
      {
        ...next,
        ...NOTHING_YET,
        acts_as: actsAs,
        past_actors: next.parent_version === null ? null : await this.pastActorsOf(next.id),
      },
      before.workerId,
      before.chain + 1,
    );
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

  private async giveUp(run: ClaimedRun): Promise<void> {
    const error = { code: 'worker_lost', message: 'The worker was lost too often while it ran this workflow.' };
    const finishedAt = Date.now();
    const nodes = run.nodes
      .filter(({ status }) => !isTerminalNodeStatus(status))
      .map((node): NodeState =>
        node.status === 'RUNNING'
          ? { ...node, status: 'FAILED', error, finishedAt, waiting: null }
          : { ...node, status: 'SKIPPED', finishedAt, waiting: null },
      );
    this.logger.error(`Run ${run.runId} is given up: ${MAX_LOST_LEASES} workers were lost over it.`);
    this.held.get(run.runId)!.chain = MAX_CHAIN;
    await this.finishRun(run, nodes, { status: 'FAILED', error: { nodeId: null, ...error } });
  }
}

/** A large one is read by whoever refers to it, elsewhere. */
function toPayload(text: string | null): ClaimedRun['payload'] {
  if (text === null || text === 'null') return null;
  return text.length > MAX_READ_PAYLOAD ? new JsonText(text) : (JSON.parse(text) as Record<string, unknown>);
}
