import { startApi, type TestApi } from '../support/api.js';
import * as hostile from '../support/hostile-model.js';
import type { HttpClient } from '../support/http-client.js';
import { addIndexedDocument } from '../support/retrieval.js';
import { splitAnswer } from '../support/streamed-answer.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

interface Group {
  filename: string;
  chunks: { text: string }[];
}

const PAGES = {
  'orion.txt': ['The Orion pump has a warranty of 36 months.', 'The warranty of the Orion pump covers all seals.'],
  'vega.txt': ['The drive of the Vega valve reaches 48 decibels.', 'In Norway the Vega valve is painted red.'],
  'rest.txt': ['Lunch is at noon.', 'Visitors sign the book.', 'The yard is swept on Mondays.'],
};
const ASKED = 'How long is the warranty of the Orion pump?';
const writes = (...queries: string[]) => hostile.answers(JSON.stringify({ queries }));

describe('what chats search for', () => {
  const writer = new hostile.HostileModel();
  const answerer = new hostile.HostileModel();
  const apis: TestApi[] = [];
  let client: HttpClient;
  let api: TestApi;

  const start = async (settings: Record<string, string>): Promise<HttpClient> => {
    api = await startApi({
      LLM_MODELS: JSON.stringify([
        { id: 1, name: 'Large', value: 'large', api_key: 'k', base_url: answerer.baseUrl, max_retries: 0 },
        { id: 2, name: 'Small', value: 'small', api_key: 'k', base_url: writer.baseUrl, max_retries: 0 },
      ]),
      QUERY_MODEL: 'small',
      QUERY_TIMEOUT_SECONDS: '20',
      ...settings,
    });
    apis.push(api);
    await api.hostRunner();
    return api.signUp();
  };
  const idOf = async ({ username }: HttpClient) => {
    const [row] = await api.database.dataSource.query<{ id: number }[]>('SELECT id FROM users WHERE username = $1', [
      username,
    ]);
    return row!.id;
  };
  const addDocuments = async (ownerId: number) => {
    const { dataSource } = api.database;
    const uids: Record<string, string> = {};
    for (const [filename, pages] of Object.entries(PAGES))
      uids[filename] = await addIndexedDocument(dataSource, { ownerId, pages, filename });
    return uids;
  };
  /** Asks in a conversation of its own after a first question, of which nothing is counted. */
  const ask = async (message: string, more: Record<string, unknown> = {}) => {
    writer.always(hostile.answers('{"queries": []}'));
    const first = await client.send('POST', '/semantic-search/chat/', { message: ASKED });
    await first.text();
    return { session: Number(first.headers.get('x-chat-session-id')), message, ...more };
  };
  const search = async (body: Record<string, unknown>) => {
    const { session, ...rest } = body;
    const asked = { ...rest, ...(session ? { chat_session_id: session } : {}) };
    const response = await client.send('POST', '/semantic-search/advanced-search/', asked);
    expect(response.status).toBe(200);
    const { sources, answer } = splitAnswer<Group>(await response.text());
    return { answer, texts: sources.flatMap(({ chunks }) => chunks.map(({ text }) => text)) };
  };

  beforeAll(async () => {
    await Promise.all([writer.start(), answerer.start()]);
    client = await start({ QUERY_REWRITING: 'true', QUERY_SPLITTING: 'true' });
    await addDocuments(await idOf(client));
  });
  afterAll(async () => {
    for (const each of apis) await each.stop();
    await Promise.all([writer.stop(), answerer.stop()]);
  });

  it('is what a model made of a question that leans on the conversation, beside its words', async () => {
    const asked = await ask('And how loud is the other one?', { limit: 2 });
    writer.always(writes('decibels of the drive of the Vega valve'));
    const { texts, answer } = await search(asked);
    expect(answer).toBe('Fine.');
    expect(new Set(texts)).toEqual(new Set([PAGES['vega.txt'][0], PAGES['orion.txt'][0]]));
    const [call] = writer.calls;
    expect(JSON.stringify(call!.body)).toContain('warranty of the Orion pump');
    const usage = 'SELECT model, prompt_tokens::int AS read, outcome, turn_id FROM model_usage WHERE purpose = $1';
    await until(async () => (await api.database.dataSource.query<unknown[]>(usage, ['query'])).length > 0);
    expect(await api.database.dataSource.query(usage, ['query'])).toContainEqual({
      model: 'small',
      read: 1000,
      outcome: 'completed',
      turn_id: expect.any(String),
    });
  });

  it('is each of the things that a question asks for, in one call', async () => {
    writer.always(writes('warranty of the Orion pump', 'visitors sign', 'yard swept'));
    const { texts } = await search({ message: 'What of the Orion pump, the visitors and the yard?', limit: 3 });
    expect(writer.calls).toHaveLength(1);
    expect(texts).toHaveLength(3);
    expect(texts.join(' ')).toMatch(/Orion/);
    const more = await search({ message: 'Tell me of the warranty, those who come by and cleaning?', limit: 4 });
    expect(more.texts.join(' ')).toMatch(/(?=.*36 months)(?=.*Visitors sign)(?=.*yard is swept)/);
  });

  inAll('is the words of the question where the model hangs, and the answer comes', async () => {
    const asked = await ask('And what does it cover?');
    writer.always(hostile.stallsBeforeFirstByte);
    const { texts, answer } = await search(asked);
    expect(answer).toBe('Fine.');
    expect(texts).toContain(PAGES['orion.txt'][1]);
    expect(writer.calls).toHaveLength(1);
    await writer.calls[0]!.closed;
  });

  it.each([
    ['refuses', hostile.refuses(500)],
    ['answers in prose', hostile.answers('I am sorry, I cannot help with that.')],
    ['answers with other JSON', hostile.answers('{"queries": "warranty", "x": [1]}')],
    ['answers with far too much', hostile.answers(JSON.stringify({ queries: Array(500).fill('x'.repeat(2000)) }))],
    ['answers with nonsense', writes('%%%', '\u0000', 'qwxz '.repeat(40))],
  ])('is the words of the question where the model %s', async (name, behaviour) => {
    const asked = await ask(`And what does it cover (${name})?`);
    writer.always(behaviour);
    const { texts, answer } = await search(asked);
    expect(answer).toBe('Fine.');
    expect(texts).toContain(PAGES['orion.txt'][1]);
    expect(writer.calls.length).toBeGreaterThan(0);
  });

  it('asks nobody where the client names the query, and where the question stands alone', async () => {
    const asked = await ask('And what does it cover?', { query: 'seals' });
    writer.always(writes('lunch'));
    expect((await search(asked)).texts).toContain(PAGES['orion.txt'][1]);
    await search({ session: asked.session, message: 'How many months of warranty has the Orion pump?' });
    expect(writer.calls).toHaveLength(0);
  });

  it('keeps to own documents with the tags that are named', async () => {
    const owner = await api.signUp();
    const uids = await addDocuments(await idOf(owner));
    await owner.send('PUT', `/semantic-search/${uids['vega.txt']}/tags/`, { tags: ['Plant'] });
    await api.database.dataSource.query('INSERT INTO document_shares (document_uid, user_id) VALUES ($1, $2)', [
      uids['vega.txt'],
      await idOf(client),
    ]);
    const message = 'What is painted red in Norway?';
    const tagged = async (who: HttpClient, path: string, tags: unknown) =>
      splitAnswer<Group | string>(await who.text(`/semantic-search/${path}/`, { message, tags })).sources;
    for (const path of ['chat', 'advanced-search']) {
      const sources = (await tagged(owner, path, ['plant'])) as Group[];
      expect(sources.map(({ filename }) => filename)).toEqual(['vega.txt']);
      expect(await tagged(owner, path, ['plant', 'tax'])).toEqual([]);
      // Tags are the owner's own: whoever the document is shared with does not find it by them.
      expect(await tagged(client, path, ['plant'])).toEqual([]);
    }
    expect(await tagged(owner, 'all-files-chat', ['PLANT'])).toEqual([
      expect.stringContaining(uids['vega.txt']!) as string,
    ]);
    for (const tags of [[' '], ['x'.repeat(65)], 'plant', [{}], Array(51).fill('a')]) {
      const refused = await owner.send('POST', '/semantic-search/chat/', { message, tags });
      expect([tags, refused.status, await refused.text()]).toEqual([tags, 400, expect.stringMatching(/^\{"tags":/)]);
    }
  });

  inAll('asks nobody where the operator has switched it off', async () => {
    client = await start({ QUERY_REWRITING: 'false', QUERY_SPLITTING: 'no' });
    await addDocuments(await idOf(client));
    const asked = await ask('And what does it cover, and how loud is the other one?');
    writer.always(writes('lunch'));
    expect((await search(asked)).texts).toContain(PAGES['orion.txt'][1]);
    expect(writer.calls).toHaveLength(0);
  });
});
