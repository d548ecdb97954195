import type { ScheduleRecord } from './schedule-record.js';
import type { Step } from './slot-firing.js';
import { dueTime, nextSlot } from './timing.js';

/** So late a slot is never missed, however short its window: the runners need their time too. */
const MIN_WINDOW_SECONDS = 10;
/** Missed slots that one step passes over; the next step goes on. */
const MAX_PASSED = 1000;

/** What comes after `after`: the slot and when it is due, in milliseconds; nulls when nothing does. */
export function planAfter(schedule: ScheduleRecord, after: number): { next: number | null; due: number | null } {
  const next = nextSlot(schedule, after);
  return { next, due: next === null ? null : dueOf(schedule, next) };
}

/**
 * The next step of a schedule whose slot is due: passes over slots whose catch-up window has closed, then fires one.
 * @param now milliseconds. Null when nothing is due.
 */
export function planStep(schedule: ScheduleRecord, now: number): Step | null {
  if (!schedule.nextRunAt) return null;
  const expected = schedule.nextRunAt.getTime();
  const step = { schedule, policy: schedule.overlapPolicy, source: 'due', userId: null } as const;
  const plan = { version: schedule.version, expected };
  try {
    const windowMs = Math.max(schedule.catchupWindowSeconds, MIN_WINDOW_SECONDS) * 1000;
    let slot: number | null = expected;
    let missed = 0;
    while (slot !== null && missed < MAX_PASSED && now - dueOf(schedule, slot) > windowMs) {
      slot = nextSlot(schedule, slot);
      missed += 1;
    }
    const due: number | null = slot === null ? null : dueOf(schedule, slot);
    const fires = slot !== null && due! <= now && missed < MAX_PASSED;
    if (!fires && missed === 0) return null;
    const following = fires ? planAfter(schedule, slot!) : { next: slot, due };
    const state = following.next === null ? 'completed' : 'active';
    return { ...step, slot: fires ? slot : null, advance: { ...plan, ...following, missed, state, error: null } };
  } catch (error) {
    // A zone or an expression that this version of the runtime does not know any more.
    const message = `The next run cannot be computed: ${error instanceof Error ? error.message : String(error)}`;
    const advance = { ...plan, next: null, due: null, missed: 0, state: 'error', error: message } as const;
    return { ...step, slot: null, advance };
  }
}

function dueOf(schedule: ScheduleRecord, slot: number): number {
  if (schedule.jitterSeconds === 0) return slot;
  return dueTime(schedule.id, slot, schedule.jitterSeconds, nextSlot(schedule, slot));
}
