import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { DedicatedAgent, DedicatedAgentRun } from './dedicated-agent.entity.js';

/** What an agent does by itself, and when (docs/contract/dedicated-agent.md#jobs). */
@Entity('dedicated_agent_jobs')
@Check('dedicated_agent_jobs_kind_check', `kind IN ('interval', 'cron', 'once')`)
@Check('dedicated_agent_jobs_state_check', `state IN ('scheduled', 'paused', 'completed', 'error')`)
@Check('dedicated_agent_jobs_misfire_check', `misfire_policy IN ('skip', 'run_once')`)
@Check('dedicated_agent_jobs_notify_check', `notify IN ('none', 'mail')`)
@Check('dedicated_agent_jobs_status_check', `last_status IN ('ok', 'error', 'blocked_config')`)
@Index('dedicated_agent_jobs_agent_id', ['agentId', 'createdAt'])
@Index('dedicated_agent_jobs_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
export class DedicatedAgentJob {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'dedicated_agent_jobs_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => DedicatedAgent, { name: 'dedicated_agent_jobs_agent_id_fkey', onDelete: 'CASCADE' })
  agentId: string;

  @Column('text')
  name: string;

  /** What the agent is told each time. */
  @Column('text')
  prompt: string;

  @Column('text')
  kind: 'interval' | 'cron' | 'once';

  @Column('int', { nullable: true })
  intervalMinutes: number | null;

  @Column('text', { nullable: true })
  cron: string | null;

  @Column('timestamptz', { nullable: true })
  runAt: Date | null;

  /** IANA name, in which cron expressions are read. */
  @Column('text', { default: 'UTC' })
  timezone: string;

  /** The schedule in words. */
  @Column('text')
  display: string;

  /** Null: for ever. */
  @Column('int', { nullable: true })
  repeatTimes: number | null;

  /** Runs that came to an end, since its times were last set. */
  @Column('int', { default: 0 })
  repeatCompleted: number;

  /** What becomes of times that were over before anybody came. */
  @Column('text', { default: 'run_once' })
  misfirePolicy: 'skip' | 'run_once';

  /** Who is told of each result beside the console. */
  @Column('text', { default: 'none' })
  notify: 'none' | 'mail';

  /** Caps of what all of its runs may spend in a month; null: those of its agent. */
  @Column('jsonb', { nullable: true })
  budget: Record<string, number> | null;

  /** Whether its runs end where nobody answers in time what they asked to be allowed; else they go on without. */
  @Column('boolean', { default: false })
  haltsOnExpiry: boolean;

  /** Whether a run of another job made it: its own runs make none. */
  @Column('boolean', { default: false })
  madeByJob: boolean;

  @Column('boolean', { default: true })
  enabled: boolean;

  @Column('text', { default: 'scheduled' })
  state: 'scheduled' | 'paused' | 'completed' | 'error';

  /** Intervals are counted from here. */
  @Column('timestamptz')
  anchorAt: Date;

  /** The slot that comes next; null while there is none. */
  @Column('timestamptz', { nullable: true })
  nextRunAt: Date | null;

  /** Somebody wants it to run now. */
  @Column('timestamptz', { nullable: true })
  requestedAt: Date | null;

  /** The earlier one of the two: when a runner takes it. */
  @Column('timestamptz', { nullable: true })
  dueAt: Date | null;

  /** A runner is at it until then; by the clock of the database. */
  @Column('timestamptz', { nullable: true })
  claimedUntil: Date | null;

  /** When a run last began. */
  @Column('timestamptz', { nullable: true })
  lastRunAt: Date | null;

  /** How the last run ended. */
  @Column('text', { nullable: true })
  lastStatus: 'ok' | 'error' | 'blocked_config' | null;

  @Column('text', { nullable: true })
  lastError: string | null;

  /** Why it could not run, as its owner was told last; null once it ran again. */
  @Column('text', { nullable: true })
  toldError: string | null;

  /** Changes by people, so that a slot of an older plan does not fire. */
  @Column('int', { default: 1 })
  version: number;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** Of what people set; runs do not move it. */
  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

/** A slot of a job, and what became of it. Its key keeps it from firing again. */
@Entity('dedicated_agent_executions')
@Check('dedicated_agent_executions_status_check', `status IN ('running', 'ok', 'error', 'skipped', 'missed')`)
@Check('dedicated_agent_executions_source_check', `source IN ('due', 'run')`)
@Index('dedicated_agent_executions_slot_key', ['jobId', 'scheduledFor'], { unique: true })
@Index('dedicated_agent_executions_running', ['jobId'], { unique: true, where: `status = 'running'` })
@Index('dedicated_agent_executions_run_id', ['runId'], { where: 'run_id IS NOT NULL' })
@Index('dedicated_agent_executions_started_at', ['startedAt'])
export class DedicatedAgentExecution {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'dedicated_agent_executions_pkey' })
  id: string;

  @Column('uuid')
  @ForeignKey(() => DedicatedAgentJob, { name: 'dedicated_agent_executions_job_id_fkey', onDelete: 'CASCADE' })
  jobId: string;

  @Column('timestamptz')
  scheduledFor: Date;

  /** By the clock, or by hand. */
  @Column('text', { default: 'due' })
  source: 'due' | 'run';

  @Column('text')
  status: 'running' | 'ok' | 'error' | 'skipped' | 'missed';

  /** Made up for after its time. */
  @Column('boolean', { default: false })
  late: boolean;

  /** Slots before this one that were over, too, and that it stands for. */
  @Column('int', { default: 0 })
  missed: number;

  /** Null where there was none, and once it is no longer kept. */
  @Column('uuid', { nullable: true })
  @ForeignKey(() => DedicatedAgentRun, { name: 'dedicated_agent_executions_run_id_fkey', onDelete: 'SET NULL' })
  runId: string | null;

  /** When its run began, or when it was decided that there is none. */
  @Column('timestamptz', { default: () => 'now()' })
  startedAt: Date;

  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;

  /** Why it went wrong, or did not happen. */
  @Column('text', { nullable: true })
  error: string | null;
}
