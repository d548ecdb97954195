import { newId } from '@app/common';
import { AgentsPlatform } from '../support/agents-platform.js';
import type { HostedPlatform } from '../support/hosted-platform.js';
import { HttpClient } from '../support/http-client.js';
import type { ScriptedLlm } from '../support/scripted-llm.js';
import { until } from '../support/until.js';

interface Execution {
  id: string;
  status: string;
  run_id: string | null;
  error: string | null;
}

interface Job {
  id: string;
  state: string;
  enabled: boolean;
  schedule: Record<string, unknown>;
  next_run_at: string | null;
  last_status: string | null;
  repeat: { times: number | null; completed: number };
  latest_execution: Execution | null;
  job?: Job;
}

const JOBS = '/microservices/dedicated-agent/jobs/';

describe('jobs of a dedicated agent', () => {
  let agents: AgentsPlatform;
  let llm: ScriptedLlm;
  let platform: HostedPlatform;
  let user: HttpClient;

  beforeAll(async () => {
    agents = await AgentsPlatform.start(['api', 'workflow-runner']);
    ({ llm, platform } = agents);
    user = await agents.owner();
  });
  afterAll(() => agents?.stop());

  const send = async (method: string, path: string, body?: object, from = user) => {
    const response = await from.send(method, `${JOBS}${path}`, body);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const create = (schedule: unknown, more: object = {}, from = user) =>
    from.post<Job>(JOBS, { name: 'Job', prompt: 'Do it.', schedule, ...more });
  const get = (id: string) => user.get<Job>(`${JOBS}${id}/`);
  const has = async (id: string, status: string) => {
    let job = await get(id);
    await until(async () => (job = await get(id)).latest_execution?.status === status);
    return job;
  };

  it('runs when it is told to, and tells how the run ended', async () => {
    llm.answers(() => ({ text: 'All is quiet.' }));
    const { id, ...made } = await create('weekdays at 9', { timezone: 'Europe/Berlin' });
    expect(made).toMatchObject({
      state: 'scheduled',
      schedule: { kind: 'cron', expr: '0 9 * * 1-5', display: 'weekdays at 09:00' },
      repeat: { times: null, completed: 0 },
      latest_execution: null,
      last_status: null,
    });
    expect((await send('POST', `${id}/run/`)).body).toMatchObject({ id, state: 'scheduled', job: { id } });
    const done = await has(id, 'ok');
    expect(done).toMatchObject({ state: 'scheduled', last_status: 'ok', repeat: { times: null, completed: 1 } });
    expect(done.next_run_at).toBe(made.next_run_at);
    const run = await user.get<object>(`/microservices/dedicated-agent/runs/${done.latest_execution!.run_id}/`);
    expect(run).toMatchObject({ origin: 'job', job_id: id, output: 'All is quiet.', status: 'completed' });
    const page = await user.get<{ count: number; results: Execution[] }>(`${JOBS}${id}/executions/`);
    expect(page).toMatchObject({ count: 1, results: [{ status: 'ok' }] });
  });

  it('runs once at its moment, is completed, and does nothing more', async () => {
    llm.answers(() => ({ text: 'Done.' }));
    const { id } = await create({ kind: 'once', run_at: new Date(Date.now() + 4000).toISOString() });
    expect(await has(id, 'ok')).toMatchObject({
      state: 'completed',
      enabled: false,
      next_run_at: null,
      last_status: 'ok',
    });
    for (const action of ['pause', 'resume', 'run'])
      expect(await send('POST', `${id}/${action}/`)).toMatchObject({ status: 400, body: { code: 'job_completed' } });
    expect(await send('PATCH', `${id}/`, { schedule: 'in 2h' })).toMatchObject({
      status: 200,
      body: { state: 'scheduled', repeat: { times: 1, completed: 0 } },
    });
  });

  it('is paused, listed where it is asked for, resumed, changed and deleted', async () => {
    const { id } = await create('every 2h');
    const lists = async (query = '') =>
      (await user.get<{ jobs: Job[] }>(JOBS + query)).jobs.some((job) => job.id === id);
    expect((await send('POST', `${id}/pause/`)).body).toMatchObject({
      state: 'paused',
      enabled: false,
      next_run_at: null,
    });
    expect([await lists(), await lists('?include_disabled=true')]).toEqual([false, true]);
    expect((await send('POST', `${id}/resume/`)).body).toMatchObject({ state: 'scheduled', enabled: true });
    expect(await send('PATCH', `${id}/`, { name: 'Other', schedule: '30m', enabled: false })).toMatchObject({
      status: 200,
      body: { name: 'Other', schedule: { kind: 'interval', minutes: 30, display: 'every 30m' }, state: 'paused' },
    });
    expect(await send('DELETE', `${id}/`)).toEqual({ status: 200, body: { ok: true } });
    expect(await send('GET', `${id}/`)).toMatchObject({ status: 404, body: { code: 'job_not_found' } });
    expect((await send('DELETE', `${id}/`)).status).toBe(404);
  });

  it('answers bad input clearly, and nothing foreign', async () => {
    const { id } = await create('every 1d');
    const other = await agents.owner();
    const stranger = await HttpClient.signUp(platform.baseUrl);
    for (const [method, path, body] of [
      ['GET', `${id}/`],
      ['GET', `${id}/executions/`],
      ['PATCH', `${id}/`, { name: 'Mine' }],
      ['DELETE', `${id}/`],
      ['POST', `${id}/pause/`],
      ['POST', `${id}/resume/`],
      ['POST', `${id}/run/`],
    ] as const) {
      expect(await send(method, path, body, other)).toMatchObject({ status: 404, body: { code: 'job_not_found' } });
      expect(await send(method, path, body, stranger)).toMatchObject({
        status: 404,
        body: { code: 'agent_not_found' },
      });
      for (const odd of [newId(), 'x', '1', '%00', `${id}'`])
        expect((await send(method, path.replace(id, odd), body)).status).toBe(404);
    }
    expect((await other.get<{ jobs: Job[] }>(JOBS)).jobs).toEqual([]);
    expect(await send('POST', `${id}/explode/`)).toMatchObject({ status: 400, body: { code: 'unknown_action' } });
    expect(await send('POST', `${id}/explode/`)).toHaveProperty('body.error');
    for (const wrong of [
      {},
      { schedule: 'soon' },
      { schedule: 7 },
      { schedule: null },
      { schedule: [] },
      { schedule: { kind: 'interval', minutes: 0 } },
      { schedule: { kind: 'interval', minutes: 1.5 } },
      { schedule: { kind: 'once', run_at: '2020-01-01T00:00:00Z' } },
      { schedule: { kind: 'never' } },
      { schedule: '30m', timezone: 'Mars/Base' },
      { schedule: '30m', name: 'x'.repeat(201) },
      { schedule: '30m', prompt: 'x'.repeat(5001) },
      { schedule: '30m', prompt: '' },
      { schedule: '30m', repeat: 0 },
      { schedule: 'in 30m', repeat: 2 },
      { schedule: '30m', misfire_policy: 'always' },
      { schedule: '30m', notify: 'pigeon' },
    ]) {
      const answer = await send('POST', '', { name: 'Job', prompt: 'Do it.', ...wrong });
      expect([wrong, answer.status]).toEqual([wrong, 400]);
    }
  });

  it('skips the slots of a paused agent, and does not resume by itself', async () => {
    const paused = await agents.owner();
    const { id } = await create('in 30m', {}, paused);
    await paused.post('/microservices/dedicated-agent/kill/', {});
    expect(await send('POST', `${id}/run/`, undefined, paused)).toMatchObject({
      status: 409,
      body: { code: 'agent_not_running' },
    });
    await platform.database.dataSource.query(
      'UPDATE dedicated_agent_jobs SET next_run_at = now(), due_at = now() WHERE id = $1',
      [id],
    );
    let job = await paused.get<Job>(`${JOBS}${id}/`);
    await until(async () => (job = await paused.get<Job>(`${JOBS}${id}/`)).latest_execution !== null);
    expect(job).toMatchObject({ state: 'completed', latest_execution: { status: 'skipped', run_id: null } });
  });
});
