import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../accounts/user.entity.js';
import { LeasedRow } from '../leased-row.js';
import { ChatSession } from '../retrieval/chat.entity.js';

export const AGENT_STATUSES = ['provisioning', 'running', 'paused', 'stopped'] as const;

/** The always-on agent of a person, one at most (docs/contract/dedicated-agent.md). */
@Entity('dedicated_agents')
@Check('dedicated_agents_status_check', `status IN ('provisioning', 'running', 'paused', 'stopped')`)
@Index('dedicated_agents_user_id_key', ['userId'], { unique: true })
export class DedicatedAgent {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'dedicated_agents_pkey' })
  id: string;

  @Column('int')
  @ForeignKey(() => User, { name: 'dedicated_agents_user_id_fkey', onDelete: 'CASCADE' })
  userId: number;

  @Column('text', { default: 'provisioning' })
  status: (typeof AGENT_STATUSES)[number];

  /** Why it stands where it stands, for its owner; '' when there is nothing to say. */
  @Column('text', { default: '' })
  note: string;

  /** Caps of its budget by an operator; what is absent is as the settings have it, 0 is none. */
  @Column('jsonb', { default: () => `'{}'` })
  operatorCaps: Record<string, Record<string, number>>;

  /** Lower ones by its owner. */
  @Column('jsonb', { default: () => `'{}'` })
  ownerCaps: Record<string, Record<string, number>>;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

export const AGENT_RUN_STATUSES = [
  'started',
  'queued',
  'running',
  'waiting_for_approval',
  'stopping',
  'completed',
  'failed',
  'cancelled',
] as const;

/** One piece of work of an agent. Followed by one leased subscriber, who writes what its gateway tells into our own log. */
@Entity('dedicated_agent_runs')
@Check(
  'dedicated_agent_runs_status_check',
  `status IN ('started', 'queued', 'running', 'waiting_for_approval', 'stopping', 'completed', 'failed', 'cancelled')`,
)
@Check('dedicated_agent_runs_origin_check', `origin IN ('api', 'chat', 'job')`)
// With what lists filter by: they count all of an agent without reading its rows.
@Index('dedicated_agent_runs_listed', ['agentId', 'id', 'status', 'origin'])
@Index('dedicated_agent_runs_chat', ['agentId', 'id'], { where: `origin = 'chat'` })
@Index('dedicated_agent_runs_live', ['agentId'], {
  where: `status IN ('started', 'queued', 'running', 'waiting_for_approval', 'stopping')`,
})
@Index('dedicated_agent_runs_key', ['agentId', 'idempotencyKey'], {
  unique: true,
  where: 'idempotency_key IS NOT NULL',
})
@Index('dedicated_agent_runs_job_id', ['jobId'], { where: 'job_id IS NOT NULL' })
@Index('dedicated_agent_runs_finished_at', ['finishedAt'], { where: 'finished_at IS NOT NULL' })
@Index('dedicated_agent_runs_uncompacted', ['finishedAt'], { where: 'finished_at IS NOT NULL AND NOT log_compacted' })
@Index('dedicated_agent_runs_due', ['nextAttemptAt'], { where: 'next_attempt_at IS NOT NULL' })
export class DedicatedAgentRun extends LeasedRow {
  /** Time-ordered. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'dedicated_agent_runs_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => DedicatedAgent, { name: 'dedicated_agent_runs_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  @Column('text', { default: 'started' })
  status: (typeof AGENT_RUN_STATUSES)[number];

  /** Who asked for it: a call, a message in the console, a job. */
  @Column('text', { default: 'api' })
  origin: 'api' | 'chat' | 'job';

  @Column('text')
  input: string;

  @Column('text', { default: '' })
  instructions: string;

  /** As the caller named it; '' for the agent's own. */
  @Column('text', { default: '' })
  model: string;

  /** The session whose conversation it goes on with; null: one of its own. */
  @Column('int', { nullable: true })
  sessionId: number | null;

  @Column('uuid', { nullable: true })
  jobId: string | null;

  /** Whether it ends where nobody answers in time what it asked to be allowed; else it goes on without. */
  @Column('boolean', { default: false })
  haltsOnExpiry: boolean;

  /** What a repeated call is known by, and a digest of what it asked for. */
  @Column('text', { nullable: true })
  idempotencyKey: string | null;

  @Column('text', { nullable: true })
  requestDigest: string | null;

  /** uids of documents, tables and files that it may read from the beginning. */
  @Column('jsonb', { default: () => `'[]'` })
  attachedFiles: string[];

