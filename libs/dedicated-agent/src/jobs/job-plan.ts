import { nextSlot } from '@app/workflows';
import { type PlannedJob, timingOf } from './job-record.js';
import { GRACE_MS } from './schedule-text.js';

/** Slots that were over are counted no further. */
export const MAX_COUNTED = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How far back the last slot is looked for; the narrow ones keep expressions of each minute cheap. */
const LOOK_BACK_MS = [HOUR_MS, DAY_MS, 32 * DAY_MS, 370 * DAY_MS, 9 * 366 * DAY_MS];

/** What a job that is due does next. Times in milliseconds. */
export interface JobStep {
  /** Which one is at stake. */
  slot: number;
  source: 'due' | 'run';
  /** A run, or the note that it was missed. */
  does: 'run' | 'miss';
  late: boolean;
  /** Slots before it that were over, too; counted up to `MAX_COUNTED`. */
  missed: number;
  /** What is planned behind it, if it may run that often; null: nothing. */
  next: number | null;
}

/**
 * The step of a job that is due; null when nothing is. What somebody asked for comes first. Slots that were over by more
 * than the grace are passed over for the last of them, which is made up for, or noted as missed.
 * @throws RangeError when its times cannot be computed
 */
export function planJobStep(job: PlannedJob, now: number): JobStep | null {
  if (job.requestedAt && job.requestedAt.getTime() <= now) {
    // A moment is spent by running before it; what comes back keeps its times.
    const next = job.kind === 'once' ? null : nextSlot(timingOf(job), now);
    // Between two milliseconds, so that it never takes the place of a planned slot.
    return { slot: job.requestedAt.getTime() + 0.5, source: 'run', does: 'run', late: false, missed: 0, next };
  }
  if (!job.nextRunAt || job.nextRunAt.getTime() > now) return null;
  const expected = job.nextRunAt.getTime();
  const timing = timingOf(job);
  const after = (slot: number) => (job.kind === 'once' ? null : nextSlot(timing, slot));
  if (now - expected <= GRACE_MS)
    return { slot: expected, source: 'due', does: 'run', late: false, missed: 0, next: after(expected) };
  const slot = lastSlot(job, expected, now);
  const isOver = now - slot > GRACE_MS;
  const does = job.misfirePolicy === 'skip' && isOver ? 'miss' : 'run';
  return {
    slot,
    source: 'due',
    does,
    late: true,
    missed: countBetween(job, expected, slot),
    next: after(slot),
  };
}

/** The first slot after `now`, or the one moment even if it is over a little. Null: none. @throws RangeError */
export function planFrom(job: PlannedJob, now: number): number | null {
  if (job.kind === 'once') return job.runAt && job.runAt.getTime() >= now - GRACE_MS ? job.runAt.getTime() : null;
  return nextSlot(timingOf(job), now);
}

/** Whether it may run once more; `live`: its runs under way. */
export function isSpent({ repeatTimes, repeatCompleted }: PlannedJob, live: number): boolean {
  return repeatTimes !== null && repeatCompleted + live >= repeatTimes;
}

function lastSlot(job: PlannedJob, expected: number, now: number): number {
  if (job.kind === 'once') return expected;
  const timing = timingOf(job);
  if (job.kind === 'interval') {
    const step = (job.intervalMinutes ?? 0) * 60_000;
    if (step <= 0) throw new RangeError('The interval has no length.');
    return Math.max(expected, expected + Math.floor((now - expected) / step) * step);
  }
  for (const back of LOOK_BACK_MS) {
    const from = Math.max(expected, now - back);
    let found: number | null = null;
    for (let slot = nextSlot(timing, from - 1); slot !== null && slot <= now; slot = nextSlot(timing, slot))
      found = slot;
    if (found !== null) return found;
    if (from === expected) break;
  }
  return expected;
}

function countBetween(job: PlannedJob, expected: number, last: number): number {
  if (job.kind === 'interval') {
    const step = (job.intervalMinutes ?? 0) * 60_000;
    return Math.min(MAX_COUNTED, Math.round((last - expected) / step));
  }
  let count = 0;
  const timing = timingOf(job);
  for (let slot: number | null = expected; slot !== null && slot < last && count < MAX_COUNTED; count += 1)
    slot = nextSlot(timing, slot);
  return count;
}
