import { createHash } from 'node:crypto';
import { CronExpression } from './cron-expression.js';
import { nextCronTime } from './cron-times.js';

const MINUTE_MS = 60_000;

/** When a schedule fires. */
export interface Timing {
  kind: 'cron' | 'interval' | 'once';
  cron: string | null;
  intervalMinutes: number | null;
  runAt: Date | null;
  /** IANA name; only cron reads it. */
  timezone: string;
  /** Slots lie from here on, itself included. */
  startAt: Date | null;
  /** Slots lie up to here, itself included. */
  endAt: Date | null;
  /** Intervals are counted from here, so that they do not drift. */
  anchorAt: Date;
}

/** The first slot after `after`, in milliseconds; null when there is none. @throws RangeError when it cannot be computed. */
export function nextSlot(timing: Timing, after: number): number | null {
  // A one-shot has its one time; bounds are for what comes back.
  if (timing.kind === 'once') return timing.runAt && timing.runAt.getTime() > after ? timing.runAt.getTime() : null;
  const from = timing.startAt ? Math.max(after, timing.startAt.getTime() - 1) : after;
  const slot = timing.kind === 'cron' ? nextCron(timing, from) : nextInterval(timing, from);
  return slot === null || (timing.endAt && slot > timing.endAt.getTime()) ? null : slot;
}

function nextCron({ cron, timezone }: Timing, after: number): number | null {
  const expression = CronExpression.parse(cron ?? '');
  if (!expression) throw new RangeError('The cron expression cannot be read.');
  return nextCronTime(expression, timezone, after);
}

function nextInterval({ intervalMinutes, anchorAt }: Timing, after: number): number {
  const [anchor, step] = [anchorAt.getTime(), (intervalMinutes ?? 0) * MINUTE_MS];
  if (step <= 0) throw new RangeError('The interval has no length.');
  return anchor + (Math.floor((after - anchor) / step) + 1) * step;
}

/**
 * When a slot is due: up to `jitterSeconds` later, never as late as the slot after it. The same for every process and
 * every attempt.
 */
export function dueTime(scheduleId: string, slot: number, jitterSeconds: number, following: number | null): number {
  const range = Math.min(jitterSeconds * 1000, following === null ? Infinity : following - slot);
  if (range <= 0) return slot;
  return slot + (createHash('sha1').update(`${scheduleId}:${slot}`).digest().readUInt32BE(0) % range);
}
