import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@app/common';
import { HostedAdmin } from '../support/admin.js';
import { EventStream } from '../support/event-stream.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { HttpClient } from '../support/http-client.js';
import { type Asked, type ScriptedAnswer, ScriptedLlm } from '../support/scripted-llm.js';
import { until } from '../support/until.js';

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
  calls: [{ name: 'send_email', arguments: { to: [to], subject: 'Report', body: 'All is well.' } }],
});

describe('runs of a dedicated agent', () => {
  const llm = new ScriptedLlm();
  let platform: HostedPlatform;
  let admin: HostedAdmin;
  let user: HttpClient;

  beforeAll(async () => {
    await llm.start();
    platform = await hostPlatform(['api', 'workflow-runner'], { ...llm.env, LEASE_SECONDS: '3', SWEEP_SECONDS: '1' });
    admin = new HostedAdmin(platform.env);
    user = await owner();
  });
  afterAll(async () => {
    await admin?.stop();
    await platform?.stop();
    await llm.stop();
  });

  /** Each with an agent of its own, which does at most ten runs at once. */
  async function owner(): Promise<HttpClient> {
    const client = await HttpClient.signUp(platform.baseUrl);
    expect(await admin.run(['agent', 'grant', client.username])).toMatchObject({ code: 0 });
    return client;
  }
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
    expect(JSON.stringify(llm.asked[0]!.request.messages)).toContain('Be exact.');
    expect(llm.asked[0]!.tools).not.toContain('ask_user');
  });
});