  /** Questions that wait for a person: `{request_id, choices, command, description, expires_at, taken_at}`. */
  @Column('jsonb', { default: () => `'[]'` })
  pending: Record<string, unknown>[];

  /** What its person said while it was at work, in order; only of runs of our own loop. */
  @Column('jsonb', { default: () => `'[]'` })
  steers: string[];

  /** What the gateway calls it; null until it has accepted it. */
  @Column('text', { nullable: true })
  gatewayRunId: string | null;

  /** How far the gateway's events are in our log, in the gateway's words. */
  @Column('text', { nullable: true })
  gatewayCursor: string | null;

  /** Since when the gateway cannot be reached; null while it can. */
  @Column('timestamptz', { nullable: true })
  unreachableSince: Date | null;

  @Column('text', { nullable: true })
  output: string | null;

  /** `{input_tokens, output_tokens, total_tokens}` */
  @Column('jsonb', { nullable: true })
  usage: Record<string, number> | null;

  @Column('text', { default: '' })
  errorCode: string;

  @Column('text', { default: '' })
  errorDetail: string;

  /** When its subscriber is to look at it; null once it has ended. */
  @Column('timestamptz', { nullable: true, default: () => 'now()' })
  nextAttemptAt: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;

  /** Whether its events are as few rows as they can be; only of runs that have ended. */
  @Column('boolean', { default: false })
  logCompacted: boolean;
}

/** What was told of a run, numbered from 1 without gaps; the last one is its end. */
@Entity('dedicated_agent_events')
// For what an agent did, which is looked for among all that its runs said.
@Index('dedicated_agent_events_done', ['runId', 'seq'], { where: `event <> 'message.delta'` })
export class DedicatedAgentEvent {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'dedicated_agent_events_pkey' })
  @ForeignKey(() => DedicatedAgentRun, { name: 'dedicated_agent_events_run_id_fkey', onDelete: 'CASCADE' })
  runId: string;

  @PrimaryColumn('int', { primaryKeyConstraintName: 'dedicated_agent_events_pkey' })
  seq: number;

  @Column('text')
  event: string;

  @Column('jsonb', { default: () => `'{}'` })
  data: Record<string, unknown>;

  /**
   * Of text that was told in pieces, in one row under the number and time of the last: of each piece but the last, its
   * length in characters and the milliseconds until the next one came, `7:25,8:0`. Null: told at once.
   */
  @Column('text', { nullable: true })
  pieces: string | null;

  /** As the gateway says. */
  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

/** What a gateway has counted for a conversation so far, where it counts by conversations: runs have used what came to it. */
@Entity('dedicated_agent_session_usage')
@Index('dedicated_agent_session_usage_agent_id', ['agentId'])
export class DedicatedAgentSessionUsage {
  @PrimaryColumn('int', { primaryKeyConstraintName: 'dedicated_agent_session_usage_pkey' })
  @ForeignKey(() => ChatSession, { name: 'dedicated_agent_session_usage_session_id_fkey', onDelete: 'CASCADE' })
  sessionId: number;

  @Column('uuid')
  @ForeignKey(() => DedicatedAgent, { name: 'dedicated_agent_session_usage_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  /** `{input_tokens, output_tokens, total_tokens}` */
  @Column('jsonb', { default: {} })
  counted: Record<string, number>;

  @Column('timestamptz', { default: () => 'now()' })
  countedAt: Date;
}

/** What an agent told its owner by itself: how a job ended, or why it does not run. Its text is a turn of the console. */
@Entity('dedicated_agent_notices')
@Check('dedicated_agent_notices_status_check', `status IN ('ok', 'error', 'blocked_config', 'skipped')`)
@Index('dedicated_agent_notices_agent_id', ['agentId', 'id'])
@Index('dedicated_agent_notices_created_at', ['createdAt'])
export class DedicatedAgentNotice {
  /** Time-ordered, among the ids of runs; that of the turn, too. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'dedicated_agent_notices_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => DedicatedAgent, { name: 'dedicated_agent_notices_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  /** The job and its run, which may both be gone. */
  @Column('uuid')
  jobId: string;

  @Column('text')
  jobName: string;

  @Column('uuid', { nullable: true })
  runId: string | null;

  /** The conversation of the job in the console. */
  @Column('int')
  sessionId: number;

  @Column('text')
  status: 'ok' | 'error' | 'blocked_config' | 'skipped';

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
