/**
 * What processes tell each other over Redis. A message is a doorbell like a job: whoever misses one finds the
 * truth in Postgres. Topics are `<name>` or `<name>:<id>`.
 */
export interface LiveMessages {
  /** Node rows or the state of a workflow's current run changed. */
  [topic: `workflow:${string}`]: WorkflowLiveMessage;
  /** A run has to stop: the worker that holds it aborts. */
  'runs:stop': { runId: string };
  /** An answer or the end of a child run waits for the worker that holds the run. */
  'runs:signal': { runId: string };
  /** Cached answers to "who is calling" are out of date. */
  principals: PrincipalsLiveMessage;
}

export type LiveTopic = keyof LiveMessages & string;

export type WorkflowLiveMessage =
  | { type: 'nodes_changed'; runVersion: number }
  | { type: 'definition_updated'; contentRevision: number; actor: { id: number; username: string } | null }
  | { type: 'agent_response'; nodeExecutionId: string; data: Record<string, unknown> }
  | { type: 'access_changed'; userId: number };

export type PrincipalsLiveMessage = { sessionId: string } | { userId: number };
