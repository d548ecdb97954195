import { accountIsActive } from '@app/access';
import {
  type Clock,
  ConflictError,
  DomainError,
  newTimeOrderedId,
  NotFoundError,
  RateLimitedError,
  UnavailableError,
} from '@app/common';
import { retriedTransaction } from '@app/entities';
import { instruments } from '@app/observability';
import { Logger } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import type { AgentRunRecord, NewAgentRun } from '../runs/agent-run.js';
import { isSpent, type JobStep, planJobStep } from './job-plan.js';
import type { JobNotices } from './job-notices.js';
import { JOB_COLUMNS, type PlannedJob } from './job-record.js';

const BATCH = 100;
const AT_ONCE = 4;
/** A runner that dies in between holds its jobs up for so long. */
const CLAIM_SECONDS = 10;
/** So long a job waits whose agent is at its cap of runs. */
const FULL_SECONDS = 5;
/** Runs wait no longer than this for other jobs that are due. */
const TOGETHER_MS = 10_000;
const RETENTION_DAYS = 90;
const PRUNE_BATCH = 5_000;

/** What is needed of `AgentRuns`. */
export interface JobRuns {
  create(userId: number, run: NewAgentRun, tx: EntityManager): Promise<AgentRunRecord>;
  publishSoon(run: AgentRunRecord): void;
}

/** `stale`: the plan is another by now; `full`: the agent is at its cap, and it is tried again. */
export type FiringOutcome = 'started' | 'skipped' | 'missed' | 'blocked' | 'duplicate' | 'stale' | 'full' | 'error';

/** Who tells owners that a job does not run, because the budget is used up. */
export interface BudgetNews {
  tell(tx: EntityManager, job: PlannedJob & { userId: number }, refusal: DomainError): Promise<void>;
}

type ClaimedJob = PlannedJob & { userId: number; isActive: boolean };

interface Taken {
  outcome: FiringOutcome;
  run: AgentRunRecord | null;
  slot: number | null;
  /** The agent whose owner was told why it does not run. */
  told?: string;
}

/**
 * Fires the jobs that are due. Any number of processes may do so at once: slot, run and the next plan are one commit, and
 * a slot is there once.
 */
