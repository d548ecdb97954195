import { toJsonText } from '@app/common';
import { planAfter } from './plan-step.js';
import { requireSlot, type ScheduleSettings } from './schedule-input.js';
import type { ScheduleRecord, ScheduleState } from './schedule-record.js';
import { dueTime, nextSlot } from './timing.js';

/** When a schedule fires next, if at all. */
export interface Plan {
  state: ScheduleState;
  anchorAt: Date;
  nextRunAt: Date | null;
  dueAt: Date | null;
}

/** What a change by people writes; the last four are the plan's. */
export const COLUMNS = [
  'name',
  'kind',
  'cron',
  'interval_minutes',
  'run_at',
  'timezone',
  'payload',
  'overlap_policy',
  'catchup_window_seconds',
  'jitter_seconds',
  'start_at',
  'end_at',
  'pause_after_failures',
  'enabled',
  'state',
  'anchor_at',
  'next_run_at',
  'due_at',
];
export const PLAN_COLUMNS = 4;

/** For `COLUMNS`, without those of the plan where there is none. */
export function valuesOf(settings: ScheduleSettings, plan: Plan | undefined): unknown[] {
  return [
    settings.name,
    settings.kind,
    settings.cron,
    settings.intervalMinutes,
    settings.runAt,
    settings.timezone,
    toJsonText(settings.payload),
    settings.overlapPolicy,
    settings.catchupWindowSeconds,
    settings.jitterSeconds,
    settings.startAt,
    settings.endAt,
    settings.pauseAfterFailures,
    settings.enabled,
    ...(plan ? [plan.state, plan.anchorAt, plan.nextRunAt, plan.dueAt] : []),
  ];
}

/** @param anchorAt where intervals without a `start_at` are counted from. @throws ValidationError when it would never run. */
export function planNew(id: string, settings: ScheduleSettings, anchorAt: Date, now: number): Plan {
  const anchor = settings.startAt ?? anchorAt;
  if (!settings.enabled) return { state: 'paused', anchorAt: anchor, nextRunAt: null, dueAt: null };
  const timing = { ...settings, anchorAt: anchor };
  const slot = requireSlot(timing, now);
  const due = dueTime(id, slot, settings.jitterSeconds, nextSlot(timing, slot));
  return { state: 'active', anchorAt: anchor, nextRunAt: new Date(slot), dueAt: new Date(due) };
}

/** From now on, for a workflow that comes back from the trash. */
export function replan(schedule: ScheduleRecord, now: number): { nextRunAt: Date | null; dueAt: Date | null } {
  const { next, due } = planAfter(schedule, now);
  return { nextRunAt: next === null ? null : new Date(next), dueAt: due === null ? null : new Date(due) };
}
