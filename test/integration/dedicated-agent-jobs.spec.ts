import type { AuditLog } from '@app/audit';
import { ConflictError, newId, newTimeOrderedId, RateLimitedError, UnavailableError } from '@app/common';
import {
  AgentJobs,
  type AgentRunRecord,
  DedicatedAgents,
  JobClock,
  JobEnds,
  JobNotices,
  type JobRuns,
} from '@app/dedicated-agent';
import type { LiveBus } from '@app/live';
import type { Messages } from '@app/messages';
import type { EntityManager } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { SteppedClock } from '../support/stepped-clock.js';
import { createUser } from '../support/workflows.js';
import { inAll } from '../support/long.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const input = (schedule: unknown, more: object = {}) => ({ name: 'Job', prompt: 'Do it.', schedule, ...more });

/** Stores runs as `AgentRuns` does. */
class Runs implements JobRuns {
  refusal: Error | null = null;

  constructor(
    private readonly agentId: string,
    private readonly dies: () => boolean = () => false,
  ) {}

  async create(userId: number, run: { input: string; jobId?: string }, tx: EntityManager): Promise<AgentRunRecord> {
    if (this.refusal) throw this.refusal;
    const id = newTimeOrderedId();
    await tx.query(
      `INSERT INTO dedicated_agent_runs (id, agent_id, origin, input, job_id) VALUES ($1, $2, 'job', $3, $4)`,
      [id, this.agentId, run.input, run.jobId],
    );
    if (this.dies()) throw new Error('The process is killed here.');
    return { id, userId, origin: 'job', jobId: run.jobId ?? null, status: 'started' } as AgentRunRecord;
  }

  publishSoon(): void {}
}

