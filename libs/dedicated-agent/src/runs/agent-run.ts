import type { EntityManager } from 'typeorm';

export type AgentRunStatus =
  | 'started'
  | 'queued'
  | 'running'
  | 'waiting_for_approval'
  | 'stopping'
  | 'completed'
  | 'failed'
  | 'cancelled';

/** What becomes of a run where nobody answers its question in time: it goes on without, or ends. */
export const EXPIRY_POLICIES = ['deny', 'halt'] as const;
export type ExpiryPolicy = (typeof EXPIRY_POLICIES)[number];

export const LIVE_STATUSES: readonly AgentRunStatus[] = [
  'started',
  'queued',
  'running',
  'waiting_for_approval',
  'stopping',
];

/** A question that waits for a person; in wire names, as it stands in the row and goes out. */
export interface PendingApproval {
  request_id: string;
  command: string;
  description: string;
  choices: string[];
  allow_permanent: boolean;
  expires_at: string | null;
  /** When somebody answered it, and the gateway has not told of that yet. */
  taken_at?: string | null;
}

/** What is told of a run, numbered from 1 without gaps. */
export interface AgentRunEvent {
  runId: string;
  seq: number;
  event: string;
  data: Record<string, unknown>;
  at: Date;
}

/** The last one of a run, which comes once. */
export const END_EVENTS: Readonly<Record<string, AgentRunStatus>> = {
  'run.completed': 'completed',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
};

/**
 * What is done in the transaction that ends a run, in the process that follows it. What it throws undoes the end, which is
 * tried again.
 */
export type RunEndedListener = (tx: EntityManager, run: AgentRunRecord) => Promise<void>;

/** A list of `RunEndedListener`. */
export const RUN_ENDED = Symbol('RUN_ENDED');

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
  /** What its gateway calls it; null until that has accepted it. */
  gatewayRunId: string | null;
  output: string | null;
  usage: Record<string, number> | null;
  error: { code: string; detail: string } | null;
  pending: PendingApproval[];
  onExpiry: ExpiryPolicy;
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
  onExpiry?: ExpiryPolicy;
  /** The same key for the same agent is the same run. */
  idempotencyKey?: string;
}
