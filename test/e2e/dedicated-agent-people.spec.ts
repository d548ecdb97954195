import { AgentsPlatform } from '../support/agents-platform.js';
import { ChatSocket } from '../support/chat-socket.js';
import type { HostedPlatform } from '../support/hosted-platform.js';
import type { HttpClient } from '../support/http-client.js';
import type { ScriptedLlm } from '../support/scripted-llm.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

interface Told {
  id: string;
  name: string;
  status: string;
  run_id: string | null;
}
interface Message {
  id: number;
  role: string;
  message: string;
  status: string;
  chat_session_id: number;
  turn_id: string;
  generated_files_urls: string[];
  job: Told | null;
}
interface Job {
  id: string;
  state: string;
  on_expiry: string;
  last_status: string | null;
  latest_execution: { status: string; run_id: string | null } | null;
}
interface Run {
  id: string;
  status: string;
  on_expiry: string;
  job_id: string | null;
}

const AGENT = '/microservices/dedicated-agent/';
const JOBS = `${AGENT}jobs/`;
const MAIL = { calls: [{ name: 'send_email', arguments: { to: 'a@b.example', subject: 'S', text: 'T' } }] };

const me = async (client: HttpClient) =>
  (await client.get<{ info: { dedicated_agent: boolean; dedicated_agent_status: string | null } }>('/users/me/')).info;
const addJob = (client: HttpClient, name: string, more: object = {}) =>
  client.post<Job>(JOBS, { name, prompt: `Do ${name}.`, schedule: 'every 1w', ...more });
const told = async (client: HttpClient, job: Job) =>
  (await client.get<{ messages: Message[] }>(`${AGENT}messages/`)).messages.filter(
    (message) => message.job?.id === job.id && message.role === 'assistant',
  );
/** Runs it, and waits until its owner is told what became of that. */
const runs = async (client: HttpClient, job: Job) => {
  const before = (await told(client, job)).length;
  await client.post(`${JOBS}${job.id}/run/`, {});
  await until(async () => (await told(client, job)).length > before);
  return (await told(client, job)).at(-1)!;
};
const reaches = async (client: HttpClient, id: string, status: string) => {
  let run = await client.get<Run>(`${AGENT}runs/${id}/`);
  await until(async () => (run = await client.get<Run>(`${AGENT}runs/${id}/`)).status === status);
  return run;
};

