import { newId } from '@app/common';
import { JobQueues, type JobMessage } from '@app/queues';
import {
  PostgresRunStore,
  RunControl,
  RunSweeper,
  type ScheduleInput,
  type ScheduleRecord,
  ScheduleRuns,
  Scheduler,
  Schedules,
  SlotFiring,
  WorkflowAccess,
  WorkflowTrash,
} from '@app/workflows';
import type { TestingModule } from '@nestjs/testing';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { rounds, stride } from '../support/long.js';
import { SteppedClock } from '../support/stepped-clock.js';
import { createUser, createWorkflow, fanOutAndJoin, startWorkflows } from '../support/workflows.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A process that fires, with a clock of its own. */
class Runner {
  readonly scheduler: Scheduler;
  readonly schedules: Schedules;
  readonly runs: ScheduleRuns;

  constructor(
    module: TestingModule,
    database: TestDatabase,
    readonly clock: SteppedClock,
  ) {
    const [firing, access] = [module.get(SlotFiring), module.get(WorkflowAccess)];
    this.scheduler = new Scheduler(database.dataSource, firing, clock);
    this.schedules = new Schedules(database.dataSource, access, clock);
    this.runs = new ScheduleRuns(database.dataSource, access, this.schedules, firing, clock);
  }
}

/** The step that a runner takes whose schedule is due. */
function stepOf(schedule: ScheduleRecord, missed = 0) {
  const expected = schedule.nextRunAt!.getTime();
  const [next, state] = [expected + MINUTE, 'active' as const];
  const advance = { version: schedule.version, expected, next, due: next, missed, state, error: null };
  return { schedule, advance, slot: expected, policy: 'queue_all', source: 'due', userId: null } as const;
}

