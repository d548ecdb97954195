import type { RunStatus } from '@app/workflow-definition';
import type { Timing } from './timing.js';

export type OverlapPolicy = 'skip' | 'queue_one' | 'queue_all' | 'allow';
export type ScheduleState = 'active' | 'paused' | 'completed' | 'error';

export const OVERLAP_POLICIES: readonly OverlapPolicy[] = ['skip', 'queue_one', 'queue_all', 'allow'];

/** A schedule as its users see it (docs/contract/schedules.md#the-schedule). */
export interface ScheduleRecord extends Timing {
  id: string;
  workflowId: string;
  name: string;
  /** What the runs get. */
  payload: Record<string, unknown>;
  enabled: boolean;
  state: ScheduleState;
  overlapPolicy: OverlapPolicy;
  catchupWindowSeconds: number;
  jitterSeconds: number;
  /** The slot that comes next, without jitter. */
  nextRunAt: Date | null;
  lastRunAt: Date | null;
  lastRunVersion: number | null;
  /** What became of the last slot: the status of its run, `PENDING` in line, `SKIPPED` or `MISSED`. */
  lastStatus: RunStatus | 'SKIPPED' | 'MISSED' | null;
  lastError: string;
  missedCount: number;
  /** Failed runs since one was completed. */
  failureStreak: number;
  pauseAfterFailures: number | null;
  createdBy: { id: number; username: string } | null;
  createdAt: Date;
  updatedAt: Date;
  /** Counts the changes by people, so that a slot of an older plan does not fire. */
  version: number;
}

export interface ScheduleRow {
  id: string;
  workflow_id: string;
  name: string;
  kind: Timing['kind'];
  cron: string | null;
  interval_minutes: number | null;
  run_at: Date | null;
  timezone: string;
  payload: Record<string, unknown>;
  enabled: boolean;
  state: ScheduleState;
  overlap_policy: OverlapPolicy;
  catchup_window_seconds: number;
  jitter_seconds: number;
  start_at: Date | null;
  end_at: Date | null;
  anchor_at: Date;
  next_run_at: Date | null;
  last_run_at: Date | null;
  last_run_version: number | null;
  last_status: ScheduleRecord['lastStatus'];
  last_error: string;
  missed_count: number;
  failure_streak: number;
  pause_after_failures: number | null;
  created_by_id: number | null;
  created_by_username: string | null;
  created_at: Date;
  updated_at: Date;
  version: number;
}

/** Schedules with what a record shows. */
export const SCHEDULE_SOURCES = 'workflow_schedules s LEFT JOIN users u ON u.id = s.created_by_id';
export const SCHEDULE_COLUMNS = 's.*, u.username AS created_by_username';

export function toScheduleRecord(row: ScheduleRow): ScheduleRecord {
  return {
    id: row.id,
    workflowId: row.workflow_id,
    name: row.name,
    kind: row.kind,
    cron: row.cron,
    intervalMinutes: row.interval_minutes,
    runAt: row.run_at,
    timezone: row.timezone,
    payload: row.payload,
    enabled: row.enabled,
    state: row.state,
    overlapPolicy: row.overlap_policy,
    catchupWindowSeconds: row.catchup_window_seconds,
    jitterSeconds: row.jitter_seconds,
    startAt: row.start_at,
    endAt: row.end_at,
    anchorAt: row.anchor_at,
    nextRunAt: row.next_run_at,
    lastRunAt: row.last_run_at,
    lastRunVersion: row.last_run_version,
    lastStatus: row.last_status,
    lastError: row.last_error,
    missedCount: row.missed_count,
    failureStreak: row.failure_streak,
    pauseAfterFailures: row.pause_after_failures,
    createdBy: row.created_by_id === null ? null : { id: row.created_by_id, username: row.created_by_username ?? '' },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  };
}