describe('what people meet of a dedicated agent', () => {
  let agents: AgentsPlatform;
  let llm: ScriptedLlm;
  let platform: HostedPlatform;
  const sockets: ChatSocket[] = [];

  beforeAll(async () => {
    agents = await AgentsPlatform.start(['api', 'workflow-runner']);
    ({ llm, platform } = agents);
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.cut();
  });
  afterAll(() => agents?.stop());

  const sql = <T>(text: string, values: unknown[] = []) => platform.database.dataSource.query<T[]>(text, values);
  async function listen(client: HttpClient, query = ''): Promise<ChatSocket> {
    const { agent_id: id } = await client.get<{ agent_id: string }>(`${AGENT}activity/`);
    const socket = new ChatSocket(platform.baseUrl, '', { client, channel: `/ws/dedicated-agent/${id}/`, query });
    sockets.push(socket);
    await socket.opened;
    return socket;
  }
  /** As if nobody had answered in time. */
  const expire = async (id: string) => {
    await sql(`UPDATE chat_turns SET wake_at = now() - interval '1 minute' WHERE id = $1`, [id]);
    await until(
      async () => (await sql(`SELECT FROM chat_turns WHERE id = $1 AND status <> 'waiting_input'`, [id])).length > 0,
    );
    // Whoever follows it would look when the question's own time is over.
    await sql(`UPDATE dedicated_agent_runs SET next_attempt_at = now() - interval '1 minute' WHERE id = $1`, [id]);
  };

  it('is in the profile at once, however the agent comes to stand', async () => {
    const client = await agents.owner();
    expect(await me(client)).toMatchObject({ dedicated_agent: true, dedicated_agent_status: 'running' });
    await client.post(`${AGENT}kill/`, {});
    expect(await me(client)).toMatchObject({ dedicated_agent_status: 'paused' });
    await agents.agent('resume', client);
    await until(async () => (await me(client)).dedicated_agent_status === 'running', 3000);
    await agents.agent('revoke', client);
    await until(async () => !(await me(client)).dedicated_agent, 3000);
    expect(await me(client)).toMatchObject({ dedicated_agent_status: null });
  });

  it('tells each end of a job in a conversation of the job, with which its owner goes on', async () => {
    const client = await agents.owner();
    const job = await addJob(client, 'Morning news');
    llm.answers(({ results }) =>
      results.length > 0
        ? { text: 'All is quiet.' }
        : { calls: [{ name: 'file_writer', arguments: { path: 'agent/news.csv', content: [{ a: 1 }] } }] },
    );
    const first = await runs(client, job);
    expect(first).toMatchObject({
      message: 'All is quiet.',
      status: 'completed',
      generated_files_urls: [expect.stringContaining('news') as string],
      job: { id: job.id, name: 'Morning news', status: 'ok', run_id: expect.any(String) as string },
    });
    llm.answers(() => MAIL);
    await client.post(`${JOBS}${job.id}/run/`, {});
    let run: Run | undefined;
    await until(async () => {
      const { results } = await client.get<{ results: Run[] }>(`${AGENT}runs/?status=waiting_for_approval`);
      return (run = results[0]) !== undefined;
    });
    await client.post(`${AGENT}runs/${run!.id}/stop/`, {});
    await until(async () => (await told(client, job)).length === 2);
    const [, second] = await told(client, job);
    expect(second).toMatchObject({
      status: 'interrupted',
      message: 'The job "Morning news" was stopped.',
      job: { status: 'error', run_id: run!.id },
      chat_session_id: first.chat_session_id,
    });
    const sessions = await client.get<{ results: { id: number; title: string }[] }>(
      '/microservices/chat-sessions/?kind=dedicated-agent',
    );
    expect(sessions.results).toMatchObject([{ id: first.chat_session_id, title: 'Morning news' }]);

    let asked = '';
    llm.answers(({ request }) => {
      asked = JSON.stringify(request.messages);
      return { text: 'Because you said so.' };
    });
    const { run_id: id } = await client.post<{ run_id: string }>(`${AGENT}chat/stream`, {
      message: 'Why?',
      chat_session_id: first.chat_session_id,
    });
    await reaches(client, id, 'completed');
    for (const known of ['Do Morning news.', 'All is quiet.', 'was stopped']) expect(asked).toContain(known);
    const stranger = await agents.owner();
    expect(await told(stranger, job)).toEqual([]);
    expect((await client.send('DELETE', `/microservices/chat-sessions/${first.chat_session_id}/`)).status).toBe(204);
    expect(await told(client, job)).toEqual([]);
    llm.answers(() => ({ text: 'Anew.' }));
    expect(await runs(client, job)).toMatchObject({ message: 'Anew.' });
  });

  it('tells why a job failed, and what it had until then', async () => {
    const client = await agents.owner();
    const job = await addJob(client, 'Broken');
    llm.answers(() => {
      throw new Error('The model is away.');
    });
    const failed = await runs(client, job);
    expect(failed).toMatchObject({ status: 'failed', job: { status: 'error' } });
    expect(failed.message).toMatch(/^The job "Broken" failed: ./);
  });

  inAll('tells it on the socket, once, and again to whoever comes back for it', async () => {
    const client = await agents.owner();
    const job = await addJob(client, 'News');
    const socket = await listen(client);
    llm.answers(() => ({ text: 'One.' }));
    const one = await runs(client, job);
    await until(() => socket.answers(one.turn_id).length > 0, 5000);
    expect(socket.answers(one.turn_id)).toMatchObject([
      {
        status: 'completed',
        message: 'One.',
        job: one.job,
        run_id: one.job!.run_id,
        chat_session_id: one.chat_session_id,
        seq: 1,
      },
    ]);
    socket.cut();
    llm.answers(() => ({ text: 'Two.' }));
    const two = await runs(client, job);
    const back = await listen(client, `&turn_id=${one.turn_id}&last_seq=1`);
    await until(() => back.answers(two.turn_id).length > 0, 5000);
    expect(back.answers(one.turn_id)).toEqual([]);
    const all = await listen(client, `&turn_id=${one.turn_id}&last_seq=0`);
    await until(() => all.answers(two.turn_id).length > 0, 5000);
    expect(all.answers().map(({ message }) => message)).toEqual(['One.', 'Two.']);
    const { run_id: id } = await client.post<{ run_id: string }>(`${AGENT}chat/stream`, { message: 'Go on.' });
    await until(() => all.answers(id).length > 0 && back.answers(id).length > 0);
    const other = await agents.owner();
    const foreign = await listen(other, `&turn_id=${one.turn_id}&last_seq=0`);
    await other.post(`${AGENT}chat/`, { message: 'Hello.' });
    await until(() => foreign.answers().length > 0);
    expect(foreign.answers().some(({ message }) => message === 'One.')).toBe(false);
  });

  inAll('tells once that a job does not run, until it runs again', async () => {
    const client = await agents.owner();
    const job = await addJob(client, 'Idle');
    await client.post(`${AGENT}kill/`, {});
    const skips = async (times: number) => {
      await sql('UPDATE dedicated_agent_jobs SET next_run_at = now(), due_at = now() WHERE id = $1', [job.id]);
      await until(async () => {
        const { count } = await client.get<{ count: number }>(`${JOBS}${job.id}/executions/`);
        return count === times;
      });
    };
    await skips(1);
    await skips(2);
    expect(await told(client, job)).toMatchObject([
      {
        status: 'failed',
        message: 'The job "Idle" could not run: The agent is paused.',
        job: { status: 'skipped', run_id: null },
      },
    ]);
    await agents.agent('resume', client);
    llm.answers(() => ({ text: 'Back.' }));
    await runs(client, job);
    await client.post(`${AGENT}kill/`, {});
    await skips(4);
    expect((await told(client, job)).map(({ job: of }) => of!.status)).toEqual(['skipped', 'ok', 'skipped']);
  });

  inAll('goes on without what nobody allowed in time, or ends where that was asked for', async () => {
    const client = await agents.owner();
    llm.answers(({ results }) => (results.length === 0 ? MAIL : { text: 'Without a mail, then.' }));
    const start = (more: object) => client.post<Run>(`${AGENT}runs/`, { input: 'Mail it.', ...more });
    const [denied, halted] = [await start({}), await start({ on_expiry: 'halt' })];
    expect([denied.on_expiry, halted.on_expiry]).toEqual(['deny', 'halt']);
    for (const { id } of [denied, halted]) {
      await reaches(client, id, 'waiting_for_approval');
      await expire(id);
    }
    expect(await reaches(client, denied.id, 'completed')).toMatchObject({ output: 'Without a mail, then.' });
    expect(await reaches(client, halted.id, 'cancelled')).toMatchObject({ output: null, pending_approvals: [] });
    const events = await sql<{ event: string; data: object }>(
      `SELECT event, data FROM dedicated_agent_events WHERE run_id = $1 AND event NOT IN ('stage', 'message.delta') ORDER BY seq`,
      [halted.id],
    );
    expect(events.slice(-2)).toMatchObject([
      { event: 'approval.responded', data: { choice: 'deny', expired: true } },
      { event: 'run.cancelled' },
    ]);
    expect((await client.send('POST', `${AGENT}runs/`, { input: 'x', on_expiry: 'wait' })).status).toBe(400);

    const job = await addJob(client, 'Careful', { on_expiry: 'halt' });
    expect(job.on_expiry).toBe('halt');
    await client.post(`${JOBS}${job.id}/run/`, {});
    let run: Run | undefined;
    await until(async () => {
      const { results } = await client.get<{ results: Run[] }>(`${AGENT}runs/?status=waiting_for_approval`);
      return (run = results.find(({ job_id: of }) => of === job.id)) !== undefined;
    });
    expect(run!.on_expiry).toBe('halt');
    await expire(run!.id);
    await until(async () => (await told(client, job)).length === 1);
    expect(await told(client, job)).toMatchObject([{ status: 'interrupted', job: { status: 'error' } }]);
    const changed = await client.send('PATCH', `${JOBS}${job.id}/`, { on_expiry: 'deny' });
    expect(await changed.json()).toMatchObject({ on_expiry: 'deny' });
    expect((await client.send('PATCH', `${JOBS}${job.id}/`, { on_expiry: null })).status).toBe(400);
  });
});

