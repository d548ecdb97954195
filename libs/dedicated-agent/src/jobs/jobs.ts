import { type AuditAction, AuditLog } from '@app/audit';
import {
  type Clock,
  ConflictError,
  InvalidRequestError,
  isUuid,
  newTimeOrderedId,
  NotFoundError,
  type Page,
  type PageRequest,
  ValidationError,
} from '@app/common';
import type { DataSource, EntityManager } from 'typeorm';
import type { BudgetBook } from '../budget/budget-book.js';
import type { DedicatedAgents } from '../agents/dedicated-agents.js';
import { type JobInput, type JobSettings, readJobSettings } from './job-input.js';
import { isSpent, planFrom } from './job-plan.js';
import {
  EXECUTION_COLUMNS,
  type ExecutionRecord,
  JOB_COLUMNS,
  type JobRecord,
  type JobState,
  type PlannedJob,
} from './job-record.js';
import { GRACE_MS } from './schedule-text.js';

export const MAX_JOBS = 50;

interface Editor {
  userId: number;
  username: string;
}

/** What a change writes beside the settings. Times in milliseconds. */
interface Change {
  settings?: JobSettings;
  state: JobState;
  next: number | null;
  requestedAt: Date | null;
  anchorAt: Date;
  repeatCompleted: number;
  lastError: string | null;
}

/** The jobs of agents as their owners see and set them (docs/contract/dedicated-agent.md#jobs). */
export class AgentJobs {
  constructor(
    private readonly dataSource: DataSource,
    private readonly agents: DedicatedAgents,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly budget: Pick<BudgetBook, 'requireOpen'>,
  ) {}

  /** Oldest first. @throws NotFoundError `agent_not_found` */
  async list(userId: number, includeDisabled: boolean): Promise<JobRecord[]> {
    const agent = await this.agents.get(userId);
    return this.dataSource.transaction('REPEATABLE READ', async (tx) => {
      const jobs = await tx.query<PlannedJob[]>(
        `SELECT ${JOB_COLUMNS} FROM dedicated_agent_jobs j WHERE j.agent_id = $1 AND (j.enabled OR $2)
         ORDER BY j.created_at, j.id`,
        [agent.id, includeDisabled],
      );
      return this.withLatest(tx, jobs);
    });
  }

  /** @throws NotFoundError `agent_not_found`, `job_not_found` */
  async get(userId: number, id: string): Promise<JobRecord> {
    const agent = await this.agents.get(userId);
    // As they stand at one moment: a job and its last execution change together.
    return this.dataSource.transaction('REPEATABLE READ', (tx) => this.read(tx, agent.id, id));
  }

