export type AgentRunStatus =
  | 'started'
  | 'queued'
  | 'running'
  | 'waiting_for_approval'
  | 'stopping'
  | 'completed'
  | 'failed'
  | 'cancelled';

export interface AgentRunRecord {
  id: string;
  agentId: string;
  userId: number;
  status: AgentRunStatus;
  origin: 'api' | 'chat' | 'job';
  input: string;
  instructions: string;
  model: string;
  sessionId: number | null;
  jobId: string | null;
  output: string | null;
  usage: Record<string, number> | null;
  error: { code: string; detail: string } | null;
  createdAt: Date;
  updatedAt: Date;
  finishedAt: Date | null;
}

export interface NewAgentRun {
  origin: 'api' | 'chat' | 'job';
  input: string;
  instructions?: string;
  model?: string;
  sessionId?: number;
  jobId?: string;
  /** uids of documents, tables and files that it may read from the beginning. */
  attachedFiles?: readonly string[];
  /** The same key for the same agent is the same run. */
  idempotencyKey?: string;
}
