import { newId } from '@app/common';
import { AgentsPlatform } from '../support/agents-platform.js';
import { ChatSocket } from '../support/chat-socket.js';
import { note, upload } from '../support/documents-api.js';
import type { HostedPlatform } from '../support/hosted-platform.js';
import { HttpClient } from '../support/http-client.js';
import type { RunningApp } from '../support/platform.js';
import type { ScriptedLlm } from '../support/scripted-llm.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

interface Started {
  status: string;
  chat_session_id: number;
  session_id: string | null;
  run_id: string;
  agent_id: string;
}
interface Message {
  id: number;
  role: string;
  message: string;
  chat_session_id: number;
}
interface Activity {
  agent_id: string;
  status: string;
  activity: { tool_name: string; success: boolean; duration_ms: number; ts: string; run_id: string | null }[];
  spend: { spend: number; soft_budget: null } | null;
}

const AGENT = '/microservices/dedicated-agent/';
const TEXT = Array.from({ length: 40 }, (_, at) => `word${at} `).join('');

const statusOf = async (client: HttpClient, id: string) =>
  (await client.get<{ status: string }>(`${AGENT}runs/${id}/`)).status;

const messagesOf = async (client: HttpClient) =>
  (await client.get<{ messages: Message[] }>(`${AGENT}messages/`)).messages;
const isOver = async (client: HttpClient, id: string) =>
  ['completed', 'failed', 'cancelled'].includes(await statusOf(client, id));

async function say(client: HttpClient, message: unknown, more: object = {}) {
  const response = await client.send('POST', `${AGENT}chat/stream`, { message, ...more });
  return { status: response.status, body: (await response.json()) as Started & Record<string, unknown> };
}

