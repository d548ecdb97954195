import { endOfGap, firstTransition, instantsOf, offsetAt } from '@app/workflow-definition';
import type { CronExpression } from './cron-expression.js';

/** Longer than any two clocks differ, so that a transition that matters to a local time lies within it. */
const NEAR_MS = 26 * 3_600_000;

/**
 * The next instant after `after` at which the expression fires in the zone, in milliseconds; null when there is none.
 * A local time that the clocks skip fires at the next valid minute, one that they repeat fires once, the first time
 * (docs/contract/schedules.md#slots-and-clocks). An expression that names every hour has no local time to lose: it
 * fires as time passes.
 */
export function nextCronTime(cron: CronExpression, zone: string, after: number): number | null {
  return cron.isEveryHour ? nextByElapsedTime(cron, zone, after) : nextByWallClock(cron, zone, after);
}

function nextByWallClock(cron: CronExpression, zone: string, after: number): number | null {
  let local = cron.nextLocal(after + offsetAt(zone, after));
  while (local !== null) {
    const instant = instantsOf(zone, local)[0] ?? endOfGap(zone, local);
    // Local times that were repeated, or that fire together at the end of a gap, are over.
    if (instant > after) return instant;
    local = cron.nextLocal(local);
  }
  return null;
}

function nextByElapsedTime(cron: CronExpression, zone: string, after: number): number | null {
  const transition = firstTransition(zone, after, after + NEAR_MS);
  const next = nextWithOffset(cron, zone, after, offsetAt(zone, after));
  if (transition === null || (next !== null && next < transition)) return next;
  return nextWithOffset(cron, zone, transition - 1, offsetAt(zone, transition));
}

/** Takes the offset as good for `NEAR_MS`; what lies beyond is asked of the zone. */
function nextWithOffset(cron: CronExpression, zone: string, after: number, offset: number): number | null {
  const local = cron.nextLocal(after + offset);
  if (local === null || local - offset <= after + NEAR_MS) return local && local - offset;
  return instantsOf(zone, local)[0] ?? nextByElapsedTime(cron, zone, endOfGap(zone, local) - 1);
}
