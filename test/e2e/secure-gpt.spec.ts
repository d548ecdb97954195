import { createCipheriv, randomBytes } from 'node:crypto';
import { LLMock } from '@copilotkit/aimock';
import { Redis } from 'ioredis';
import { postJson, startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { addIndexedDocument } from '../support/retrieval.js';
import type { RunningApp } from '../support/platform.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

interface Sent {
  messages: { role: string; content: string | { type: string; text?: string }[] }[];
}

const path = '/secure-gpt/chat/';

async function idOf(api: TestApi, client: HttpClient): Promise<number> {
  const [row] = await api.database.dataSource.query<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [
    client.username,
  ]);
  return row.id;
}

describe('secure GPT', () => {
  const mock = new LLMock({ port: 0 });
  let api: TestApi;
  let runner: RunningApp;
  let client: HttpClient;
  const send = (body: object, by = client) =>
    postJson(api.baseUrl + path, body, { authorization: `Token ${by.token}` });
  const lastSent = () => mock.getLastRequest()!.body as unknown as Sent;

  beforeAll(async () => {
    await mock.start();
    mock.onMessage(/cut off by a fault/, { content: 'the axolotl sings at dawn over the quiet valley' });
    mock.onMessage(
      /axolotl slowly/,
      { content: 'the axolotl sings at dawn over the quiet valley' },
      { chunkSize: 3, latency: 120 },
    );
    mock.onMessage(/quetzal/, { content: 'The quetzal sings.' }, { chunkSize: 4 });
    mock.onMessage(/refuse/, { error: { message: 'no', type: 'server_error' }, status: 400 });
    mock.onMessage(/hang/, { content: 'word '.repeat(4) }, { chunkSize: 5, latency: 10_000 });
    mock.onMessage(/./, { content: 'Good day.' });
    api = await startApi({
      LLM_MODELS: JSON.stringify([
        { id: 1, name: 'Plain', value: 'plain', base_url: `${mock.url}/v1`, context_window: 3000, default: true },
        { id: 2, name: 'Seeing', value: 'seeing', base_url: `${mock.url}/v1`, capability: 'vision' },
      ]),
      LLM_TIMEOUT_SECONDS: '15',
      SEALED_TURN_SECONDS: '10',
      LOG_LEVEL: 'debug',
    });
    runner = await api.startRunner();
    client = await api.signUp();
  });
  afterAll(async () => {
    await api.stop();
    await mock.stop();
  });

  it('says that no model is configured, and keeps nothing', async () => {
    const bare = await api.startReplica({ LLM_MODELS: '' });
    try {
      const sessions = () => api.database.dataSource.query<unknown[]>('SELECT FROM chat_sessions');
      const before = (await sessions()).length;
      const response = await postJson(
        bare.baseUrl + path,
        { message: 'Hello' },
        { authorization: `Token ${client.token}` },
      );
      expect(response).toMatchObject({ status: 503, body: { code: 'model_not_configured' } });
      expect(await sessions()).toHaveLength(before);
    } finally {
      await bare.stop();
    }
  });

  it('streams bare text, and remembers the session', async () => {
    const first = await client.send('POST', path, { message: 'What of the quetzal?' });
    expect(first.headers.get('content-type')).toBe('text/event-stream');
    expect(await first.text()).toBe('The quetzal sings.');
    const session = Number(first.headers.get('x-chat-session-id'));
    const second = await client.text(path, { message: 'And then?', chat_session_id: session, language: 'de' });
    expect(second).toBe('Good day.');
    const { messages } = lastSent();
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(messages[0]!.content).toContain('"de"');
    expect(messages[2]!.content).toBe('The quetzal sings.');
    const listed = await client.get<object[]>(`/microservices/chat-sessions/${session}/messages/`);
    expect(listed).toMatchObject([
      { role: 'user', message: 'What of the quetzal?' },
      { role: 'assistant', message: 'The quetzal sings.', sources: [] },
      { message: 'And then?' },
      { message: 'Good day.' },
    ]);
    const events = await client.text(`${path}?framing=sse`, { message: 'What of the quetzal?' });
    expect(events).not.toContain('event: sources');
    expect(events).toMatch(/event: done\ndata: \{"turn_id":"[^"]+","usage":\{[^}]*\}\}\n\n$/);
  });

  it('refuses with the codes of the contract', async () => {
    expect(await send({ message: '  ' })).toMatchObject({ status: 400, body: { code: 'message_required' } });
    expect(await send({ message: 'x'.repeat(100_001) })).toMatchObject({
      status: 400,
      body: { message: [expect.any(String)] },
    });
    expect(await send({ message: 'x', llm_model_id: 99 })).toMatchObject({
      status: 404,
      body: { code: 'model_not_found' },
    });
    expect(await send({ message: 'x', encrypted: { history: [{ role: 'system', content: 'x' }] } })).toMatchObject({
      status: 400,
      body: { encrypted: [expect.any(String)] },
    });
    expect(await send({ message: 'x', attached_files: [{ name: 'a' }] })).toMatchObject({
      status: 400,
      body: { code: 'invalid_attachment' },
    });
    const stranger = await api.signUp();
    const first = await client.send('POST', path, { message: 'Hello' });
    await first.text();
    const foreign = Number(first.headers.get('x-chat-session-id'));
    for (const session of [foreign, 999_999])
      expect(await send({ message: 'x', chat_session_id: session }, stranger)).toMatchObject({
        status: 403,
        body: { code: 'chat_session_not_yours' },
      });
    const uid = await addIndexedDocument(api.database.dataSource, {
      ownerId: await idOf(api, client),
      pages: ['Text.'],
    });
    expect(await send({ message: 'x', attached_files: [{ uid }] }, stranger)).toMatchObject({
      status: 404,
      body: { code: 'attachment_not_found' },
    });
    const waiting = await addIndexedDocument(api.database.dataSource, {
      ownerId: await idOf(api, client),
      pages: [],
      generation: null,
    });
    expect(await send({ message: 'x', attached_files: [{ uid: waiting }] })).toMatchObject({
      status: 409,
      body: { code: 'document_not_ready', uids: [waiting] },
    });
    expect(await send({ message: 'refuse this' })).toMatchObject({ status: 502, body: { code: 'model_error' } });
    expect(await send({ message: 'please hang' })).toMatchObject({ status: 504 });
    expect((await postJson(api.baseUrl + path, { message: 'x' })).status).toBe(401);
  });

  it('shows the model attached files: text by pages as far as it fits, and pictures to those that see', async () => {
    const ownerId = await idOf(api, client);
    const pages = Array.from({ length: 30 }, (_, at) => `Page of number ${at + 1}: ${'some more words '.repeat(60)}`);
    const uid = await addIndexedDocument(api.database.dataSource, { ownerId, pages, filename: 'long.pdf' });
    await client.text(path, { message: 'Sum it up', attached_files: [{ uid, name: 'long.pdf' }] });
    const shown = String(lastSent().messages.at(-1)!.content);
    expect(shown).toContain('attached file: long.pdf');
    expect(shown).toContain('Page of number 1:');
    expect(shown).not.toContain('Page of number 30:');
    expect(shown).toMatch(/The first \d+ of 30 pages/);
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const image = await client.upload<{ uid: string }>('/semantic-search/upload/', 'path', new File([png], 'dot.png'), {
      train_after_upload: 'false',
    });
    const attached_files = [{ uid: image.uid, name: 'dot.png' }];
    await client.text(path, { message: 'What is it?', attached_files, llm_model_id: 2 });
    const parts = lastSent().messages.at(-1)!.content as { type: string }[];
    expect(parts.map(({ type }) => type).toSorted()).toEqual(['image_url', 'text']);
    await client.text(path, { message: 'What is it?', attached_files, llm_model_id: 1 });
    expect(JSON.stringify(lastSent().messages.at(-1)!.content)).toContain('This model cannot see it');
  });

  inAll('keeps nothing readable of an encrypted turn', async () => {
    const secret = 'axolotl';
    const history = [
      { role: 'user', content: 'Which bird is it, with the emerald tail?' },
      { role: 'assistant', content: 'The one of the cloud forest.' },
    ];
    const redis = new Redis(api.config.redis.url);
    const published: string[] = [];
    const listener = new Redis(api.config.redis.url);
    await listener.psubscribe(`${api.config.redis.keyPrefix}*`);
    listener.on('pmessage', (_pattern, _channel, message: string) => published.push(message));
    const body = { message: `Tell me of the ${secret} slowly`, encrypted: { history }, client_turn_id: 'sealed' };
    const reading = client.send('POST', path, body);
    const response = await reading;
    const turnId = response.headers.get('x-turn-id')!;
    const stored = async () => {
      const tables = await api.database.dataSource.query<{ name: string }[]>(
        `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
      );
      let dump = '';
      for (const { name } of tables)
        dump += JSON.stringify(await api.database.dataSource.query(`SELECT to_jsonb(t)::text AS row FROM ${name} t`));
      for (const key of await redis.keys(`${api.config.redis.keyPrefix}*`)) {
        const kind = await redis.type(key);
        if (kind === 'string') dump += await redis.get(key);
        if (kind === 'hash') dump += JSON.stringify(await redis.hgetall(key));
        if (kind === 'list') dump += JSON.stringify(await redis.lrange(key, 0, -1));
        if (kind === 'zset') dump += JSON.stringify(await redis.zrange(key, 0, -1));
        if (kind === 'stream') dump += JSON.stringify(await redis.xrange(key, '-', '+'));
      }
      return dump;
    };
    const clear = /axolotl|emerald|cloud forest|quiet valley|at dawn/;
    await runner.kill('SIGKILL');
    expect((await stored()).match(clear)).toBeNull();
    const next = await api.hostRunner();
    expect(await response.text()).toBe('the axolotl sings at dawn over the quiet valley');
    const sent = mock.getLastRequest()!.body as unknown as Sent;
    expect(JSON.stringify(sent.messages)).toContain('emerald tail');
    // The same call again, and the log, tell it as long as it is kept.
    expect(await client.text(path, body)).toBe('the axolotl sings at dawn over the quiet valley');
    const other = await client.send('POST', path, { ...body, message: 'Tell me of the newt' });
    expect([other.status, await other.json()]).toMatchObject([409, { code: 'client_turn_id_conflict' }]);
    const log = await client.send('GET', `/microservices/chat-turns/${turnId}/events/`);
    expect(await log.text()).toContain('axolotl');
    expect((await stored()).match(clear)).toBeNull();
    expect(published.length).toBeGreaterThan(3);
    expect(published.join('').match(clear)).toBeNull();
    for (const log of [runner.log(), next.log()]) expect([log === '', log.match(clear)]).toEqual([false, null]);
    await until(async () => {
      const [{ count }] = await api.database.dataSource.query<[{ count: number }]>(
        'SELECT count(*)::int AS count FROM chat_turn_events WHERE turn_id = $1',
        [turnId],
      );
      return count === 0;
    });
    const [row] = await api.database.dataSource.query<[Record<string, unknown>]>(
      'SELECT t.*, s.title FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id WHERE t.id = $1',
      [turnId],
    );
    expect(row).toMatchObject({
      status: 'completed',
      question: '',
      answer: '',
      title: '',
      request: { erased: true },
      state: null,
    });
    expect(await send(body)).toMatchObject({ status: 409, body: { code: 'turn_erased' } });
    redis.disconnect();
    listener.disconnect();
  });

  it('keeps what the client encrypted, and leaves it out of what models read', async () => {
    const key = randomBytes(32);
    const encrypt = (text: string) => {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const ct = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
      return `enc:v1:${iv.toString('base64url')}:${ct.toString('base64url')}`;
    };
    const response = await client.send('POST', path, { message: 'What of the quetzal?', encrypted: true });
    await response.text();
    const turnId = response.headers.get('x-turn-id')!;
    const session = Number(response.headers.get('x-chat-session-id'));
    const kept = {
      question: encrypt('What of the quetzal?'),
      answer: encrypt('The quetzal sings.'),
      title: encrypt('Bird'),
    };
    const put = (body: object, by = client) => by.send('PUT', `${path}${turnId}/`, body);
    expect((await put({ ...kept, answer: 'The quetzal sings.' })).status).toBe(400);
    expect((await put(kept, await api.signUp())).status).toBe(404);
    expect((await put(kept)).status).toBe(204);
    expect(await client.get(`/microservices/chat-sessions/${session}/messages/`)).toMatchObject([
      { role: 'user', message: kept.question },
      { role: 'assistant', message: kept.answer },
    ]);
    expect(await client.get(`/microservices/chat-sessions/${session}/`)).toMatchObject({ title: kept.title });
    expect(await client.post('/users/encryption/migrate-chats/', { dek: key.toString('hex') })).toBeDefined();
    await client.text(path, { message: 'And then?', chat_session_id: session });
    expect(lastSent().messages.map(({ role }) => role)).toEqual(['system', 'user']);
    const plain = await client.send('POST', path, { message: 'Hello' });
    await plain.text();
    expect((await client.send('PUT', `${path}${plain.headers.get('x-turn-id')}/`, kept)).status).toBe(404);
  });
});
