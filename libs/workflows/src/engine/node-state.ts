/** Document 2, section 2 and document 3, B8.1. The last four of a node and the last three of a run are terminal. */
export type NodeStatus = 'PENDING' | 'RUNNING' | 'WAITING' | 'COMPLETED' | 'FAILED' | 'SKIPPED' | 'STOPPED';
export type RunStatus = 'PENDING' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'STOPPED';

export const TERMINAL_NODE_STATUSES: readonly NodeStatus[] = ['COMPLETED', 'FAILED', 'SKIPPED', 'STOPPED'];
export const TERMINAL_RUN_STATUSES: readonly RunStatus[] = ['COMPLETED', 'FAILED', 'STOPPED'];

const terminalNodeStatuses: ReadonlySet<NodeStatus> = new Set(TERMINAL_NODE_STATUSES);

export function isTerminalNodeStatus(status: NodeStatus): boolean {
  return terminalNodeStatuses.has(status);
}

export interface NodeError {
  /** Stable snake_case code. */
  code: string;
  /** For people: no stack, no secret. */
  message: string;
}

export type WaitReason = 'wait_for' | 'input' | 'approval' | 'timer' | 'retry';

export interface NodeWait {
  reason: WaitReason;
  /** The signal that ends it: the question's id, or the key of a child run. Unique in the node. */
  id?: string;
  /** `wait_for` only: the nodes that are still awaited. */
  nodes?: string[];
  /** When the node goes on by itself, in milliseconds since the epoch. */
  until?: number;
  /** What the tool wants back when it goes on (the question, a cursor); at most a few KB. */
  data?: Record<string, unknown>;
  /** `input` and `approval`: the first answer that came. The node goes on as soon as it is there. */
  answer?: { value: unknown };
}

/** All that has to be kept of a node to go on with its run elsewhere. */
export interface NodeState {
  nodeId: string;
  status: NodeStatus;
  /** How often the node was started, lost workers and retries included; going on after a wait does not count. */
  attempt: number;
  output: unknown;
  /** The members of `next` that a branching node took; null means all. */
  chosen: string[] | null;
  error: NodeError | null;
  /** A FAILED node whose `on_error` is `continue` or `branch`: it does not fail the run. */
  handled: boolean;
  /** Kept while a node runs on after a wait, so that another worker can run it on too. */
  waiting: NodeWait | null;
  warnings: string[];
  /** Milliseconds since the epoch; the first start, not the last. */
  startedAt: number | null;
  finishedAt: number | null;
  batchTotal: number | null;
  batchCompleted: number;
  /** Waits whose signals this state has taken in; written with it, not read back. */
  consumed?: string[];
}

export function createPendingNodeState(nodeId: string): NodeState {
  return {
    nodeId,
    status: 'PENDING',
    attempt: 0,
    output: null,
    chosen: null,
    error: null,
    handled: false,
    waiting: null,
    warnings: [],
    startedAt: null,
    finishedAt: null,
    batchTotal: null,
    batchCompleted: 0,
  };
}
