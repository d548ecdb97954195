import type { Caps } from '../budget/caps.js';
import type { Timing } from '@app/workflows';
import type { ExpiryPolicy } from '../runs/agent-run.js';
import { ON_EXPIRY } from '../runs/run-rows.js';

export const JOB_STATES = ['scheduled', 'paused', 'completed', 'error'] as const;
export type JobState = (typeof JOB_STATES)[number];
export const JOB_STATUSES = ['ok', 'error', 'blocked_config'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];
export const EXECUTION_STATUSES = ['running', 'ok', 'error', 'skipped', 'missed'] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];
export const MISFIRE_POLICIES = ['run_once', 'skip'] as const;
export type MisfirePolicy = (typeof MISFIRE_POLICIES)[number];
export const NOTIFY_WAYS = ['none', 'mail'] as const;
export type NotifyWay = (typeof NOTIFY_WAYS)[number];

/** A slot of a job, and what became of it. */
export interface ExecutionRecord {
  id: string;
  status: ExecutionStatus;
  scheduledFor: Date;
  source: 'due' | 'run';
  late: boolean;
  missed: number;
  runId: string | null;
  startedAt: Date;
  finishedAt: Date | null;
  error: string | null;
}

/** A job without its executions: what planning and firing need. */
export interface PlannedJob {
  id: string;
  agentId: string;
  name: string;
  prompt: string;
  kind: 'interval' | 'cron' | 'once';
  intervalMinutes: number | null;
  cron: string | null;
  runAt: Date | null;
  timezone: string;
  display: string;
  repeatTimes: number | null;
  repeatCompleted: number;
  misfirePolicy: MisfirePolicy;
  notify: NotifyWay;
  budget: Partial<Caps> | null;
  onExpiry: ExpiryPolicy;
  madeByJob: boolean;
  enabled: boolean;
  state: JobState;
  anchorAt: Date;
  nextRunAt: Date | null;
  requestedAt: Date | null;
  lastRunAt: Date | null;
  lastStatus: JobStatus | null;
  lastError: string | null;
  toldError: string | null;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** As its owner sees it (docs/contract/dedicated-agent.md#jobs). */
export interface JobRecord extends PlannedJob {
  latest: ExecutionRecord | null;
}

/** Of a job `j`, as a `PlannedJob`. */
export const JOB_COLUMNS = `j.id, j.agent_id AS "agentId", j.name, j.prompt, j.kind, j.interval_minutes AS "intervalMinutes", j.cron,
  j.run_at AS "runAt", j.timezone, j.display, j.repeat_times AS "repeatTimes", j.repeat_completed AS "repeatCompleted",
  j.misfire_policy AS "misfirePolicy", j.notify, j.budget, ${ON_EXPIRY('j')} AS "onExpiry", j.made_by_job AS "madeByJob", j.enabled, j.state, j.anchor_at AS "anchorAt", j.next_run_at AS "nextRunAt",
  j.requested_at AS "requestedAt", j.last_run_at AS "lastRunAt", j.last_status AS "lastStatus", j.last_error AS "lastError", j.told_error AS "toldError",
  j.version, j.created_at AS "createdAt", j.updated_at AS "updatedAt"`;

/** Of an execution `e`, as an `ExecutionRecord`. */
export const EXECUTION_COLUMNS = `e.id, e.status, e.scheduled_for AS "scheduledFor", e.source, e.late, e.missed, e.run_id AS "runId",
  e.started_at AS "startedAt", e.finished_at AS "finishedAt", e.error`;

/** For the clockwork of schedules. */
export function timingOf(job: PlannedJob): Timing {
  const { kind, cron, intervalMinutes, runAt, timezone, anchorAt } = job;
  return { kind, cron, intervalMinutes, runAt, timezone, anchorAt, startAt: null, endAt: null };
}
