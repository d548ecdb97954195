import {
  Clock,
  ConflictError,
  isWritableTime,
  type LocalTime,
  NotFoundError,
  TIME_RANGE_MESSAGE,
  ValidationError,
} from '@app/common';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { WorkflowAccess } from '../access/workflow-access.js';
import type { OverlapPolicy, ScheduleRecord } from './schedule-record.js';
import { timeIn } from './schedule-input.js';
import { SLOT_RETENTION_DAYS } from './scheduler.js';
import type { Schedules } from './schedules.js';
import type { SlotFiring, Step, StepOutcome } from './slot-firing.js';
import { nextSlot } from './timing.js';

export const MAX_BACKFILL = 500;
/** Slots that one call looks at until it has enough to fire. */
const MAX_EXAMINED = 20_000;
/** What is left is counted no further. */
const MAX_COUNTED = 5_000;
const DAY_MS = 86_400_000;

export interface BackfillPeriod {
  from: Date;
  to: Date;
  overlapPolicy: OverlapPolicy;
}

export interface Backfill {
  /** Runs that were started or put in line. */
  count: number;
  /** Slots that the overlap policy passed over. */
  skipped: number;
  /** Slots of the period that still have no run, those passed over aside; counted up to 5,000. */
  remaining: number;
  /** The first of them: where the next call may begin. Null when nothing is left. */
  nextFrom: Date | null;
}

/** Runs of a schedule that somebody asks for. */
export class ScheduleRuns {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly schedules: Schedules,
    private readonly firing: SlotFiring,
    private readonly clock: Clock,
  ) {}

  /**
   * Fires once, now, under the schedule's overlap policy; its plan stays.
   * @throws ConflictError `schedule_completed`; NotFoundError, ForbiddenError.
   */
  async runNow(userId: number, workflowId: string, id: string): Promise<ScheduleRecord> {
    await this.access.require(userId, workflowId, 'editor');
    const schedule = await this.schedules.get(userId, workflowId, id);
    if (schedule.state === 'completed')
      throw new ConflictError('The schedule is completed.', { code: 'schedule_completed' });
    // Between two milliseconds, so that it never takes the place of a planned slot.
    const slot = this.clock.now() + 0.5;
    const step: Step = { schedule, advance: null, slot, policy: schedule.overlapPolicy, source: 'run', userId };
    const [outcome] = await this.fireAs(userId, workflowId, [step]);
    if (outcome === 'gone' || outcome === 'stale') throw new NotFoundError();
    return this.schedules.get(userId, workflowId, id);
  }

  /**
   * Fires the slots of a period of the past that have not fired, oldest first, at most `MAX_BACKFILL`; asked again, it
   * goes on with the rest. @throws ValidationError, NotFoundError, ForbiddenError.
   */
  async backfill(
    userId: number,
    workflowId: string,
    id: string,
    given: Omit<BackfillPeriod, 'from' | 'to'> & { from: Date | LocalTime; to: Date | LocalTime },
  ): Promise<Backfill> {
    await this.access.require(userId, workflowId, 'editor');
    const schedule = await this.schedules.get(userId, workflowId, id);
    const { timezone } = schedule;
    const period = { ...given, from: timeIn(timezone, given.from), to: timeIn(timezone, given.to) };
    const now = this.clock.now();
    if (!isWritableTime(period.to)) throw new ValidationError({ to: [TIME_RANGE_MESSAGE] });
    if (period.to < period.from) throw new ValidationError({ to: ['Must not be before from.'] });
    if (period.from.getTime() < now - SLOT_RETENTION_DAYS * DAY_MS)
      throw new ValidationError({ from: [`Must not lie more than ${SLOT_RETENTION_DAYS} days back.`] });
    const { slots, left, first } = await this.unfiredSlots(schedule, period, now);
    const outcomes = await this.fireAs(
      userId,
      workflowId,
      slots.map((slot) => ({
        schedule,
        advance: null,
        slot,
        policy: period.overlapPolicy,
        source: 'backfill',
        userId,
      })),
    );
    if (outcomes.includes('gone')) throw new NotFoundError();
    const began = outcomes.filter((outcome) => ['started', 'concurrent', 'queued'].includes(outcome)).length;
    const skipped = outcomes.filter((outcome) => outcome === 'skipped').length;
    const refused = slots.filter((_, place) =>
      ['queue_full', 'owner_inactive', 'not_in_plan', 'stale'].includes(outcomes[place]!),
    );
    const next = refused[0] ?? first;
    return {
      count: began,
      skipped,
      remaining: left + refused.length,
      nextFrom: next === null ? null : new Date(next),
    };
  }

  private fireAs(userId: number, workflowId: string, steps: readonly Step[]): Promise<StepOutcome[]> {
    return this.firing.fire(steps, (carryOut) =>
      this.access.writeAs({ userId, workflowId, needed: 'editor' }, (tx) => carryOut(tx)),
    );
  }

  /** Those to fire now, how many are left behind them, and the first of these. */
  private async unfiredSlots(
    schedule: ScheduleRecord,
    { from, to }: BackfillPeriod,
    now: number,
  ): Promise<{ slots: number[]; left: number; first: number | null }> {
    // What is planned fires by itself.
    const end = Math.min(to.getTime(), now, (schedule.nextRunAt?.getTime() ?? Infinity) - 1);
    const rows = await this.dataSource.query<{ slot_time: Date }[]>(
      `SELECT slot_time FROM workflow_schedule_slots
       WHERE schedule_id = $1 AND slot_time BETWEEN $2 AND $3 AND outcome <> 'skipped'`,
      [schedule.id, from, new Date(Math.max(end, from.getTime()))],
    );
    const fired = new Set(rows.map(({ slot_time: time }) => time.getTime()));
    const slots: number[] = [];
    let left = 0;
    let first: number | null = null;
    let slot = nextSlot(schedule, from.getTime() - 1);
    for (let examined = 0; slot !== null && slot <= end; examined += 1) {
      const isOpen = !fired.has(slot);
      if (isOpen && slots.length < MAX_BACKFILL && examined < MAX_EXAMINED) slots.push(slot);
      else if (isOpen) {
        left += 1;
        first ??= slot;
      }
      if (left === MAX_COUNTED) break;
      if (examined === MAX_EXAMINED + MAX_COUNTED) {
        // Whether the rest is open is for the next call to see.
        first ??= slot;
        left = Math.max(left, 1);
        break;
      }
      if (examined % 500 === 499) await nextTurn();
      slot = nextSlot(schedule, slot);
    }
    return { slots, left, first };
  }
}
