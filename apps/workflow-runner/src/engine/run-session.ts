import { RunEngine, sideEffectsOf, type ClaimedRun, type NodeTask, type RunOutcome } from '@app/workflows';
import type { ExecutorSettings } from './executor-options.js';
import type { GraphCache } from './graph-cache.js';
import { NodeRunner, type NodeOutcome } from './node-runner.js';

/** A stretch of quick nodes longer than this lets the rest of the process work in between. */
const MAX_STRETCH_MS = 10;

/** How this worker and the run parted: `abandoned` when a stop or another worker was faster. */
export type SessionEnd = { kind: 'finished'; next: ClaimedRun | null } | { kind: 'parked' } | { kind: 'abandoned' };

/**
 * Carries one claimed run as far as this worker can. Writes are rare: at most one per `flushMs` while something
 * changes, one before nodes with effects start, and one at the end, so that a run of quick nodes costs a single write.
 */
export class RunSession {
  private readonly engine: RunEngine | null;
  private readonly refusal: string | null;
  private readonly nodes: NodeRunner;
  private running = 0;
  private isAbandoned = false;
  private isDraining = false;
  private lastFlush: number;
  private wakeUp: (() => void) | null = null;
  /** Something happened while nobody was idle. */
  private isSignalled = false;

  constructor(
    readonly run: ClaimedRun,
    private readonly settings: ExecutorSettings,
    graphs: GraphCache,
  ) {
    const { graph, errors } = graphs.get(run.definition);
    this.refusal = errors[0]?.message ?? null;
    this.nodes = new NodeRunner(run, settings);
    this.lastFlush = this.now();
    this.engine =
      graph &&
      new RunEngine(graph, run.nodes, {
        kindOf: (kind) => settings.catalogue.find(kind),
        only: run.onlyNodeIds,
        payload: run.payload,
        now: this.now(),
      });
  }

  /** The run is no longer ours: nothing more is written, and tools that are at work are told to stop. */
  abandon(): void {
    this.isAbandoned = true;
    this.nodes.abortAll();
    this.signal();
  }

  /** Starts nothing new, and gives the run back once the nodes at work are done. */
  drain(): void {
    this.isDraining = true;
    this.signal();
  }

  async work(): Promise<SessionEnd> {
    const { engine } = this;
    if (!engine) {
      const message = `The definition is not valid: ${this.refusal ?? ''}`.slice(0, 1_000);
      return this.finish([], { status: 'FAILED', error: { nodeId: null, code: 'invalid_definition', message } });
    }
    let stretchStart = performance.now();
    for (;;) {
      if (this.isAbandoned) return { kind: 'abandoned' };
      const now = this.now();
      engine.wake(now);
      const tasks = this.isDraining ? [] : engine.takeReady(now, this.settings.concurrentNodes - this.running);
      if (tasks.length > 0) {
        if (!(await this.startAll(engine, tasks))) return { kind: 'abandoned' };
        if (performance.now() - stretchStart < MAX_STRETCH_MS) continue;
        await new Promise((resolve) => setImmediate(resolve));
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
    if (!this.isAbandoned) this.apply(engine, task, settled);
    this.signal();
  }

  private apply(engine: RunEngine, { node }: NodeTask, outcome: NodeOutcome): void {
    switch (outcome.kind) {
      case 'completed':
        engine.complete(node.id, outcome, this.now());
        break;
      case 'failed':
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
      return this.finish(engine.takeDirty(), { status, ...(failure && { error: failure }) });
    }
    if (engine.hasReady) return this.isDraining ? this.park(engine, now) : null;
    const wakeAt = engine.nextWakeAt();
    if (wakeAt === null && !engine.states().some(({ waiting }) => waiting && waiting.reason !== 'wait_for')) {
      throw new Error(`Run ${this.run.runId} cannot go on, but has not ended.`);
    }
    if (wakeAt !== null && wakeAt - now <= this.settings.shortWaitMs && !this.isDraining) return null;
    return this.park(engine, wakeAt);
  }

  private async finish(nodes: ReturnType<RunEngine['takeDirty']>, outcome: RunOutcome): Promise<SessionEnd> {
    const written = await this.write(() => this.settings.store.finishRun(this.run, nodes, outcome));
    return written?.accepted ? { kind: 'finished', next: written.next } : { kind: 'abandoned' };
  }

  private async park(engine: RunEngine, wakeAt: number | null): Promise<SessionEnd> {
    const nodes = engine.takeDirty();
    const isAccepted = await this.write(() => this.settings.store.parkRun(this.run, nodes, wakeAt));
    return { kind: isAccepted ? 'parked' : 'abandoned' };
  }

  /** False: the run is no longer ours. */
  private async flush(engine: RunEngine): Promise<boolean> {
    this.lastFlush = this.now();
    const nodes = engine.takeDirty();
    if (nodes.length === 0) return true;
    return (await this.write(() => this.settings.store.saveProgress(this.run, nodes))) === true && !this.isAbandoned;
  }

  /** Null: the run was abandoned in the meantime. Throws what the last try threw. */
  private async write<T>(attempt: () => Promise<T>): Promise<T | null> {
    for (const pause of [...this.settings.writeRetryMs, null]) {
      try {
        return await attempt();
      } catch (error) {
        if (this.isAbandoned) return null;
        if (pause === null) throw error;
        this.settings.logger.warn('A write of a run failed and is tried again', {
          runId: this.run.runId,
          error: error instanceof Error ? error.message : String(error),
        });
        await new Promise((resolve) => setTimeout(resolve, pause));
        if (this.isAbandoned) return null;
      }
    }
    return null;
  }

  /** Until a node is done, the next write is due, or a short wait is over. */
  private idle(engine: RunEngine): Promise<void> {
    const now = this.now();
    const flushAt = this.lastFlush + this.settings.flushMs;
    const until = Math.min(
      engine.hasDirty ? flushAt : Number.POSITIVE_INFINITY,
      engine.nextWakeAt() ?? Number.POSITIVE_INFINITY,
    );
    if (this.isSignalled) {
      this.isSignalled = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const timer = Number.isFinite(until)
        ? setTimeout(() => this.signal(), Math.min(Math.max(0, until - now), 60_000))
        : null;
      this.wakeUp = () => {
        if (timer) clearTimeout(timer);
        this.wakeUp = null;
        resolve();
      };
    });
  }

  private signal(): void {
    if (this.wakeUp) this.wakeUp();
    else this.isSignalled = true;
  }

  private now(): number {
    return this.settings.clock.now();
  }
}
