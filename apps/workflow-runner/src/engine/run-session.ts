import { AutoResetEvent, cutText } from '@app/common';
import { instruments } from '@app/observability';
import { type NodeUsage, sideEffectsOf } from '@app/workflow-definition';
import { RunEngine, type ClaimedRun, type NodeTask } from '@app/workflows';
import type { ExecutorSettings } from './executor-options.js';
import type { GraphCache } from './graph-cache.js';
import type { NodeOutcome } from './node-outcome.js';
import { NodeRunner, type NodeHost } from './node-runner.js';
import { RunWrites, type SessionEnd } from './run-writes.js';

/** Of the params of kinds that reach something outside, as JSON: more than this counts as large. */
const MAX_INLINE_BYTES = 256 * 1024;
/** Longer waits are looked at again in between. */
const MAX_WAIT_MS = 60_000;
/** A stretch of quick nodes longer than this lets the rest of the process work in between. */
const MAX_STRETCH_MS = 5;

/**
 * Carries one claimed run as far as this worker can. Writes are rare: at most one per `flushMs` while something
 * changes, one before nodes with effects start, and one at the end, so that a run of quick nodes costs a single write.
 */
export class RunSession implements NodeHost {
  private readonly engine: RunEngine | null;
  private readonly refusal: string | null;
  private readonly nodes: NodeRunner;
  private running = 0;
  private isAbandoned = false;
  private broken: { error: unknown } | null = null;
  private isDraining = false;
  private lastFlush: number;
  /** Something happened that may give it something to do. */
  private readonly changed = new AutoResetEvent();
  private readonly writes: RunWrites;
  /** An answer or the end of a child run has come, or may have. */
  private hasSignals = false;

  constructor(
    readonly run: ClaimedRun,
    private readonly settings: ExecutorSettings,
    graphs: GraphCache,
  ) {
    const { graph, errors } = graphs.get(run.definition);
    this.refusal = errors[0]?.message ?? null;
    this.writes = new RunWrites(run, settings, () => this.isAbandoned);
    this.nodes = new NodeRunner(run, settings, this);
    this.lastFlush = this.now();
    this.engine =
      graph &&
      new RunEngine(graph, run.nodes, {
        kindOf: (kind) => settings.catalogue.find(kind),
        only: run.onlyNodeIds,
        payload: run.payload,
        inlineBytes: (kind) => inlineBytesOf(settings, kind),
        now: this.now(),
      });
    for (const { nodeId, waitId, value } of run.signals) this.engine?.signal(nodeId, waitId, value);
  }

  /** The run is no longer ours: nothing more is written, and tools that are at work are told to stop. */
  abandon(): void {
    this.isAbandoned = true;
    this.nodes.abortAll();
    this.changed.set();
  }

  breakDown(error: unknown): void {
    this.broken ??= { error };
    this.changed.set();
  }

  /** An answer or the end of a child run waits in the store. */
  noteSignals(): void {
    this.hasSignals = true;
    this.changed.set();
  }

  /** The notification of signals may have been lost: asked at every heartbeat. */
  noteLostSignals(): void {
    if (this.engine?.awaitsSignals) this.noteSignals();
  }

  childStarted(runId: string): void {
    this.settings.onChildStarted?.(runId);
  }

  report(nodeId: string, total: number, completed: number): void {
    this.engine?.reportBatch(nodeId, total, completed);
    this.changed.set();
  }

  warn(nodeId: string, warnings: readonly string[]): void {
    this.engine?.warn(nodeId, warnings);
  }

  use(nodeId: string, usage: NodeUsage): void {
    this.engine?.reportUsage(nodeId, usage);
  }

  /** Starts nothing new, and gives the run back once the nodes at work are done. */
  drain(): void {
    this.isDraining = true;
    this.changed.set();
  }

  async work(): Promise<SessionEnd> {
    const { engine } = this;
    if (!engine) {
      const message = cutText(`The definition is not valid: ${this.refusal ?? ''}`, 1_000);
      return this.writes.finish([], { status: 'FAILED', error: { nodeId: null, code: 'invalid_definition', message } });
    }
    // To do nothing would look like success.
    if (this.run.onlyNodeIds?.length === 0) {
      const message = 'The node that this run was to start with is no longer part of the workflow.';
      return this.writes.finish([], { status: 'FAILED', error: { nodeId: null, code: 'unknown_node', message } });
    }
    let stretchStart = performance.now();
    for (;;) {
      if (this.broken) throw this.broken.error;
      if (this.isAbandoned) return { kind: 'abandoned' };
      const now = this.now();
      if (this.hasSignals && !(await this.readSignals(engine))) return { kind: 'abandoned' };
      engine.wake(now);
      if (!(await this.closeExpired(engine))) return { kind: 'abandoned' };
      const tasks = this.isDraining ? [] : engine.takeReady(now, this.settings.concurrentNodes - this.running);
      if (tasks.length > 0) {
        if (!(await this.startAll(engine, tasks))) return { kind: 'abandoned' };
        if (performance.now() - stretchStart < MAX_STRETCH_MS) continue;
        await this.settings.turns.next(this.run.ownerId);
        stretchStart = performance.now();
        continue;
      }
      if (this.running === 0) {
        const end = await this.settle(engine, now);
        if (end) return end;
      }
      if (now - this.lastFlush >= this.settings.flushMs && !(await this.flush(engine))) return { kind: 'abandoned' };
      await this.idle(engine);
      stretchStart = performance.now();
    }
  }

