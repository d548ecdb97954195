/** docs/contract/workflows.md#node-rows. The last four of a node and the last three of a run are terminal. */
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

/** `child`: for runs that the node started. The others stand in docs/contract/workflows.md#node-rows. */
export type WaitReason = 'wait_for' | 'input' | 'approval' | 'timer' | 'retry' | 'child';

export interface NodeWait {
  reason: WaitReason;
  /** `input` and `approval`: the signal that ends it, which is the question's id. Unique in the node; the engine gives it. */
  id?: string;
  /** `input` and `approval`: what is asked. */
  question?: Question;
  /** `child`: the keys of child runs that have not ended; the end of any of them lets the node go on. */
  children?: string[];
  /** `wait_for` only: the nodes that are still awaited. */
  nodes?: string[];
  /** When the node goes on by itself, in milliseconds since the epoch. */
  until?: number;
  /** What the tool wants back when it goes on (the question, a cursor); at most a few KB. */
  data?: Record<string, unknown>;
  /** The first signal that came; null when the wait was closed because its time was over. The node goes on with it. */
  answer?: { value: unknown };
  /** Questions that the node has asked up to here, and tries that failed: kept from wait to wait, absent when none. */
  asked?: number;
  failures?: number;
}

export interface QuestionOption {
  value: string;
  label: string;
}

export interface QuestionField {
  name: string;
  label: string;
  type: 'text' | 'number' | 'boolean' | 'choice' | 'date';
  required: boolean;
  /** `choice` only. */
  options: QuestionOption[];
}

/** What a node asks a person (docs/contract/workflows.md#questions). */
export interface Question {
  message: string;
  kind: 'text' | 'choice' | 'form' | 'approval';
  /** `choice`: what can be chosen. */
  options: QuestionOption[];
  /** `choice`: more than one may be chosen. */
  multiple?: boolean;
  /** `form`: what is to be filled in. */
  fields: QuestionField[];
}

/** Both together; null where nothing was used. */
export function addUsage(one: NodeUsage | null, other: NodeUsage | null): NodeUsage | null {
  if (!one || !other) return one ?? other;
  return { tokens: one.tokens + other.tokens, spend: one.spend + other.spend };
}

/** What a node used of language models. */
export interface NodeUsage {
  /** Read and written. */
  tokens: number;
  /** In the currency of the deployment; 0 where nobody knows the price. */
  spend: number;
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
  /** Of all its tries; absent for nodes that use no model. */
  usage?: NodeUsage;
  /** Waits whose signals this state has taken in; written with it, not read back. */
  consumed?: string[];
}

/** What a person answered, as the node gets it: the value of the signal. Null in its place: the time was over. */
export interface Answer {
  /** `text`: the text. `choice`: the value, or a list of them. `form`: the fields. `approval`: `{approved, comment}`. */
  value: unknown;
  message: string;
  attachedFiles: string[];
  /** Absent when the account is gone. */
  answeredBy?: { id: number; username: string };
  /** ISO 8601. */
  answeredAt: string;
}

/** Whether a wait is a question to a person: an answer and the deadline may race for it. */
export function isQuestion({ reason }: NodeWait): boolean {
  return reason === 'input' || reason === 'approval';
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