describe('a run that waits for a free worker', () => {
  let agents: AgentsPlatform;

  beforeAll(async () => {
    agents = await AgentsPlatform.start(['api', 'workflow-runner'], { TURNS_AT_ONCE: '1' });
  });
  afterAll(() => agents?.stop());

  it('is queued until one has taken it', async () => {
    const client = await agents.owner();
    const start = (input: string) => client.post<Run>(`${AGENT}runs/`, { input });
    agents.llm.answers(() => ({ text: 'word '.repeat(3000) }), { slowly: true });
    const all = await Promise.all(Array.from({ length: 8 }, (_, at) => start(`Number ${at}.`)));
    const those = async (status: string) =>
      (await client.get<{ results: Run[] }>(`${AGENT}runs/?status=${status}`)).results.map(({ id }) => id);
    await until(async () => (await those('started')).length === 0 && (await those('queued')).length > 0);
    const [waiting, working] = [await those('queued'), await those('running')];
    expect(working.length).toBeGreaterThan(0);
    expect(waiting.length + working.length).toBe(all.length);
    for (const id of working) await client.post(`${AGENT}runs/${id}/stop/`, {});
    await until(async () => (await those('running')).some((id) => waiting.includes(id)));
    await client.post(`${AGENT}kill/`, {});
    await until(async () => (await those('cancelled')).length === all.length);
    const second = { id: waiting[0] };
    const log = await agents.platform.database.dataSource.query<{ seq: number; event: string }[]>(
      'SELECT seq, event FROM dedicated_agent_events WHERE run_id = $1 ORDER BY seq',
      [second.id],
    );
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
    expect(log.some(({ event }) => event === 'run.begun')).toBe(false);
  });
});
