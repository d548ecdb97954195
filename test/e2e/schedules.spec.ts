import { HttpClient } from '../support/http-client.js';
import { type HostedApp, type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { inAll, rounds } from '../support/long.js';
import { until } from '../support/until.js';

interface Schedule {
  id: string;
  state: string;
  enabled: boolean;
  next_run_at: string | null;
  last_run_at: string | null;
  last_run_version: number | null;
  last_status: string | null;
  missed_count: number;
  failure_streak: number;
}

const definition = (seconds = 0) => ({
  name: 'Nightly',
  nodes: [
    { id: 'start', kind: 'schedule_trigger', next: ['wait'] },
    { id: 'wait', kind: 'delay', params: { seconds }, next: ['end'] },
    {
      id: 'end',
      kind: 'template',
      params: { template: '{{_output.start.payload.report}} {{_output.start.slot_time}}' },
    },
  ],
});

const FIELDS = [
  'id',
  'workflow',
  'name',
  'kind',
  'cron',
  'interval_minutes',
  'run_at',
  'timezone',
  'payload',
  'enabled',
  'state',
  'overlap_policy',
  'catchup_window_seconds',
  'jitter_seconds',
  'start_at',
  'end_at',
  'next_run_at',
  'last_run_at',
  'last_run_version',
  'last_status',
  'last_error',
  'missed_count',
  'failure_streak',
  'pause_after_failures',
  'created_by',
  'created_at',
  'updated_at',
];

const soon = (ms: number) => new Date(Date.now() + ms).toISOString();

const fieldsAre = (count: number): string =>
  `Enter a valid cron expression: it takes five fields (minute, hour, day of month, month, day of week), not ${count}.`;

describe('schedules', () => {
  let platform: HostedPlatform;
  let second: HostedApp;
  let owner: HttpClient;
  let workflow: string;

  beforeAll(async () => {
    platform = await hostPlatform(['api', 'workflow-runner'], {
      LEASE_SECONDS: '5',
      SWEEP_SECONDS: '1',
    });
    second = await platform.host('workflow-runner');
    owner = await HttpClient.signUp(platform.baseUrl);
  });
  beforeEach(async () => {
    workflow = await newWorkflow();
  });
  afterAll(() => platform.stop());

  async function newWorkflow(seconds = 0): Promise<string> {
    const body = { json: definition(seconds) };
    return (await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', body)).workflow_id;
  }
  const path = (rest = '', id = workflow) => `/microservices/workflow/${id}/schedules/${rest}`;
  const create = (body: object, id = workflow) => owner.post<Schedule>(path('', id), body);
  const get = (sid: string, id = workflow) => owner.get<Schedule>(path(`${sid}/`, id));
  async function answer(method: string, to: string, body?: unknown, client = owner) {
    const response = await client.send(method, to, body);
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : (JSON.parse(text) as Record<string, unknown>) };
  }
  async function memberOf(id: string, role: string): Promise<HttpClient> {
    const member = await HttpClient.signUp(platform.baseUrl);
    await platform.database.dataSource.query(
      `INSERT INTO workflow_collaborators (workflow_id, user_id, role) SELECT $1, id, $2 FROM users WHERE username = $3`,
      [id, role, member.username],
    );
    return member;
  }

  const preview = (text: string) => answer('GET', `${path('preview/')}?${text}`);

  it('has the record of the contract', async () => {
    const { status, body } = await answer('POST', path(), { cron: '30 9 * * 1-5', timezone: 'Europe/Berlin' });
    expect(status).toBe(201);
    expect(Object.keys(body!)).toEqual(FIELDS);
    expect(body).toMatchObject({
      workflow,
      name: 'Cron 30 9 * * 1-5',
      kind: 'cron',
      interval_minutes: null,
      run_at: null,
      payload: {},
      enabled: true,
      state: 'active',
      overlap_policy: 'skip',
      catchup_window_seconds: 3600,
      jitter_seconds: 0,
      last_run_at: null,
      last_status: null,
      last_error: '',
      missed_count: 0,
      failure_streak: 0,
      created_by: { username: owner.username },
    });
    expect(Date.parse(String(body!.next_run_at))).toBeGreaterThan(Date.now());
    expect(await owner.get(path())).toEqual([body]);
    expect(await get(String(body!.id))).toEqual(body);
  });

  it.each([
    [{}, { kind: ['This field is required.'] }],
    [{ kind: 'cron' }, { cron: ['This field is required.'] }],
    [{ kind: 'cron', cron: '' }, { cron: ['Enter a valid cron expression: it is empty.'] }],
    [{ kind: 'cron', cron: 'every day' }, { cron: [fieldsAre(2)] }],
    [{ cron: '0 0 30 2 *' }, { cron: ['Enter a valid cron expression: no such day ever comes.'] }],
    [{ cron: '0 25 * * *' }, { cron: ['Enter a valid cron expression: "25" is no hour (0 to 23).'] }],
    [
      { cron: '60 9 * FOO 1-9' },
      {
        cron: [
          'Enter a valid cron expression: "60" is no minute (0 to 59); "FOO" is no month (1 to 12, or JAN to DEC); "1-9" is no day of week (0 to 7, or SUN to SAT).',
        ],
      },
    ],
    [
      { cron: '@often' },
      {
        cron: [
          'Enter a valid cron expression: there is no "@often"; write @yearly, @annually, @monthly, @weekly, @daily, @midnight or @hourly.',
        ],
      },
    ],
    [
      { cron: '* * * * * *', timezone: 'Mars/Base' },
      { cron: [`${fieldsAre(6)} Seconds are not among them.`], timezone: ['Enter a valid IANA time zone.'] },
    ],
    [{ kind: 'interval' }, { interval_minutes: ['This field is required.'] }],
    [
      { kind: 'interval', interval_minutes: 0 },
      { interval_minutes: ['Ensure this value is greater than or equal to 1.'] },
    ],
    [{ kind: 'once', run_at: '2020-01-01T00:00:00Z' }, { run_at: ['Must be in the future.'] }],
    [
      { run_at: '9999-12-31T23:59', end_at: '9999-12-31T23:59:00-08:00', timezone: 'America/New_York' },
      { end_at: ['Enter a time between the years 1 and 9999 (UTC).'] },
    ],
    [
      { run_at: '9999-12-31T23:59', end_at: '9999-12-31T23:59', timezone: 'America/New_York' },
      {
        run_at: ['Enter a time between the years 1 and 9999 (UTC).'],
        end_at: ['Enter a time between the years 1 and 9999 (UTC).'],
      },
    ],
    [{ kind: 'daily' }, { kind: ['"daily" is not a valid choice.'] }],
    [{ cron: '@daily', overlap_policy: 'maybe' }, { overlap_policy: ['"maybe" is not a valid choice.'] }],
    [{ cron: '@daily', end_at: '2020-01-01T00:00:00Z' }, { end_at: ['Must be in the future.'] }],
    [{ cron: '0 0 29 2 *', end_at: soon(3_600_000) }, { end_at: ['The schedule would never run.'] }],
    [
      { cron: '@daily', payload: { text: 'x'.repeat(70_000) } },
      { payload: ['The payload is larger than 65536 bytes.'] },
    ],
    [{ cron: '@daily', payload: [] }, { payload: ['Expected a dictionary of items but got type "list".'] }],
  ])('refuses %j', async (given, errors) => {
    const { status, body } = await answer('POST', path(), given);
    expect([status, body]).toEqual([400, errors]);
  });

  it.each([
    ['2099-06-01T09:00', '2099-06-01T07:00:00.000Z'],
    ['2099-06-01T09:00:00Z', '2099-06-01T09:00:00.000Z'],
    ['2099-06-01T09:00:00-04:00', '2099-06-01T13:00:00.000Z'],
    // Skipped, and repeated.
    ['2099-03-29 02:30:00', '2099-03-29T01:00:00.000Z'],
    ['2099-10-25T02:30:00', '2099-10-25T00:30:00.000Z'],
  ])('takes %s for a time of its zone, where it says no other', async (given, time) => {
    const timezone = 'Europe/Berlin';
    const once = await create({ run_at: given, timezone });
    expect(once).toMatchObject({ run_at: time, next_run_at: time });
    const moved = await answer('PUT', path(`${once.id}/`), { run_at: given });
    expect(moved.body).toMatchObject({ run_at: time, timezone });
    const bounded = await create({ cron: '@hourly', timezone, start_at: given });
    expect(bounded).toMatchObject({ start_at: time });
    for (const { id } of [once, bounded]) await owner.send('DELETE', path(`${id}/`));
  });

  it('shows when a schedule would run', async () => {
    const cron = await preview(`cron=${encodeURIComponent('0 12 * * *')}&timezone=Asia/Kathmandu&count=20`);
    expect(cron.status).toBe(200);
    const next = cron.body!.next as string[];
    expect(next).toHaveLength(20);
    expect(next.every((time) => time.slice(11, 16) === '06:15')).toBe(true);
    const interval = await preview('interval_minutes=90&count=3');
    const [first, second] = (interval.body!.next as string[]).map((time) => Date.parse(time));
    expect(second! - first!).toBe(90 * 60_000);
    for (const [text, errors] of [
      ['cron=x', { cron: [fieldsAre(1)] }],
      ['cron=', { cron: ['Enter a valid cron expression: it is empty.'] }],
      ['', { cron: ['This field is required.'] }],
      ['interval_minutes=5&timezone=x', { timezone: ['Enter a valid IANA time zone.'] }],
      ['interval_minutes=5&count=21', { count: ['Ensure this value is less than or equal to 20.'] }],
    ] as const)
      expect(await preview(text)).toEqual({ status: 400, body: errors });
  });

  it('lets editors change, viewers look, and strangers see nothing', async () => {
    const { id } = await create({ interval_minutes: 60 });
    const [editor, viewer] = [await memberOf(workflow, 'editor'), await memberOf(workflow, 'viewer')];
    const stranger = await HttpClient.signUp(platform.baseUrl);
    const requests: [string, string, unknown, number][] = [
      ['GET', '', undefined, 200],
      ['GET', `${id}/`, undefined, 200],
      ['GET', 'preview/?interval_minutes=5', undefined, 200],
      ['POST', '', { cron: '@daily' }, 201],
      ['PUT', `${id}/`, { name: 'Renamed' }, 200],
      ['POST', `${id}/pause/`, undefined, 200],
      ['POST', `${id}/resume/`, undefined, 200],
      ['POST', `${id}/run/`, undefined, 200],
      ['POST', `${id}/backfill/`, { from: soon(-60_000), to: soon(0), overlap_policy: 'skip' }, 202],
      ['DELETE', `${id}/`, undefined, 204],
    ];
    for (const [method, to, body, success] of requests) {
      expect([method, to, (await answer(method, path(to), body, stranger)).status]).toEqual([method, to, 404]);
      const looked = await answer(method, path(to), body, viewer);
      expect([method, to, looked.status]).toEqual([method, to, method === 'GET' ? 200 : 403]);
      expect([method, to, (await answer(method, path(to), body, editor)).status]).toEqual([method, to, success]);
    }
    expect((await answer('GET', path(`${id}/`))).status).toBe(404);
    // One workflow's schedule is not another's.
    const other = await create({ cron: '@daily' }, await newWorkflow());
    for (const [method, to] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', 'run/'],
    ] as const)
      expect((await answer(method, path(`${other.id}/${to}`))).status).toBe(404);
  });

  it('keeps what a change leaves out, and plans other times from now', async () => {
    const made = await create({ cron: '@yearly', payload: { a: 1 }, catchup_window_seconds: 60 });
    const renamed = await answer('PUT', path(`${made.id}/`), { name: 'Renamed', overlap_policy: 'allow' });
    expect(renamed.body).toEqual({
      ...made,
      name: 'Renamed',
      overlap_policy: 'allow',
      updated_at: renamed.body!.updated_at,
    });
    const moved = await answer('PUT', path(`${made.id}/`), { kind: 'interval', interval_minutes: 5 });
    expect(moved.body).toMatchObject({ kind: 'interval', cron: null, payload: { a: 1 }, catchup_window_seconds: 60 });
    const wait = Date.parse(String(moved.body!.next_run_at)) - Date.now();
    expect(wait).toBeGreaterThan(290_000);
    expect(wait).toBeLessThanOrEqual(300_000);
    const off = await answer('PUT', path(`${made.id}/`), { enabled: false });
    expect(off.body).toMatchObject({ state: 'paused', enabled: false, next_run_at: null });
    const on = await answer('PUT', path(`${made.id}/`), { enabled: true });
    expect(on.body).toMatchObject({ state: 'active', enabled: true });
    expect(on.body!.next_run_at).not.toBeNull();
    expect(await answer('PUT', path(`${made.id}/`), { kind: 'cron', cron: 'x' })).toEqual({
      status: 400,
      body: { cron: [fieldsAre(1)] },
    });
    const echoed = await get(made.id);
    expect((await answer('PUT', path(`${made.id}/`), echoed)).body).toMatchObject({ next_run_at: echoed.next_run_at });
  });

  it('fires a one-shot on time, tells its trigger node the slot, and is completed', async () => {
    const at = new Date(Date.now() + 1500);
    const { id } = await create({ kind: 'once', run_at: at.toISOString(), payload: { report: 'sales' } });
    await until(async () => (await get(id)).last_status === 'COMPLETED');
    const done = await get(id);
    expect(done).toMatchObject({
      state: 'completed',
      enabled: false,
      next_run_at: null,
      last_run_version: 1,
      missed_count: 0,
    });
    expect(Date.parse(done.last_run_at!) - at.getTime()).toBeLessThan(2000);
    expect(Date.parse(done.last_run_at!)).toBeGreaterThanOrEqual(at.getTime());
    const rows = await owner.get<{ node_id: string; output: Record<string, unknown> }[]>(
      `/microservices/workflow/${workflow}/nodes/`,
    );
    const outputs = Object.fromEntries(rows.map((row) => [row.node_id, row.output]));
    expect(outputs.start).toMatchObject({ slot_time: at.toISOString(), schedule_id: id, payload: { report: 'sales' } });
    expect(outputs.end).toMatchObject({ text: `sales ${at.toISOString()}` });
    for (const action of ['pause', 'resume', 'run']) {
      const refused = await answer('POST', path(`${id}/${action}/`));
      expect(refused).toMatchObject({ status: 409, body: { code: 'schedule_completed' } });
    }
  });

  it('runs at once when told to, under its overlap policy', async () => {
    workflow = await newWorkflow(2);
    const { id } = await create({ cron: '@yearly' });
    expect(await answer('POST', path(`${id}/run/`))).toMatchObject({
      status: 200,
      body: { last_run_version: 1, last_status: 'RUNNING', state: 'active' },
    });
    expect((await answer('POST', path(`${id}/run/`))).body).toMatchObject({
      last_run_version: 1,
      last_status: 'SKIPPED',
    });
    await answer('PUT', path(`${id}/`), { overlap_policy: 'queue_one' });
    expect((await answer('POST', path(`${id}/run/`))).body).toMatchObject({ last_status: 'PENDING' });
    expect((await answer('POST', path(`${id}/run/`))).body).toMatchObject({ last_status: 'SKIPPED' });
    await answer('PUT', path(`${id}/`), { overlap_policy: 'allow' });
    expect((await answer('POST', path(`${id}/run/`))).body).toMatchObject({
      last_run_version: 2,
      last_status: 'RUNNING',
    });
    await until(async () => {
      const { last_run_version: version, last_status: status } = await get(id);
      return version === 3 && status === 'COMPLETED';
    });
    const queue = await owner.get<{ counts: Record<string, number> }>(
      `/microservices/workflow/${workflow}/webhook-queue/`,
    );
    expect(queue.counts).toMatchObject({ pending: 0, running: 0, done: 1 });
  });

  it('does not say that a slot stands in line when it was taken out of it', async () => {
    workflow = await newWorkflow(30);
    const { id } = await create({ cron: '@yearly', overlap_policy: 'queue_all' });
    await owner.post('/microservices/workflow/rerun/', { workflow_id: workflow });
    for (let slot = 0; slot < 2; slot += 1)
      expect((await answer('POST', path(`${id}/run/`))).body).toMatchObject({ last_status: 'PENDING' });
    const queue = `/microservices/workflow/${workflow}/webhook-queue/`;
    const { requests } = await owner.get<{ requests: { id: string }[] }>(queue);
    for (const [index, status] of ['PENDING', 'SKIPPED'].entries()) {
      await owner.post(`${queue}${requests[index]!.id}/`, { action: 'cancel' });
      expect((await get(id)).last_status).toBe(status);
    }
    expect((await answer('POST', path(`${id}/run/`))).body).toMatchObject({ last_status: 'PENDING' });
    await owner.send('DELETE', `/microservices/workflow/${workflow}/`);
    await owner.post(`/microservices/workflow/${workflow}/restore/`, {});
    expect((await get(id)).last_status).toBe('SKIPPED');
  });

  it('fills in a period of the past once', async () => {
    const { id } = await create({ cron: '*/10 * * * *' });
    const period = { from: soon(-3_600_000), to: soon(3_600_000), overlap_policy: 'queue_all' };
    const first = await answer('POST', path(`${id}/backfill/`), period);
    expect(first.status).toBe(202);
    expect([6, 7]).toContain(first.body!.count);
    expect(await answer('POST', path(`${id}/backfill/`), period)).toEqual({
      status: 202,
      body: { count: 0, skipped: 0, remaining: 0, next_from: null },
    });
    await until(
      async () => (await get(id)).last_run_version === first.body!.count && (await get(id)).last_status === 'COMPLETED',
    );
    expect(await answer('POST', path(`${id}/backfill/`), { ...period, to: soon(-7_200_000) })).toEqual({
      status: 400,
      body: { to: ['Must not be before from.'] },
    });
    expect((await answer('POST', path(`${id}/backfill/`), { from: '2001-01-01T00:00:00Z', to: soon(0) })).status).toBe(
      400,
    );
    expect(await answer('POST', path(`${id}/backfill/`), {})).toEqual({
      status: 400,
      body: { from: ['This field is required.'], to: ['This field is required.'] },
    });
  });

  it('has room for twenty', async () => {
    for (let index = 0; index < 20; index += 1) await create({ interval_minutes: 60 });
    expect(await answer('POST', path(), { interval_minutes: 60 })).toMatchObject({
      status: 409,
      body: { code: 'schedule_limit_reached' },
    });
    const names = await owner.get<{ schedules: string[] }>(`/microservices/workflow/${workflow}/delete-impact/`);
    expect(names.schedules).toEqual(Array.from({ length: 20 }, () => 'Every 60 minutes'));
  });

  it('rests with its workflow in the trash', async () => {
    const { id } = await create({ cron: '* * * * *' });
    expect((await answer('DELETE', `/microservices/workflow/${workflow}/`)).status).toBe(200);
    expect((await answer('GET', path())).status).toBe(404);
    expect((await answer('POST', path(`${id}/run/`))).status).toBe(404);
    await owner.post(`/microservices/workflow/${workflow}/restore/`, {});
    const back = await get(id);
    expect(back).toMatchObject({ state: 'active', missed_count: 0 });
    expect(Date.parse(back.next_run_at!)).toBeGreaterThan(Date.now());
  });

  inAll('loses and doubles nothing while runners are killed', async () => {
    await second.stop();
    let victim = await platform.start('workflow-runner');
    const due = Date.now() + 4_000;
    const ids: [string, string][] = [];
    for (let index = 0; index < rounds(40, 20); index += 1) {
      const id = index < 5 ? await newWorkflow() : ids[index % 5]![0];
      const runAt = new Date(due + index * 150).toISOString();
      ids.push([id, (await create({ run_at: runAt, overlap_policy: 'queue_all' }, id)).id]);
    }
    // From the first slots to the last; `npm test` kills once, in the middle of them.
    const kills = [1_500, 0, 3_000, 4_500].slice(0, rounds(4, 1)).toSorted((a, b) => a - b);
    for (const [kill, afterMs] of kills.entries()) {
      await until(() => Date.now() >= due + afterMs);
      await victim.kill('SIGKILL');
      if (kill < kills.length - 1) victim = await platform.start('workflow-runner');
    }
    await until(async () => {
      const [{ count }] = await platform.database.dataSource.query<[{ count: number }]>(
        `SELECT count(*)::int AS count FROM workflow_runs WHERE schedule_id = ANY($1) AND status = 'COMPLETED'`,
        [ids.map(([, sid]) => sid)],
      );
      return count === ids.length;
    });
    const runs = await platform.database.dataSource.query<{ schedule_id: string }[]>(
      'SELECT schedule_id FROM workflow_runs WHERE schedule_id = ANY($1)',
      [ids.map(([, sid]) => sid)],
    );
    expect(new Set(runs.map(({ schedule_id: sid }) => sid)).size).toBe(ids.length);
    expect(runs).toHaveLength(ids.length);
    for (const [id, sid] of ids)
      expect(await get(sid, id)).toMatchObject({ state: 'completed', last_status: 'COMPLETED', missed_count: 0 });
  });
});
