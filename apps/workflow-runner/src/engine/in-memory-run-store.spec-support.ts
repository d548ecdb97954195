import {
  type ChildStart,
  type ClaimedRun,
  type NodeState,
  type RunHandle,
  type RunOutcome,
  type RunSignal,
  RunStore,
} from '@app/workflows';

export interface StoredRun {
  definition: unknown;
  workflowId: string;
  status: 'PENDING' | 'RUNNING' | RunOutcome['status'];
  error: RunOutcome['error'];
  fence: number;
  leaseOwner: string | null;
  wakeAt: number | null;
  nodes: Map<string, NodeState>;
  signals: (RunSignal & { consumed: boolean })[];
  payload: Record<string, unknown> | null;
  onlyNodeIds: string[] | null;
}

/** The contract of RunStore without a database: for simulations that need thousands of runs and a clock of their own. */
export class InMemoryRunStore extends RunStore {
  readonly calls: string[] = [];
  /** Runs that finishRun hands on, oldest first. */
  readonly queue: string[] = [];

  /** Stores over one map are one database, seen by several workers. */
  constructor(readonly runs = new Map<string, StoredRun>()) {
    super();
  }

  add(runId: string, definition: unknown, more: Partial<StoredRun> = {}): void {
    this.runs.set(runId, {
      definition,
      workflowId: 'workflow',
      status: 'PENDING',
      error: undefined,
      fence: 0,
      leaseOwner: null,
      wakeAt: null,
      nodes: new Map(),
      signals: [],
      payload: null,
      onlyNodeIds: null,
      ...more,
    });
  }

  get(runId: string): StoredRun {
    return this.runs.get(runId)!;
  }

  statuses(runId: string): Record<string, string> {
    return Object.fromEntries([...this.get(runId).nodes.values()].map(({ nodeId, status }) => [nodeId, status]));
  }

  /** What a sweeper does once the lease of a dead worker has run out. */
  expireLeases(): void {
    for (const run of this.runs.values()) run.leaseOwner = null;
  }

  stop(runId: string): void {
    this.get(runId).status = 'STOPPED';
  }

  async claimRun(runId: string, workerId: string): Promise<ClaimedRun | null> {
    await this.enter('claimRun');
    return this.claim(runId, workerId);
  }

  async saveProgress(run: RunHandle, nodes: readonly NodeState[]): Promise<boolean> {
    await this.enter('saveProgress');
    const held = this.held(run);
    if (held) write(held, nodes);
    await this.leave();
    return held !== null;
  }

  async finishRun(
    run: RunHandle,
    nodes: readonly NodeState[],
    outcome: RunOutcome,
  ): Promise<{ accepted: boolean; next: ClaimedRun | null }> {
    await this.enter('finishRun');
    const held = this.held(run);
    if (!held) return { accepted: false, next: null };
    write(held, nodes);
    const workerId = held.leaseOwner!;
    Object.assign(held, { status: outcome.status, error: outcome.error, leaseOwner: null });
    const nextId = this.queue.shift();
    const next = nextId === undefined ? null : this.claim(nextId, workerId);
    await this.leave();
    return { accepted: true, next };
  }

  async parkRun(run: RunHandle, nodes: readonly NodeState[], wakeAt: number | null): Promise<boolean> {
    await this.enter('parkRun');
    const held = this.held(run);
    if (held) {
      write(held, nodes);
      Object.assign(held, { leaseOwner: null, wakeAt });
    }
    await this.leave();
    return held !== null;
  }

  async heartbeat(runIds: readonly string[], workerId: string): Promise<string[]> {
    await this.enter('heartbeat');
    return runIds.filter((id) => this.get(id).status === 'RUNNING' && this.get(id).leaseOwner === workerId);
  }

  async takeSignals({ runId }: RunHandle): Promise<RunSignal[]> {
    await this.enter('takeSignals');
    return unconsumed(this.get(runId));
  }

  async closeWait({ runId }: RunHandle, nodeId: string, waitId: string): Promise<RunSignal | null> {
    await this.enter('closeWait');
    const known = this.get(runId).signals.find((signal) => signal.nodeId === nodeId && signal.waitId === waitId);
    if (!known) this.get(runId).signals.push({ nodeId, waitId, value: null, consumed: true });
    await this.leave();
    return known && !known.consumed ? { nodeId, waitId, value: known.value } : null;
  }

  startChild(): Promise<ChildStart> {
    return Promise.resolve({ kind: 'not_found' });
  }

  /** Simulations override these two: a worker can die before a write and after it. */
  protected enter(call: string): Promise<void> {
    this.calls.push(call);
    return Promise.resolve();
  }

  protected leave(): Promise<void> {
    return Promise.resolve();
  }

  private claim(runId: string, workerId: string): ClaimedRun | null {
    const run = this.get(runId);
    if ((run.status !== 'PENDING' && run.status !== 'RUNNING') || run.leaseOwner !== null) return null;
    run.fence += 1;
    Object.assign(run, { status: 'RUNNING', leaseOwner: workerId, wakeAt: null });
    return {
      runId,
      workflowId: run.workflowId,
      version: 1,
      fence: run.fence,
      definition: run.definition,
      nodes: [...run.nodes.values()].map((node) => structuredClone(node)),
      signals: unconsumed(run),
      payload: run.payload,
      onlyNodeIds: run.onlyNodeIds,
      ownerId: 7,
      requestId: null,
    };
  }

  private held({ runId, fence }: RunHandle): StoredRun | null {
    const run = this.get(runId);
    return run.status === 'RUNNING' && run.fence === fence && run.leaseOwner !== null ? run : null;
  }
}

function write(run: StoredRun, nodes: readonly NodeState[]): void {
  for (const { consumed, ...node } of nodes) {
    run.nodes.set(node.nodeId, structuredClone(node));
    for (const signal of run.signals)
      if (signal.nodeId === node.nodeId && consumed?.includes(signal.waitId)) signal.consumed = true;
  }
}

function unconsumed({ signals }: StoredRun): RunSignal[] {
  return signals.filter(({ consumed }) => !consumed).map(({ nodeId, waitId, value }) => ({ nodeId, waitId, value }));
}