  private async readSignals(engine: RunEngine): Promise<boolean> {
    this.hasSignals = false;
    const signals = await this.write(() => this.settings.store.takeSignals(this.run));
    for (const { nodeId, waitId, value } of signals ?? []) engine.signal(nodeId, waitId, value);
    return signals !== null;
  }

  /** The time of a question is over, unless an answer was faster: the store decides, for everybody. */
  private async closeExpired(engine: RunEngine): Promise<boolean> {
    for (const { nodeId, waitId } of engine.takeExpired()) {
      const closed = await this.write(async () => ({
        answer: await this.settings.store.closeWait(this.run, nodeId, waitId),
      }));
      if (!closed) return false;
      engine.signal(nodeId, waitId, closed.answer?.value ?? null);
    }
    return true;
  }

  /** Nodes without effects first: they need not wait for the write that the others need. */
  private async startAll(engine: RunEngine, tasks: readonly NodeTask[]): Promise<boolean> {
    const careful: NodeTask[] = [];
    for (const task of tasks) {
      const { kind, params } = task.node;
      const sideEffects = sideEffectsOf(this.settings.catalogue.find(kind), params) ?? 'none';
      if (sideEffects === 'none') this.start(engine, task);
      else careful.push(task);
    }
    if (careful.length === 0) return true;
    // An effect may only begin once the database knows that this worker, and no other, has begun it.
    if (!(await this.flush(engine))) return false;
    for (const task of careful) if (!this.isAbandoned) this.start(engine, task);
    return true;
  }

  private start(engine: RunEngine, task: NodeTask): void {
    const outcome = this.nodes.start(this.settings.catalogue.find(task.node.kind), task);
    if (!(outcome instanceof Promise)) {
      this.apply(engine, task, outcome);
      return;
    }
    this.running += 1;
    void this.applyLater(engine, task, outcome);
  }

  private async applyLater(engine: RunEngine, task: NodeTask, outcome: Promise<NodeOutcome>): Promise<void> {
    const settled = await outcome;
    this.running -= 1;
    if (!this.isAbandoned && !this.broken) this.apply(engine, task, settled);
    this.changed.set();
  }

  private apply(engine: RunEngine, { node, attempt }: NodeTask, outcome: NodeOutcome): void {
    const kind = this.settings.catalogue.find(node.kind) ? node.kind : 'unknown';
    instruments.nodesEnded.inc({ kind, outcome: outcome.kind });
    if (attempt > 1) instruments.retries.inc({ work: 'node' });
    switch (outcome.kind) {
      case 'completed':
        engine.complete(node.id, outcome, this.now());
        break;
      case 'failed':
        if (outcome.usage) engine.reportUsage(node.id, outcome.usage);
        engine.fail(node.id, outcome, this.now());
        break;
      case 'waiting':
        engine.wait(node.id, outcome.waiting);
        break;
    }
  }

  /** Nothing runs and nothing can start: the end, a pause, or (null) a wait too short to give the run back. */
  private async settle(engine: RunEngine, now: number): Promise<SessionEnd | null> {
    const { status, failure } = engine;
    if (status === 'COMPLETED' || status === 'FAILED' || status === 'STOPPED') {
      return this.writes.finish(engine.takeDirty(), { status, ...(failure && { error: failure }) });
    }
    if (engine.hasReady) return this.isDraining ? this.park(engine, now) : null;
    const wakeAt = engine.nextWakeAt();
    if (wakeAt === null && !engine.states().some(({ waiting }) => waiting && waiting.reason !== 'wait_for')) {
      throw new Error(`Run ${this.run.runId} cannot go on, but has not ended.`);
    }
    if (wakeAt !== null && wakeAt - now <= this.settings.shortWaitMs && !this.isDraining) return null;
    return this.park(engine, wakeAt);
  }

  private async park(engine: RunEngine, wakeAt: number | null): Promise<SessionEnd> {
    return { kind: (await this.writes.park(engine.takeDirty(), wakeAt)) ? 'parked' : 'abandoned' };
  }

  /** False: the run is no longer ours. */
  private async flush(engine: RunEngine): Promise<boolean> {
    this.lastFlush = this.now();
    return (await this.writes.save(engine.takeDirty())) && !this.isAbandoned;
  }

  /** Null: the run was abandoned in the meantime. Throws what the last try threw. */
  write<T>(attempt: () => Promise<T>): Promise<T | null> {
    return this.writes.write(attempt);
  }

  /** Until a node is done, the next write is due, or a short wait is over. */
  private idle(engine: RunEngine): Promise<void> {
    const dueAt = engine.hasDirty ? this.lastFlush + this.settings.flushMs : Number.POSITIVE_INFINITY;
    const until = Math.min(dueAt, engine.nextWakeAt() ?? Number.POSITIVE_INFINITY);
    const milliseconds = until - this.now();
    return this.changed.wait(milliseconds === Infinity ? Infinity : Math.min(milliseconds, MAX_WAIT_MS));
  }

  private now(): number {
    return this.settings.clock.now();
  }
}

/** Where there is nobody else to do it, all is done here. */
function inlineBytesOf({ apart }: ExecutorSettings, kind: string): number {
  return apart ? (apart.inlineBytes(kind) ?? MAX_INLINE_BYTES) : Number.POSITIVE_INFINITY;
}