describe('the console of a dedicated agent', () => {
  let agents: AgentsPlatform;
  let llm: ScriptedLlm;
  let platform: HostedPlatform;
  let runner: RunningApp;
  let stranger: HttpClient;
  const sockets: ChatSocket[] = [];

  beforeAll(async () => {
    agents = await AgentsPlatform.start(['api']);
    ({ llm, platform } = agents);
    runner = await platform.start('workflow-runner');
    stranger = (await owner()).client;
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.cut();
  });
  afterAll(() => agents?.stop());

  async function owner(): Promise<{ client: HttpClient; agentId: string }> {
    const client = await agents.owner();
    return { client, agentId: (await client.get<Activity>(`${AGENT}activity/`)).agent_id };
  }
  function listen(agentId: string, client: HttpClient, query = '', texts?: ReadonlyMap<string, string>): ChatSocket {
    const channel = `/ws/dedicated-agent/${agentId}/`;
    const socket = new ChatSocket(platform.baseUrl, '', { client, channel, query, ...(texts && { texts }) });
    sockets.push(socket);
    return socket;
  }

  it('answers over the socket what was said over HTTP, with tools and files, and keeps it', async () => {
    const { client, agentId } = await owner();
    llm.answers(({ results }) =>
      results.length === 0
        ? { calls: [{ name: 'code', arguments: { code: 'return items[0] * 7;', items: [6] } }] }
        : { text: TEXT },
    );
    const socket = listen(agentId, client);
    await socket.opened;
    socket.say({ type: 'ping' });
    await until(() => socket.frames.some(({ type }) => type === 'pong'));
    const { status, body } = await say(client, 'What is six times seven?');
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: 'started', agent_id: agentId, chat_session_id: expect.any(Number) as number });
    await until(() => socket.answers(body.run_id).length > 0);
    const [answer] = socket.answers(body.run_id);
    expect(answer).toMatchObject({
      status: 'completed',
      turn_id: body.run_id,
      chat_session_id: body.chat_session_id,
      generated_files_urls: [],
    });
    expect(answer!.message!.trim()).toBe(TEXT.trim());
    expect(socket.plain.get(body.run_id)).toBe(answer!.message);
    expect(socket.placed.get(body.run_id)).toBe(answer!.message);
    expect(socket.telemetry('stage:tool_finished', body.run_id)[0]!.event).toMatchObject({
      tool: 'code',
      success: true,
    });
    expect(socket.telemetry('stage:done', body.run_id)).toHaveLength(1);
    expect(
      socket.frames.filter(({ type }) => type === 'agent_response').every(({ node_id: id }) => id === 'chat'),
    ).toBe(true);

    llm.answers(() => ({ text: 'Good.' }));
    const second = await say(client, 'Go on.', { chat_session_id: body.chat_session_id });
    expect(second.body.chat_session_id).toBe(body.chat_session_id);
    await until(() => socket.answers(second.body.run_id).length > 0);
    const third = await say(client, 'And elsewhere.');
    expect(third.body.chat_session_id).not.toBe(body.chat_session_id);
    await until(() => socket.answers(third.body.run_id).length > 0);

    const messages = await messagesOf(client);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
    expect(messages[0]).toMatchObject({ message: 'What is six times seven?', chat_session_id: body.chat_session_id });
    expect(messages[1]!.message).toBe(answer!.message);
    expect(messages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id).toSorted((a, b) => a - b));
    const { messages: last } = await client.get<{ messages: Message[] }>(`${AGENT}messages/?limit=2`);
    expect(last).toEqual(messages.slice(-2));

    const activity = await client.get<Activity>(`${AGENT}activity/`);
    const names = activity.activity.map(({ tool_name: name }) => name);
    expect(names.slice(0, 1)).toEqual(['run.completed']);
    expect(names.filter((name) => name === 'run.started')).toHaveLength(3);
    expect(names).toEqual(expect.arrayContaining(['code', 'agent.running']));
    expect(activity).toMatchObject({ status: 'running', spend: { spend: 0, soft_budget: null } });
    expect((await client.get<Activity>(`${AGENT}activity/?limit=2`)).activity).toEqual(activity.activity.slice(0, 2));
  });

  it('tells of files that were made', async () => {
    const { client, agentId } = await owner();
    llm.answers(({ results }) =>
      results.length > 0
        ? { text: 'Written.' }
        : { calls: [{ name: 'file_writer', arguments: { path: 'agent/list.csv', content: [{ a: 1 }] } }] },
    );
    const socket = listen(agentId, client);
    await socket.opened;
    const { body } = await say(client, 'Write a list.');
    await until(() => socket.answers(body.run_id).length > 0);
    const urls = socket.answers(body.run_id)[0]!.generated_files_urls as string[];
    expect(urls).toHaveLength(1);
    expect(socket.telemetry('stage:files', body.run_id).map(({ event }) => event)).toEqual([{ urls }]);
  });

  it('does one message at a time: of ten at once one begins, and the others name its session', async () => {
    const { client, agentId } = await owner();
    llm.answers(() => ({ text: TEXT }), { slowly: true });
    const all = await Promise.all(Array.from({ length: 10 }, () => say(client, 'Tell me.')));
    const begun = all.filter(({ status }) => status === 202);
    expect(begun).toHaveLength(1);
    const { run_id: id, chat_session_id: session } = begun[0]!.body;
    for (const { status, body } of all) {
      if (status === 202) continue;
      expect(status).toBe(409);
      expect(body).toMatchObject({ code: 'agent_busy', busy_chat_session_id: session });
    }
    const waiting = await client.send('POST', `${AGENT}chat/`, { message: 'And me?' });
    expect(waiting.status).toBe(409);
    const socket = listen(agentId, client);
    await until(() => socket.answers(id).length > 0);
    expect(await messagesOf(client)).toHaveLength(2);
    const sessions = await client.get<{ count: number }>('/microservices/chat-sessions/?kind=dedicated-agent');
    expect(sessions.count).toBe(1);
  });

  inAll('goes on where a client stopped, whose runner is killed meanwhile, and shows an ended run again', async () => {
    const { client, agentId } = await owner();
    llm.answers(() => ({ text: TEXT }), { slowly: true });
    const first = listen(agentId, client);
    await first.opened;
    const { body } = await say(client, 'Tell me at length.');
    const { run_id: id } = body;
    await until(() => (first.placed.get(id) ?? '').includes('word3 '));
    first.cut();
    const seq = first.lastSeq(id);
    expect(seq).toBeGreaterThan(0);
    await runner.kill('SIGKILL');
    await platform.host('workflow-runner');
    const rest = listen(agentId, client, `&turn_id=${id}&last_seq=${seq}`, first.placed);
    await until(() => rest.answers(id).length > 0, 60_000);
    expect(rest.placed.get(id)!.trim()).toBe(TEXT.trim());
    expect(rest.plain.get(id)!.trim()).toBe(TEXT.trim());
    expect(rest.answers(id)).toHaveLength(1);

    const later = listen(agentId, client);
    await later.opened;
    later.say({ type: 'resume', turn_id: id, last_seq: 0 });
    await until(() => later.answers(id).length > 0);
    expect(later.placed.get(id)).toBe(later.answers(id)[0]!.message);
    const done = rest.lastSeq(id);
    later.say({ type: 'resume', turn_id: newId(), last_seq: 0 });
    later.say({ type: 'resume', turn_id: id, last_seq: done });
    llm.answers(() => ({ text: 'Short.' }));
    const { body: second } = await say(client, 'Again.');
    await until(() => later.answers(second.run_id).length > 0);
    expect(later.answers(id)).toHaveLength(1);
  });

  inAll('waits for the answer, says when the time is over, and goes on when its caller leaves', async () => {
    const { client } = await owner();
    llm.answers(() => ({ text: 'Yes.' }));
    const answer = await client.post<Record<string, unknown>>(`${AGENT}chat/`, { message: 'Are you there?' });
    expect(answer).toMatchObject({
      answer: 'Yes.',
      generated_files_urls: [],
      session_id: expect.any(String) as string,
    });
    const long = TEXT.repeat(5);
    llm.answers(() => ({ text: long }), { slowly: true });
    const late = await client.send('POST', `${AGENT}chat/?timeout=1`, { message: 'At length.' });
    expect(late.status).toBe(504);
    const { code, run_id: id, chat_session_id: session } = (await late.json()) as Record<string, string>;
    expect(code).toBe('run_continues');
    expect(session).toBe(answer.chat_session_id);
    await until(async () => (await statusOf(client, id!)) === 'completed');
    expect((await messagesOf(client)).at(-1)!.message.trim()).toBe(long.trim());

    const leaving = new AbortController();
    const left = fetch(`${platform.baseUrl}${AGENT}chat/`, {
      method: 'POST',
      headers: { authorization: `Token ${client.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'I leave.' }),
      signal: leaving.signal,
    }).catch(() => null);
    await until(async () => (await messagesOf(client)).some(({ message }) => message === 'I leave.'));
    leaving.abort();
    await left;
    await until(async () => {
      const last = (await messagesOf(client)).at(-1)!;
      return last.role === 'assistant' && last.message.trim() === long.trim();
    });
  });

  it('asks on the socket what it may do, and tells of a run that was stopped', async () => {
    const { client, agentId } = await owner();
    llm.answers(() => ({ calls: [{ name: 'send_email', arguments: { to: 'a@b.example', subject: 'S', text: 'T' } }] }));
    const socket = listen(agentId, client);
    await socket.opened;
    const { body } = await say(client, 'Mail it.');
    await until(() => socket.answers(body.run_id).length > 0);
    expect(socket.answers(body.run_id)[0]).toMatchObject({ status: 'clarification', input: { kind: 'approval' } });
    const later = listen(agentId, client);
    await until(() => later.answers(body.run_id).length > 0);
    expect(later.answers(body.run_id)[0]!.input).toEqual(socket.answers(body.run_id)[0]!.input);
    await client.post(`${AGENT}kill/`, {});
    await until(() => socket.answers(body.run_id).length > 1);
    expect(socket.answers(body.run_id)[1]).toMatchObject({ status: 'interrupted' });
    await until(() => isOver(client, body.run_id));
    const refused = await say(client, 'Go on.');
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'agent_not_running', status: 'paused' });
    expect((await client.get<Activity>(`${AGENT}activity/`)).activity.map(({ tool_name: name }) => name)).toEqual(
      expect.arrayContaining(['approval.request', 'run.cancelled', 'agent.paused']),
    );
  });

  it('refuses what it cannot do, and everybody else', async () => {
    const { client, agentId } = await owner();
    llm.answers(() => ({ text: 'Yes.' }));
    const { body } = await say(client, 'Hello.');
    await until(() => isOver(client, body.run_id));
    const { id: other } = await client.post<{ id: number }>('/microservices/chat-sessions/', { kind: 'chat' });
    const file = (await upload(client, note())).body.uid;
    const cases: [HttpClient, unknown, object, number, string | undefined][] = [
      [client, '', {}, 400, 'message_required'],
      [client, undefined, {}, 400, 'message_required'],
      [client, { a: 1 }, {}, 400, undefined],
      [client, 'x'.repeat(1_000_001), {}, 400, undefined],
      [client, 'Hi', { chat_session_id: 'x' }, 400, undefined],
      [client, 'Hi', { chat_session_id: 2 ** 40 }, 400, undefined],
      [client, 'Hi', { chat_session_id: other }, 400, 'invalid_chat_session_id'],
      [client, 'Hi', { chat_session_id: 999_999 }, 403, 'chat_session_forbidden'],
      [stranger, 'Hi', { chat_session_id: body.chat_session_id }, 403, 'chat_session_forbidden'],
      [client, 'Hi', { attached_files: [{ name: 'x' }] }, 400, 'invalid_attachment'],
      [client, 'Hi', { attached_files: [{ uid: newId() }] }, 404, 'attachment_not_found'],
      [stranger, 'Hi', { attached_files: [{ uid: file }] }, 404, 'attachment_not_found'],
    ];
    for (const [who, message, more, status, code] of cases) {
      const answer = await say(who, message, more);
      expect([answer.status, answer.body.code]).toEqual([status, code]);
    }
    const nobody = await HttpClient.signUp(platform.baseUrl);
    for (const [method, path] of [
      ['POST', 'chat/stream'],
      ['POST', 'chat/'],
      ['GET', 'messages/'],
      ['GET', 'activity/'],
    ] as const) {
      const answer = await nobody.send(method, `${AGENT}${path}`, method === 'POST' ? { message: 'Hi' } : undefined);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ detail: 'no dedicated agent for this user' });
    }
    expect(await messagesOf(stranger)).toEqual([]);
    const seen = await stranger.get<Activity>(`${AGENT}activity/`);
    expect(seen.agent_id).not.toBe(agentId);
    expect(seen.activity.map(({ tool_name: name }) => name)).toEqual(['agent.running']);
    for (const [who, id, status] of [
      [stranger, agentId, 404],
      [nobody, agentId, 404],
      [client, newId(), 404],
      [client, 'none', 404],
    ] as const)
      expect(await listen(id, who).closed).toBe(status);
    expect(await listen(agentId, client, '&turn_id=x').closed).toBe(400);
    expect((await client.send('GET', `${AGENT}messages/?limit=0`)).status).toBe(400);
    const own = listen(agentId, client);
    await own.opened;
    await agents.agent('revoke', client);
    expect(await own.closed).toBe(1008);
  });
});
