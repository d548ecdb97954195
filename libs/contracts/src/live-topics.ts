/**
 * What processes tell each other over Redis. A message only wakes, as a job does: whoever misses one finds the
 * truth in Postgres. Topics are `<name>` or `<name>:<id>`.
 */
export interface LiveMessages {
  /** What the sockets of a workflow push, or act on. */
  [topic: `workflow:${string}`]: WorkflowLiveMessage;
  /** A run has to stop: the worker that holds it aborts. */
  'runs:stop': { runId: string };
  /** An answer or the end of a child run waits for the worker that holds the run. */
  'runs:signal': { runId: string };
  /** A piece of the text that a node of a run of this workflow is writing; `offset` is its place in the whole. */
  [topic: `run-text:${string}`]: { runVersion: number; nodeId: string; attempt: number; offset: number; text: string };
  /** A turn has to stop: the worker that holds it aborts. */
  'turns:stop': { turnId: string };
  /** What was told of a turn, after it was written down; followers tell by `seq` whether they missed something. */
  [topic: `turn:${string}`]: { events: { seq: number; type: string; data: unknown }[] };
  /** A turn of the conversation began, moved in the queue, waits for a person or ended; or who is here has changed. */
  [topic: `conversation:${string}`]: TurnMessage | { presence: 'changed' };
  /** Something was told of an extraction. */
  [topic: `extraction:${string}`]: { seq: number };
  /** What was told of a run of a dedicated agent, after it was written down; `seq` as for turns. */
  [topic: `agent-run:${string}`]: { events: AgentRunMessage[] };
  /** A run of the console of a dedicated agent was created, or the agent told something by itself. */
  [topic: `agent:${string}`]: { runId?: string };
  /** A client took back a call of a tool; whoever works on it stops. */
  'mcp:cancelled': { sessionId: string; clientId: string; requestId: string | number };
  /** Secrets or keys of a webhook credential changed. */
  'webhooks:changed': { webhookId: string };
  /** Cached answers to "who is calling" are out of date. */
  principals: PrincipalsLiveMessage;
  /** A registered language model was added, changed or taken away; `isShared`: one that everybody may use. */
  models: { modelId: number; isShared: boolean };
  /** What this account, or each member of this organisation, may use has changed. */
  entitlements: { userId: number } | { organizationId: number };
}

export interface AgentRunMessage {
  seq: number;
  event: string;
  data: Record<string, unknown>;
  /** ISO 8601. */
  at: string;
}

export interface TurnMessage {
  turnId: string;
  /** What came after the end of the turn, and so is not in its log (`stage:memory_persisted`). */
  afterwards?: { sessionId: number; event_type: string; event: Record<string, unknown> };
}

export type LiveTopic = keyof LiveMessages & string;

export type WorkflowLiveMessage = WorkflowLiveSignal | WorkflowLiveEvent;

/** Told once: the state itself says the rest. */
export type WorkflowLiveSignal =
  /** Node rows or the state of the workflow's current run changed. */
  | { type: 'nodes_changed'; runVersion: number }
  | { type: 'access_changed'; userId: number }
  /** Somebody came, left, or does something else now. */
  | { type: 'presence_changed' };

/**
 * No state tells it afterwards, so it is kept for a while for clients that were away. `seq` is its place among the events
 * of the topic, given by Redis; publishers leave it out.
 */
export type WorkflowLiveEvent = { seq?: number } & (
  | { type: 'definition_updated'; contentRevision: number; actor: { id: number; username: string } | null }
  | { type: 'agent_response'; nodeExecutionId: string; data: Record<string, unknown> }
);

const EVENTS: ReadonlySet<string> = new Set<WorkflowLiveEvent['type']>(['definition_updated', 'agent_response']);

export function isLiveEvent(message: WorkflowLiveMessage): message is WorkflowLiveEvent {
  return EVENTS.has(message.type);
}

export type PrincipalsLiveMessage = { sessionId: string } | { userId: number };
