import { setTimeout as sleep } from 'node:timers/promises';
import { AGENT, HermesPlatform, RUNS, textIn } from '../support/hermes/hermes-platform.js';
import type { Hostility, Step } from '../support/hermes/hermes-server.js';
import { isTurnOf, rounds } from '../support/long.js';
import { stopwatch } from '../support/timing.js';
import { until } from '../support/until.js';

const say = (delta: string): Step => ({ event: 'message.delta', delta });
const done = (output: string): Step => ({ event: 'run.completed', output });

const HOSTILITIES: [string, Hostility][] = [
  ['a page', { kind: 'html' }],
  ['nothing', { kind: 'nothing' }],
  ['silence', { kind: 'hang' }],
  ['half a frame', { kind: 'half frame' }],
  ['10 MB', { kind: 'huge' }],
  ['a drop at a time', { kind: 'drip' }],
  ['a redirect', { kind: 'redirect' }],
  [
    '401',
    { kind: 'status', status: 401, body: { error: { code: 'gateway_auth_failed', message: 'Invalid API key' } } },
  ],
  ['404 of a proxy', { kind: 'page', status: 404, type: 'text/html', text: '<h1>Run not found</h1>' }],
  ['503', { kind: 'status', status: 503, body: { error: { code: 'gateway_draining', message: 'Draining' } } }],
  ['a page with 502', { kind: 'page', status: 502, type: 'text/html', text: '<h1>Bad gateway</h1>' }],
  ['half of JSON', { kind: 'page', status: 200, type: 'application/json', text: '{"run_id": "run_1", "sta' }],
  ['a list', { kind: 'page', status: 200, type: 'application/json', text: '[1, 2]' }],
  [
    'another run',
    { kind: 'page', status: 200, type: 'application/json', text: '{"run_id":"run_0","status":"completed"}' },
  ],
];

/** In a short run each hostility meets one of three calls: that which begins a run, those that read it, and a word to it. */
const metIn = (way: number) => HOSTILITIES.filter((_, place) => isTurnOf(way, 3, place));

