import { Clock, ConflictError, newId, NotFoundError, ValidationError } from '@app/common';
import type { DataSource, EntityManager } from 'typeorm';
import type { WorkflowAccess } from '../access/workflow-access.js';
import {
  cronMistake,
  isSameTiming,
  readSettings,
  REQUIRED,
  type ScheduleInput,
  type ScheduleSettings,
} from './schedule-input.js';
import {
  SCHEDULE_COLUMNS,
  SCHEDULE_SOURCES,
  type ScheduleRecord,
  type ScheduleRow,
  toScheduleRecord,
} from './schedule-record.js';
import { COLUMNS, type Plan, PLAN_COLUMNS, planNew, valuesOf } from './schedule-plan.js';
import { nextSlot } from './timing.js';

export const MAX_SCHEDULES = 20;

/**
 * The schedules of workflows as signed-in users set them (docs/contract/schedules.md#the-schedule). Viewers read,
 * editors change.
 */
export class Schedules {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly clock: Clock,
  ) {}

  /** Oldest first. @throws NotFoundError. */
  async list(userId: number, workflowId: string): Promise<ScheduleRecord[]> {
    await this.access.require(userId, workflowId, 'viewer');
    const rows = await this.dataSource.query<ScheduleRow[]>(
      `SELECT ${SCHEDULE_COLUMNS} FROM ${SCHEDULE_SOURCES} WHERE s.workflow_id = $1 ORDER BY s.created_at, s.id`,
      [workflowId],
    );
    return rows.map(toScheduleRecord);
  }

  /** @throws NotFoundError. */
  async get(userId: number, workflowId: string, id: string): Promise<ScheduleRecord> {
    await this.access.require(userId, workflowId, 'viewer');
    return this.read(this.dataSource, workflowId, id);
  }

  /** @throws ValidationError; ConflictError `schedule_limit_reached`; NotFoundError, ForbiddenError for viewers. */
  async create(userId: number, workflowId: string, input: ScheduleInput): Promise<ScheduleRecord> {
    await this.access.require(userId, workflowId, 'editor');
    const now = this.clock.now();
    const settings = readSettings(input, null, now);
    const id = newId();
    const plan = planNew(id, settings, new Date(now), now);
    return this.dataSource.transaction(async (tx) => {
      await this.access.hold(tx, userId, workflowId, 'editor');
      const [{ count }] = await tx.query<[{ count: number }]>(
        'SELECT count(*)::int AS count FROM workflow_schedules WHERE workflow_id = $1',
        [workflowId],
      );
      if (count >= MAX_SCHEDULES)
        throw new ConflictError(`A workflow can have ${MAX_SCHEDULES} schedules.`, { code: 'schedule_limit_reached' });
      await tx.query(
        `INSERT INTO workflow_schedules (id, workflow_id, created_by_id, created_at, updated_at, ${COLUMNS.join(', ')})
         VALUES ($1, $2, $3, $4, $4, ${COLUMNS.map((_, index) => `$${index + 5}`).join(', ')})`,
        [id, workflowId, userId, new Date(now), ...valuesOf(settings, plan)],
      );
      return this.read(tx, workflowId, id);
    });
  }

  /** What is left out stays; other times are planned from now. @throws like `create`, without the limit. */
  async update(userId: number, workflowId: string, id: string, input: ScheduleInput): Promise<ScheduleRecord> {
    return this.change(userId, workflowId, id, (known, now) => {
      const settings = readSettings(input, known, now);
      const isSame = isSameTiming(settings, known);
      // Another time brings a schedule back that had come to its end.
      if (known.state === 'completed' && !isSame) settings.enabled = input.enabled ?? true;
      if (isSame && settings.enabled && known.state === 'active') return { settings };
      const anchorAt = isSame ? known.anchorAt : new Date(now);
      const plan = planNew(id, settings, anchorAt, now);
      const isDone = known.state === 'completed' && isSame && !settings.enabled;
      return { settings, plan: isDone ? { ...plan, state: 'completed' } : plan };
    });
  }

  /** @throws ConflictError `schedule_completed`; NotFoundError, ForbiddenError. */
  async pause(userId: number, workflowId: string, id: string): Promise<ScheduleRecord> {
    return this.change(userId, workflowId, id, (known, now) => {
      refuseCompleted(known);
      if (known.state === 'paused') return null;
      const settings = { ...known, enabled: false };
      return { settings, plan: planNew(id, settings, known.anchorAt, now) };
    });
  }

  /** Goes on from now: what was due in between is not caught up on. @throws ValidationError for a one-shot of the past; like `pause`. */
  async resume(userId: number, workflowId: string, id: string): Promise<ScheduleRecord> {
    return this.change(userId, workflowId, id, (known, now) => {
      refuseCompleted(known);
      if (known.state === 'active') return null;
      const settings = readSettings({ enabled: true }, { ...known, enabled: false }, now);
      return { settings, plan: planNew(id, settings, known.anchorAt, now), forgives: true };
    });
  }

  /** Takes back what waits in the workflow's line; a run at work goes on. @throws NotFoundError, ForbiddenError. */
  async delete(userId: number, workflowId: string, id: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await this.access.hold(tx, userId, workflowId, 'editor');
      const [, deleted] = await tx.query<[unknown, number]>(
        'DELETE FROM workflow_schedules WHERE id = $1 AND workflow_id = $2',
        [id, workflowId],
      );
      if (deleted === 0) throw new NotFoundError();
      await tx.query(
        `WITH cancelled AS (
           UPDATE workflow_requests SET status = 'cancelled', finished_at = now(), detail = 'The schedule was deleted.'
           WHERE schedule_id = $2 AND status = 'pending' RETURNING 1)
         UPDATE workflows SET pending_requests = pending_requests - (SELECT count(*) FROM cancelled) WHERE id = $1`,
        [workflowId, id],
      );
    });
  }

  /** The next times of a schedule with this cron expression or interval. @throws ValidationError, NotFoundError. */
  async preview(userId: number, workflowId: string, timing: ScheduleInput, count: number): Promise<Date[]> {
    await this.access.require(userId, workflowId, 'viewer');
    const now = this.clock.now();
    if (!timing.cron && !timing.intervalMinutes)
      throw new ValidationError({ cron: [(timing.cron === undefined ? null : cronMistake('')) ?? REQUIRED] });
    const settings = { ...readSettings(timing, null, now), anchorAt: new Date(now) };
    const times: Date[] = [];
    let slot = nextSlot(settings, now);
    while (slot !== null && times.length < count) {
      times.push(new Date(slot));
      slot = nextSlot(settings, slot);
    }
    return times;
  }

  private async read(
    db: DataSource | EntityManager,
    workflowId: string,
    id: string,
    lock = '',
  ): Promise<ScheduleRecord> {
    const [row] = await db.query<ScheduleRow[]>(
      `SELECT ${SCHEDULE_COLUMNS} FROM ${SCHEDULE_SOURCES} WHERE s.id = $1 AND s.workflow_id = $2 ${lock}`,
      [id, workflowId],
    );
    if (!row) throw new NotFoundError();
    return toScheduleRecord(row);
  }

  private async change(
    userId: number,
    workflowId: string,
    id: string,
    decide: (
      known: ScheduleRecord,
      now: number,
    ) => { settings: ScheduleSettings; plan?: Plan; forgives?: boolean } | null,
  ): Promise<ScheduleRecord> {
    return this.dataSource.transaction(async (tx) => {
      await this.access.hold(tx, userId, workflowId, 'editor');
      const known = await this.read(tx, workflowId, id, 'FOR NO KEY UPDATE OF s');
      const now = this.clock.now();
      const change = decide(known, now);
      if (!change) return known;
      const { settings, plan, forgives } = change;
      // Without a plan of its own the next run stays, as the lock shows it.
      const columns = plan ? COLUMNS : COLUMNS.slice(0, -PLAN_COLUMNS);
      await tx.query(
        `UPDATE workflow_schedules SET version = version + 1, updated_at = $2, claimed_until = NULL
           ${forgives ? `, failure_streak = 0, last_error = ''` : ''},
           ${columns.map((column, index) => `${column} = $${index + 3}`).join(', ')} WHERE id = $1`,
        [id, new Date(now), ...valuesOf(settings, plan)],
      );
      return this.read(tx, workflowId, id);
    });
  }
}

function refuseCompleted({ state }: ScheduleRecord): void {
  if (state === 'completed') throw new ConflictError('The schedule is completed.', { code: 'schedule_completed' });
}
