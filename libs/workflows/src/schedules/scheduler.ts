import { Clock } from '@app/common';
import { instruments } from '@app/observability';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { planAfter, planStep } from './plan-step.js';
import { SCHEDULE_COLUMNS, SCHEDULE_SOURCES, type ScheduleRow, toScheduleRecord } from './schedule-record.js';
import type { SlotFiring } from './slot-firing.js';

const BATCH = 100;
/** A runner that dies in between holds its schedules up for so long. */
const CLAIM_SECONDS = 10;
/** A clock that goes back by less was only corrected. */
const STEP_BACK_MS = 5_000;
const PAGE = 500;
/** Slots are remembered for so long; backfill does not reach beyond. */
export const SLOT_RETENTION_DAYS = 400;
const PRUNE_BATCH = 5_000;

/** Fires what is due. Any number of processes may do so at once, with clocks that disagree. */
export class Scheduler {
  private readonly logger = new Logger(Scheduler.name);
  private lastSeen = Number.POSITIVE_INFINITY;
  private stopping = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly firing: SlotFiring,
    private readonly clock: Clock,
  ) {}

  /** Takes steps until nothing is due any more. @returns how many runs were started or put in line. */
  async fireDue(): Promise<number> {
    if (this.lastSeen - this.clock.now() > STEP_BACK_MS) await this.bringPlansBack();
    let fired = 0;
    while (!this.stopping) {
      const now = (this.lastSeen = this.clock.now());
      const claimed = await this.claim(now);
      if (claimed.length === 0) break;
      const steps = claimed.flatMap((row) => planStep(toScheduleRecord(row), now) ?? []);
      const outcomes = await this.firing.fire(steps);
      const begun = steps.filter((_, place) => ['started', 'concurrent', 'queued'].includes(outcomes[place]!));
      for (const { slot } of begun)
        if (slot !== null) instruments.scheduleLag.observe(Math.max(0, (this.clock.now() - slot) / 1000));
      fired += begun.length;
    }
    return fired;
  }

  /** Starts nothing more. */
  stop(): void {
    this.stopping = true;
  }

  /**
   * Plans that a clock made which was ahead are made again. What it fired too early has its slot, so it does not fire
   * again. Called by itself when this process sees its clock step back, and at its start.
   */
  async bringPlansBack(): Promise<number> {
    let [changed, after] = [0, '00000000-0000-0000-0000-000000000000'];
    for (;;) {
      const now = (this.lastSeen = this.clock.now());
      const rows = await this.dataSource.query<ScheduleRow[]>(
        `SELECT ${SCHEDULE_COLUMNS} FROM ${SCHEDULE_SOURCES}
         WHERE s.id > $1 AND s.state = 'active' AND s.next_run_at > $2 AND s.kind <> 'once' ORDER BY s.id LIMIT ${PAGE}`,
        [after, new Date(now)],
      );
      for (const row of rows) changed += await this.bringBack(row, now);
      if (rows.length < PAGE || this.stopping) break;
      after = rows.at(-1)!.id;
    }
    if (changed > 0) this.logger.log(`The clock went back; ${changed} schedules were planned anew.`);
    return changed;
  }

  /** Forgets slots of long ago. */
  async prune(): Promise<void> {
    let count = PRUNE_BATCH;
    while (count === PRUNE_BATCH && !this.stopping)
      [, count] = await this.dataSource.query<[unknown, number]>(
        `DELETE FROM workflow_schedule_slots WHERE ctid = ANY(ARRAY(
           SELECT ctid FROM workflow_schedule_slots
           WHERE fired_at < now() - $1 * interval '1 day' AND slot_time < now() - $1 * interval '1 day' LIMIT $2))`,
        [SLOT_RETENTION_DAYS, PRUNE_BATCH],
      );
  }

  private async bringBack(row: ScheduleRow, now: number): Promise<number> {
    const schedule = toScheduleRecord(row);
    try {
      // Not back to times at which this plan did not exist.
      const { next, due } = planAfter(schedule, Math.max(now, schedule.updatedAt.getTime()));
      if (next === null || next >= schedule.nextRunAt!.getTime()) return 0;
      const [, count] = await this.dataSource.query<[unknown, number]>(
        `UPDATE workflow_schedules SET next_run_at = $3, due_at = $4 WHERE id = $1 AND version = $2 AND next_run_at = $5`,
        [row.id, row.version, new Date(next), new Date(due!), row.next_run_at],
      );
      return count;
    } catch (error) {
      this.logger.warn(`Schedule ${row.id} keeps its plan: ${String(error)}`);
      return 0;
    }
  }

  /** A claim only spares the others the work: that a slot fires once is decided when it fires. */
  private async claim(now: number): Promise<ScheduleRow[]> {
    return this.dataSource.query<ScheduleRow[]>(
      `WITH due AS (
         SELECT id FROM workflow_schedules
         WHERE due_at <= $1 AND (claimed_until IS NULL OR claimed_until <= now())
         ORDER BY due_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED),
       claimed AS (
         UPDATE workflow_schedules s SET claimed_until = now() + ${CLAIM_SECONDS} * interval '1 second'
         FROM due WHERE s.id = due.id RETURNING s.*)
       SELECT ${SCHEDULE_COLUMNS} FROM claimed s LEFT JOIN users u ON u.id = s.created_by_id`,
      [new Date(now)],
    );
  }
}
