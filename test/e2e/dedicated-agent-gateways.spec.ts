import { setTimeout as sleep } from 'node:timers/promises';
import { newTimeOrderedId } from '@app/common';
import {
  AgentGateway,
  AgentLife,
  type AgentRunRecord,
  AgentRuns,
  followWork,
  type GatewayEvent,
  GatewayRefusedError,
  type GatewayRun,
  GatewayUnreachableError,
  type RunEndedListener,
  RunFollower,
  RunLogWriter,
  ShownEvents,
} from '@app/dedicated-agent';
import { LiveBus } from '@app/live';
import { ClaimLostError, TryAgainError, WorkClaims } from '@app/work';
import { DataSource } from 'typeorm';
import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { inAll } from '../support/long.js';

/** Does what the test says. */
class ScriptedGateway extends AgentGateway {
  readonly name = 'hermes';
  override readonly countsBySession = true;
  readonly started: string[] = [];
  /** Of each start, what it was told of earlier ones. */
  readonly mayHaveBegun: (boolean | undefined)[] = [];
  readonly stopped: string[] = [];
  readonly after: (string | null)[] = [];
  startFails: Error | null = null;
  found: GatewayRun | null = null;
  events_: () => AsyncIterable<GatewayEvent> = async function* () {};

  start({ runId, mayHaveBegun }: { runId: string; mayHaveBegun?: boolean }): Promise<string> {
    this.mayHaveBegun.push(mayHaveBegun);
    if (this.startFails) return Promise.reject(this.startFails);
    this.started.push(runId);
    return Promise.resolve(`theirs-${runId}`);
  }
  find(): Promise<GatewayRun | null> {
    return Promise.resolve(this.found);
  }
  events(_run: unknown, { after }: { after: string | null }): AsyncIterable<GatewayEvent> {
    this.after.push(after);
    return this.events_();
  }
  answer(): Promise<number> {
    return Promise.resolve(1);
  }
  steer(): Promise<void> {
    return Promise.resolve();
  }
  stop({ runId }: { runId: string }): Promise<void> {
    this.stopped.push(runId);
    return Promise.resolve();
  }
}

const delta = (cursor: string | null, text: string): GatewayEvent => ({
  cursor,
  event: 'message.delta',
  data: { delta: text },
  at: new Date(),
});
const completed: GatewayEvent = { cursor: '9', event: 'run.completed', data: { output: 'ab' }, at: new Date() };

