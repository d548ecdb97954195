import { toJsonText } from '@app/common';
import { executeRunJob } from '@app/contracts';
import type { LocalFile } from '@app/integrations';
import { noteEnd } from '@app/observability';
import type { Outbox } from '@app/queues';
import {
  type ChildEnd,
  isTerminalNodeStatus,
  type ItemState,
  type JsonText,
  type NodeState,
  type OutputHint,
  type StoredOutput,
} from '@app/workflow-definition';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { RevisionCache } from '../revisions/revision-cache.js';
import { ChildRuns } from './child-runs.js';
import { type HeldRun, HeldRuns } from './held-runs.js';
import { keptOutputs } from './kept-outputs.js';
import type { OutputFiles } from '../outputs/output-files.js';
import type { SharedApps } from '../access/shared-apps.js';
import type { RunAnnouncer } from './run-announcer.js';
import type { RunNotifier } from './run-notifier.js';
import { MAX_LOST_LEASES, RunClaims } from './run-claims.js';
import { RunEnds } from './run-ends.js';
import { RunItems } from './run-items.js';
import { SignalRows } from './signal-rows.js';
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
import { RunTakeUp } from './run-take-up.js';

/** So many requests of one workflow run back to back before the other workflows get their turn. */
const MAX_CHAIN = 25;
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
  private readonly held = new HeldRuns();
  private readonly takeUp: RunTakeUp;
  private readonly claims: RunClaims;
  private readonly children: ChildRuns;
  private readonly items: RunItems;
  private readonly signals: SignalRows;
  private readonly ends: RunEnds;

  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    revisions: RevisionCache,
    private readonly announcer: RunAnnouncer,
    private readonly notifier: RunNotifier,
    private readonly files: OutputFiles,
    apps: SharedApps,
    leaseSeconds: number,
  ) {
    super();
    this.children = new ChildRuns(dataSource, outbox, revisions, files, apps);
    this.items = new RunItems(dataSource);
    this.signals = new SignalRows(dataSource);
    this.takeUp = new RunTakeUp(dataSource, revisions, this.held);
    this.claims = new RunClaims(dataSource, this.held, this.takeUp, leaseSeconds, (run) => this.giveUp(run));
    this.ends = new RunEnds(dataSource, outbox, leaseSeconds, () => this.held.size);
  }

  /** Tests set another. */
  set suspects(suspects: HeldRuns['suspects']) {
    this.held.suspects = suspects;
  }

  /** Null: there is no such run (any more). */
  async whose(runId: string): Promise<{ ownerId: number; workflowId: string } | null> {
    const [row] = await this.dataSource.query<{ owner_id: number; id: string }[]>(
      'SELECT w.owner_id, w.id FROM workflow_runs r JOIN workflows w ON w.id = r.workflow_id WHERE r.id = $1',
      [runId],
    );
    return row ? { ownerId: row.owner_id, workflowId: row.id } : null;
  }

  claimRun(runId: string, workerId: string): Promise<ClaimedRun | null> {
    return this.claims.claim(runId, workerId);
  }

  /** A run that was turned away and that may be tried again now, each once; the sweeper finds it otherwise. */
  nextTurnedAway(): string | null {
    return this.claims.nextTurnedAway();
  }

  async saveProgress(run: RunHandle, nodes: readonly NodeState[]): Promise<boolean> {
    const held = this.held.get(run);
    const rows = await this.dataSource.query<unknown[]>(
      `WITH held AS MATERIALIZED (
         SELECT id, workflow_id FROM workflow_runs WHERE id = $1 AND fence = $2 AND status = 'RUNNING' FOR NO KEY UPDATE)
       SELECT workflow_write_nodes(id, $3::json),
         CASE WHEN $4::json IS NOT NULL THEN workflow_write_outputs(workflow_id, id, $4::json) END
       FROM held`,
      [run.runId, run.fence, await this.files.toRowsText(run, nodes), await this.outputsOf(run, held, nodes)],
    );
    if (rows.length === 0) this.held.letGo(run.runId);
    else this.announcer.nodesChanged(held.workflowId, held.version);
    return rows.length > 0;
  }

  async finishRun(run: RunHandle, nodes: readonly NodeState[], outcome: RunOutcome): Promise<FinishedRun> {
    const held = this.held.get(run);
    const { workflowId, ownerId } = held;
    const claimsNext = !this.claims.isDraining && held.chain < MAX_CHAIN;
    const { accepted, parentRunId, next, receipt } = await this.ends.write({
      ...run,
      workflowId,
      ownerId,
      outcome,
      nodes: await this.files.toRowsText(run, nodes),
      outputs: await this.outputsOf(run, held, nodes),
      worker: claimsNext ? held.workerId : null,
      isPlain: held.isPlain && nodes.every(({ usage, consumed }) => !usage && !consumed?.length),
    });
    this.held.letGo(run.runId);
    if (!accepted) return { accepted, next: null, parentRunId: null };
    noteRunEnd(run, held, outcome);
    this.announcer.nodesChanged(workflowId, held.version);
    if (parentRunId) await this.notifier.notifyOfSignal(parentRunId);
    if (receipt) this.outbox.publishSoon([receipt]);
    return { accepted, next: next && claimsNext ? await this.takeUp.goOn(next, held) : null, parentRunId };
  }

  async parkRun(run: RunHandle, nodes: readonly NodeState[], wakeAt: number | null): Promise<boolean> {
    const held = this.held.get(run);
    const message = this.outbox.prepare(executeRunJob, { runId: run.runId, fence: run.fence });
    const [row] = await this.dataSource.query<{ outbox_id: string | null }[]>(
      `WITH held AS (
         UPDATE workflow_runs SET lease_owner = NULL, lease_expires_at = NULL, wake_at = to_timestamp($4 / 1000.0),
           lost_leases = 0
         WHERE id = $1 AND fence = $2 AND status = 'RUNNING' RETURNING id, workflow_id)
       SELECT workflow_write_nodes(id, $3::json),
         CASE WHEN $5::json IS NOT NULL THEN workflow_write_outputs(workflow_id, id, $5::json) END,
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
    this.held.letGo(run.runId);
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
    const { workflowId, contentRevision } = this.held.get(run);
    return this.children.start(run, child, { workflowId, contentRevision });
  }

  childEnds(run: RunHandle, nodeId: string, keys: readonly string[]): Promise<ChildEnd[]> {
    return this.children.ends(run.runId, nodeId, keys);
  }

  stopChildren(run: RunHandle, nodeId: string, keys: readonly string[], reason: string): Promise<void> {
    return this.children.stop(run.runId, nodeId, keys, reason);
  }

  async saveItems(run: RunHandle, nodeId: string, items: readonly ItemState[]): Promise<boolean> {
    const held = this.held.find(run);
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

  heartbeat(runIds: readonly string[], workerId: string): Promise<string[]> {
    return this.claims.heartbeat(runIds, workerId);
  }

  /** From now on nothing new is claimed, not even by finishing a run. */
  drain(): void {
    this.claims.drain();
  }

  /** Gives what this worker still holds back to the others. @returns how many runs. */
  releaseAll(workerId: string): Promise<number> {
    return this.claims.releaseAll(workerId);
  }

  private async outputsOf(run: RunHandle, held: HeldRun, nodes: readonly NodeState[]): Promise<string | null> {
    if (!held.saveOutputs) return null;
    const revision = await this.takeUp.revisionOf(held);
    const outputs = await keptOutputs(run.runId, revision, nodes, (stored) => this.files.text(stored));
    return outputs && toJsonText(outputs);
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
    this.held.get(run).chain = MAX_CHAIN;
    await this.finishRun(run, nodes, { status: 'FAILED', error: { nodeId: null, ...error } });
  }
}
