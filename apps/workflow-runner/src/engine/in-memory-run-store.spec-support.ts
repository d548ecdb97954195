import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ChildEnd,
  type ItemState,
  JsonText,
  type NodeState,
  type OutputHint,
  StoredOutput,
} from '@app/workflow-definition';
import {
  runResult,
  toRevision,
  type ChildRun,
  type ChildStart,
  type ClaimedRun,
  type FinishedRun,
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
  /** By node and index. */
  items: Map<string, Map<number, ItemState>>;
  /** The node of another run that waits for this one. */
  parent: { runId: string; nodeId: string; key: string } | null;
}

/** The contract of RunStore without a database: for simulations that need thousands of runs and a clock of their own. */
export class InMemoryRunStore extends RunStore {
  readonly calls: string[] = [];
  /** Runs that finishRun hands on, oldest first. */
  readonly queue: string[] = [];
  /** Outputs outside the rows, by key; of one database, like the runs. */
  private get files(): Map<string, string> {
    return filesOf(this.runs);
  }

  /** Definitions that `startChild` knows, by workflow id. */
  readonly workflows = new Map<string, unknown>();

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
      items: new Map(),
      parent: null,
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
    this.end(this.get(runId), 'STOPPED');
  }

  /** Runs that somebody could work on at the given time: what jobs and the sweeper would ask for. */
  due(now: number): string[] {
    return [...this.runs].flatMap(([id, run]) => {
      if (run.leaseOwner !== null) return [];
      if (run.status === 'PENDING') return [id];
      if (run.status !== 'RUNNING') return [];
      const isDue = run.wakeAt !== null && run.wakeAt <= now;
      return isDue || run.signals.some(({ consumed }) => !consumed) ? [id] : [];
    });
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

  async finishRun(run: RunHandle, nodes: readonly NodeState[], outcome: RunOutcome): Promise<FinishedRun> {
    await this.enter('finishRun');
    const held = this.held(run);
    if (!held) return { accepted: false, next: null, parentRunId: null };
    write(held, nodes);
    const workerId = held.leaseOwner!;
    this.end(held, outcome.status, outcome.error);
    const nextId = this.queue.shift();
    const next = nextId === undefined ? null : this.claim(nextId, workerId);
    await this.leave();
    return { accepted: true, next, parentRunId: held.parent?.runId ?? null };
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

  async keepOutput(
    _run: RunHandle,
    source: JsonText | { path: string; preview: string },
    hint: OutputHint | null,
  ): Promise<StoredOutput> {
    const text = source instanceof JsonText ? source.text : await readFile(source.path, 'utf8');
    const key = `kept/${this.files.size}`;
    this.files.set(key, text);
    return new StoredOutput({ key, size: Buffer.byteLength(text), sha256: '', preview: text.slice(0, 500) }, hint);
  }

  readOutput({ file }: StoredOutput): Promise<JsonText> {
    return Promise.resolve(new JsonText(this.files.get(file.key)!));
  }

  async localOutput({ file }: StoredOutput): Promise<{ path: string; release(): Promise<void> }> {
    const folder = await mkdtemp(join(tmpdir(), 'atrium-kept-'));
    const path = join(folder, 'output.json');
    await writeFile(path, this.files.get(file.key)!);
    return { path, release: () => rm(folder, { recursive: true }) };
  }

  /** The whole output of a node that has one, wherever it lies. */
  outputOf(runId: string, nodeId: string): unknown {
    const { output } = this.get(runId).nodes.get(nodeId)!;
    const stored = StoredOutput.from(output);
    return stored ? (JSON.parse(this.files.get(stored.file.key)!) as unknown) : output;
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

  async startChild({ runId }: RunHandle, { nodeId, key, workflowId, payload }: ChildRun): Promise<ChildStart> {
    await this.enter('startChild');
    const parent = this.get(runId);
    if (parent.status !== 'RUNNING') return { kind: 'abandoned' };
    const definition = workflowId === null ? bodyIn(parent.definition, nodeId) : this.workflows.get(workflowId);
    if (!definition) return { kind: 'not_found' };
    const childId = `${runId}/${nodeId}/${key}`;
    if (!this.runs.has(childId)) this.add(childId, definition, { payload, parent: { runId, nodeId, key } });
    await this.leave();
    return { kind: 'started', runId: childId };
  }

  async childEnds({ runId }: RunHandle, nodeId: string, keys: readonly string[]): Promise<ChildEnd[]> {
    await this.enter('childEnds');
    return keys.flatMap((key) => {
      const childId = `${runId}/${nodeId}/${key}`;
      const child = this.runs.get(childId);
      if (!child || child.status === 'PENDING' || child.status === 'RUNNING') return [];
      const outputs = [...child.nodes.values()]
        .filter(({ status }) => status === 'COMPLETED')
        .map(({ nodeId: id }) => ({ nodeId: id, output: this.outputOf(childId, id) }));
      const revision = toRevision(child.definition as Record<string, unknown>);
      const result = runResult(revision, new Map(outputs.map((node) => [node.nodeId, node.output])));
      return [{ key, runId: childId, version: 1, status: child.status, error: child.error ?? null, result }];
    });
  }

  async stopChildren({ runId }: RunHandle, nodeId: string, keys: readonly string[]): Promise<void> {
    await this.enter('stopChildren');
    for (const key of keys) {
      const child = this.runs.get(`${runId}/${nodeId}/${key}`);
      if (child && (child.status === 'PENDING' || child.status === 'RUNNING')) this.end(child, 'STOPPED');
    }
  }

  async saveItems(run: RunHandle, nodeId: string, items: readonly ItemState[]): Promise<boolean> {
    await this.enter('saveItems');
    const held = this.held(run);
    if (held) {
      const known = held.items.get(nodeId) ?? new Map<number, ItemState>();
      held.items.set(nodeId, known);
      for (const item of items) known.set(item.index, structuredClone({ ...item, output: toRow(item.output) }));
    }
    await this.leave();
    return held !== null;
  }

  async loadItems(
    { runId }: RunHandle,
    nodeId: string,
    { withOutputs, from = 0, to = Infinity }: { withOutputs: boolean; from?: number; to?: number },
  ): Promise<ItemState[]> {
    await this.enter('loadItems');
    const items = [...(this.get(runId).items.get(nodeId)?.values() ?? [])];
    return items
      .filter(({ index }) => index >= from && index < to)
      .sort((a, b) => a.index - b.index)
      .map((item) => structuredClone(withOutputs ? item : { ...item, output: null }));
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
      bodyPath: [],
      fence: run.fence,
      definition: run.definition,
      nodes: [...run.nodes.values()].map((node) => fromRow(structuredClone(node))),
      signals: unconsumed(run),
      payload: run.payload,
      onlyNodeIds: run.onlyNodeIds,
      ownerId: 7,
      requestId: null,
    };
  }

  /** The end of a run, and the signal for the run that waits for it; those that it started itself end with it. */
  private end(run: StoredRun, status: RunOutcome['status'], error?: RunOutcome['error']): void {
    Object.assign(run, { status, error, leaseOwner: null });
    if (run.parent) {
      const { runId, nodeId, key } = run.parent;
      this.get(runId).signals.push({ nodeId, waitId: key, value: { status }, consumed: false });
    }
    if (status === 'COMPLETED') return;
    for (const child of this.runs.values()) {
      const isActive = child.status === 'PENDING' || child.status === 'RUNNING';
      if (isActive && child.parent && this.get(child.parent.runId) === run) this.end(child, 'STOPPED');
    }
  }

  private held({ runId, fence }: RunHandle): StoredRun | null {
    const run = this.get(runId);
    return run.status === 'RUNNING' && run.fence === fence && run.leaseOwner !== null ? run : null;
  }
}

function write(run: StoredRun, nodes: readonly NodeState[]): void {
  for (const { consumed, ...node } of nodes) {
    run.nodes.set(node.nodeId, structuredClone({ ...node, output: toRow(node.output) }));
    for (const signal of run.signals)
      if (signal.nodeId === node.nodeId && consumed?.includes(signal.waitId)) signal.consumed = true;
  }
}

function unconsumed({ signals }: StoredRun): RunSignal[] {
  return signals.filter(({ consumed }) => !consumed).map(({ nodeId, waitId, value }) => ({ nodeId, waitId, value }));
}

function bodyIn(definition: unknown, nodeId: string): unknown {
  const { nodes } = definition as { nodes: { id: string; params?: { body?: unknown } }[] };
  return nodes.find(({ id }) => id === nodeId)?.params?.body;
}

const files = new WeakMap<object, Map<string, string>>();

function filesOf(runs: object): Map<string, string> {
  const known = files.get(runs) ?? new Map<string, string>();
  files.set(runs, known);
  return known;
}

function toRow(output: unknown): unknown {
  if (output instanceof JsonText) return output.parse();
  return output instanceof StoredOutput ? output.toJSON() : output;
}

function fromRow(node: NodeState): NodeState {
  return { ...node, output: StoredOutput.from(node.output) ?? node.output };
}