describe('jobs of dedicated agents in Postgres', () => {
  let database: TestDatabase;
  let editor: { userId: number; username: string };
  let agentId: string;
  const mails: { template: string; params: object }[] = [];
  const messages = {
    enqueue: (message: { template: string; params: object }) => Promise.resolve(void mails.push(message)),
  } as unknown as Messages;
  const ends = new JobEnds(messages);

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    editor = { userId: await createUser(database.dataSource), username: 'ada' };
    agentId = newId();
    await sql(`UPDATE users SET dedicated_agent = true, email_verified = true WHERE id = $1`, [editor.userId]);
    await sql(`INSERT INTO dedicated_agents (id, user_id, status) VALUES ($1, $2, 'running')`, [
      agentId,
      editor.userId,
    ]);
    mails.length = 0;
  });
  afterAll(() => database.drop());

  const sql = <T>(text: string, values: unknown[] = []) => database.dataSource.query<T[]>(text, values);
  const jobsAt = (clock: SteppedClock) => {
    const audit = { record: () => Promise.resolve() } as unknown as AuditLog;
    const budget = { requireOpen: () => Promise.resolve() };
    return new AgentJobs(database.dataSource, new DedicatedAgents(database.dataSource), audit, clock, budget);
  };
  const clockOf = (clock: SteppedClock, runs = new Runs(agentId)) => new JobClock(database.dataSource, runs, clock);
  const executionsOf = (id: string) =>
    sql<{ at: Date; status: string; late: boolean; missed: number; run_id: string | null }>(
      `SELECT scheduled_for AS at, status, late, missed, run_id FROM dedicated_agent_executions WHERE job_id = $1 ORDER BY 1`,
      [id],
    );
  const fired = async (id: string) => (await executionsOf(id)).map(({ at }) => at.toISOString());
  /** As the follower of a run does. */
  const endAll = (status: 'completed' | 'failed' | 'cancelled' = 'completed') =>
    database.dataSource.transaction(async (tx) => {
      const live = await tx.query<{ id: string; jobId: string }[]>(
        `UPDATE dedicated_agent_runs SET status = $2, finished_at = now() WHERE agent_id = $1 AND status = 'started'
         RETURNING id, job_id AS "jobId"`,
        [agentId, status],
      );
      for (const { id, jobId } of (live as unknown as [{ id: string; jobId: string }[]])[0]) {
        const error = status === 'failed' ? { code: 'x', detail: 'It broke.' } : null;
        const run = {
          id,
          jobId,
          origin: 'job',
          status,
          output: 'Done.',
          error,
          finishedAt: null,
          userId: editor.userId,
        };
        await ends.ended(tx, run as unknown as AgentRunRecord);
      }
    });

  inAll(
    'fires each slot of thirty days once, over the change of the clocks, fifty restarts and two schedulers',
    async () => {
      const start = Date.parse('2026-10-10T00:00:30Z');
      const clock = new SteppedClock(start);
      const jobs = jobsAt(clock);
      const daily = await jobs.create(editor, input('daily at 02:30', { timezone: 'Europe/Berlin' }), false);
      const every = await jobs.create(editor, input('every 2h'), false);
      const cron = await jobs.create(editor, input('15 */6 * * *'), false);
      let schedulers = [clockOf(clock), clockOf(clock)];
      const step = 30 * MINUTE;
      const steps = (30 * 24 * HOUR) / step;
      const latest = { now: start };
      for (let at = 1; at <= steps; at += 1) {
        // Each due time is met to the second, as ticks do.
        latest.now = start + at * step;
        const [row] = await sql<{ due: Date | null }>(
          'SELECT min(due_at) AS due FROM dedicated_agent_jobs WHERE agent_id = $1',
          [agentId],
        );
        if (row!.due && row!.due.getTime() <= latest.now) {
          clock.set(row!.due.getTime());
          await Promise.all(schedulers.map((scheduler) => scheduler.fireDue()));
          await endAll();
        }
        clock.set(latest.now);
        await Promise.all(schedulers.map((scheduler) => scheduler.fireDue()));
        await endAll();
        if (at % Math.floor(steps / 50) === 0) schedulers = [clockOf(clock), clockOf(clock)];
      }
      const end = latest.now;
      const days = await fired(daily.id);
      expect(days).toHaveLength(30);
      expect(days.filter((slot) => slot.startsWith('2026-10-25'))).toEqual(['2026-10-25T00:30:00.000Z']);
      const intervals: string[] = [];
      for (let slot = start + 2 * HOUR; slot <= end; slot += 2 * HOUR) intervals.push(new Date(slot).toISOString());
      expect(await fired(every.id)).toEqual(intervals);
      const sixths: string[] = [];
      for (let slot = Date.parse('2026-10-10T00:15:00Z'); slot <= end; slot += 6 * HOUR)
        sixths.push(new Date(slot).toISOString());
      expect(await fired(cron.id)).toEqual(sixths);
      const [{ runs, executions, odd }] = (await sql<{ runs: number; executions: number; odd: number }>(
        `SELECT (SELECT count(*)::int FROM dedicated_agent_runs WHERE agent_id = $1) AS runs, count(*)::int AS executions,
         (count(*) FILTER (WHERE e.status <> 'ok' OR e.late OR e.run_id IS NULL))::int AS odd
       FROM dedicated_agent_executions e JOIN dedicated_agent_jobs j ON j.id = e.job_id WHERE j.agent_id = $1`,
        [agentId],
      )) as [{ runs: number; executions: number; odd: number }];
      expect([runs, odd]).toEqual([executions, 0]);
    },
  );

  it('makes up once after a time without anybody, or notes what was missed', async () => {
    const start = Date.parse('2026-06-01T06:30:00Z');
    const clock = new SteppedClock(start);
    const jobs = jobsAt(clock);
    const made = await jobs.create(editor, input('0 * * * *'), false);
    const noted = await jobs.create(editor, input('0 * * * *', { misfirePolicy: 'skip' }), false);
    clock.advance(4 * HOUR);
    await clockOf(clock).fireDue();
    const at = new Date('2026-06-01T10:00:00Z');
    expect(await executionsOf(made.id)).toMatchObject([{ at, status: 'running', late: true, missed: 3 }]);
    expect(await executionsOf(noted.id)).toMatchObject([{ at, status: 'missed', late: true, run_id: null }]);
    expect(await jobs.get(editor.userId, noted.id)).toMatchObject({
      state: 'scheduled',
      nextRunAt: new Date('2026-06-01T11:00:00Z'),
      lastStatus: null,
    });
  });

  it('is skipped while the run before it lives, and tells how runs end, never how they begin', async () => {
    const clock = new SteppedClock(Date.parse('2026-06-01T06:00:00Z'));
    const jobs = jobsAt(clock);
    const { id } = await jobs.create(editor, input('every 1m', { repeat: 2, notify: 'mail' }), false);
    for (let minute = 0; minute < 2; minute += 1) {
      clock.advance(MINUTE);
      await clockOf(clock).fireDue();
    }
    expect((await executionsOf(id)).map(({ status }) => status)).toEqual(['running', 'skipped']);
    expect(await jobs.get(editor.userId, id)).toMatchObject({ lastStatus: null, repeatCompleted: 0 });
    await endAll('failed');
    expect(await jobs.get(editor.userId, id)).toMatchObject({
      lastStatus: 'error',
      lastError: 'It broke.',
      repeatCompleted: 1,
      state: 'scheduled',
    });
    clock.advance(MINUTE);
    await clockOf(clock).fireDue();
    expect(await jobs.get(editor.userId, id)).toMatchObject({
      state: 'scheduled',
      nextRunAt: null,
      lastStatus: 'error',
    });
    await endAll();
    expect(await jobs.get(editor.userId, id)).toMatchObject({
      state: 'completed',
      enabled: false,
      lastStatus: 'ok',
      lastError: null,
      repeatCompleted: 2,
    });
    expect(mails.map(({ template }) => template)).toEqual(['agent-job-failed', 'agent-job-done']);
    for (const action of ['pause', 'resume', 'run'] as const)
      await expect(jobs[action](editor, id)).rejects.toMatchObject({ code: 'job_completed' });
  });

  it('is skipped for a paused agent, blocked without a model, and waits for an agent at its cap', async () => {
    const clock = new SteppedClock(Date.parse('2026-06-01T06:00:00Z'));
    const jobs = jobsAt(clock);
    const runs = new Runs(agentId);
    const { id } = await jobs.create(editor, input('every 1m'), false);
    const fire = async (refusal: Error | null) => {
      runs.refusal = refusal;
      clock.advance(MINUTE);
      await clockOf(clock, runs).fireDue();
    };
    await fire(new ConflictError('The agent is paused.', { code: 'agent_not_running' }));
    await fire(new UnavailableError('No model is configured.', { code: 'model_not_configured' }));
    expect(await jobs.get(editor.userId, id)).toMatchObject({
      lastStatus: 'blocked_config',
      lastError: 'No model is configured.',
    });
    await fire(new RateLimitedError('Ten runs are at work.', 5));
    expect((await executionsOf(id)).map(({ status }) => status)).toEqual(['skipped', 'error']);
    await sql(`UPDATE dedicated_agent_jobs SET claimed_until = NULL WHERE id = $1`, [id]);
    runs.refusal = null;
    await clockOf(clock, runs).fireDue();
    expect((await executionsOf(id)).map(({ status }) => status)).toEqual(['skipped', 'error', 'running']);
  });

  it('tells its owner once why it does not run, whoever of several schedulers finds out, and nobody of an undone step', async () => {
    const clock = new SteppedClock(Date.parse('2026-06-01T06:00:00Z'));
    const { id } = await jobsAt(clock).create(editor, input('every 1m'), false);
    const runs = new Runs(agentId);
    const live: string[] = [];
    const notices = new JobNotices({ publish: (topic: string) => void live.push(topic) } as unknown as LiveBus);
    const fire = async (refusal: Error | null) => {
      runs.refusal = refusal;
      clock.advance(MINUTE);
      const schedulers = [1, 2, 3].map(() => new JobClock(database.dataSource, runs, clock, null, notices));
      await Promise.all(schedulers.map((scheduler) => scheduler.fire(id)));
    };
    const told = () =>
      sql<{ status: string; answer: string; question: string }>(
        `SELECT n.status, t.answer, t.question FROM dedicated_agent_notices n JOIN chat_turns t ON t.id = n.id AND t.session_id = n.session_id
         JOIN chat_sessions s ON s.id = t.session_id WHERE n.agent_id = $1 AND s.user_id = $2 ORDER BY n.id`,
        [agentId, editor.userId],
      );
    const blocked = new UnavailableError('No model is configured.', { code: 'model_not_configured' });
    await fire(blocked);
    await fire(blocked);
    const first = {
      status: 'blocked_config',
      answer: 'The job "Job" could not run: No model is configured.',
      question: 'Do it.',
    };
    expect(await told()).toEqual([first]);
    expect(live).toEqual([`agent:${agentId}`]);
    await fire(new ConflictError('The agent is paused.', { code: 'agent_not_running' }));
    await fire(blocked);
    expect((await told()).map(({ status }) => status)).toEqual(['blocked_config', 'skipped', 'blocked_config']);
    await expect(fire(new Error('The process is killed here.'))).rejects.toThrow('killed');
    await fire(null);
    await endAll();
    await fire(blocked);
    expect(await told()).toHaveLength(4);
    await sql('DELETE FROM dedicated_agent_jobs WHERE id = $1', [id]);
  });

  it('loses and doubles nothing when it dies between slot and run, or several race', async () => {
    const clock = new SteppedClock(Date.parse('2026-06-01T06:00:00Z'));
    const jobs = jobsAt(clock);
    const made = await Promise.all(Array.from({ length: 20 }, () => jobs.create(editor, input('in 30m'), false)));
    clock.advance(30 * MINUTE);
    let left = 7;
    await clockOf(clock, new Runs(agentId, () => (left -= 1) >= 0)).fireDue();
    await sql('UPDATE dedicated_agent_jobs SET claimed_until = NULL');
    await Promise.all(
      Array.from({ length: 5 }, async () => {
        const scheduler = clockOf(clock);
        await Promise.all(made.map(({ id }) => scheduler.fire(id)));
      }),
    );
    const [{ runs }] = (await sql<{ runs: number }>(
      'SELECT count(*)::int AS runs FROM dedicated_agent_runs WHERE agent_id = $1',
      [agentId],
    )) as [{ runs: number }];
    expect(runs).toBe(20);
    for (const { id } of made) expect(await executionsOf(id)).toMatchObject([{ status: 'running' }]);
    await endAll();
    for (const { id } of made)
      expect(await jobs.get(editor.userId, id)).toMatchObject({ state: 'completed', repeatCompleted: 1 });
  });

  inAll('neither doubles nor forgets a time when the clock jumps back by an hour, or forward by a day', async () => {
    const start = Date.parse('2026-06-01T06:00:00Z');
    const clock = new SteppedClock(start);
    const jobs = jobsAt(clock);
    const often = await jobs.create(editor, input('every 10m'), false);
    const cron = await jobs.create(editor, input('5,35 * * * *'), false);
    const noted = await jobs.create(editor, input('every 10m', { misfirePolicy: 'skip' }), false);
    const once = await jobs.create(editor, input('2026-06-01T12:00:00Z'), false);
    let [first, second] = [clockOf(clock), clockOf(clock)];
    let now = start;
    const pass = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += 1) {
        clock.set((now += MINUTE));
        await Promise.all([first.fireDue(), second.fireDue()]);
        await endAll();
      }
    };
    await pass(120);
    // Set back: what was fired is not fired again, and its next time comes when the clock is there.
    now -= HOUR;
    [first, second] = [clockOf(clock), clockOf(clock)];
    await pass(120);
    // Set forward: what was passed over is made up for by one run, or noted, and counted.
    now += 24 * HOUR;
    await pass(60);
    const end = now;

    const slotsOf = async (id: string) => {
      const all = await executionsOf(id);
      const times = all.map(({ at }) => at.getTime());
      expect(new Set(times).size).toBe(times.length);
      return { all, times };
    };
    for (const [job, step, from] of [
      [often, 10 * MINUTE, start + 10 * MINUTE],
      [cron, 30 * MINUTE, start + 5 * MINUTE],
      [noted, 10 * MINUTE, start + 10 * MINUTE],
    ] as const) {
      const { all, times } = await slotsOf(job.id);
      const late = all.filter((one) => one.late);
      expect(late).toHaveLength(1);
      const { at, missed, status } = late[0]!;
      expect(status).toBe('ok');
      const over = Array.from({ length: missed }, (_, index) => at.getTime() - (missed - index) * step);
      const due: number[] = [];
      for (let slot = from; slot <= end; slot += step) due.push(slot);
      // Each time was fired, or is counted as missed; none both.
      expect([...times, ...over].toSorted((a, b) => a - b)).toEqual(due);
    }
    expect(await executionsOf(once.id)).toMatchObject([
      { at: new Date('2026-06-01T12:00:00Z'), late: true, missed: 0 },
    ]);
    const [{ runs }] = (await sql<{ runs: number }>(
      `SELECT count(*)::int AS runs FROM dedicated_agent_runs WHERE agent_id = $1`,
      [agentId],
    )) as [{ runs: number }];
    const [{ started }] = (await sql<{ started: number }>(
      `SELECT count(*)::int AS started FROM dedicated_agent_executions e JOIN dedicated_agent_runs r ON r.id = e.run_id
       WHERE r.agent_id = $1`,
      [agentId],
    )) as [{ started: number }];
    expect(runs).toBe(started);
  });

  it('goes from state to state as B9 says', async () => {
    const clock = new SteppedClock(Date.parse('2026-06-01T06:00:00Z'));
    const jobs = jobsAt(clock);
    const once = await jobs.create(editor, input('in 1h'), false);
    expect(await jobs.pause(editor, once.id)).toMatchObject({ state: 'paused', enabled: false, nextRunAt: null });
    clock.advance(HOUR + 2 * MINUTE);
    expect(await jobs.resume(editor, once.id)).toMatchObject({ state: 'scheduled', enabled: true });
    await jobs.pause(editor, once.id);
    clock.advance(1);
    await expect(jobs.resume(editor, once.id)).rejects.toMatchObject({ code: 'job_time_passed' });
    expect(await jobs.run(editor, once.id)).toMatchObject({ state: 'scheduled', enabled: true });
    await clockOf(clock).fireDue();
    await endAll();
    expect(await jobs.get(editor.userId, once.id)).toMatchObject({ state: 'completed', lastStatus: 'ok' });

    const daily = await jobs.create(editor, input('daily at 9'), false);
    await sql(
      `UPDATE dedicated_agent_jobs SET timezone = 'Nowhere/Else', due_at = $2, next_run_at = $2 WHERE id = $1`,
      [daily.id, clock.date()],
    );
    await clockOf(clock).fireDue();
    expect(await jobs.get(editor.userId, daily.id)).toMatchObject({ state: 'error', nextRunAt: null });
    await expect(jobs.resume(editor, daily.id)).rejects.toMatchObject({ code: 'job_not_computable' });
    await sql(`UPDATE dedicated_agent_jobs SET timezone = 'UTC' WHERE id = $1`, [daily.id]);
    expect(await jobs.resume(editor, daily.id)).toMatchObject({ state: 'scheduled', lastError: null });
    await Promise.all([jobs.run(editor, daily.id), jobs.run(editor, daily.id)]);
    expect(await clockOf(clock).fireDue()).toBe(1);
  });
});
