import { isTerminalNodeStatus, type NodeState, type WorkflowGraph } from '@app/workflow-definition';

/** `open`: not yet certain. `await`: selected, but a `wait_for` node is unfinished. */
export type Decision = 'run' | 'skip' | 'await' | 'open';

/**
 * Counts, per node, what it still depends on, so that finishing a node costs only its own edges. Rules 1 to 5 of
 * docs/contract/workflows.md#graph-rules stand here; the node states belong to the engine and are only read.
 */
export class RunProgress {
  /** Positions of the nodes that take part: all, or those of a branch. */
  readonly members: readonly number[];
  /** Members that are not in a terminal state. */
  unfinished: number;
  private readonly isMember: Uint8Array;
  private readonly isRoot_: Uint8Array;
  private readonly openPredecessors: Int32Array;
  private readonly openAwaited: Int32Array;
  private readonly isSelected: Uint8Array;
  /** Downstream of a failure that nobody handles (rule 5). */
  private readonly isBlocked: Uint8Array;
  private readonly isWaitBroken: Uint8Array;
  private readonly affected: number[] = [];
  private nextAffected = 0;

  constructor(
    private readonly graph: WorkflowGraph,
    private readonly states: readonly NodeState[],
    only: readonly string[] | null,
    private readonly isBranching: (node: number) => boolean,
  ) {
    const size = graph.nodes.length;
    const chosen = only && new Set(only);
    this.isMember = Uint8Array.from(graph.nodes, ({ id }) => (!chosen || chosen.has(id) ? 1 : 0));
    this.members = graph.nodes.flatMap((_, node) => (this.isMember[node] ? [node] : []));
    this.isRoot_ = Uint8Array.from(graph.nodes, (_, node) =>
      (only ? !graph.predecessors[node]!.some((from) => this.isMember[from]) : graph.isEntry[node]) ? 1 : 0,
    );
    this.openPredecessors = Int32Array.from(graph.predecessors, (nodes) => nodes.length);
    this.openAwaited = Int32Array.from(graph.waitFor, (nodes) => nodes.length);
    this.isSelected = new Uint8Array(size);
    this.isBlocked = new Uint8Array(size);
    this.isWaitBroken = new Uint8Array(size);
    this.unfinished = this.members.length;
  }

  /** Starts the run (or the branch) by itself, whatever leads to it. */
  isRoot(node: number): boolean {
    return this.isRoot_[node] === 1;
  }

  /** Takes in everything that had finished before; nodes outside a branch count as finished whatever their state. */
  replay(): void {
    for (const node of this.graph.topologicalOrder) {
      if (!this.isMember[node]) this.release(node);
      else if (isTerminalNodeStatus(this.states[node]!.status)) this.close(node);
    }
    this.clearAffected();
  }

  /** A member has just become terminal. */
  close(node: number): void {
    this.unfinished -= 1;
    this.release(node);
  }

  /** The next node whose decision may have changed. */
  takeAffected(): number | undefined {
    const node = this.affected[this.nextAffected++];
    if (node === undefined) this.clearAffected();
    return node;
  }

  decide(node: number): Decision {
    if (!this.isMember[node]) return 'open';
    if (!this.isRoot_[node]) {
      if (this.openPredecessors[node]! > 0)
        return this.isSelected[node] && this.openAwaited[node]! > 0 ? 'await' : 'open';
      if (!this.isSelected[node] || this.isBlocked[node]) return 'skip';
    }
    if (this.isWaitBroken[node] && !this.startsBranch(node)) return 'skip';
    return this.openAwaited[node]! > 0 ? 'await' : 'run';
  }

  /** Ids that a waiting node waits for: its open `wait_for`, or, when only the join is open, its predecessors. */
  awaited(node: number): string[] {
    const isOpen = (other: number): boolean =>
      this.isMember[other] === 1 && !isTerminalNodeStatus(this.states[other]!.status);
    const open = this.graph.waitFor[node]!.filter(isOpen);
    return (open.length > 0 ? open : this.graph.predecessors[node]!.filter(isOpen)).map(
      (other) => this.graph.nodes[other]!.id,
    );
  }

  /** Somebody asked for exactly this node: how the nodes outside the branch ended is no reason to skip it. */
  private startsBranch(node: number): boolean {
    return this.isRoot_[node] === 1 && this.members.length < this.graph.nodes.length;
  }

  private release(node: number): void {
    const { graph } = this;
    const state = this.states[node]!;
    const { onError } = graph.nodes[node]!;
    const blocks =
      (state.status === 'FAILED' && onError === 'fail') || (state.status === 'SKIPPED' && this.isBlocked[node] === 1);
    for (const target of graph.successors[node]!) this.openPredecessors[target] = this.openPredecessors[target]! - 1;
    for (const target of graph.next[node]!) {
      if (blocks) this.isBlocked[target] = 1;
      else if (this.takesNext(node, target)) this.isSelected[target] = 1;
    }
    if (state.status === 'FAILED' && onError === 'branch') {
      for (const target of graph.errorNext[node]!) this.isSelected[target] = 1;
    }
    const isBroken = state.status === 'FAILED' || state.status === 'STOPPED';
    for (const waiter of graph.waiters[node]!) {
      this.openAwaited[waiter] = this.openAwaited[waiter]! - 1;
      if (isBroken && graph.nodes[waiter]!.requires.onFailed === 'skip') this.isWaitBroken[waiter] = 1;
    }
    this.affected.push(...graph.successors[node]!, ...graph.waiters[node]!);
  }

  private clearAffected(): void {
    this.affected.length = 0;
    this.nextAffected = 0;
  }

  private takesNext(node: number, target: number): boolean {
    const { status, chosen } = this.states[node]!;
    if (status === 'COMPLETED') return chosen === null || chosen.includes(this.graph.nodes[target]!.id);
    // A branching node that failed has chosen nothing, whatever on_error says (rule 1).
    return status === 'FAILED' && this.graph.nodes[node]!.onError === 'continue' && !this.isBranching(node);
  }
}
