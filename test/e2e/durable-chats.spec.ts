import { TurnLogCompaction } from '@app/agents';
import { LLMock } from '@copilotkit/aimock';
import { postJson, startApi, type TestApi } from '../support/api.js';
import { EventStream } from '../support/event-stream.js';
import type { HttpClient } from '../support/http-client.js';
import type { RunningApp } from '../support/platform.js';
import { addIndexedDocument } from '../support/retrieval.js';
import { splitAnswer } from '../support/streamed-answer.js';
import { addTableFile, ORDERS } from '../support/tables.js';
import { until } from '../support/until.js';
import { grant } from '../support/timing.js';

const PAGES = ['The warranty of the Orion pump lasts 36 months from delivery.'];
const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at} `).join('');
const LONG = words(80);

/** Reads until so much has come. */
async function readSome(response: Response, until = 'word3'): Promise<string> {
  const reader = response.body!.getReader();
  let text = '';
  while (!text.includes(until)) {
    const { value, done } = await reader.read();
    if (done) break;
    text += Buffer.from(value).toString();
  }
  return text;
}

/** The chats of the stores are turns of the workflow-runner (docs/concepts/turns.md). */
describe('chats of the stores as durable turns', () => {
  const mock = new LLMock({ port: 0 });
  let api: TestApi;
  let runner: RunningApp;
  let client: HttpClient;
  let ownerId: number;
  let uid: string;

  const headers = (more: Record<string, string> = {}) => ({
    authorization: `Token ${client.token}`,
    'content-type': 'application/json',
    ...more,
  });
  const open = (
    path: string,
    body: object,
    more: { signal?: AbortSignal; headers?: Record<string, string>; base?: string } = {},
  ) =>
    fetch(`${more.base ?? api.baseUrl}${path}`, {
      method: 'POST',
      headers: headers(more.headers),
      body: JSON.stringify(body),
      ...(more.signal ? { signal: more.signal } : {}),
    });
  const ask = (message: string, more: object = {}, how: Parameters<typeof open>[2] = {}, query = '') =>
    open(`/semantic-search/single-file-chat/${query}`, { uid, message, ...more }, how);
  const turn = async (id: string | null) => {
    const [row] = await api.database.dataSource.query<Record<string, unknown>[]>(
      'SELECT * FROM chat_turns WHERE id = $1',
      [id],
    );
    return row!;
  };
  const ended = (id: string | null, status: string) => until(async () => (await turn(id)).status === status);
  beforeAll(async () => {
    await mock.start();
    mock.onMessage(/cut off by a fault/, { content: LONG });
    mock.onMessage(/slowly/, { content: LONG }, { chunkSize: 7, latency: 25 });
    mock.onMessage(/endlessly/, { content: words(600) }, { chunkSize: 7, latency: 25 });
    mock.onMessage(/quickly/, { content: 'It lasts 36 months [1].' });
    mock.onMessage(/refuse/, { error: { message: 'no', type: 'server_error' }, status: 400 });
    api = await startApi({
      LLM_PROVIDER: 'openai',
      LLM_BASE_URL: `${mock.url}/v1`,
      LLM_MODEL: 'test-model',
      TURN_GRACE_SECONDS: '2',
    });
    runner = await api.startRunner();
    client = await api.signUp();
    const [row] = await api.database.dataSource.query<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [
      client.username,
    ]);
    ownerId = row.id;
    uid = await addIndexedDocument(api.database.dataSource, { ownerId, pages: PAGES, filename: 'manual.pdf' });
  });
  afterAll(async () => {
    await api.stop();
    await mock.stop();
  });

  it('goes on after its worker was killed, with the same sources, and tells nothing twice', async () => {
    const response = await ask('Tell slowly of the warranty');
    const reader = response.body!.getReader();
    let body = '';
    let isKilled = false;
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      body += Buffer.from(value).toString();
      if (isKilled || !body.includes('word9')) continue;
      isKilled = true;
      await runner.kill('SIGKILL');
      runner = await api.startRunner();
    }
    const { sources, answer } = splitAnswer<{ uid: string }>(body);
    expect(sources.map((source) => source.uid)).toEqual([uid]);
    expect(answer).toBe(LONG);
    const kept = await turn(response.headers.get('x-turn-id'));
    expect(kept).toMatchObject({ status: 'completed', answer: LONG, attempt: 2, sources });
  });

  it('gives a spreadsheet’s cells once, whoever finishes the answer', async () => {
    const sheet = await addTableFile(api, {
      ownerId,
      store: 'spreadsheet',
      filename: 'o.xlsx',
      tables: [{ ...ORDERS, sheet: 'S' }],
    });
    const plan = { action: 'query', sql: 'SELECT amount FROM orders', chart: 'none', reply: '', reasoning: '' };
    mock.on(
      { userMessage: /amounts please/, predicate: (request) => JSON.stringify(request).includes('DuckDB') },
      { content: JSON.stringify(plan) },
    );
    mock.on({ userMessage: /amounts please/ }, { content: LONG }, { chunkSize: 7, latency: 25 });
    const response = await open('/spreadsheet-search/chat/', { uids: [sheet], message: 'amounts please' });
    const reader = response.body!.getReader();
    let body = '';
    let isKilled = false;
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      body += Buffer.from(value).toString();
      if (isKilled || !body.includes('word9')) continue;
      isKilled = true;
      await runner.kill('SIGKILL');
      await api.hostRunner();
    }
    expect(splitAnswer(body).answer).toBe(LONG);
    const thoughts = await client.get<{ thoughts: { type: string }[] }>(
      `/database-search/${response.headers.get('x-turn-id')}/thoughts/`,
    );
    expect(thoughts.thoughts.map(({ type }) => type)).toEqual(['schema', 'plan', 'sql', 'result', 'answer']);
  });

  it('works on one question of a conversation at a time, and streams each when its turn comes', async () => {
    const first = ask('Tell slowly of the warranty', { conversation_id: 'queue' });
    await until(async () => (await first).ok);
    const second = ask('And of the pump, quickly?', { conversation_id: 'queue' });
    const firstBody = await (await first).text();
    expect(splitAnswer(firstBody).answer).toBe(LONG);
    const response = await second;
    expect(splitAnswer(await response.text()).answer).toBe('It lasts 36 months [1].');
    const rows = await api.database.dataSource.query<{ started_at: Date; finished_at: Date }[]>(
      `SELECT t.started_at, t.finished_at FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id
       WHERE s.conversation_id = 'queue' ORDER BY t.seq`,
    );
    expect(rows[1]!.started_at.getTime()).toBeGreaterThanOrEqual(rows[0]!.finished_at.getTime());
    const sent = mock.getLastRequest()!.body as unknown as { messages: { role: string; content: string }[] };
    expect(sent.messages.some(({ content }) => content === LONG)).toBe(true);
  });

  it('refuses more than 20 that wait', async () => {
    const gone = new AbortController();
    const waiting = Array.from({ length: 21 }, (_, at) =>
      ask(`Tell slowly ${at}`, { conversation_id: 'full' }, { signal: gone.signal }).catch(() => null),
    );
    await until(async () => {
      const [{ count }] = await api.database.dataSource.query<[{ count: number }]>(
        `SELECT count(*)::int AS count FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id WHERE s.conversation_id = 'full'`,
      );
      return count === 21;
    });
    const refused = await postJson(
      `${api.baseUrl}/semantic-search/single-file-chat/`,
      { uid, message: 'quickly', conversation_id: 'full' },
      { authorization: `Token ${client.token}` },
    );
    expect(refused).toMatchObject({ status: 409, body: { code: 'queue_full' } });
    gone.abort();
    await Promise.all(waiting);
    await until(async () => {
      const rows = await api.database.dataSource.query<{ status: string }[]>(
        `SELECT t.status FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id WHERE s.conversation_id = 'full'`,
      );
      return rows.every(({ status }) => status === 'interrupted');
    });
  });

  it('stops at once when the reader of a raw answer leaves, unless somebody else follows it, on any replica', async () => {
    const alone = new AbortController();
    const response = await ask('Tell slowly of the warranty', {}, { signal: alone.signal });
    await readSome(response);
    alone.abort();
    await ended(response.headers.get('x-turn-id'), 'interrupted');

    const replica = await api.startReplica();
    try {
      const gone = new AbortController();
      const named = { client_turn_id: 'two', conversation_id: 'two' };
      const here = await ask('Tell slowly of the warranty', named, { signal: gone.signal });
      await readSome(here);
      const there = await ask('Tell slowly of the warranty', named, { base: replica.baseUrl });
      gone.abort();
      expect(there.headers.get('x-turn-id')).toBe(here.headers.get('x-turn-id'));
      expect(splitAnswer(await there.text()).answer).toBe(LONG);
      await ended(here.headers.get('x-turn-id'), 'completed');
    } finally {
      await replica.stop();
    }
  });

  it('gives the sources of a repeated call with the same bytes', async () => {
    for (const path of ['single-file-chat/', 'chat/', 'chat/?framing=sse']) {
      const body = { uid, client_turn_id: `bytes ${path}`, message: 'Tell quickly of the warranty' };
      const first = await (await open(`/semantic-search/${path}`, body)).text();
      expect(first).toContain('"filename":"manual.pdf"');
      expect(await (await open(`/semantic-search/${path}`, body)).text()).toBe(first);
    }
  });

  it('answers a repeated call with the same bytes', async () => {
    for (const [more, how] of [
      [{ client_turn_id: 'again' }, {}],
      [{}, { headers: { 'idempotency-key': 'again-1' } }],
    ] as const) {
      const first = await ask('Tell slowly of the warranty', more, how);
      await readSome(first);
      const [second, third] = await Promise.all([
        ask('Tell slowly of the warranty', more, how),
        ask('Tell slowly of the warranty', more, how),
      ]);
      const bodies = [
        await second.text(),
        await third.text(),
        await (await ask('Tell slowly of the warranty', more, how)).text(),
      ];
      expect(splitAnswer(bodies[0]!).answer).toBe(LONG);
      expect(new Set(bodies).size).toBe(1);
      expect(second.headers.get('x-turn-id')).toBe(first.headers.get('x-turn-id'));
      expect(second.headers.get('idempotency-replayed')).toBe('true');
    }
    const other = await ask('Tell quickly of the pump', {}, { headers: { 'idempotency-key': 'again-1' } });
    expect([other.status, await other.json()]).toMatchObject([409, { code: 'idempotency_key_conflict' }]);
  });

  it('frees the key of a call that failed before it told anything', async () => {
    const how = { headers: { 'idempotency-key': 'fails' } };
    const first = await ask('refuse this', {}, how);
    expect([first.status, await first.json()]).toMatchObject([502, { code: 'model_error' }]);
    const second = await ask('refuse this', {}, how);
    expect(((await second.json()) as { turn_id: string }).turn_id).not.toBe(first.headers.get('x-turn-id'));
    expect(second.headers.get('idempotency-replayed')).toBeNull();
  });

  it('goes on for a while when a reader of events leaves, who gets the rest where it stopped', async () => {
    const gone = new AbortController();
    const response = await ask('Tell slowly of the warranty', {}, { signal: gone.signal }, '?framing=sse');
    const seen = await readSome(response);
    gone.abort();
    const turnId = response.headers.get('x-turn-id')!;
    const frames = seen.split('\n\n').slice(0, -1);
    const told = frames
      .filter((frame) => frame.includes('event: delta'))
      .map((frame) => (JSON.parse(frame.split('data: ')[1]!) as { text: string }).text)
      .join('');
    const lastId = /^id: (\d+)/.exec(frames.at(-1)!)![1]!;
    const rest = new EventStream(`${api.baseUrl}/microservices/chat-turns/${turnId}/events/`, client, lastId);
    // On a slow machine all of it may have come at once.
    expect(await rest.ended).toBe(frames.at(-1)!.includes('event: done') ? 204 : 200);
    const deltas = rest.events.filter(({ event }) => event === 'delta').map(({ data }) => String(data.text));
    expect(told + deltas.join('')).toBe(LONG);
    await ended(turnId, 'completed');
  });

  it('gives the rest from every place after its end, before and after its log is compacted', async () => {
    const response = await ask('Tell slowly of the warranty', {}, {}, '?framing=sse');
    await response.text();
    const turnId = response.headers.get('x-turn-id')!;
    const from = async (lastId: string) => {
      const stream = new EventStream(`${api.baseUrl}/microservices/chat-turns/${turnId}/events/`, client, lastId);
      expect(await stream.ended).toBe(200);
      return stream.events;
    };
    const rows = () =>
      api.database.dataSource.query<unknown[]>('SELECT 1 FROM chat_turn_events WHERE turn_id = $1', [turnId]);
    const all = await from('0');
    const text = all.filter(({ event }) => event === 'delta').map((event) => String(event.data.text));
    expect(text.join('')).toBe(LONG);
    const places = all
      .slice(0, -1)
      .filter((_, at) => at % 5 === 0)
      .map(({ id }) => id!);
    const before = await Promise.all(places.map(from));
    const count = (await rows()).length;
    await new TurnLogCompaction(api.database.dataSource).compactEnded(48, 0);
    expect((await rows()).length).toBeLessThan(count / 5);
    expect(await Promise.all(places.map(from))).toEqual(before);
  });

  it('stops when nobody comes back in time', async () => {
    const gone = new AbortController();
    const response = await ask('Tell endlessly of the warranty', {}, { signal: gone.signal }, '?framing=sse');
    await readSome(response);
    gone.abort();
    await ended(response.headers.get('x-turn-id'), 'interrupted');
  });

  it('answers with the rights that the asker has when it answers', async () => {
    const reader = await api.signUp();
    await client.post(`/semantic-search/documents/${uid}/users/add/`, { emails: [`${reader.username}@test.example`] });
    const asked = (message: string) =>
      fetch(`${api.baseUrl}/semantic-search/single-file-chat/`, {
        method: 'POST',
        headers: { authorization: `Token ${reader.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ uid, message, conversation_id: 'rights' }),
      });
    const first = await asked('Tell slowly of the warranty');
    const second = asked('Tell quickly of the pump');
    await until(
      async () => (await api.database.dataSource.query(`SELECT 1 FROM chat_turns WHERE status = 'queued'`)).length > 0,
    );
    await client.post(`/semantic-search/documents/${uid}/users/remove/`, {
      emails: [`${reader.username}@test.example`],
    });
    await first.text();
    const refused = await second;
    expect([refused.status, await refused.json()]).toMatchObject([404, { code: 'document_not_found' }]);
  });
});

