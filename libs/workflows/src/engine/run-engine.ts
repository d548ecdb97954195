import {
  createPendingNodeState,
  isTerminalNodeStatus,
  type JsonText,
  type NodeError,
  type NodeSpec,
  type NodeState,
  type NodeStatus,
  type NodeUsage,
  type NodeWait,
  type RunStatus,
  sideEffectsOf,
  type Tool,
  ToolError,
  type ToolResume,
  type WorkflowGraph,
} from '@app/workflow-definition';
import type { HeldInput } from './held-input.js';
import { addWarning, NodeInputs, toResume } from './node-inputs.js';
import { NodeWaits, remembered } from './node-waits.js';
import { RunProgress } from './run-progress.js';

export interface RunEngineOptions {
  /** What the engine has to know of a kind; undefined for one that does not exist (any more). */
  kindOf(kind: string): Pick<Tool, 'isBranching' | 'sideEffects' | 'sideEffectsOf' | 'itemParams'> | undefined;
  /** A branch: only these run; the others lend their restored results. Null or absent: all run. */
  only?: readonly string[] | null;
  /** Entry nodes and the first nodes of a branch see it as the parameter `_webhook_payload`. */
  payload?: Record<string, unknown> | JsonText | null;
  /** Params that come to more bytes of JSON than this are handed over as `held`. Absent: only those that are not here. */
  inlineBytes?(kind: string): number;
  /** When the run was taken up, in milliseconds since the epoch. */
  now: number;
}

/** A node that has just become RUNNING. */
export interface NodeTask {
  node: NodeSpec;
  /** References filled in; frozen by convention: outputs of other nodes are shared, not copied. Empty with `held`. */
  params: Record<string, unknown>;
  /** What the params refer to is too large to be filled in here, or lies elsewhere. */
  held: HeldInput | null;
  attempt: number;
  /** Tries before this one that failed by themselves; a lost worker is none. */
  failures: number;
  resume: ToolResume | null;
  /** One of the kind's `itemParams` for one item. Throws `ToolError` `params_too_large`. */
  bind(name: string, item: unknown, index: number): unknown;
}

/** A node that starts this often has lost its worker again and again: it is parked as failed (docs/contract/reliability.md#jobs). */
const MAX_STARTS = 20;

/**
 * One run of a workflow by docs/contract/workflows.md#graph-rules: no I/O, no clock, the same calls give the same
 * states. Every method that
 * reports on a node returns false, and changes nothing, when the node is not in the state for it. A whole run costs
 * time in proportion to nodes and edges.
 */
export class RunEngine {
  private readonly states_: NodeState[];
  private readonly progress: RunProgress;
  private readonly inputs: NodeInputs;
  private readonly waits: NodeWaits;
  private readonly dirty = new Set<number>();
  private readonly mayWait: number[] = [];
  private failedNode: number | null = null;
  private isStopped = false;
  private hasStarted = false;

  /** @param restored what an earlier worker left behind; nodes that are absent are PENDING. */
  constructor(
    private readonly graph: WorkflowGraph,
    restored: readonly NodeState[],
    private readonly options: RunEngineOptions,
  ) {
    const byId = new Map(restored.map((state) => [state.nodeId, state]));
    this.states_ = graph.nodes.map(({ id }) => ({ ...(byId.get(id) ?? createPendingNodeState(id)) }));
    this.progress = new RunProgress(graph, this.states_, options.only ?? null, (node) => this.isBranching(node));
    this.waits = new NodeWaits(this.states_, (node) => this.dirty.add(node));
    this.inputs = new NodeInputs(graph, this.states_, options.payload ?? null);
    this.restore(options.now);
  }

  get status(): RunStatus {
    if (this.isStopped) return 'STOPPED';
    if (this.progress.unfinished === 0) return this.failedNode === null ? 'COMPLETED' : 'FAILED';
    return this.hasStarted ? 'RUNNING' : 'PENDING';
  }

  /** Why the run fails, as soon as it is certain: the first failure that nobody handles. */
  get failure(): ({ nodeId: string } & NodeError) | null {
    if (this.failedNode === null) return null;
    const { nodeId, error } = this.states_[this.failedNode]!;
    return { nodeId, code: error?.code ?? 'failed', message: error?.message ?? 'The node failed.' };
  }

  /** In the order of the definition. */
  states(): NodeState[] {
    return this.states_.map((_, node) => this.snapshot(node));
  }

  /** The states that changed since the last call. */
  takeDirty(): NodeState[] {
    const changed = [...this.dirty].map((node): NodeState => {
      const consumed = this.waits.takeConsumed(node);
      return consumed ? { ...this.snapshot(node), consumed } : this.snapshot(node);
    });
    this.dirty.clear();
    return changed;
  }

  get hasDirty(): boolean {
    return this.dirty.size > 0;
  }

  /** Starts up to `limit` nodes that may run; the others stay ready for the next call. */
  takeReady(now: number, limit = Number.POSITIVE_INFINITY): NodeTask[] {
    const tasks: NodeTask[] = [];
    while (tasks.length < limit) {
      const node = this.waits.takeReady();
      if (node === undefined) break;
      const task = this.start(node, now);
      if (task) tasks.push(task);
    }
    return tasks;
  }