  /** Newest slots first. @throws as `get` */
  async listExecutions(userId: number, id: string, { page, pageSize }: PageRequest): Promise<Page<ExecutionRecord>> {
    const job = await this.get(userId, id);
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM dedicated_agent_executions WHERE job_id = $1',
      [job.id],
    );
    const items = await this.dataSource.query<ExecutionRecord[]>(
      `SELECT ${EXECUTION_COLUMNS} FROM dedicated_agent_executions e WHERE e.job_id = $1
       ORDER BY e.scheduled_for DESC LIMIT $2 OFFSET $3`,
      [job.id, pageSize, (page - 1) * pageSize],
    );
    return { count, items };
  }

  /**
   * @param isMadeByJob whether a run of another job makes it
   * @throws ValidationError; ConflictError `job_limit_reached`; NotFoundError `agent_not_found`
   */
  async create(
    editor: Editor,
    input: JobInput,
    isPaused: boolean,
    { isMadeByJob = false }: { isMadeByJob?: boolean } = {},
  ): Promise<JobRecord> {
    const { id: agentId } = await this.agents.get(editor.userId);
    const now = this.clock.now();
    const settings = readJobSettings(input, null, now);
    const job = { ...settings, anchorAt: new Date(now) } as PlannedJob;
    const next = planFrom(job, now);
    if (next === null) throw new ValidationError({ schedule: ['The schedule would never run.'] });
    const id = newTimeOrderedId();
    return this.dataSource.transaction(async (tx) => {
      await this.agents.hold(editor.userId, tx);
      const [{ count }] = await tx.query<[{ count: number }]>(
        'SELECT count(*)::int AS count FROM dedicated_agent_jobs WHERE agent_id = $1',
        [agentId],
      );
      if (count >= MAX_JOBS)
        throw new ConflictError(`An agent can have ${MAX_JOBS} jobs; delete some first.`, {
          code: 'job_limit_reached',
        });
      await tx.query(
        `INSERT INTO dedicated_agent_jobs (id, agent_id, name, prompt, kind, interval_minutes, cron, run_at, timezone, display,
           repeat_times, misfire_policy, notify, budget, halts_on_expiry, enabled, state, anchor_at, next_run_at, due_at, created_at,
           updated_at, made_by_job)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::jsonb, $15, $16, $17, $18, $19, $19, $18, $18, $20)`,
        [
          id,
          agentId,
          ...valuesOf(settings),
          !isPaused,
          isPaused ? 'paused' : 'scheduled',
          new Date(now),
          isPaused ? null : new Date(next),
          isMadeByJob,
        ],
      );
      await this.record(tx, editor, 'agent_job.created', id);
      return this.read(tx, agentId, id);
    });
  }

  /**
   * What is left out stays. Other times are planned from now, and bring back a job that had come to its end.
   * @throws as `create` and `get`
   */
  update(editor: Editor, id: string, input: JobInput & { enabled?: boolean | undefined }): Promise<JobRecord> {
    return this.change(editor, id, 'agent_job.changed', (job, now, live) => {
      const settings = readJobSettings(input, job, now);
      const isNewTiming = input.schedule !== undefined || settings.timezone !== job.timezone;
      const changed: PlannedJob = {
        ...job,
        ...settings,
        anchorAt: isNewTiming ? new Date(now) : job.anchorAt,
        repeatCompleted: isNewTiming ? 0 : job.repeatCompleted,
      };
      const isRevived = job.state === 'completed' && (isNewTiming || !isSpent(changed, live));
      const wasOn = job.state === 'scheduled' || job.state === 'error' || isRevived;
      const isOn = input.enabled ?? wasOn;
      if (job.state === 'completed' && !isRevived)
        return { ...keep(changed), settings, state: 'completed', next: null, requestedAt: null };
      if (!isOn) return { ...keep(changed), settings, state: 'paused', next: null, requestedAt: null };
      if (!isNewTiming && job.state === 'scheduled' && !isSpent(changed, live))
        return { ...keep(changed), settings, next: job.nextRunAt?.getTime() ?? planOr400(changed, now) };
      return { ...keep(changed), settings, ...planned(changed, now, live) };
    });
  }

  /** A run that it began goes on. @throws as `get` */
  async delete(editor: Editor, id: string): Promise<void> {
    const { id: agentId } = await this.agents.get(editor.userId);
    await this.dataSource.transaction(async (tx) => {
      if (!isUuid(id)) throw notFound();
      const [, count] = await tx.query<[unknown, number]>(
        'DELETE FROM dedicated_agent_jobs WHERE id = $1 AND agent_id = $2',
        [id, agentId],
      );
      if (count === 0) throw notFound();
      await this.record(tx, editor, 'agent_job.deleted', id);
    });
  }

  /** @throws as `get`; InvalidRequestError `job_completed` */
  pause(editor: Editor, id: string): Promise<JobRecord> {
    return this.change(editor, id, 'agent_job.paused', (job) => {
      refuseCompleted(job);
      return job.state === 'paused' ? null : { ...keep(job), state: 'paused', next: null, requestedAt: null };
    });
  }

  /**
   * Goes on from now: what was due in between is not caught up on.
   * @throws as `pause`; InvalidRequestError `job_time_passed`, `job_not_computable`
   */
  resume(editor: Editor, id: string): Promise<JobRecord> {
    return this.change(editor, id, 'agent_job.resumed', (job, now, live) => {
      refuseCompleted(job);
      return job.state === 'scheduled' ? null : { ...keep(job), ...planned(job, now, live), lastError: null };
    });
  }

  /** Fires at the next tick; a paused one is scheduled again. @throws as `pause`; ConflictError `agent_not_running`, `budget_exceeded` */
  async run(editor: Editor, id: string): Promise<JobRecord> {
    await this.agents.getRunning(editor.userId);
    const { agentId } = await this.get(editor.userId, id);
    await this.budget.requireOpen(this.dataSource.manager, agentId, id);
    return this.change(editor, id, 'agent_job.run', (job, now) => {
      refuseCompleted(job);
      const requestedAt = job.requestedAt ?? new Date(now);
      const next = job.state === 'scheduled' ? (job.nextRunAt?.getTime() ?? null) : null;
      return { ...keep(job), state: 'scheduled', requestedAt, next };
    });
  }

  private async change(
    editor: Editor,
    id: string,
    action: AuditAction,
    decide: (job: PlannedJob, now: number, live: number) => Change | null,
  ): Promise<JobRecord> {
    const { id: agentId } = await this.agents.get(editor.userId);
    return this.dataSource.transaction(async (tx) => {
      const job = await this.lock(tx, agentId, id);
      const [{ live }] = await tx.query<[{ live: number }]>(
        `SELECT count(*)::int AS live FROM dedicated_agent_executions WHERE job_id = $1 AND status = 'running'`,
        [job.id],
      );
      const now = this.clock.now();
      const change = decide(job, now, live);
      if (change) {
        const { settings, state, next, requestedAt } = change;
        const due = Math.min(next ?? Infinity, requestedAt?.getTime() ?? Infinity);
        await tx.query(
          `UPDATE dedicated_agent_jobs SET name = $2, prompt = $3, kind = $4, interval_minutes = $5, cron = $6, run_at = $7,
             timezone = $8, display = $9, repeat_times = $10, misfire_policy = $11, notify = $12, budget = $13::jsonb, halts_on_expiry = $14,
             enabled = $15, state = $16, anchor_at = $17, next_run_at = $18, requested_at = $19, due_at = $20, repeat_completed = $21,
             last_error = $22, claimed_until = NULL, version = version + 1, updated_at = $23 WHERE id = $1`,
          [
            job.id,
            ...valuesOf(settings ?? job),
            state === 'scheduled' || state === 'error',
            state,
            change.anchorAt,
            next === null ? null : new Date(next),
            requestedAt,
            due === Infinity ? null : new Date(due),
            change.repeatCompleted,
            change.lastError,
            new Date(now),
          ],
        );
        await this.record(tx, editor, action, job.id);
      }
      return this.read(tx, agentId, job.id);
    });
  }

  private async lock(tx: EntityManager, agentId: string, id: string): Promise<PlannedJob> {
    if (!isUuid(id)) throw notFound();
    const [job] = await tx.query<PlannedJob[]>(
      `SELECT ${JOB_COLUMNS} FROM dedicated_agent_jobs j WHERE j.id = $1 AND j.agent_id = $2 FOR NO KEY UPDATE`,
      [id, agentId],
    );
    if (!job) throw notFound();
    return job;
  }

  private async read(db: EntityManager, agentId: string, id: string): Promise<JobRecord> {
    if (!isUuid(id)) throw notFound();
    const jobs = await db.query<PlannedJob[]>(
      `SELECT ${JOB_COLUMNS} FROM dedicated_agent_jobs j WHERE j.id = $1 AND j.agent_id = $2`,
      [id, agentId],
    );
    const [job] = await this.withLatest(db, jobs);
    if (!job) throw notFound();
    return job;
  }

  private async withLatest(db: EntityManager, jobs: readonly PlannedJob[]): Promise<JobRecord[]> {
    if (jobs.length === 0) return [];
    const latest = await db.query<(ExecutionRecord & { jobId: string })[]>(
      `SELECT ${EXECUTION_COLUMNS}, e.job_id AS "jobId" FROM unnest($1::uuid[]) AS w(id) CROSS JOIN LATERAL (
         SELECT * FROM dedicated_agent_executions WHERE job_id = w.id ORDER BY scheduled_for DESC LIMIT 1) e`,
      [jobs.map(({ id }) => id)],
    );
    return jobs.map((job) => ({ ...job, latest: latest.find(({ jobId }) => jobId === job.id) ?? null }));
  }

  private record(tx: EntityManager, { userId, username }: Editor, action: AuditAction, id: string): Promise<void> {
    return this.audit.record({ action, actor: { userId, username }, target: `agent_job:${id}`, details: {} }, tx);
  }
}