describe('chats of the stores that nobody works on', () => {
  let api: TestApi;
  afterAll(() => api.stop());

  it('is a 504 in time, and the turn goes on', async () => {
    api = await startApi({ TURN_WAIT_SECONDS: '1' });
    const client = await api.signUp();
    const [{ id: ownerId }] = await api.database.dataSource.query<[{ id: number }]>(
      'SELECT id FROM users WHERE username = $1',
      [client.username],
    );
    const uid = await addIndexedDocument(api.database.dataSource, { ownerId, pages: PAGES, filename: 'manual.pdf' });
    const table = await addTableFile(api, { ownerId, tables: [ORDERS] });
    const headers = { authorization: `Token ${client.token}`, 'idempotency-key': 'waits' };
    const message = 'How long does the warranty of the pump last?';
    const ask = () => postJson(`${api.baseUrl}/semantic-search/single-file-chat/`, { uid, message }, headers);
    const first = await ask();
    const named = { uid: table, message: 'How many rows?', client_turn_id: 'waits' };
    const database = () =>
      postJson(`${api.baseUrl}/database-search/chat/`, named, { authorization: headers.authorization });
    const continues = { status: 504, body: { code: 'turn_continues', turn_id: expect.any(String) as string } };
    expect([first, await database()]).toMatchObject([continues, continues]);
    expect((await ask()).body).toEqual(first.body);
    // The longer patience of an api that ends.
    const ending = await api.startReplica({ TURN_WAIT_SECONDS: '60' });
    const leaves = postJson(`${ending.baseUrl}/semantic-search/single-file-chat/`, { uid, message }, headers);
    await grant(1000);
    await ending.stop();
    expect((await leaves).body).toEqual(first.body);
    await api.hostRunner();
    const { turn_id: turnId } = first.body as { turn_id: string };
    await until(async () => {
      const { status } = await client.get<{ status: string }>(`/microservices/chat-turns/${turnId}/`);
      return status === 'completed';
    });
    const answer = await ask();
    expect([answer.status, answer.headers.get('x-turn-id')]).toEqual([200, turnId]);
    expect(answer.body).toContain('36 months');
    await until(async () => (await database()).status === 200, 30_000);
  });
});