  /** Whether `takeReady` would start something. */
  get hasReady(): boolean {
    return this.waits.hasReady;
  }

  complete(
    nodeId: string,
    result: {
      output: unknown;
      /** Of the output as JSON, where that was measured. */
      bytes?: number;
      chosen?: readonly string[];
      warnings?: string[];
      usage?: NodeUsage;
    },
    now: number,
  ): boolean {
    const node = this.running(nodeId);
    if (node === null) return false;
    const state = this.states_[node]!;
    const { next } = this.graph.nodes[node]!;
    state.output = result.output ?? null;
    this.inputs.noteOutput(node, result.bytes);
    state.chosen = result.chosen ? next.filter((id) => result.chosen!.includes(id)) : null;
    state.error = null;
    if (result.usage) this.reportUsage(nodeId, result.usage);
    for (const warning of result.warnings ?? []) addWarning(state, warning);
    if (result.chosen?.some((id) => !next.includes(id)))
      addWarning(state, 'A chosen node is not in next; it was ignored.');
    this.finish(node, 'COMPLETED', now);
    return true;
  }

  /** Waits for another try when the retry policy has one left and `retryable` is not false; else FAILED. */
  fail(nodeId: string, error: NodeError & { retryable?: boolean }, now: number): boolean {
    const node = this.running(nodeId);
    if (node === null) return false;
    const state = this.states_[node]!;
    const { retry } = this.graph.nodes[node]!;
    state.error = { code: error.code, message: error.message };
    if (retry && error.retryable !== false && state.attempt < retry.maxAttempts) {
      const delay = Math.min(retry.backoffSeconds * retry.multiplier ** (state.attempt - 1), retry.maxSeconds);
      const failures = (state.waiting?.failures ?? 0) + 1;
      this.waits.suspend(node, { reason: 'retry', until: now + Math.round(delay * 1_000), failures });
    } else {
      this.finish(node, 'FAILED', now);
    }
    return true;
  }

  /** The node gives its worker back and goes on at `until` or with a signal, which may have come already. */
  wait(nodeId: string, waiting: NodeWait): boolean {
    const node = this.running(nodeId);
    if (node === null) return false;
    this.waits.begin(node, waiting);
    return true;
  }

  /** Hands a node what it waits for. Only the first signal counts; what nobody will ever wait for is consumed. */
  signal(nodeId: string, waitId: string, value: unknown): void {
    const node = this.graph.indexOf.get(nodeId);
    if (node === undefined || this.isStopped) return;
    this.waits.signal(node, waitId, value);
  }

  /** Whether some node waits for a signal. */
  get awaitsSignals(): boolean {
    return this.progress.members.some((node) => this.waits.awaitsSignal(node));
  }

  /** Readies the nodes whose time has come. */
  wake(now: number): void {
    this.waits.wake(now);
  }

  /** Questions that ran out, each once. They go on with `signal`: the answer that was faster, or null. */
  takeExpired(): { nodeId: string; waitId: string }[] {
    return this.waits.takeExpired();
  }

  /** When `wake` will next have something to do, in milliseconds since the epoch. */
  nextWakeAt(): number | null {
    return this.waits.nextWakeAt();
  }

  /** Everything that is not finished becomes STOPPED, and the run with it. A finished run stays as it is. */
  stop(now: number): void {
    if (this.progress.unfinished === 0) return;
    this.isStopped = true;
    for (const node of this.progress.members) {
      if (!isTerminalNodeStatus(this.states_[node]!.status)) this.setTerminal(node, 'STOPPED', now);
    }
    this.waits.clear();
  }

  /** For a node that runs: what was noticed while its params were filled in elsewhere. */
  warn(nodeId: string, warnings: readonly string[]): void {
    const node = this.running(nodeId);
    if (node !== null) for (const warning of warnings) addWarning(this.states_[node]!, warning);
  }

  /** What a node used of language models; it adds up over all its tries. */
  reportUsage(nodeId: string, { tokens, spend }: NodeUsage): boolean {
    const node = this.running(nodeId);
    if (node === null) return false;
    const state = this.states_[node]!;
    state.usage = { tokens: (state.usage?.tokens ?? 0) + tokens, spend: (state.usage?.spend ?? 0) + spend };
    this.dirty.add(node);
    return true;
  }

  /** How many items of a batch node are done. */
  reportBatch(nodeId: string, total: number, completed: number): boolean {
    const node = this.running(nodeId);
    if (node === null) return false;
    const state = this.states_[node]!;
    // Fixed at the first start: a crash must not change what "all items" means.
    state.batchTotal ??= total;
    state.batchCompleted = Math.min(completed, state.batchTotal);
    this.dirty.add(node);
    return true;
  }