export class JobClock {
  private readonly logger = new Logger(JobClock.name);
  private stopping = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly runs: JobRuns,
    private readonly clock: Clock,
    private readonly news: BudgetNews | null = null,
    /** Who tells of jobs that do not run; nobody where it is absent. */
    private readonly notices: JobNotices | null = null,
  ) {}

  /** Takes steps until nothing is due any more. @returns how many runs began */
  async fireDue(): Promise<number> {
    let started = 0;
    const stored = new StoredRuns(this.runs);
    try {
      while (!this.stopping) {
        const claimed = await this.claim(this.clock.now());
        if (claimed.length === 0) break;
        const fireNext = async (): Promise<void> => {
          for (let id = claimed.pop(); id !== undefined && !this.stopping; id = claimed.pop())
            if ((await this.fireSafely(id, stored)) === 'started') started += 1;
        };
        await Promise.all(Array.from({ length: AT_ONCE }, fireNext));
      }
    } finally {
      stored.publish();
    }
    return started;
  }

  /** Starts nothing more. */
  stop(): void {
    this.stopping = true;
  }

  /** Forgets slots of long ago. */
  async prune(): Promise<void> {
    let count = PRUNE_BATCH;
    while (count === PRUNE_BATCH && !this.stopping)
      [, count] = await this.dataSource.query<[unknown, number]>(
        `DELETE FROM dedicated_agent_executions WHERE id IN (SELECT id FROM dedicated_agent_executions
           WHERE started_at < now() - $1 * interval '1 day' AND status <> 'running' LIMIT $2)`,
        [RETENTION_DAYS, PRUNE_BATCH],
      );
  }

  /** One that fails is taken up again when its claim is over, and holds up no other. */
  private async fireSafely(id: string, stored: StoredRuns): Promise<FiringOutcome> {
    try {
      return await this.fire(id, stored);
    } catch (error) {
      this.logger.error(`The job ${id} could not be fired: ${error instanceof Error ? error.stack : String(error)}`);
      return 'error';
    }
  }

  /** The step of one job, if it is still due. @param stored takes its run; without it, that begins at once */
  async fire(id: string, stored?: StoredRuns): Promise<FiringOutcome> {
    const now = this.clock.now();
    const {
      outcome,
      run,
      slot,
      told = null,
    } = await retriedTransaction(this.dataSource, (tx) => this.take(tx, id, now));
    if (run && stored) stored.add(run);
    else if (run) this.runs.publishSoon(run);
    if (told !== null) this.notices?.announce(told);
    if (outcome === 'started' && slot !== null)
      instruments.scheduleLag.observe(Math.max(0, (this.clock.now() - slot) / 1000));
    return outcome;
  }

  private async take(tx: EntityManager, id: string, now: number): Promise<Taken> {
    const [job] = await tx.query<ClaimedJob[]>(
      `SELECT ${JOB_COLUMNS}, a.user_id AS "userId", ${accountIsActive('a.user_id')} AS "isActive"
       FROM dedicated_agent_jobs j JOIN dedicated_agents a ON a.id = j.agent_id WHERE j.id = $1 FOR NO KEY UPDATE OF j`,
      [id],
    );
    let step: JobStep | null;
    try {
      step = job ? planJobStep(job, now) : null;
    } catch (error) {
      // A zone or an expression that this version of the runtime does not know any more.
      const reason = `The next run cannot be computed: ${error instanceof Error ? error.message : String(error)}`;
      await tx.query(
        `UPDATE dedicated_agent_jobs SET state = 'error', next_run_at = NULL, requested_at = NULL, due_at = NULL,
           claimed_until = NULL, last_error = $2 WHERE id = $1`,
        [id, reason],
      );
      return { outcome: 'error', run: null, slot: null };
    }
    if (!job || !step) return { outcome: 'stale', run: null, slot: null };

    // Half a millisecond is lost in a Date.
    const slotSeconds = step.slot / 1000;
    const [{ known, running }] = await tx.query<[{ known: boolean; running: boolean }]>(
      `SELECT EXISTS (SELECT FROM dedicated_agent_executions WHERE job_id = $1
           AND scheduled_for = to_timestamp($2::double precision)) AS known,
         EXISTS (SELECT FROM dedicated_agent_executions WHERE job_id = $1 AND status = 'running') AS running`,
      [id, slotSeconds],
    );
    let run: AgentRunRecord | null = null;
    let outcome: FiringOutcome = 'started';
    let error: string | null = null;
    let isTold = false;
    if (known) outcome = 'duplicate';
    else if (step.does === 'miss') [outcome, error] = ['missed', 'Nobody was there to run it at its time.'];
    else if (running) [outcome, error] = ['skipped', 'The run before it is still at work.'];
    else if (!job.isActive) [outcome, error] = ['skipped', 'The account is deactivated.'];
    else {
      const began = await this.begin(tx, job);
      if (began === 'full') {
        await tx.query(
          `UPDATE dedicated_agent_jobs SET claimed_until = now() + ${FULL_SECONDS} * interval '1 second' WHERE id = $1`,
          [id],
        );
        return { outcome: 'full', run: null, slot: null };
      }
      ({ run, outcome, error } = began);
      if (run === null && error !== null) {
        const status = outcome === 'blocked' ? 'blocked_config' : 'skipped';
        isTold = (await this.notices?.refused(tx, job, status, error)) ?? false;
      }
    }
    const status = { started: 'running', blocked: 'error', missed: 'missed', skipped: 'skipped' }[outcome as 'started'];
    if (outcome !== 'duplicate')
      await tx.query(
        `INSERT INTO dedicated_agent_executions (id, job_id, scheduled_for, source, status, late, missed, run_id, started_at,
           finished_at, error) VALUES ($1, $2, to_timestamp($3::double precision), $4, $5, $6, $7, $8, $9, $10, $11)`,
        [
          newTimeOrderedId(),
          id,
          slotSeconds,
          step.source,
          status,
          step.late,
          step.missed,
          run?.id ?? null,
          new Date(now),
          run ? null : new Date(now),
          error,
        ],
      );
    await this.advance(tx, job, step, { outcome, error, isRunning: running || run !== null, now });
    const slot = step.source === 'due' && !step.late ? step.slot : null;
    return { outcome, run, slot, ...(isTold && { told: job.agentId }) };
  }

  /** In a part of the transaction of its own: what a refusal had begun to write is undone. */
  private async begin(
    tx: EntityManager,
    job: ClaimedJob,
  ): Promise<'full' | { run: AgentRunRecord | null; outcome: FiringOutcome; error: string | null }> {
    try {
      const run = await tx.transaction((inner) =>
        this.runs.create(
          job.userId,
          { origin: 'job', jobId: job.id, input: job.prompt, onExpiry: job.onExpiry },
          inner,
        ),
      );
      return { run, outcome: 'started', error: null };
    } catch (error) {
      if (error instanceof RateLimitedError) return 'full';
      if (!(error instanceof DomainError)) throw error;
      const isSkipped = error instanceof ConflictError || error instanceof NotFoundError;
      if (!isSkipped && !(error instanceof UnavailableError)) throw error;
      if (error.code === 'budget_exceeded') await this.news?.tell(tx, job, error);
      return { run: null, outcome: isSkipped ? 'skipped' : 'blocked', error: error.message };
    }
  }

  private async advance(
    tx: EntityManager,
    job: PlannedJob,
    step: JobStep,
    {
      outcome,
      error,
      isRunning,
      now,
    }: { outcome: FiringOutcome; error: string | null; isRunning: boolean; now: number },
  ): Promise<void> {
    const began = outcome === 'started';
    const blocked = outcome === 'blocked';
    // What could not begin counts as one of its times: it would be tried for ever.
    const counted = { ...job, repeatCompleted: job.repeatCompleted + (blocked ? 1 : 0) };
    const next = isSpent(counted, isRunning ? 1 : 0) ? null : step.next;
    const isOver = next === null && !isRunning;
    await tx.query(
      `UPDATE dedicated_agent_jobs SET next_run_at = $2, requested_at = NULL, due_at = $2, claimed_until = NULL,
         state = CASE WHEN $3 THEN 'completed' ELSE 'scheduled' END, enabled = NOT $3, repeat_completed = $4,
         last_run_at = CASE WHEN $5 THEN $6 ELSE last_run_at END,
         last_status = CASE WHEN $7 THEN 'blocked_config' ELSE last_status END,
         last_error = CASE WHEN $7 THEN $8 ELSE last_error END, told_error = CASE WHEN $5 THEN NULL ELSE told_error END WHERE id = $1`,
      [
        job.id,
        next === null ? null : new Date(next),
        isOver,
        counted.repeatCompleted,
        began,
        new Date(now),
        blocked,
        error,
      ],
    );
  }

  /** A claim only spares the others the work: that a slot fires once is decided when it fires. */
  private async claim(now: number): Promise<string[]> {
    const [rows] = await this.dataSource.query<[{ id: string }[], number]>(
      `UPDATE dedicated_agent_jobs SET claimed_until = now() + ${CLAIM_SECONDS} * interval '1 second' WHERE id IN (
         SELECT id FROM dedicated_agent_jobs WHERE due_at <= $1 AND (claimed_until IS NULL OR claimed_until <= now())
         ORDER BY due_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) RETURNING id`,
      [new Date(now)],
    );
    return rows.map(({ id }) => id);
  }
}

/**
 * Runs that are stored and not told of yet: of many jobs that are due at one moment, all have their run before the work on
 * the first ones takes the processor from the others.
 */
class StoredRuns {
  private waiting: AgentRunRecord[] = [];
  private since = 0;

  constructor(private readonly runs: JobRuns) {}

  add(run: AgentRunRecord): void {
    if (this.waiting.length === 0) this.since = performance.now();
    this.waiting.push(run);
    if (performance.now() - this.since > TOGETHER_MS) this.publish();
  }

  publish(): void {
    for (const run of this.waiting.splice(0)) this.runs.publishSoon(run);
  }
}
