import { AgentsPlatform } from '../support/agents-platform.js';
import { EventStream } from '../support/event-stream.js';
import type { HostedApp, HostedPlatform } from '../support/hosted-platform.js';
import type { HttpClient } from '../support/http-client.js';
import { rounds } from '../support/long.js';
import type { RunningApp } from '../support/platform.js';
import type { ScriptedLlm } from '../support/scripted-llm.js';
import { until } from '../support/until.js';

/** Half of them are stopped. */
const AT_ONCE = rounds(8, 4);
const RUNS = '/microservices/dedicated-agent/runs/';
const ENDS = ['run.completed', 'run.failed', 'run.cancelled'];
const TEXT = Array.from({ length: 60 }, (_, at) => `word${at} `).join('');

const textIn = (events: readonly { event: string; data: Record<string, unknown> }[]) =>
  events.map(({ event, data }) => (event === 'message.delta' ? (data.delta as string) : '')).join('');
const named = (events: EventStream['events']) => events.map(({ id: seq, event }) => [Number(seq), event]);

describe('runs of a dedicated agent whose workers die', () => {
  let agents: AgentsPlatform;
  let llm: ScriptedLlm;
  let platform: HostedPlatform;
  let runner: RunningApp;
  let user: HttpClient;

  beforeAll(async () => {
    agents = await AgentsPlatform.start(['api']);
    ({ llm, platform } = agents);
    runner = await platform.start('workflow-runner');
    user = await agents.owner();
  });
  afterAll(() => agents?.stop());

  const statusOf = async (id: string) => (await user.get<{ status: string }>(`${RUNS}${id}/`)).status;
  const logOf = (id: string) =>
    platform.database.dataSource.query<{ seq: number; event: string; data: Record<string, unknown> }[]>(
      'SELECT seq, event, data FROM dedicated_agent_events WHERE run_id = $1 ORDER BY seq',
      [id],
    );

  async function replaceRunner(): Promise<void> {
    const next = platform.start('workflow-runner');
    await runner.kill('SIGKILL');
    runner = await next;
  }

  it('go on where they were: nothing is lost, doubled or told after the end, and no effect comes twice', async () => {
    llm.answers(
      ({ results }) =>
        results.length === 0
          ? { calls: [{ name: 'send_email', arguments: { to: 'once@mail.example', subject: 'S', text: 'T' } }] }
          : { text: TEXT },
      { slowly: true },
    );
    const { id } = await user.post<{ id: string }>(RUNS, { input: 'Mail, then tell me at length.' });
    const first = new EventStream(`${platform.baseUrl}${RUNS}${id}/events/`, user);
    await until(async () => (await statusOf(id)) === 'waiting_for_approval');
    await replaceRunner();
    expect(await statusOf(id)).toBe('waiting_for_approval');
    await user.post(`${RUNS}${id}/approval/`, { choice: 'once' });
    await until(async () => textIn(await logOf(id)).includes('word5 '));

    // A reader of another api, which goes away while it listens, and comes back to the first one.
    const other: HostedApp = await platform.host('api');
    const second = new EventStream(`${other.baseUrl}${RUNS}${id}/events/`, user);
    await until(() => textIn(second.events).includes('word5 '));
    await replaceRunner();
    await other.stop();
    await second.ended.catch(() => null);
    const rest = new EventStream(`${platform.baseUrl}${RUNS}${id}/events/`, user, second.lastId());

    await until(async () => ['completed', 'failed', 'cancelled'].includes(await statusOf(id)), 60_000);
    await Promise.all([first.ended, rest.ended]);
    const log = await logOf(id);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
    expect(log.filter(({ event }) => ENDS.includes(event)).map(({ event }) => event)).toEqual(['run.completed']);
    expect(log.at(-1)!.event).toBe('run.completed');
    expect(textIn(log).trim()).toBe(TEXT.trim());
    expect(log.at(-1)!.data.output).toBe(textIn(log));
    expect(log.filter(({ event }) => event === 'approval.request')).toHaveLength(1);
    expect(log.filter(({ event }) => event === 'approval.responded')).toHaveLength(1);
    const all = log.map(({ seq, event }) => [seq, event]);
    expect(named(first.events)).toEqual(all);
    expect([...named(second.events), ...named(rest.events)]).toEqual(all);
    const mails = await platform.database.dataSource.query<unknown[]>(
      `SELECT FROM outgoing_messages WHERE recipient = 'once@mail.example'`,
    );
    expect(mails).toHaveLength(1);
  });

  it('end once, whenever their workers die and somebody stops them', async () => {
    llm.answers(() => ({ text: TEXT }), { slowly: true });
    const ids = await Promise.all(
      Array.from({ length: AT_ONCE }, async () => (await user.post<{ id: string }>(RUNS, { input: 'Tell me.' })).id),
    );
    await until(async () => textIn(await logOf(ids[0]!)).includes('word2 '));
    // The last one to come is not killed, and need not be a process.
    const replaced = runner.kill('SIGKILL').then(() => platform.host('workflow-runner'));
    await Promise.all([replaced, ...ids.slice(0, AT_ONCE / 2).map((id) => user.post(`${RUNS}${id}/stop/`, {}))]);
    await until(async () => {
      const statuses = await Promise.all(ids.map(statusOf));
      return statuses.every((status) => ['completed', 'cancelled'].includes(status));
    }, 60_000);
    for (const [at, id] of ids.entries()) {
      const log = await logOf(id);
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
      expect(log.filter(({ event }) => ENDS.includes(event))).toHaveLength(1);
      expect(log.at(-1)!.event).toBe(at < AT_ONCE / 2 ? 'run.cancelled' : 'run.completed');
      if (at >= AT_ONCE / 2) expect(textIn(log).trim()).toBe(TEXT.trim());
    }
  });
});