  private restore(now: number): void {
    const lost: number[] = [];
    for (const node of this.progress.members) {
      const state = this.states_[node]!;
      if (state.status !== 'PENDING') this.hasStarted = true;
      if (state.status === 'FAILED' && !state.handled) this.failedNode ??= node;
      if (state.status === 'RUNNING') lost.push(node);
      this.waits.restore(node);
    }
    if (this.progress.members.some((node) => this.states_[node]!.status === 'STOPPED')) this.isStopped = true;
    this.progress.replay();
    for (const node of lost) this.recover(node, now);
    for (const node of this.progress.members) this.consider(node, now);
    this.settle(now);
  }

  /** A RUNNING node whose worker is gone. */
  private recover(node: number, now: number): void {
    const state = this.states_[node]!;
    const { kind, params } = this.graph.nodes[node]!;
    const sideEffects = sideEffectsOf(this.options.kindOf(kind), params) ?? 'external';
    const message =
      sideEffects === 'external'
        ? 'The worker was lost while this node ran. It may have taken effect, so it was not run again.'
        : 'The worker was lost each time this node ran.';
    if (sideEffects !== 'external' && state.attempt < MAX_STARTS) {
      this.waits.makeReady(node);
    } else {
      state.error = { code: 'worker_lost', message };
      this.finish(node, 'FAILED', now);
    }
  }

  private start(node: number, now: number): NodeTask | null {
    const state = this.states_[node]!;
    const spec = this.graph.nodes[node]!;
    const wait = state.waiting;
    const isResuming = wait !== null && wait.reason !== 'wait_for' && wait.reason !== 'retry';
    // Going on after a wait is the same attempt, unless the worker was lost in the meantime (still RUNNING).
    if (!isResuming || state.status === 'RUNNING') state.attempt += 1;
    if (!isResuming) state.waiting = remembered(wait);
    state.status = 'RUNNING';
    state.startedAt ??= now;
    state.warnings = [];
    this.hasStarted = true;
    this.waits.started(node);
    this.dirty.add(node);
    try {
      const { kindOf, inlineBytes } = this.options;
      const itemParams = kindOf(spec.kind)?.itemParams;
      const isRoot = this.progress.isRoot(node);
      const held = this.inputs.held(node, isRoot, inlineBytes?.(spec.kind) ?? Number.POSITIVE_INFINITY, itemParams);
      return {
        node: spec,
        params: held ? {} : this.inputs.paramsOf(node, isRoot, itemParams),
        held,
        bind: (name, item, index) => this.inputs.bind(node, name, item, index),
        attempt: state.attempt,
        failures: state.waiting?.failures ?? 0,
        resume: toResume(state.waiting),
      };
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      state.error = { code: error.code, message: error.message };
      this.finish(node, 'FAILED', now);
      return null;
    }
  }

  private finish(node: number, status: 'COMPLETED' | 'FAILED' | 'SKIPPED', now: number): void {
    this.setTerminal(node, status, now);
    this.settle(now);
  }

  private setTerminal(node: number, status: NodeStatus, now: number): void {
    const state = this.states_[node]!;
    state.status = status;
    state.waiting = null;
    state.finishedAt = now;
    if (status === 'FAILED') {
      state.handled = this.graph.nodes[node]!.onError !== 'fail';
      if (!state.handled) this.failedNode ??= node;
    }
    this.waits.ended(node);
    this.inputs.forget(node);
    this.dirty.add(node);
    this.progress.close(node);
  }

  /** Lets what has finished act on its successors and waiters until nothing changes. */
  private settle(now: number): void {
    for (let node = this.progress.takeAffected(); node !== undefined; node = this.progress.takeAffected()) {
      this.consider(node, now);
    }
    // Only now: a skip further on may have ended what a node would have waited for.
    for (const node of this.mayWait.splice(0)) {
      if (this.states_[node]!.status === 'PENDING' && this.progress.decide(node) === 'await') {
        this.waits.suspend(node, { reason: 'wait_for' });
      }
    }
  }

  private consider(node: number, now: number): void {
    const state = this.states_[node]!;
    const isUndecided =
      state.status === 'PENDING' || (state.status === 'WAITING' && state.waiting?.reason === 'wait_for');
    if (!isUndecided || this.waits.isReady(node) || this.isStopped) return;
    switch (this.progress.decide(node)) {
      case 'run':
        this.waits.makeReady(node);
        break;
      case 'skip':
        this.setTerminal(node, 'SKIPPED', now);
        break;
      case 'await':
        this.mayWait.push(node);
        break;
      case 'open':
        break;
    }
  }

  /** Position of a node that runs now; a lost one that waits for its restart does not. */
  private running(nodeId: string): number | null {
    const node = this.graph.indexOf.get(nodeId);
    if (node === undefined || this.states_[node]!.status !== 'RUNNING' || this.waits.isReady(node)) return null;
    return node;
  }

  private snapshot(node: number): NodeState {
    const state = this.states_[node]!;
    const { waiting } = state;
    if (waiting?.reason !== 'wait_for') return { ...state };
    return { ...state, waiting: { ...waiting, nodes: this.progress.awaited(node) } };
  }

  private isBranching(node: number): boolean {
    return this.options.kindOf(this.graph.nodes[node]!.kind)?.isBranching ?? false;
  }
}