function valuesOf(settings: JobSettings): unknown[] {
  const { name, prompt, kind, intervalMinutes, cron, runAt, timezone, display } = settings;
  const { repeatTimes, misfirePolicy, notify, budget, onExpiry } = settings;
  const timing = [kind, intervalMinutes, cron, runAt, timezone, display, repeatTimes];
  const caps = budget && JSON.stringify(budget);
  return [name, prompt, ...timing, misfirePolicy, notify, caps, onExpiry === 'halt'];
}

function keep({ state, nextRunAt, requestedAt, anchorAt, repeatCompleted, lastError }: PlannedJob): Change {
  return { state, next: nextRunAt?.getTime() ?? null, requestedAt, anchorAt, repeatCompleted, lastError };
}

/** @throws InvalidRequestError */
function planned(job: PlannedJob, now: number, live: number): { state: JobState; next: number | null } {
  // Its last run is under way; its end completes the job.
  if (isSpent(job, live)) return { state: live > 0 ? 'scheduled' : 'completed', next: null };
  return { state: 'scheduled', next: planOr400(job, now) };
}

function planOr400(job: PlannedJob, now: number): number {
  let next: number | null;
  try {
    next = planFrom(job, now);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidRequestError(`The next run cannot be computed: ${reason}`, { code: 'job_not_computable' });
  }
  if (next !== null) return next;
  if (job.kind === 'once')
    throw new InvalidRequestError(`The job's time passed more than ${GRACE_MS / 1000} seconds ago.`, {
      code: 'job_time_passed',
    });
  throw new InvalidRequestError('The schedule has no further time.', { code: 'job_not_computable' });
}

function refuseCompleted({ state }: PlannedJob): void {
  if (state === 'completed') throw new InvalidRequestError('The job is completed.', { code: 'job_completed' });
}

const notFound = () => new NotFoundError('Job not found', { code: 'job_not_found' });