describe('a gateway of hermes that is hostile, or away', () => {
  let hermes: HermesPlatform;
  beforeAll(async () => {
    hermes = await HermesPlatform.start('G3', undefined, { AGENT_GATEWAY_TIMEOUT_SECONDS: '1' });
    // Whoever asked once knows for a minute what the gateway can.
    hermes.server.scripts = [[done('Warm.')]];
    await hermes.ended((await hermes.create()).id);
  });
  afterEach(() => hermes.server.forgive());
  afterAll(() => hermes?.stop());

  const sql = <T>(text: string, values: unknown[] = []) =>
    hermes.agents.platform.database.dataSource.query<T>(text, values);
  const plays = (...script: Step[]) => (hermes.server.scripts = [script]);
  const isAway = async (ids: readonly string[]) => {
    const rows = await sql<unknown[]>(
      'SELECT FROM dedicated_agent_runs WHERE id = ANY ($1) AND unreachable_since IS NOT NULL',
      [ids],
    );
    return rows.length === ids.length;
  };
  /** Time goes by: in a long run of the tests, the real one. */
  async function pass(seconds: number, ids: readonly string[]): Promise<void> {
    await until(() => isAway(ids));
    if (rounds(1, 0) === 1) return void (await sleep(seconds * 1000));
    await sql(
      `UPDATE dedicated_agent_runs SET unreachable_since = unreachable_since - $2 * interval '1 second' WHERE id = ANY ($1)`,
      [ids, seconds],
    );
  }

  // Another run's name is a name as good as any where a run begins.
  it.each(metIn(0).filter(([name]) => name !== 'another run'))(
    'begins a run once, though it answers with %s first',
    async (_name, hostility) => {
      plays(say('Good.'), done('Good.'));
      const before = hermes.server.started.length;
      hermes.server.fail(/POST \/v1\/runs$/, hostility);
      const run = await hermes.create();
      expect(await hermes.ended(run.id)).toMatchObject({ status: 'completed', output: 'Good.', error: null });
      expect(hermes.server.started.length - before).toBe(1);
      expect(textIn(await hermes.logOf(run.id))).toBe('Good.');
    },
  );

  it.each(metIn(1))('tells all of a run, though all about it is %s for a while', async (_name, hostility) => {
    plays(say('one '), 400, say('two '), { event: 'tool.started', tool: 'x', preview: '' }, say('three'), done('All.'));
    const run = await hermes.create();
    await until(() => hermes.server.runs.size > 0);
    hermes.server.keepFailing(/GET \/v1\/runs\//, hostility);
    hermes.server.hangUp();
    await sleep(800);
    hermes.server.forgive();
    hermes.server.hangUp();
    expect(await hermes.ended(run.id)).toMatchObject({ status: 'completed', output: 'All.' });
    const log = await hermes.logOf(run.id);
    expect(textIn(log)).toBe('one two three');
    expect(log.filter(({ event }) => event === 'tool.started')).toHaveLength(1);
  });

  it('loses runs after a minute, which is said once, whatever it answers all that time', async () => {
    plays(say('I begin.'), 600_000);
    const ids = await Promise.all(Array.from({ length: 3 }, async () => (await hermes.create()).id));
    await until(async () => (await Promise.all(ids.map((id) => hermes.logOf(id)))).every((log) => log.length > 0));
    hermes.server.keepFailing(/./, { kind: 'html' });
    hermes.server.hangUp();
    const unbegun = (await hermes.create()).id;
    const all = [...ids, unbegun];
    await until(() => isAway(all));
    // Whoever asks meanwhile is told at once that nobody answers, and what is stopped will be.
    const took = stopwatch();
    expect(await hermes.act(ids[0]!, 'steer', { message: 'x' })).toMatchObject({
      status: 502,
      body: { code: 'gateway_unreachable' },
    });
    expect(await hermes.act(ids[0]!, 'stop')).toMatchObject({ status: 200, body: { status: 'stopping' } });
    expect(took()).toBeLessThan(10_000);
    await pass(61, all);
    for (const id of all) {
      expect(await hermes.ended(id, 120_000)).toMatchObject({ status: 'failed', error: { code: 'gateway_lost' } });
      const log = await hermes.logOf(id);
      expect(log.at(-1)!.data).toMatchObject({ code: 'gateway_lost' });
    }
    hermes.server.forgive();
    await sleep(500);
    for (const id of all)
      expect((await hermes.logOf(id)).filter(({ event }) => event === 'run.failed')).toHaveLength(1);
    for (const { id } of hermes.server.runs.values()) hermes.server.runs.get(id)!.isStopping = true;
  });

  it('is away for half a minute, and events go on where they were', async () => {
    plays(
      say('one '),
      1500,
      say('two '),
      { event: 'tool.started', tool: 'x', preview: '' },
      say('three'),
      done('All.'),
    );
    const ids = await Promise.all(Array.from({ length: 3 }, async () => (await hermes.create()).id));
    await until(async () =>
      (await Promise.all(ids.map((id) => hermes.logOf(id)))).every((log) => textIn(log).startsWith('one')),
    );
    await hermes.server.leave();
    await pass(30, ids);
    await sleep(2000);
    await hermes.server.listen();
    for (const id of ids) {
      expect(await hermes.ended(id)).toMatchObject({ status: 'completed', output: 'All.' });
      const log = await hermes.logOf(id);
      expect(textIn(log)).toBe('one two three');
      expect(log.filter(({ event }) => event === 'tool.started')).toHaveLength(1);
    }
  });

  it('has as many runs as it takes: further ones wait, and are done', async () => {
    hermes.server.mostRuns = 1;
    plays(say('Good.'), 300, done('Good.'));
    const ids = await Promise.all(Array.from({ length: 3 }, async () => (await hermes.create()).id));
    await until(async () =>
      (await Promise.all(ids.map((id) => hermes.get(id)))).some(({ status }) => status === 'queued'),
    );
    for (const id of ids) expect(await hermes.ended(id)).toMatchObject({ status: 'completed', output: 'Good.' });
    hermes.server.mostRuns = 10;
  });

  it('tells NUL, halves of characters, foreign events and wrong types, and the record is true', async () => {
    plays(
      { event: 'message.delta', delta: 'a\0b\ud800' },
      { event: 'message.delta', delta: { not: 'text' } },
      { event: 'message.delta', delta: 'foreign', run_id: 'run_0' },
      { event: 'tool.started', tool: ['x'], preview: { password: 'p' } },
      { event: 'approval.request', request_id: 'q\0', command: 'rm\0 x', choices: 'all of them' },
      { event: 'subagent.start', goal: 'x\0', deep: { er: 1 } },
      { event: 'run.completed', output: 'a\0b', usage: { input_tokens: -1, output_tokens: 'x', total_tokens: 1e99 } },
    );
    const run = await hermes.create('NUL \u0001');
    const { pending_approvals: pending } = await hermes.reaches(run.id, ['waiting_for_approval']);
    expect(pending).toHaveLength(1);
    expect((await hermes.act(run.id, 'approval', { choice: 'deny', all: true })).status).toBeLessThan(500);
    for (const { pending: asked, id } of hermes.server.runs.values())
      if (asked.length > 0) hermes.server.runs.get(id)!.pending = [];
    const ended = await hermes.ended(run.id);
    expect(ended).toMatchObject({ status: 'completed', output: 'ab', usage: null });
    const stream = hermes.stream(run.id);
    expect(await stream.ended).toBe(200);
    expect(stream.names().at(-1)).toBe('run.completed');
    expect(textIn(await hermes.logOf(run.id))).not.toContain('foreign');
  });

  it('answers no call of ours with a 500, whatever it does to approvals, words and stops', async () => {
    for (const [name, hostility] of metIn(2)) {
      plays({ event: 'approval.request', request_id: 'q1', command: 'rm x' }, done('Good.'));
      const { id } = await hermes.create();
      await hermes.reaches(id, ['waiting_for_approval']);
      hermes.server.fail(/approval$/, hostility);
      const answer = await hermes.act(id, 'approval', { choice: 'once' });
      // A body with other members is no refusal.
      if (!['a list', 'another run'].includes(name)) expect([name, answer.status]).toEqual([name, 502]);
      expect(answer.status).not.toBe(500);
      const { status } = await hermes.get(id);
      if (status === 'waiting_for_approval') {
        const again = await hermes.act(id, 'approval', { choice: 'once' });
        expect([name, [200, 409].includes(again.status)]).toEqual([name, true]);
      }
      hermes.server.forgive();
      await hermes.act(id, 'stop');
      await hermes.ended(id);
    }
    const { activity } = await hermes.user.get<{ activity: unknown[] }>(`${AGENT}activity/?limit=200`);
    expect(activity.length).toBeGreaterThan(rounds(20, 6));
    expect((await hermes.user.send('GET', `${RUNS}?page_size=100`)).status).toBe(200);
  });
});