describe('runs at a gateway', () => {
  let api: TestApi;
  let user: HttpClient;
  let userId: number;
  let gateway: ScriptedGateway;
  let follower: RunFollower;
  let ended: AgentRunRecord[];
  let listener: RunEndedListener;

  const sql = <T>(text: string, values: unknown[] = []) => api.database.dataSource.query<T>(text, values);
  async function makeRun(status = 'started'): Promise<string> {
    const id = newTimeOrderedId();
    await sql(
      `INSERT INTO dedicated_agent_runs (id, agent_id, status, input)
       SELECT $1, id, $3, 'Q' FROM dedicated_agents WHERE user_id = $2`,
      [id, userId, status],
    );
    return id;
  }
  const claimOf = async (id: string) => (await api.app.get(WorkClaims).claim(followWork, [id]))!;
  /** As the worker does it, up to what it leaves to others. */
  async function follow(id: string): Promise<unknown> {
    const claim = await claimOf(id);
    try {
      return await follower.follow(claim, new AbortController().signal);
    } catch (error) {
      if (!(error instanceof TryAgainError)) throw error;
      await api.app.get(WorkClaims).postpone(claim, { afterSeconds: 0, reason: error.message, isTry: false });
      return error;
    }
  }
  const runOf = (id: string) => api.app.get(AgentRuns).get(userId, id);
  const logOf = (id: string) =>
    sql<{ seq: number; event: string; data: Record<string, unknown> }[]>(
      'SELECT seq, event, data FROM dedicated_agent_events WHERE run_id = $1 ORDER BY seq',
      [id],
    );

  beforeAll(async () => {
    api = await startApi();
    user = await api.signUp();
    [{ id: userId }] = await sql<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [user.username]);
    await sql('UPDATE users SET dedicated_agent = true WHERE id = $1', [userId]);
    await api.app.get(AgentLife).grant(userId, 'terminal');
  });
  beforeEach(() => {
    gateway = new ScriptedGateway();
    ended = [];
    listener = (_tx, run) => {
      ended.push(run);
      return Promise.resolve();
    };
    const of = [api.app.get(DataSource), api.app.get(WorkClaims)] as const;
    const live = api.app.get(LiveBus);
    const writer = new RunLogWriter(...of, live);
    const shown = new ShownEvents({ of: () => Promise.resolve(['a-secret-of-the-house']) });
    follower = new RunFollower(...of, gateway, live, shown, writer, [(tx, run) => listener(tx, run)]);
  });
  afterAll(() => api.stop());

  it('are refused before anything is stored where no model would do them', async () => {
    const response = await user.send('POST', '/microservices/dedicated-agent/runs/', { input: 'Do it.' });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      503,
      'model_not_configured',
    ]);
    expect(await sql('SELECT FROM dedicated_agent_runs')).toEqual([]);
  });

  inAll('are looked at less often the longer they wait for a person, and in time for the end of that', async () => {
    const id = await makeRun('waiting_for_approval');
    const question = { request_id: 'q', choices: ['once', 'deny'], expires_at: new Date(Date.now() + 3_600_000) };
    await sql(
      `UPDATE dedicated_agent_runs SET gateway_run_id = 'theirs', gateway_cursor = '1', pending = $2,
         updated_at = now() - interval '20 minutes' WHERE id = $1`,
      [id, JSON.stringify([question])],
    );
    let tells: ((event: IteratorResult<GatewayEvent>) => void) | undefined;
    // Nothing comes until it is let go.
    gateway.events_ = () => ({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise((tell) => (tells = tell)) }),
    });
    const follows = async () => {
      const followed = follow(id);
      await sleep(3500);
      tells!({ done: true, value: undefined });
      return ((await followed) as TryAgainError).afterSeconds;
    };
    expect(await follows()).toBe(300);
    // Somebody answered or stopped it, and was lost before they woke who follows it.
    const dueIn = async () =>
      (
        await sql<[{ seconds: number }]>(
          `SELECT extract(epoch FROM next_attempt_at - now())::float8 AS seconds FROM dedicated_agent_runs WHERE id = $1`,
          [id],
        )
      )[0].seconds;
    const rest = `UPDATE dedicated_agent_runs SET next_attempt_at = now() + interval '300 seconds', status = 'waiting_for_approval',
      pending = $2 WHERE id = $1`;
    const runs = api.app.get(AgentRuns);
    const lost = jest.spyOn(api.app.get(AgentGateway), 'answer').mockRejectedValue(new Error('lost'));
    const stops = jest.spyOn(api.app.get(AgentGateway), 'stop').mockRejectedValue(new Error('lost'));
    for (const act of [
      () => runs.answer(userId, id, { choice: 'once', requestId: 'q', all: false }),
      () => runs.stop(userId, id),
    ]) {
      await sql(rest, [id, JSON.stringify([question])]);
      await expect(act()).rejects.toThrow('lost');
      expect(await dueIn()).toBeLessThan(31);
    }
    lost.mockRestore();
    stops.mockRestore();
    await sql(rest, [id, JSON.stringify([{ ...question, taken_at: new Date() }])]);
    await sql(
      `UPDATE dedicated_agent_runs SET next_attempt_at = now(), updated_at = now() - interval '20 minutes' WHERE id = $1`,
      [id],
    );
    expect(await follows()).toBe(30);
    await sql(`UPDATE dedicated_agent_runs SET updated_at = now() - interval '20 minutes' WHERE id = $1`, [id]);
    question.expires_at = new Date(Date.now() + 60_000);
    await sql('UPDATE dedicated_agent_runs SET pending = $2 WHERE id = $1', [id, JSON.stringify([question])]);
    const left = () => (question.expires_at.getTime() - Date.now()) / 1000;
    const most = left();
    const seconds = await follows();
    expect(seconds).toBeGreaterThan(left() - 1);
    expect(seconds).toBeLessThan(most + 2);
    await sql(
      `UPDATE dedicated_agent_runs SET status = 'cancelled', finished_at = now(), next_attempt_at = NULL WHERE id = $1`,
      [id],
    );
  });

  it('are written together, where one that is lost or cannot be written costs the others nothing', async () => {
    const claims = api.app.get(WorkClaims);
    const writer = new RunLogWriter(api.app.get(DataSource), claims, api.app.get(LiveBus));
    const ids = await Promise.all(Array.from({ length: 5 }, () => makeRun('running')));
    const claimed = await Promise.all(ids.map(claimOf));
    // Somebody else goes on with the second one.
    await claims.postpone(claimed[1]!, { afterSeconds: 0, reason: '', isTry: false });
    const next = await claimOf(ids[1]!);
    const broken = { ...delta('3', 'c'), at: new Date(Number.NaN) };
    const written = await Promise.allSettled([
      ...claimed.map((claim, at) =>
        writer.append(claim, 0, at === 3 ? [broken] : [delta('1', `a${at}`), delta('2', 'b')]),
      ),
      writer.append(next, 0, [delta('7', 'mine')]),
    ]);
    expect(written.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect((written[1] as PromiseRejectedResult).reason).toBeInstanceOf(ClaimLostError);
    expect((await logOf(ids[0]!)).map(({ seq, data }) => [seq, data.delta])).toEqual([
      [1, 'a0'],
      [2, 'b'],
    ]);
    expect((await logOf(ids[1]!)).map(({ data }) => data.delta)).toEqual(['mine']);
    expect(await logOf(ids[3]!)).toEqual([]);
    const cursors = await sql<{ cursor: string | null }[]>(
      'SELECT gateway_cursor AS cursor FROM dedicated_agent_runs WHERE id = ANY($1) ORDER BY id',
      [ids],
    );
    expect(cursors.map(({ cursor }) => cursor).toSorted()).toEqual(['2', '2', '2', '7', null].toSorted());
    for (const claim of [...claimed.filter((_, at) => at !== 1), next])
      await claims.finish(claim, { set: () => `status = 'cancelled', finished_at = now()` });
  });

  it('are gone on with behind what is written, when a stream breaks off', async () => {
    const id = await makeRun();
    gateway.events_ = async function* () {
      yield delta('1', 'a');
      throw new GatewayUnreachableError('cut');
    };
    expect(await follow(id)).toBeInstanceOf(TryAgainError);
    expect(await runOf(id)).toMatchObject({ status: 'running' });
    gateway.found = { status: 'running', output: null, usage: null, error: null };
    gateway.events_ = async function* () {
      yield delta('2', 'b');
      yield completed;
      yield delta('10', 'never');
    };
    expect(await follow(id)).toEqual({ outcome: 'completed' });
    expect(gateway.started).toEqual([id]);
    expect(gateway.after).toEqual([null, '1']);
    expect((await logOf(id)).map(({ seq, event }) => [seq, event])).toEqual([
      [1, 'message.delta'],
      [2, 'message.delta'],
      [3, 'run.completed'],
    ]);
    expect(await runOf(id)).toMatchObject({ status: 'completed', output: 'ab' });
    expect(ended.map(({ status }) => status)).toEqual(['completed']);
    expect(await api.app.get(WorkClaims).claim(followWork, [id])).toBeNull();
  });

  it('are lost once their gateway was away for a minute, which is said once', async () => {
    const id = await makeRun();
    gateway.startFails = new GatewayUnreachableError('away');
    expect(await follow(id)).toBeInstanceOf(TryAgainError);
    expect((await runOf(id)).status).toBe('started');
    await sql(`UPDATE dedicated_agent_runs SET unreachable_since = now() - interval '61 seconds' WHERE id = $1`, [id]);
    expect(await follow(id)).toEqual({ outcome: 'failed', code: 'gateway_lost' });
    expect((await logOf(id)).map(({ event, data }) => [event, data.code])).toEqual([['run.failed', 'gateway_lost']]);
    expect((await runOf(id)).error).toMatchObject({ code: 'gateway_lost' });
  });

  it('are not lost where the gateway is back, however long it tells nothing', async () => {
    const id = await makeRun();
    gateway.events_ = async function* () {
      yield delta('1', 'a');
      throw new GatewayUnreachableError('cut');
    };
    await follow(id);
    await sql(`UPDATE dedicated_agent_runs SET unreachable_since = now() - interval '50 seconds' WHERE id = $1`, [id]);
    gateway.found = { status: 'running', output: null, usage: null, error: null };
    await follow(id);
    const [row] = await sql<[{ recent: boolean }]>(
      `SELECT unreachable_since > now() - interval '10 seconds' AS recent FROM dedicated_agent_runs WHERE id = $1`,
      [id],
    );
    expect(row.recent).toBe(true);
  });

  it('end as their gateway knows, where it tells nothing more', async () => {
    const forgotten = await makeRun();
    expect(await follow(forgotten)).toEqual({ outcome: 'failed', code: 'gateway_lost' });
    const done = await makeRun();
    gateway.found = { status: 'completed', output: 'Whole.', usage: { total_tokens: 3 }, error: null };
    await follow(done);
    expect(await runOf(done)).toMatchObject({ status: 'completed', output: 'Whole.', usage: { total_tokens: 3 } });
    const refused = await makeRun();
    gateway.startFails = new GatewayRefusedError('No.', 400, 'refused');
    expect(await follow(refused)).toEqual({ outcome: 'failed', code: 'refused' });
  });

  it('end also with what no text of the database can hold', async () => {
    const [done, failed] = [await makeRun(), await makeRun()];
    const odd = 'a\0b\ud800';
    gateway.events_ = async function* () {
      yield delta('1', odd);
      yield { cursor: '2', event: 'run.completed', data: { output: odd, usage: { total_tokens: 1 } }, at: new Date() };
    };
    expect(await follow(done)).toEqual({ outcome: 'completed' });
    expect((await runOf(done)).output).toMatch(/^ab/);
    gateway.events_ = async function* () {
      yield { cursor: '1', event: 'run.failed', data: { error: odd, code: odd, output: odd }, at: new Date() };
    };
    expect(await follow(failed)).toMatchObject({ outcome: 'failed' });
    expect((await runOf(failed)).error!.detail).toMatch(/^ab/);
  });

  it('wait in line while their gateway does as many as it can, and begin once it takes them', async () => {
    const id = await makeRun();
    gateway.startFails = new GatewayRefusedError('Full.', 429, 'rate_limit_exceeded');
    expect(await follow(id)).toMatchObject({ isTry: false, afterSeconds: 3 });
    expect(await runOf(id)).toMatchObject({ status: 'queued', error: null, finishedAt: null });
    gateway.startFails = null;
    gateway.events_ = async function* () {
      yield delta('1', 'a');
      throw new GatewayUnreachableError('cut');
    };
    await follow(id);
    expect((await runOf(id)).status).toBe('running');
    const stopped = await makeRun('queued');
    await api.app.get(AgentRuns).stop(userId, stopped);
    await follow(stopped);
    expect((await runOf(stopped)).status).toBe('cancelled');
    expect(gateway.started).toEqual([id]);
  });

  it('tell their gateway where somebody who was lost may have begun them', async () => {
    const id = await makeRun();
    await claimOf(id);
    await sql(`UPDATE dedicated_agent_runs SET leased_until = now() - interval '1 second' WHERE id = $1`, [id]);
    gateway.events_ = async function* () {
      yield completed;
    };
    await follow(id);
    await follow(await makeRun());
    expect(gateway.mayHaveBegun).toEqual([true, false]);
  });

  it('never begin where they were stopped before, and are stopped where they began meanwhile', async () => {
    const before = await makeRun('stopping');
    await follow(before);
    expect(gateway.started).toEqual([]);
    expect((await runOf(before)).status).toBe('cancelled');
    const meanwhile = await makeRun();
    const start = gateway.start.bind(gateway);
    gateway.start = async (task) => {
      await api.app.get(AgentRuns).stop(userId, meanwhile);
      return start(task);
    };
    gateway.events_ = async function* () {
      yield delta('1', 'a');
      yield { cursor: '2', event: 'run.cancelled', data: {}, at: new Date() };
    };
    await follow(meanwhile);
    expect(gateway.stopped).toEqual([meanwhile]);
    expect(await runOf(meanwhile)).toMatchObject({ status: 'cancelled' });
  });

  it('end where their agent was paused by somebody who was lost before they were asked to', async () => {
    const [begun, waiting] = [await makeRun(), await makeRun()];
    gateway.events_ = async function* () {
      yield delta('1', 'a');
      throw new GatewayUnreachableError('cut');
    };
    await follow(begun);
    await sql(`UPDATE dedicated_agents SET status = 'paused' WHERE user_id = $1`, [userId]);
    await follow(waiting);
    gateway.events_ = async function* () {
      yield { cursor: '2', event: 'run.cancelled', data: {}, at: new Date() };
    };
    await follow(begun);
    await sql(`UPDATE dedicated_agents SET status = 'running' WHERE user_id = $1`, [userId]);
    expect([gateway.started, gateway.stopped]).toEqual([[begun], [begun]]);
    expect((await runOf(waiting)).status).toBe('cancelled');
    expect((await runOf(begun)).status).toBe('cancelled');
  });

  it('are written by one subscriber: whoever lost the claim writes nothing', async () => {
    const id = await makeRun();
    const claim = await claimOf(id);
    gateway.events_ = async function* () {
      yield delta('1', 'a');
      await sql(
        'UPDATE dedicated_agent_runs SET fence = fence + 1, lease_owner = NULL, leased_until = NULL WHERE id = $1',
        [id],
      );
      yield completed;
    };
    await expect(follower.follow(claim, new AbortController().signal)).rejects.toBeInstanceOf(ClaimLostError);
    expect((await logOf(id)).filter(({ event }) => event === 'run.completed')).toEqual([]);
    gateway.events_ = async function* () {
      yield completed;
    };
    await follow(id);
    const log = await logOf(id);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
    expect(log.filter(({ event }) => event === 'run.completed')).toHaveLength(1);
  });

  it('tell no secrets beside their answers, and show what an approval would do', async () => {
    const id = await makeRun();
    const at = new Date();
    gateway.events_ = async function* () {
      yield {
        cursor: '1',
        event: 'tool.started',
        data: { tool: 'sh', preview: 'login -p x --token abcdef; echo a-secret-of-the-house' },
        at,
      };
      yield {
        cursor: '2',
        event: 'approval.request',
        data: {
          request_id: 'token=abcdef',
          command: 'curl -H "Authorization: Bearer abcdef" https://a:b@x.example/?token=$(reboot)',
          description: 'Sends a-secret-of-the-house to b@x.example',
          choices: ['once', 'deny'],
          tool: { name: 'send_email', title: 'T', arguments: { to: 'b@x.example', password: 'hunter', text: 'Hi.' } },
        },
        at,
      };
      yield { cursor: '3', event: 'approval.responded', data: { request_id: 'token=abcdef', choice: 'deny' }, at };
      yield delta('4', 'token=abcdef');
      yield { cursor: '5', event: 'run.failed', data: { error: 'https://a:b@x.example fails', code: 'x' }, at };
    };
    await follow(id);
    const [started, request, , said, failed] = (await logOf(id)).map(({ data }) => data);
    expect(started!.preview).toBe('login -p x --token [redacted]; echo ***');
    expect(request).toMatchObject({
      request_id: 'token=abcdef',
      command: 'curl -H "Authorization: Bearer [redacted]" https://a:[redacted]@x.example/?token=$(reboot)',
      description: 'Sends *** to b@x.example',
      tool: { name: 'send_email', arguments: { to: 'b@x.example', password: '[redacted]', text: 'Hi.' } },
    });
    expect(said!.delta).toBe('token=abcdef');
    expect(failed!.error).toBe('https://a:[redacted]@x.example fails');
    expect((await runOf(id)).error!.detail).toBe(failed!.error);
  });

  it('have used what came to the count of their conversation, in whichever order they end and whoever dies', async () => {
    const [session] = await sql<[{ id: number }]>(
      `INSERT INTO chat_sessions (user_id, kind, conversation_id, title) VALUES ($1, 'dedicated-agent', $2, 'T') RETURNING id`,
      [userId, newTimeOrderedId()],
    );
    const begin = async (sessionId: number | null) => {
      const id = await makeRun();
      await sql('UPDATE dedicated_agent_runs SET session_id = $2 WHERE id = $1', [id, sessionId]);
      return id;
    };
    const reports = (total: number) => {
      const usage = { input_tokens: total, output_tokens: 0, total_tokens: total };
      gateway.events_ = async function* () {
        yield { cursor: '1', event: 'run.completed', data: { output: '', usage }, at: new Date() };
      };
    };
    const used = async (id: string) => (await runOf(id)).usage!.total_tokens;
    const [first, second, third] = [await begin(session.id), await begin(session.id), await begin(session.id)];
    reports(100);
    // Whoever dies before the end is written has counted nothing.
    listener = () => Promise.reject(new Error('not now'));
    await expect(follow(first)).rejects.toThrow('not now');
    listener = () => Promise.resolve();
    await sql('UPDATE dedicated_agent_runs SET leased_until = now() - interval $$1 second$$ WHERE id = $1', [first]);
    await follow(first);
    reports(180);
    await follow(second);
    // It ended before the second one, and is written down after it.
    reports(150);
    await follow(third);
    expect([await used(first), await used(second), await used(third)]).toEqual([100, 80, 0]);
    const [fourth, anew, own] = [await begin(session.id), await begin(null), await begin(session.id)];
    reports(40);
    await follow(anew);
    expect(await used(anew)).toBe(40);
    await follow(fourth);
    expect(await used(fourth)).toBe(40);
    // One whose conversation is deleted is asked to stop, and ends all the same; one that had not begun never does.
    const unbegun = await begin(session.id);
    gateway.events_ = async function* () {
      yield delta('1', 'a');
      throw new GatewayUnreachableError('cut');
    };
    await follow(own);
    await sql('DELETE FROM chat_sessions WHERE id = $1', [session.id]);
    reports(90);
    expect(await follow(own)).toEqual({ outcome: 'completed' });
    expect(gateway.stopped).toEqual([own]);
    expect(await used(own)).toBe(90);
    await follow(unbegun);
    expect((await runOf(unbegun)).status).toBe('cancelled');
    expect(gateway.started).not.toContain(unbegun);
    expect(await sql('SELECT FROM dedicated_agent_session_usage')).toEqual([]);
  });

  it('end together with what their end leads to, or not yet', async () => {
    const id = await makeRun();
    gateway.events_ = async function* () {
      yield completed;
    };
    listener = () => Promise.reject(new Error('not now'));
    await expect(follow(id)).rejects.toThrow('not now');
    expect([(await runOf(id)).status, await logOf(id)]).toEqual(['running', []]);
  });
});
