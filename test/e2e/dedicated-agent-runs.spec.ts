import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@app/common';
import { AgentRunRetention } from '@app/dedicated-agent';
import { AgentsPlatform } from '../support/agents-platform.js';
import { EventStream } from '../support/event-stream.js';
import type { HostedPlatform } from '../support/hosted-platform.js';
import { HttpClient } from '../support/http-client.js';
import type { ScriptedLlm } from '../support/scripted-llm.js';
import { stopwatch } from '../support/timing.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

interface Run {
  id: string;
  run_id: string;
  status: string;
  input: string;
  instructions: string;
  model: string;
  output: string | null;
  usage: Record<string, number> | null;
  error: { code: string; detail: string } | null;
  origin: string;
  pending_approvals: { request_id: string; choices: string[] }[];
}

const AGENT = '/microservices/dedicated-agent/';
const RUNS = `${AGENT}runs/`;
const ENDS = ['run.completed', 'run.failed', 'run.cancelled'];

const mail = (to: string) => ({
  calls: [{ name: 'send_email', arguments: { to, subject: 'Report', text: 'All is well.' } }],
});

describe('runs of a dedicated agent', () => {
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

  const create = (input: string, more: object = {}, from = user) => from.post<Run>(RUNS, { input, ...more });
  const get = (id: string, from = user) => from.get<Run>(`${RUNS}${id}/`);
  const stream = (id: string, after?: number, from = user) =>
    new EventStream(`${platform.baseUrl}${RUNS}${id}/events/${after === undefined ? '' : `?after=${after}`}`, from);
  const act = async (id: string, action: string, body: object = {}, from = user) => {
    const response = await from.send('POST', `${RUNS}${id}/${action}/`, body);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const reaches = async (id: string, statuses: readonly string[], from = user) => {
    let run = await get(id, from);
    await until(async () => statuses.includes((run = await get(id, from)).status));
    return run;
  };
  const ended = (id: string, from = user) => reaches(id, ['completed', 'failed', 'cancelled'], from);
  const waiting = (id: string, from = user) => reaches(id, ['waiting_for_approval'], from);
  const logOf = (id: string) =>
    platform.database.dataSource.query<{ seq: number; event: string; data: Record<string, unknown> }[]>(
      'SELECT seq, event, data FROM dedicated_agent_events WHERE run_id = $1 ORDER BY seq',
      [id],
    );

  it('does a task with tools, and tells of it to whoever listens, from any place, while it works and after', async () => {
    llm.answers(({ results }) =>
      results.length === 0
        ? { text: 'I reckon.', calls: [{ name: 'code', arguments: { code: 'return items[0] * 7;', items: [6] } }] }
        : { text: `It is ${/"result":(\d+)/.exec(results[0]!)?.[1]}.` },
    );
    const run = await create('What is six times seven?', { instructions: 'Be exact.' });
    expect(run).toMatchObject({ status: 'started', output: null, instructions: 'Be exact.', model: '', origin: 'api' });
    expect(run.run_id).toBe(run.id);
    const live = stream(run.id);
    const done = await ended(run.id);
    await live.ended;
    expect(done).toMatchObject({ status: 'completed', output: 'I reckon.\n\nIt is 42.', error: null });
    expect(done.usage).toMatchObject({ total_tokens: expect.any(Number) });
    expect(live.names()).toEqual(
      expect.arrayContaining(['message.delta', 'tool.started', 'tool.completed', 'run.completed']),
    );
    const text = live.events.map(({ event, data }) => (event === 'message.delta' ? data.delta : '')).join('');
    expect(text).toBe('I reckon.\n\nIt is 42.');
    expect(live.events.map(({ id }) => Number(id))).toEqual(live.events.map((_, at) => at + 1));
    expect(live.events.filter(({ event }) => ENDS.includes(event))).toHaveLength(1);
    expect(live.events[0]!.data).toMatchObject({ run_id: run.id, event: live.events[0]!.event });
    for (let after = 0; after <= live.events.length; after += 1) {
      const again = stream(run.id, after);
      expect(await again.ended).toBe(200);
      expect(again.events).toEqual(live.events.slice(after));
    }
    const had = new EventStream(`${platform.baseUrl}${RUNS}${run.id}/events/`, user, live.lastId());
    expect(await had.ended).toBe(204);
    expect(JSON.stringify(llm.asked[0]!.request.messages)).toContain('Be exact.');
    expect(llm.asked[0]!.tools).not.toContain('ask_user');
  });

  it('shows what it would send, and no secrets of it', async () => {
    const { workflow_id: workflow } = await user.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: { name: 'Secrets', nodes: [] },
    });
    await user.post(`/microservices/workflow/${workflow}/secrets/`, { name: 'CRM', value: 'blue-walnut-7731' });
    // So long what is known of somebody's secrets may be old.
    await sleep(1100);
    const text = 'Use blue-walnut-7731 with Authorization: Bearer abcdef123456.';
    llm.answers(({ results }) =>
      results.length > 0
        ? { text: 'Done.' }
        : { calls: [{ name: 'send_email', arguments: { to: 'c@one.example', subject: 'Access', text } }] },
    );
    const { id } = await create('Mail it.');
    await waiting(id);
    const request = (await logOf(id)).find(({ event }) => event === 'approval.request')!.data;
    expect(request.tool).toMatchObject({
      arguments: { to: 'c@one.example', subject: 'Access', text: 'Use *** with Authorization: Bearer [redacted]' },
    });
    expect(request.command).toContain('c@one.example');
    expect(JSON.stringify([await get(id), await logOf(id)])).not.toMatch(/blue-walnut-7731|abcdef123456/);
    await act(id, 'approval', { choice: 'deny' });
    await ended(id);
  });

  it('asks before it acts outside; of twenty answers at once one counts, and it goes on', async () => {
    llm.answers(({ results }) => (results.length === 0 ? mail('a@one.example') : { text: `Told: ${results[0]}` }));
    const run = await create('Mail the report.');
    const live = stream(run.id);
    const { pending_approvals: pending } = await waiting(run.id);
    expect(pending).toHaveLength(1);
    expect(pending[0]).toMatchObject({ choices: ['once', 'session', 'always', 'deny'] });
    await until(() => live.names().includes('approval.request'));
    // A number that its log has not come to is of another run.
    const beyond = stream(run.id, 999);
    await until(() => beyond.names().includes('approval.request'));
    expect(beyond.events).toEqual(live.events);
    const request = live.events.find(({ event }) => event === 'approval.request')!.data;
    expect(request).toMatchObject({
      request_id: pending[0]!.request_id,
      pattern_key: 'send_email',
      allow_permanent: true,
    });
    expect(request.command).toContain('a@one.example');

    expect(await act(run.id, 'approval', { choice: 'perhaps' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_approval_choice' },
    });
    expect(await act(run.id, 'approval', { choice: 'once', request_id: 'another' })).toMatchObject({
      status: 409,
      body: { code: 'approval_not_pending' },
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => act(run.id, 'approval', { choice: at % 2 === 0 ? 'once' : 'deny' })),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(won[0]!.body).toEqual({ run_id: run.id, choice: expect.any(String), resolved: 1 });
    expect(answers.filter(({ body }) => body.code === 'approval_not_pending')).toHaveLength(19);
    expect((await ended(run.id)).status).toBe('completed');
    await live.ended;
    const responded = live.events.filter(({ event }) => event === 'approval.responded');
    expect(responded.map(({ data }) => data.choice)).toEqual([won[0]!.body.choice]);
    expect(await act(run.id, 'approval', { choice: 'once' })).toMatchObject({ status: 409 });
    const mails = await platform.database.dataSource.query<unknown[]>(
      `SELECT FROM outgoing_messages WHERE recipient = 'a@one.example'`,
    );
    expect(mails).toHaveLength(won[0]!.body.choice === 'once' ? 1 : 0);
  });

  it('remembers what is allowed for good, shows it, and asks again once it is taken back', async () => {
    const from = await agents.owner();
    llm.answers(({ results }) => (results.length === 0 ? mail('b@two.example') : { text: 'Done.' }));
    const first = await create('Mail it.', {}, from);
    await waiting(first.id, from);
    expect(await act(first.id, 'approval', { choice: 'always', all: true }, from)).toMatchObject({ status: 200 });
    await ended(first.id, from);
    const again = await create('Mail it again.', {}, from);
    expect((await ended(again.id, from)).output).toBe('Done.');
    const grants = await from.get<{ results: { id: number; summary: string }[] }>(`${AGENT}grants/`);
    expect(grants.results).toHaveLength(1);
    expect(grants.results[0]!.summary).toContain('b@two.example');
    expect((await user.send('DELETE', `${AGENT}grants/${grants.results[0]!.id}/`)).status).toBe(404);
    expect((await from.send('DELETE', `${AGENT}grants/${grants.results[0]!.id}/`)).status).toBe(204);
    const third = await create('Mail it once more.', {}, from);
    await waiting(third.id, from);
    expect(await act(third.id, 'stop', {}, from)).toMatchObject({ status: 200 });
    expect((await ended(third.id, from)).status).toBe('cancelled');
  });

  it('stops within two seconds, and says so to each who asks again', async () => {
    llm.answers(() => ({ text: 'Herons nest in colonies. '.repeat(200) }), { slowly: true });
    const run = await create('Tell me of herons.');
    const live = stream(run.id);
    await until(() => live.names().includes('message.delta'));
    const stopping = stopwatch();
    const stops = await Promise.all([act(run.id, 'stop'), act(run.id, 'stop')]);
    expect(stops.map(({ status }) => status)).toEqual(expect.arrayContaining([200]));
    const done = await ended(run.id);
    expect(stopping()).toBeLessThan(2000);
    expect(done.status).toBe('cancelled');
    expect(await act(run.id, 'stop')).toMatchObject({
      status: 409,
      body: { code: 'run_not_active', status: 'cancelled' },
    });
    await live.ended;
    expect(live.names().filter((name) => ENDS.includes(name))).toEqual(['run.cancelled']);
    expect(live.names().at(-1)).toBe('run.cancelled');
  });

  it('hears what it is told while it works', async () => {
    llm.answers(({ request, results }) => {
      const said = JSON.stringify(request.messages);
      if (said.includes('In French, please.')) return { text: 'Voila.' };
      return results.length === 0 ? mail('c@three.example') : { text: 'Here.' };
    });
    const run = await create('Write it.');
    await waiting(run.id);
    expect(await act(run.id, 'steer', {})).toMatchObject({ status: 400, body: { code: 'message_required' } });
    expect(await act(run.id, 'steer', { message: 'In French, please.' })).toMatchObject({
      status: 200,
      body: { run_id: run.id, accepted: true },
    });
    await act(run.id, 'approval', { choice: 'deny' });
    expect((await ended(run.id)).output).toBe('Voila.');
    expect((await logOf(run.id)).filter(({ event }) => event === 'run.steered')).toHaveLength(1);
    expect(await act(run.id, 'steer', { message: 'Too late.' })).toMatchObject({
      status: 409,
      body: { code: 'run_not_active' },
    });
  });

  it('is the same run under the same key, also where it is asked for twenty times at once', async () => {
    llm.answers(() => ({ text: 'Once.' }));
    const key = newId();
    const ask = (input: string) =>
      fetch(`${platform.baseUrl}${RUNS}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Token ${user.token}`,
          'idempotency-key': key,
        },
        body: JSON.stringify({ input }),
      });
    const responses = await Promise.all(Array.from({ length: 20 }, () => ask('Do it.')));
    const bodies = (await Promise.all(responses.map((one) => one.json()))) as Run[];
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(19);
    const other = await ask('Do another thing.');
    expect([other.status, ((await other.json()) as { code: string }).code]).toEqual([409, 'idempotency_key_conflict']);
    await ended(bodies[0]!.id);
  });

  it('refuses what it cannot do, with a reason, and keeps nothing of it', async () => {
    const from = await agents.owner();
    const post = async (body: unknown) => {
      const response = await from.send('POST', RUNS, body);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    for (const input of [undefined, null, '', '  '])
      expect(await post({ input })).toMatchObject({ status: 400, body: { code: 'input_required' } });
    expect((await post({ input: 7 })).status).toBe(400);
    expect((await post({ input: 'x'.repeat(100_001) })).status).toBe(400);
    expect(await post({ input: 'x', model: 'nobody' })).toMatchObject({
      status: 400,
      body: { code: 'model_not_found' },
    });
    expect((await post({ input: 'x', file_uids: [newId()] })).status).toBeGreaterThanOrEqual(400);
    for (const id of ['x', '0', newId(), '%00', 'a'.repeat(300)]) {
      for (const path of ['', 'events/']) expect((await from.send('GET', `${RUNS}${id}/${path}`)).status).toBe(404);
      for (const action of ['stop', 'approval', 'steer'])
        expect((await from.send('POST', `${RUNS}${id}/${action}/`, { choice: 'once', message: 'x' })).status).toBe(404);
    }
    expect((await from.get<{ count: number }>(RUNS)).count).toBe(0);
    llm.answers(({ results }) => (results.length === 0 ? mail('d@four.example') : { text: 'Done.' }));
    const run = await create('Mail it.', {}, from);
    expect(await act(run.id, 'restart', {}, from)).toMatchObject({ status: 400, body: { code: 'unknown_action' } });
    const more = await Promise.all(Array.from({ length: 14 }, () => post({ input: 'Mail it.' })));
    expect(more.filter(({ status }) => status === 200)).toHaveLength(9);
    expect(more.filter(({ body }) => body.code === 'too_many_runs').map(({ status }) => status)).toEqual([
      429, 429, 429, 429, 429,
    ]);
    await waiting(run.id, from);

    const killed = await from.post<{ success: boolean; status: string; note: string }>(`${AGENT}kill/`, {});
    expect(killed).toMatchObject({ success: true, status: 'paused' });
    await ended(run.id, from);
    expect(await post({ input: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'agent_not_running', status: 'paused' },
    });
    expect((await from.get<{ count: number }>(RUNS)).count).toBe(10);
    expect((await from.send('POST', `${AGENT}resume/`, {})).status).toBe(403);
    const staff = await HttpClient.signUp(platform.baseUrl);
    await agents.admin.run(['users', 'make-staff', staff.username]);
    const [{ id: userId }] = await platform.database.dataSource.query<[{ id: number }]>(
      'SELECT id FROM users WHERE username = $1',
      [from.username],
    );
    expect((await staff.send('POST', `${AGENT}resume/`, {})).status).toBe(404);
    expect(await staff.post(`${AGENT}resume/`, { user_id: userId })).toMatchObject({
      success: true,
      status: 'running',
    });
    expect((await staff.send('POST', `${AGENT}resume/`, { user_id: userId })).status).toBe(409);
    llm.answers(() => ({ text: 'Back.' }));
    expect((await ended((await create('Hello.', {}, from)).id, from)).output).toBe('Back.');
  });

  it('is nobody else’s: not to read, to follow, to answer, to stop', async () => {
    llm.answers(({ results }) => (results.length === 0 ? mail('e@five.example') : { text: 'Done.' }));
    const run = await create('Mail it.');
    await waiting(run.id);
    const other = await agents.owner();
    const stranger = await HttpClient.signUp(platform.baseUrl);
    for (const [from, code] of [
      [other, 'run_not_found'],
      [stranger, 'agent_not_found'],
    ] as const) {
      for (const path of [`${RUNS}${run.id}/`, `${RUNS}${run.id}/events/`]) {
        const response = await from.send('GET', path);
        expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([404, code]);
      }
      for (const action of ['stop', 'approval', 'steer'])
        expect(await act(run.id, action, { choice: 'once', message: 'x' }, from)).toMatchObject({
          status: 404,
          body: { code },
        });
    }
    expect((await other.get<{ count: number }>(RUNS)).count).toBe(0);
    for (const [method, path] of [
      ['GET', RUNS],
      ['POST', RUNS],
      ['POST', `${AGENT}kill/`],
      ['GET', `${AGENT}grants/`],
      ['DELETE', `${AGENT}grants/1/`],
    ] as const) {
      const response = await stranger.send(method, path, method === 'POST' ? { input: 'x' } : undefined);
      expect([response.status, ((await response.json()) as { detail: string }).detail]).toEqual([
        404,
        'no dedicated agent for this user',
      ]);
    }
    expect((await get(run.id)).status).toBe('waiting_for_approval');
    await act(run.id, 'approval', { choice: 'deny' });
    await ended(run.id);
    const sessions = await user.get<{ results: unknown[] }>('/microservices/chat-sessions/');
    expect(sessions.results).toEqual([]);
  });

  inAll('goes on at once when it is answered late, though nobody listened to it meanwhile', async () => {
    llm.answers(({ results }) => (results.length === 0 ? mail('f@six.example') : { text: 'Late.' }));
    const run = await create('Mail it.');
    await waiting(run.id);
    await until(async () => {
      const [row] = await platform.database.dataSource.query<[{ isLeft: boolean }]>(
        'SELECT lease_owner IS NULL AS "isLeft" FROM dedicated_agent_runs WHERE id = $1',
        [run.id],
      );
      return row.isLeft;
    });
    expect((await get(run.id)).status).toBe('waiting_for_approval');
    const answered = stopwatch();
    await act(run.id, 'approval', { choice: 'once' });
    expect((await ended(run.id)).output).toBe('Late.');
    expect(answered()).toBeLessThan(5000);
  });

  it('is kept for so many days, with the session that it had', async () => {
    const from = await agents.owner();
    llm.answers(() => ({ text: 'Old.' }));
    const [old, young] = [await create('Old.', {}, from), await create('Young.', {}, from)];
    await Promise.all([ended(old.id, from), ended(young.id, from)]);
    const { dataSource } = platform.database;
    await dataSource.query(`UPDATE dedicated_agent_runs SET finished_at = now() - interval '91 days' WHERE id = $1`, [
      old.id,
    ]);
    expect(await new AgentRunRetention(dataSource).removeSome(90)).toBe(false);
    expect((await from.send('GET', `${RUNS}${old.id}/`)).status).toBe(404);
    expect(await logOf(old.id)).toEqual([]);
    expect((await get(young.id, from)).output).toBe('Old.');
    const sessions = await dataSource.query<{ name: string }[]>(
      `SELECT conversation_id AS name FROM chat_sessions WHERE kind = 'dedicated-run' AND conversation_id = ANY ($1)`,
      [[old.id, young.id]],
    );
    expect(sessions).toEqual([{ name: young.id }]);
  });
});