describe('schedules in Postgres', () => {
  let database: TestDatabase;
  let modules: TestingModule[];
  let ownerId: number;

  beforeAll(async () => {
    database = await createTestDatabase();
    modules = [await startWorkflows(database.url), await startWorkflows(database.url)];
    ownerId = await createUser(database.dataSource);
  });
  beforeEach(async () => {
    await database.dataSource.query('DELETE FROM workflows');
  });
  afterAll(async () => {
    for (const module of modules) await module.close();
    await database.drop();
  });

  const sql = <T>(text: string, values: unknown[] = []) => database.dataSource.query<T[]>(text, values);
  const newWorkflow = async () => (await createWorkflow(modules[0]!, ownerId, fanOutAndJoin)).id;
  const runnersAt = (...times: number[]) =>
    times.map((time, index) => new Runner(modules[index % 2]!, database, new SteppedClock(time)));

  /** Slots that led to a run or a place in the line. */
  async function firedSlots(scheduleId: string): Promise<string[]> {
    const rows = await sql<{ slot_time: Date }>(
      `SELECT slot_time FROM workflow_schedule_slots WHERE schedule_id = $1 AND outcome <> 'skipped' ORDER BY slot_time`,
      [scheduleId],
    );
    return rows.map(({ slot_time: time }) => time.toISOString());
  }
  /** What the slots led to; one each, or something was lost or doubled. */
  async function startedFor(scheduleId: string): Promise<string[]> {
    const rows = await sql<{ slot: string }>(
      `SELECT payload->'_schedule'->>'slot_time' AS slot FROM workflow_runs WHERE schedule_id = $1 AND queue_request_id IS NULL
       UNION ALL SELECT payload->'_schedule'->>'slot_time' FROM workflow_requests WHERE schedule_id = $1 ORDER BY slot`,
      [scheduleId],
    );
    return rows.map(({ slot }) => slot);
  }
  async function finish(workflowId: string, status: 'COMPLETED' | 'FAILED'): Promise<void> {
    const store = modules[0]!.get(PostgresRunStore);
    const [row] = await sql<{ id: string }>(
      `SELECT id FROM workflow_runs WHERE workflow_id = $1 AND status = 'PENDING' ORDER BY version LIMIT 1`,
      [workflowId],
    );
    const run = (await store.claimRun(row!.id, newId()))!;
    const error = { nodeId: null, code: 'tool_error', message: 'It broke.' };
    const { next } = await store.finishRun(run, [], status === 'FAILED' ? { status, error } : { status });
    // What came next is left to the sweeper, as if its worker had died.
    if (next)
      await sql(
        `UPDATE workflow_runs SET status = 'PENDING', lease_owner = NULL, lease_expires_at = NULL WHERE id = $1`,
        [next.runId],
      );
  }
  const idle = (workflowId: string) =>
    modules[0]!
      .get(RunControl)
      .stopActive(workflowId, 'Test.')
      .then(() => undefined);

  it('fires each slot once over two runners, clock steps of an hour and a time without any runner', async () => {
    const start = Date.UTC(2026, 5, 1, 6, 0, 30);
    const runners = runnersAt(start, start + 300);
    const made: ScheduleRecord[] = [];
    for (let index = 0; index < rounds(25, 15); index += 1) {
      const timing: ScheduleInput =
        index % 3 === 0
          ? { intervalMinutes: 5 + index, startAt: new Date(start + 10 * MINUTE) }
          : { cron: `${index}-59/${3 + (index % 7)} * * * *`, jitterSeconds: index % 2 ? 0 : 20 };
      const input = { ...timing, overlapPolicy: 'queue_all' as const, catchupWindowSeconds: 2 * 3600 };
      made.push(await runners[0]!.schedules.create(ownerId, await newWorkflow(), input));
    }
    const tick = () => Promise.all(runners.map(({ scheduler }) => scheduler.fireDue()));
    const advance = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 30 * SECOND) {
        for (const { clock } of runners) clock.advance(30 * SECOND);
        await tick();
      }
    };
    await advance(20 * MINUTE);
    // One clock jumps ahead alone, and is set back.
    runners[0]!.clock.advance(HOUR);
    await tick();
    await advance(5 * MINUTE);
    runners[0]!.clock.advance(-HOUR);
    await advance(20 * MINUTE);
    // Both are set back, then ahead.
    for (const { clock } of runners) clock.advance(-HOUR);
    await advance(10 * MINUTE);
    for (const { clock } of runners) clock.advance(HOUR);
    await advance(30 * MINUTE);
    // Everything is down for an hour and a half, and starts anew.
    const end = runners[0]!.clock.now() + 90 * MINUTE;
    runners.splice(0, 2, ...runnersAt(end, end + 300));
    await tick();

    for (const schedule of made) {
      const expected: string[] = [];
      for (let minute = Math.ceil(start / MINUTE) * MINUTE; minute <= end; minute += MINUTE) {
        const text = new Date(minute).toISOString();
        if (schedule.cron === null) continue;
        const [first, every] = [Number(/^\d+/.exec(schedule.cron)![0]), Number(/\/(\d+)/.exec(schedule.cron)![1])];
        const past = new Date(minute).getUTCMinutes() - first;
        if (past >= 0 && past % every === 0) expected.push(text);
      }
      if (schedule.intervalMinutes !== null)
        for (let slot = start + 10 * MINUTE; slot <= end; slot += schedule.intervalMinutes * MINUTE)
          expected.push(new Date(slot).toISOString());
      const fired = await firedSlots(schedule.id);
      // With jitter the last minute may still be ahead.
      const settled = (slots: string[]) => slots.filter((slot) => Date.parse(slot) <= end - MINUTE);
      expect([schedule.cron, settled(fired)]).toEqual([schedule.cron, settled(expected)]);
      expect(await startedFor(schedule.id)).toEqual(fired);
      const known = await runners[0]!.schedules.get(ownerId, schedule.workflowId, schedule.id);
      expect(known).toMatchObject({ missedCount: 0, state: 'active' });
      expect(known.nextRunAt!.getTime()).toBeGreaterThan(end - MINUTE);
    }
  });

  it.each([
    ['2026-03-28T00:00Z', ['2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z']],
    ['2026-10-24T03:00Z', ['2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z']],
  ])('fires a daily schedule once a day over the change of the clocks after %s', async (from, expected) => {
    const runners = runnersAt(Date.parse(from), Date.parse(from));
    const input: ScheduleInput = { cron: '30 2 * * *', timezone: 'Europe/Berlin', overlapPolicy: 'queue_all' };
    const { id } = await runners[0]!.schedules.create(ownerId, await newWorkflow(), input);
    const step = stride(3) * 5 * MINUTE;
    for (let passed = 0; passed < 60 * HOUR; passed += step) {
      for (const { clock } of runners) clock.advance(step);
      await Promise.all(runners.map(({ scheduler }) => scheduler.fireDue()));
    }
    expect(await firedSlots(id)).toEqual(expected);
    expect(await startedFor(id)).toEqual(expected);
  });

  it('fires at its times what a clock that was days ahead had passed over', async () => {
    const start = Date.UTC(2026, 5, 1, 6, 0, 30);
    const [ahead, other] = runnersAt(start, start);
    const workflowId = await newWorkflow();
    const input: ScheduleInput = { cron: '*/10 * * * *', overlapPolicy: 'queue_all' };
    const { id } = await ahead!.schedules.create(ownerId, workflowId, input);
    ahead!.clock.advance(72 * HOUR);
    await ahead!.scheduler.fireDue();
    // The one whose clock was wrong never comes back; another one starts.
    other!.clock.advance(10 * MINUTE);
    await other!.scheduler.fireDue();
    for (let minute = 0; minute < 50; minute += 5) {
      other!.clock.advance(5 * MINUTE);
      await other!.scheduler.fireDue();
    }
    const fired = await firedSlots(id);
    expect(fired.filter((slot) => Date.parse(slot) <= other!.clock.now()).map((slot) => slot.slice(11, 16))).toEqual([
      '06:20',
      '06:30',
      '06:40',
      '06:50',
      '07:00',
    ]);
    expect(await startedFor(id)).toEqual(fired);
  });

  it('never doubles a slot, whoever races for it', async () => {
    const start = Date.UTC(2026, 5, 1, 6);
    const runners = runnersAt(start, start, start, start, start, start);
    const ids: string[] = [];
    for (let index = 0; index < rounds(40, 15); index += 1) {
      const input: ScheduleInput = { cron: '* * * * *', overlapPolicy: 'queue_all' };
      ids.push((await runners[0]!.schedules.create(ownerId, await newWorkflow(), input)).id);
    }
    for (let round = 0; round < 5; round += 1) {
      for (const { clock } of runners) clock.advance(MINUTE);
      // A runner that died after its claim: the others must not wait for it, but nothing is lost either.
      await Promise.all(runners.map(({ scheduler }) => scheduler.fireDue()));
    }
    for (const id of ids) {
      expect(await firedSlots(id)).toHaveLength(5);
      expect(await startedFor(id)).toHaveLength(5);
    }
  });

  it('takes over what a runner had claimed and left', async () => {
    const start = Date.UTC(2026, 5, 1, 6);
    const [runner] = runnersAt(start);
    const { id } = await runner!.schedules.create(ownerId, await newWorkflow(), { cron: '* * * * *' });
    await sql(`UPDATE workflow_schedules SET claimed_until = now() + interval '1 hour'`);
    runner!.clock.advance(MINUTE);
    expect(await runner!.scheduler.fireDue()).toBe(0);
    await sql(`UPDATE workflow_schedules SET claimed_until = now() - interval '1 second'`);
    expect(await runner!.scheduler.fireDue()).toBe(1);
    expect(await firedSlots(id)).toEqual(['2026-06-01T06:01:00.000Z']);
  });

  it('counts what no window covers as missed', async () => {
    const start = Date.UTC(2026, 5, 1, 6, 0, 30);
    const [runner] = runnersAt(start);
    const workflowId = await newWorkflow();
    const input: ScheduleInput = { cron: '*/10 * * * *', catchupWindowSeconds: 1200, overlapPolicy: 'queue_all' };
    const { id } = await runner!.schedules.create(ownerId, workflowId, input);
    const once = await runner!.schedules.create(ownerId, workflowId, {
      runAt: new Date(start + HOUR),
      catchupWindowSeconds: 60,
    });
    runner!.clock.advance(2 * HOUR);
    await runner!.scheduler.fireDue();
    expect((await firedSlots(id)).map((slot) => slot.slice(11, 16))).toEqual(['07:50', '08:00']);
    expect(await runner!.schedules.get(ownerId, workflowId, id)).toMatchObject({ missedCount: 10 });
    expect(await runner!.schedules.get(ownerId, workflowId, once.id)).toMatchObject({
      state: 'completed',
      enabled: false,
      nextRunAt: null,
      missedCount: 1,
      lastStatus: 'MISSED',
      lastRunAt: null,
    });
  });

  it.each([
    ['skip', ['started', 'skipped', 'skipped'], 0],
    ['queue_one', ['started', 'queued', 'skipped'], 1],
    ['queue_all', ['started', 'queued', 'queued'], 2],
    ['allow', ['started', 'started', 'started'], 0],
  ] as const)('overlap policy %s', async (overlapPolicy, outcomes, waiting) => {
    const [runner] = runnersAt(Date.UTC(2026, 5, 1, 6));
    const workflowId = await newWorkflow();
    const { id } = await runner!.schedules.create(ownerId, workflowId, { cron: '* * * * *', overlapPolicy });
    for (let minute = 0; minute < 3; minute += 1) {
      runner!.clock.advance(MINUTE);
      await runner!.scheduler.fireDue();
    }
    const rows = await sql<{ outcome: string }>(
      'SELECT outcome FROM workflow_schedule_slots WHERE schedule_id = $1 ORDER BY slot_time',
      [id],
    );
    expect(rows.map(({ outcome }) => outcome)).toEqual(outcomes);
    const runs = await sql<{ is_concurrent: boolean; trigger: string }>(
      'SELECT is_concurrent, trigger FROM workflow_runs WHERE workflow_id = $1 ORDER BY version',
      [workflowId],
    );
    expect(runs.map((run) => run.is_concurrent)).toEqual(overlapPolicy === 'allow' ? [false, true, true] : [false]);
    expect(new Set(runs.map(({ trigger }) => trigger))).toEqual(new Set(['schedule']));
    const [workflow] = await sql<{ pending_requests: number }>('SELECT pending_requests FROM workflows WHERE id = $1', [
      workflowId,
    ]);
    expect(workflow!.pending_requests).toBe(waiting);
    if (overlapPolicy === 'skip')
      expect(await runner!.schedules.get(ownerId, workflowId, id)).toMatchObject({
        lastStatus: 'SKIPPED',
        lastRunVersion: 1,
      });

    // What waits runs in its turn, as this schedule's.
    for (let count = 0; count < waiting; count += 1) await finish(workflowId, 'COMPLETED');
    if (waiting > 0) {
      const last = await sql<{ schedule_id: string; version: number; payload: { _schedule: { slot_time: string } } }>(
        'SELECT schedule_id, version, payload FROM workflow_runs WHERE workflow_id = $1 ORDER BY version DESC LIMIT 1',
        [workflowId],
      );
      expect(last[0]).toMatchObject({ schedule_id: id, version: waiting + 1 });
      expect(last[0]!.payload._schedule.slot_time).toBe(`2026-06-01T06:0${waiting + 1}:00.000Z`);
      expect(await runner!.schedules.get(ownerId, workflowId, id)).toMatchObject({
        lastRunVersion: waiting + 1,
        lastStatus: 'RUNNING',
      });
    }
  });

  it('stands in the line of a workflow that something else keeps busy, whatever its policy', async () => {
    const [runner] = runnersAt(Date.UTC(2026, 5, 1, 6));
    const workflowId = await newWorkflow();
    const { id } = await runner!.schedules.create(ownerId, workflowId, { cron: '* * * * *' });
    await modules[0]!.get(RunControl).rerun(ownerId, workflowId, null);
    runner!.clock.advance(MINUTE);
    await runner!.scheduler.fireDue();
    expect(await runner!.schedules.get(ownerId, workflowId, id)).toMatchObject({
      lastStatus: 'PENDING',
      lastRunVersion: null,
    });
    await finish(workflowId, 'COMPLETED');
    expect(await runner!.schedules.get(ownerId, workflowId, id)).toMatchObject({
      lastStatus: 'RUNNING',
      lastRunVersion: 2,
    });
  });

  it('keeps account of how its runs end, and pauses after failures', async () => {
    const [runner] = runnersAt(Date.UTC(2026, 5, 1, 6));
    const workflowId = await newWorkflow();
    const { id } = await runner!.schedules.create(ownerId, workflowId, { cron: '* * * * *', pauseAfterFailures: 2 });
    const get = () => runner!.schedules.get(ownerId, workflowId, id);
    const fire = async () => {
      runner!.clock.advance(MINUTE);
      await runner!.scheduler.fireDue();
    };
    await fire();
    expect(await get()).toMatchObject({ lastStatus: 'RUNNING', lastRunVersion: 1, failureStreak: 0 });
    expect((await get()).lastRunAt).not.toBeNull();
    await finish(workflowId, 'FAILED');
    expect(await get()).toMatchObject({
      lastStatus: 'FAILED',
      failureStreak: 1,
      lastError: 'It broke.',
      state: 'active',
    });
    await fire();
    await finish(workflowId, 'COMPLETED');
    expect(await get()).toMatchObject({ lastStatus: 'COMPLETED', failureStreak: 0, lastError: '' });
    await fire();
    await idle(workflowId);
    expect(await get()).toMatchObject({ lastStatus: 'STOPPED', failureStreak: 0 });
    for (const streak of [1, 2]) {
      await fire();
      await finish(workflowId, 'FAILED');
      expect((await get()).failureStreak).toBe(streak);
    }
    expect(await get()).toMatchObject({ state: 'paused', enabled: false, nextRunAt: null });
    expect((await get()).lastError).toBe('Paused after 2 failed runs in a row. It broke.');
    await fire();
    expect(await firedSlots(id)).toHaveLength(5);
    const resumed = await runner!.schedules.resume(ownerId, workflowId, id);
    expect(resumed).toMatchObject({ state: 'active', enabled: true, failureStreak: 0, lastError: '' });
    expect(resumed.nextRunAt!.getTime()).toBeGreaterThan(runner!.clock.now());
  });

  it('never fires by an older plan, however changes and runners race', async () => {
    const start = Date.UTC(2026, 5, 1, 6);
    const runners = runnersAt(start, start);
    const workflowId = await newWorkflow();
    const { id } = await runners[0]!.schedules.create(ownerId, workflowId, {
      cron: '* * * * *',
      overlapPolicy: 'queue_all',
    });
    const pausedAt: number[] = [];
    for (let round = 0; round < 30; round += 1) {
      for (const { clock } of runners) clock.advance(MINUTE);
      const change = round % 2 === 0 ? 'pause' : 'resume';
      await Promise.all([
        ...runners.map(({ scheduler }) => scheduler.fireDue()),
        runners[0]!.schedules[change](ownerId, workflowId, id),
      ]);
      const before = await firedSlots(id);
      if (change === 'resume') continue;
      pausedAt.push(round);
      for (const { clock } of runners) clock.advance(MINUTE);
      await Promise.all(runners.map(({ scheduler }) => scheduler.fireDue()));
      expect(await firedSlots(id)).toEqual(before);
    }
    expect(pausedAt).toHaveLength(15);
    expect(await startedFor(id)).toEqual(await firedSlots(id));
  });

  it('refuses steps of a plan that was replaced, was taken before, or whose workflow is in the trash', async () => {
    const [runner] = runnersAt(Date.UTC(2026, 5, 1, 6));
    const workflowId = await newWorkflow();
    const input: ScheduleInput = { cron: '* * * * *', overlapPolicy: 'queue_all' };
    const { id } = await runner!.schedules.create(ownerId, workflowId, input);
    const get = () => runner!.schedules.get(ownerId, workflowId, id);
    const firing = modules[0]!.get(SlotFiring);
    const old = await get();
    await runner!.schedules.update(ownerId, workflowId, id, { payload: { changed: true } });
    expect((await get()).nextRunAt).toEqual(old.nextRunAt);
    expect(await firing.fire([stepOf(old)])).toEqual(['stale']);
    const step = stepOf(await get(), 3);
    // Two slots of one schedule are two steps; the second time each of them is over.
    const outcomes = await Promise.all([
      firing.fire([step]),
      firing.fire([step]),
      firing.fire([{ ...step, slot: null }]),
    ]);
    expect(outcomes.flat().filter((outcome) => outcome === 'stale')).toHaveLength(2);
    expect(await get()).toMatchObject({ missedCount: 3, nextRunAt: new Date(step.advance.next) });
    const after = await get();
    await modules[0]!.get(WorkflowTrash).trash(ownerId, workflowId);
    expect(await firing.fire([stepOf(after), { ...stepOf(after), advance: null, source: 'run' }])).toEqual([
      'gone',
      'gone',
    ]);
  });

  it('skips while an earlier slot still stands in line', async () => {
    const [runner] = runnersAt(Date.UTC(2026, 5, 1, 6));
    const workflowId = await newWorkflow();
    const { id } = await runner!.schedules.create(ownerId, workflowId, { cron: '* * * * *' });
    await modules[0]!.get(RunControl).rerun(ownerId, workflowId, null);
    for (let minute = 0; minute < 3; minute += 1) {
      runner!.clock.advance(MINUTE);
      await runner!.scheduler.fireDue();
    }
    expect(await firedSlots(id)).toHaveLength(1);
    expect((await runner!.schedules.get(ownerId, workflowId, id)).lastStatus).toBe('SKIPPED');
  });

  it('rests in the trash, and goes on from now when it is restored', async () => {
    const now = Date.now();
    const [runner] = runnersAt(now);
    const workflowId = await newWorkflow();
    const { schedules, clock, scheduler } = runner!;
    const cron = await schedules.create(ownerId, workflowId, { cron: '* * * * *', overlapPolicy: 'allow' });
    const once = await schedules.create(ownerId, workflowId, { runAt: new Date(now + 200) });
    clock.advance(MINUTE);
    await scheduler.fireDue();
    await sql(
      `UPDATE workflow_schedules SET state = 'active', enabled = true, run_at = $2, next_run_at = $2, due_at = $2 WHERE id = $1`,
      [once.id, new Date(now + 200)],
    );
    expect(await firedSlots(cron.id)).toHaveLength(1);
    const trash = modules[0]!.get(WorkflowTrash);
    const { sideEffects } = await trash.trash(ownerId, workflowId);
    expect(sideEffects).toMatchObject({ paused_schedules: 2 });
    clock.advance(30 * MINUTE);
    expect(await scheduler.fireDue()).toBe(0);
    await new Promise((done) => setTimeout(done, 250));
    await trash.restore(ownerId, workflowId);
    const back = await schedules.get(ownerId, workflowId, cron.id);
    expect(back).toMatchObject({ state: 'active', enabled: true, missedCount: 0 });
    expect(back.nextRunAt!.getTime()).toBeGreaterThan(Date.now());
    expect(await schedules.get(ownerId, workflowId, once.id)).toMatchObject({
      state: 'completed',
      missedCount: 1,
      lastStatus: 'MISSED',
    });
    const [active] = await sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM workflow_runs WHERE workflow_id = $1 AND status IN ('PENDING', 'RUNNING')`,
      [workflowId],
    );
    expect(active!.count).toBe(0);
  });

  it('leaves nothing behind when its workflow is deleted for good', async () => {
    const [runner] = runnersAt(Date.UTC(2026, 5, 1, 6));
    const workflowId = await newWorkflow();
    await runner!.schedules.create(ownerId, workflowId, { cron: '* * * * *', overlapPolicy: 'queue_all' });
    runner!.clock.advance(5 * MINUTE);
    await runner!.scheduler.fireDue();
    const deleted = await modules[0]!
      .get(WorkflowTrash)
      .deletePermanently({ userId: ownerId, username: 'owner' }, workflowId);
    expect(deleted.schedules).toBe(1);
    expect(await sql('SELECT FROM workflow_schedule_slots UNION ALL SELECT FROM workflow_schedules')).toEqual([]);
  });

  it('fires for the owner alone while the account is active', async () => {
    const [runner] = runnersAt(Date.UTC(2026, 5, 1, 6));
    const workflowId = await newWorkflow();
    const { id } = await runner!.schedules.create(ownerId, workflowId, { cron: '* * * * *' });
    await sql('UPDATE users SET is_active = false WHERE id = $1', [ownerId]);
    runner!.clock.advance(MINUTE);
    expect(await runner!.scheduler.fireDue()).toBe(0);
    await sql('UPDATE users SET is_active = true WHERE id = $1', [ownerId]);
    expect(await runner!.schedules.get(ownerId, workflowId, id)).toMatchObject({
      lastStatus: 'SKIPPED',
      lastError: 'The account of the owner is deactivated.',
    });
  });

  it('runs the published revision when one is set', async () => {
    const [runner] = runnersAt(Date.UTC(2026, 5, 1, 6));
    const workflowId = await newWorkflow();
    await sql(
      'INSERT INTO workflow_revisions (workflow_id, content_revision, name, json_spec) SELECT workflow_id, 2, name, json_spec FROM workflow_revisions WHERE workflow_id = $1',
      [workflowId],
    );
    await sql('UPDATE workflows SET content_revision = 2, published_revision = 1 WHERE id = $1', [workflowId]);
    await runner!.schedules.create(ownerId, workflowId, { cron: '* * * * *' });
    runner!.clock.advance(MINUTE);
    await runner!.scheduler.fireDue();
    expect(await sql('SELECT content_revision FROM workflow_runs WHERE workflow_id = $1', [workflowId])).toEqual([
      { content_revision: 1 },
    ]);
  });

  it('fills the past in once, 500 slots a call, and leaves planned slots alone', async () => {
    const now = Date.UTC(2026, 5, 1, 6, 0, 30);
    const [runner] = runnersAt(now);
    const workflowId = await newWorkflow();
    const { schedules, runs, clock, scheduler } = runner!;
    const { id } = await schedules.create(ownerId, workflowId, { cron: '*/5 * * * *', overlapPolicy: 'queue_all' });
    const period = { from: new Date(now - 50 * HOUR), to: new Date(now + HOUR), overlapPolicy: 'queue_all' as const };
    const racing = await Promise.all([1, 2, 3].map(() => runs.backfill(ownerId, workflowId, id, period)));
    const counts = racing.map(({ count }) => count);
    // Racing calls share the same slots.
    expect(counts.toSorted((a, b) => b - a)).toEqual([500, 0, 0]);
    // What is left is told, and where to go on.
    const nextFrom = new Date(now - 50 * HOUR + 500 * 5 * MINUTE + 4 * MINUTE + 30_000);
    for (const told of racing) expect(told).toMatchObject({ skipped: 0, remaining: 100, nextFrom });
    const rest = await runs.backfill(ownerId, workflowId, id, { ...period, from: nextFrom });
    expect(rest).toEqual({ count: 100, skipped: 0, remaining: 0, nextFrom: null });
    expect(await runs.backfill(ownerId, workflowId, id, period)).toMatchObject({ count: 0, remaining: 0 });
    const fired = await firedSlots(id);
    expect(fired).toHaveLength(600);
    expect(fired.at(-1)).toBe('2026-06-01T06:00:00.000Z');
    expect((await startedFor(id)).toSorted()).toEqual(fired);
    clock.advance(5 * MINUTE);
    expect(await scheduler.fireDue()).toBe(1);
    expect((await firedSlots(id)).at(-1)).toBe('2026-06-01T06:05:00.000Z');
  });

  it('fills in what its own overlap policy had skipped', async () => {
    const [runner] = runnersAt(Date.UTC(2026, 5, 1, 6));
    const workflowId = await newWorkflow();
    const { schedules, runs, clock, scheduler } = runner!;
    const { id } = await schedules.create(ownerId, workflowId, { cron: '* * * * *' });
    for (let minute = 0; minute < 4; minute += 1) {
      clock.advance(MINUTE);
      await scheduler.fireDue();
    }
    expect(await firedSlots(id)).toHaveLength(1);
    const period = {
      from: new Date(Date.UTC(2026, 5, 1, 6, 1)),
      to: clock.date(),
      overlapPolicy: 'queue_all' as const,
    };
    const passed = await runs.backfill(ownerId, workflowId, id, { ...period, overlapPolicy: 'skip' });
    expect(passed).toEqual({ count: 0, skipped: 3, remaining: 0, nextFrom: null });
    expect(await runs.backfill(ownerId, workflowId, id, period)).toMatchObject({ count: 3, skipped: 0 });
    expect(await firedSlots(id)).toHaveLength(4);
    // Deleted, it takes back what waits.
    await schedules.delete(ownerId, workflowId, id);
    const [workflow] = await sql<{ pending_requests: number }>('SELECT pending_requests FROM workflows WHERE id = $1', [
      workflowId,
    ]);
    expect(workflow!.pending_requests).toBe(0);
  });

  it('is found by the sweeper when its process died between the commit and the job', async () => {
    const [runner] = runnersAt(Date.UTC(2026, 5, 1, 6));
    const workflowId = await newWorkflow();
    await runner!.schedules.create(ownerId, workflowId, { cron: '* * * * *' });
    const notified: JobMessage[] = [];
    const adding = jest.spyOn(modules[0]!.get(JobQueues), 'add').mockImplementation((messages) => {
      notified.push(...messages);
      return Promise.reject(new Error('The process is gone.'));
    });
    runner!.clock.advance(MINUTE);
    expect(await runner!.scheduler.fireDue()).toBe(1);
    await new Promise((done) => setTimeout(done, 50));
    adding.mockRestore();
    const [run] = await sql<{ id: string }>(
      `SELECT id FROM workflow_runs WHERE workflow_id = $1 AND status = 'PENDING'`,
      [workflowId],
    );
    const kept = await sql<{ payload: { runId: string } }>('SELECT payload FROM outbox_messages');
    expect(kept.map(({ payload }) => payload.runId)).toContain(run!.id);
    // Even without the outbox's row.
    await sql('DELETE FROM outbox_messages');
    await sql(`UPDATE workflow_runs SET created_at = now() - interval '10 seconds' WHERE id = $1`, [run!.id]);
    const found = jest.spyOn(modules[1]!.get(JobQueues), 'add').mockImplementation((messages) => {
      notified.push(...messages);
      return Promise.resolve();
    });
    notified.length = 0;
    await modules[1]!.get(RunSweeper).sweep();
    found.mockRestore();
    expect(notified.map(({ payload }) => payload.runId)).toContain(run!.id);
  });

  it('runs by hand beside its plan, and not when it is completed', async () => {
    const [runner] = runnersAt(Date.UTC(2026, 5, 1, 6));
    const workflowId = await newWorkflow();
    const { schedules, runs, clock, scheduler } = runner!;
    const { id, nextRunAt } = await schedules.create(ownerId, workflowId, {
      cron: '* * * * *',
      overlapPolicy: 'queue_all',
      payload: { a: 1 },
    });
    const record = await runs.runNow(ownerId, workflowId, id);
    expect(record).toMatchObject({ lastRunVersion: 1, lastStatus: 'RUNNING', nextRunAt });
    const [run] = await sql<{ triggered_by_id: number; payload: object }>(
      'SELECT triggered_by_id, payload FROM workflow_runs WHERE workflow_id = $1',
      [workflowId],
    );
    expect(run).toMatchObject({ triggered_by_id: ownerId, payload: { a: 1, _schedule: { id, source: 'run' } } });
    clock.advance(MINUTE);
    expect(await scheduler.fireDue()).toBe(1);
    await schedules.pause(ownerId, workflowId, id);
    await runs.runNow(ownerId, workflowId, id);
    expect(await startedFor(id)).toHaveLength(3);
    const once = await schedules.create(ownerId, workflowId, { runAt: new Date(clock.now() + MINUTE) });
    clock.advance(MINUTE);
    await scheduler.fireDue();
    await expect(runs.runNow(ownerId, workflowId, once.id)).rejects.toMatchObject({ code: 'schedule_completed' });
    await expect(schedules.resume(ownerId, workflowId, once.id)).rejects.toMatchObject({ code: 'schedule_completed' });
    const again = await schedules.update(ownerId, workflowId, once.id, { runAt: new Date(clock.now() + MINUTE) });
    expect(again).toMatchObject({ state: 'active', enabled: true });
  });

  it('keeps to twenty schedules, however many are asked for at once', async () => {
    const [runner] = runnersAt(Date.UTC(2026, 5, 1, 6));
    const workflowId = await newWorkflow();
    const made = await Promise.allSettled(
      Array.from({ length: 30 }, () => runner!.schedules.create(ownerId, workflowId, { intervalMinutes: 5 })),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    for (const refused of made.filter((one) => one.status === 'rejected'))
      expect(refused.reason).toMatchObject({ code: 'schedule_limit_reached' });
  });

  it('forgets slots of long ago alone', async () => {
    const [runner] = runnersAt(Date.now() - 2 * MINUTE);
    const { id } = await runner!.schedules.create(ownerId, await newWorkflow(), { cron: '* * * * *' });
    runner!.clock.set(Date.now());
    await runner!.scheduler.fireDue();
    await sql(
      `INSERT INTO workflow_schedule_slots (schedule_id, slot_time, outcome, source, started_id, fired_at)
       SELECT $1, at, 'started', 'due', gen_random_uuid(), at FROM unnest(ARRAY[now() - interval '500 days', now() - interval '300 days']) AS at`,
      [id],
    );
    const before = await firedSlots(id);
    await runner!.scheduler.prune();
    expect(await firedSlots(id)).toEqual(before.slice(1));
  });
});
