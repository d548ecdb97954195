import { contextOfOrigin, currentOrigin, runInContext } from '@app/common';
import { withSpan } from '@app/observability';
import type { ClaimedRun } from '@app/workflows';
import { withDefaults, type ExecutorOptions, type ExecutorSettings } from './executor-options.js';
import { GraphCache } from './graph-cache.js';
import { RunSession } from './run-session.js';

/**
 * Executes claimed runs in this process, many at once. The store decides who works on a run; this keeps the leases
 * alive, and drops a run at once when the store says that it was stopped or taken over.
 */
export class RunExecutor {
  private readonly settings: ExecutorSettings;
  private readonly graphs: GraphCache;
  private readonly sessions = new Map<string, RunSession>();
  private readonly executions = new Set<Promise<void>>();
  private heartbeatTimer: NodeJS.Timeout | null = null;
  private isDraining = false;

  constructor(options: ExecutorOptions) {
    this.settings = { ...withDefaults(options), onChildStarted: (runId) => this.takeUp(runId) };
    this.graphs = new GraphCache(options.catalogue);
  }

  /** Runs that this process holds now. */
  get activeRuns(): number {
    return this.sessions.size;
  }

  /**
   * Claims a run and carries it as far as possible, then those that the store hands on: the workflow's next webhook
   * requests. Returns when nothing is left to do here; does nothing when somebody else holds the run.
   */
  execute(runId: string): Promise<void> {
    if (this.isDraining) return Promise.resolve();
    const execution = this.claimAndWork(runId).finally(() => this.executions.delete(execution));
    this.executions.add(execution);
    return execution;
  }

  /** For a stop that was announced live; the store has it already. Faster than the next heartbeat, never needed. */
  abandon(runId: string): void {
    this.sessions.get(runId)?.abandon();
  }

  /** For an answer or the end of a child run that was announced live. */
  noteSignals(runId: string): void {
    this.sessions.get(runId)?.noteSignals();
  }

  /**
   * Starts nothing new and gives every run back as soon as its nodes at work are done; after `graceMs` also those
   * that are still at work, whose tools are told to stop.
   */
  async drain(graceMs: number): Promise<void> {
    this.isDraining = true;
    for (const session of this.sessions.values()) session.drain();
    const settled = Promise.allSettled(this.executions);
    let timer: NodeJS.Timeout | undefined;
    const isLate = await Promise.race([
      settled.then(() => false),
      new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(true), graceMs))),
    ]);
    clearTimeout(timer);
    if (isLate) for (const session of this.sessions.values()) session.abandon();
    await settled;
    this.stopHeartbeat();
  }

  /** A run that a job asked for: a hop over the queue less when there is room for it here. */
  private takeUp(runId: string): void {
    const session = this.sessions.get(runId);
    if (session) session.noteSignals();
    if (session || this.sessions.size >= this.settings.ownRuns) return;
    this.execute(runId).catch((error: unknown) => {
      // Whoever takes the job, or the sweeper, goes on with it.
      this.settings.logger.warn('A run could not be taken up', {
        runId,
        error: error instanceof Error ? error.message : String(error),
      });
    });
  }

  private async claimAndWork(runId: string): Promise<void> {
    let claimed = await this.settings.store.claimRun(runId, this.settings.workerId);
    while (claimed) claimed = await this.work(claimed);
  }

  private async work(claimed: ClaimedRun): Promise<ClaimedRun | null> {
    const session = new RunSession(claimed, this.settings, this.graphs);
    this.sessions.set(claimed.runId, session);
    if (this.isDraining) session.drain();
    this.startHeartbeat();
    try {
      const origin = contextOfOrigin(claimed.requestId ?? currentOrigin() ?? claimed.runId);
      const { workflowId, runId, version } = claimed;
      const attributes = { 'atrium.workflow.id': workflowId, 'atrium.run.id': runId, 'atrium.run.version': version };
      const end = await runInContext({ ...origin, userId: claimed.ownerId }, () =>
        withSpan('run workflow', { attributes }, () => session.work()),
      );
      // Tools that are still at work for a run that is somebody else's now.
      if (end.kind === 'abandoned') session.abandon();
      if (end.kind !== 'finished') return null;
      if (end.parentRunId) this.takeUp(end.parentRunId);
      return end.next;
    } catch (error) {
      // A lost database must not leave tools at work behind a lease that will run out.
      session.abandon();
      throw error;
    } finally {
      if (this.sessions.get(claimed.runId) === session) this.sessions.delete(claimed.runId);
    }
  }

  private startHeartbeat(): void {
    if (this.heartbeatTimer) return;
    this.heartbeatTimer = setTimeout(() => void this.beat(), this.settings.heartbeatMs);
    this.heartbeatTimer.unref();
  }

  private stopHeartbeat(): void {
    if (this.heartbeatTimer) clearTimeout(this.heartbeatTimer);
    this.heartbeatTimer = null;
  }

  private async beat(): Promise<void> {
    const asked = new Map(this.sessions);
    try {
      const held = new Set(await this.settings.store.heartbeat([...asked.keys()], this.settings.workerId));
      for (const [runId, session] of asked) {
        // A run that has ended here in the meantime is not held any more, and that is right.
        if (!held.has(runId) && this.sessions.get(runId) === session) session.abandon();
        else session.noteLostSignals();
      }
    } catch (error) {
      this.settings.logger.warn('The heartbeat of the runs failed', {
        error: error instanceof Error ? error.message : String(error),
      });
    }
    this.heartbeatTimer = null;
    if (this.sessions.size > 0) this.startHeartbeat();
  }
}
