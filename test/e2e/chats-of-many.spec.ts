import { call, startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { addIndexedDocument } from '../support/retrieval.js';
import { splitAnswer } from '../support/streamed-answer.js';

interface Group {
  uid: string;
  filename: string;
  path: string;
  chunks: { page: number; chunk_id: string; text: string; score: number; spans: unknown[]; quote_spans?: unknown[] }[];
}

const path = (uid: string, filename: string) => `/media/documents/${uid}/${filename}`;

describe('chats over many documents', () => {
  let api: TestApi;
  let client: HttpClient;
  let viewerId: number;
  let pumps: string;
  let valves: string;
  const add = (filename: string, pages: string[], folder = '') =>
    addIndexedDocument(api.database.dataSource, { ownerId: viewerId, pages, filename, folder });

  beforeAll(async () => {
    api = await startApi();
    await api.hostRunner();
    client = await api.signUp();
    const [row] = await api.database.dataSource.query<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [
      client.username,
    ]);
    viewerId = row.id;
    pumps = await add('pumps.txt', ['The Orion pump weighs 40 kilograms.', 'The Orion pump is painted blue.'], 'plant');
    valves = await add('valves.txt', ['The Vega valve weighs 3 kilograms.'], 'plant/small');
    await add('lunch.txt', ['On Friday there is fish.']);
  });
  afterAll(() => api.stop());

  it('answers from everything: paths, two bars, then text that cites by place in the list', async () => {
    const body = await client.text('/semantic-search/all-files-chat/', {
      message: 'How much does the Vega valve weigh?',
    });
    const { sources, answer } = splitAnswer<string>(body);
    expect(sources[0]).toBe(path(valves, 'valves.txt'));
    expect(new Set(sources).size).toBe(sources.length);
    expect(answer.startsWith('||')).toBe(true);
    expect(answer).toContain('> The Vega valve weighs 3 kilograms.\n> — valves.txt, page 1 [1]');
  });

  it('keeps to a folder and what lies below it', async () => {
    const inside = splitAnswer<string>(
      await client.text('/semantic-search/all-files-chat/', { message: 'Is there fish on Friday?', folder: '/plant/' }),
    );
    expect(inside).toEqual({ sources: [], answer: '||The documents do not contain an answer to this question.' });
    const below = splitAnswer<string>(
      await client.text('/semantic-search/all-files-chat/', {
        message: 'How heavy is the Orion pump?',
        folder: 'plant/small',
      }),
    );
    expect(below.sources.every((source) => source === path(valves, 'valves.txt'))).toBe(true);
  });

  it('groups passages by document and cites the group', async () => {
    const { sources, answer } = splitAnswer<Group>(
      await client.text('/semantic-search/chat/', { message: 'What does the Orion pump weigh and how is it painted?' }),
    );
    expect(sources[0]).toMatchObject({ uid: pumps, filename: 'pumps.txt', path: path(pumps, 'pumps.txt') });
    expect(sources[0]!.chunks.map(({ page }) => page).toSorted()).toEqual([1, 2]);
    expect(sources[0]!.chunks[0]).toMatchObject({ spans: [], chunk_id: expect.any(String) as string });
    expect(answer).toContain('pumps.txt, page 1 [1]');
    expect(answer).toContain('pumps.txt, page 2 [1]');
  });

  it('says where on the page its quotes stand, and of what it quotes only', async () => {
    const [heading, quoted, other] = [
      'Gauges',
      'The Lyra gauge reads up to 16 bar.',
      'It is cleaned with a dry cloth.',
    ];
    const text = `${heading}\n\n${quoted}\n${other}`;
    const line = (words: string, at: number) => {
      const start = text.indexOf(words);
      const rect: [number, number, number, number] = [0.1, at / 10, 0.9, at / 10 + 0.05];
      return { start, end: start + words.length, rect };
    };
    const gauges = await addIndexedDocument(api.database.dataSource, {
      ownerId: viewerId,
      pages: [
        { text, lines: [line(heading, 1), line(quoted, 2), line(other, 3)] },
        { text: 'Gauges of other makers hang in the hall.', lines: [{ start: 0, end: 40, rect: [0, 0, 1, 0.1] }] },
      ],
      filename: 'gauges.pdf',
    });
    const expected = [{ page: 1, rect: [0.1, 0.2, 0.9, 0.25] }];
    const message = 'How many bar does the Lyra gauge read?';
    const grouped = splitAnswer<Group>(await client.text('/semantic-search/chat/', { message, uids: [gauges] }));
    expect(grouped.answer).toContain(`> ${quoted}\n`);
    const chunks = grouped.sources.flatMap((source) => source.chunks);
    expect(chunks.map((chunk) => [chunk.page, chunk.quote_spans])).toEqual([
      [1, expected],
      [2, undefined],
    ]);
    const single = splitAnswer<Group['chunks'][0]>(
      await client.text('/semantic-search/single-file-chat/', { message, uid: gauges }),
    );
    expect(single.sources.find(({ page }) => page === 1)!.quote_spans).toEqual(expected);
  });

  it('asks chosen documents or a folder, not both', async () => {
    const chosen = splitAnswer<Group>(
      await client.text('/semantic-search/chat/', { message: 'What weighs how many kilograms?', uids: [valves] }),
    );
    expect(chosen.sources.map(({ uid }) => uid)).toEqual([valves]);
    const both = await client.send('POST', '/semantic-search/chat/', { message: 'x', uids: [valves], folder: 'plant' });
    expect([both.status, await both.json()]).toMatchObject([400, { code: 'ambiguous_scope' }]);
    const stranger = await api.signUp();
    const foreign = await stranger.send('POST', '/semantic-search/chat/', { message: 'x', uids: [valves] });
    expect(foreign.status).toBe(404);
    expect(
      splitAnswer(await stranger.text('/semantic-search/all-files-chat/', { message: 'Vega valve kilograms' })).sources,
    ).toEqual([]);
  });

  it('searches for one thing and answers another', async () => {
    const { sources, answer } = splitAnswer<Group>(
      await client.text('/semantic-search/advanced-search/', {
        query: 'Vega valve',
        message: 'How many kilograms does it weigh?',
        mode: 'keyword',
        limit: 1,
      }),
    );
    expect(sources.map(({ uid, chunks }) => [uid, chunks.length])).toEqual([[valves, 1]]);
    expect(answer).toContain('3 kilograms');
    const alone = splitAnswer<Group>(
      await client.text('/semantic-search/advanced-search/', { query: 'fish on Friday' }),
    );
    expect(alone.sources[0]!.filename).toBe('lunch.txt');
    const nothing = await client.send('POST', '/semantic-search/advanced-search/', { limit: 3 });
    expect([nothing.status, await nothing.json()]).toMatchObject([400, { code: 'message_required' }]);
    // Each of the two has a part of what the answer needs.
    const parts = { query: 'Vega valve', message: 'How heavy?' };
    expect(splitAnswer(await client.text('/semantic-search/advanced-search/', parts)).answer).toContain('3 kilograms');
  });

  it('keeps nothing of a search that it cannot make', async () => {
    const by = await api.signUp();
    const vector = await by.send('POST', '/semantic-search/advanced-search/', { query: 'x', mode: 'vector' });
    expect([vector.status, await vector.json()]).toMatchObject([503, { code: 'index_unavailable' }]);
    expect(await by.get('/microservices/chat-sessions/')).toMatchObject({ count: 0 });
  });

  it('takes null for what is not given', async () => {
    const named = { conversation_id: null, chat_session_id: null, client_turn_id: null, llm_model_id: null };
    const scope = { language: null, uids: null, folder: null };
    const question = { ...named, ...scope, message: 'How much does the Vega valve weigh?' };
    for (const path of ['chat', 'all-files-chat', 'advanced-search'])
      expect(await client.text(`/semantic-search/${path}/`, { query: null, ...question })).toContain('3 kilograms');
    const filters = { uids: null, folder: null, doc_class: null, min_score: null, created_from: null };
    expect(await client.post('/semantic-search/search/', { query: 'Vega valve', ...filters })).toMatchObject({
      results: [{ uid: valves }],
    });
  });

  it('knows its models', async () => {
    const body = { message: 'Is there fish?', llm_model_id: 999 };
    const unknown = await client.send('POST', '/semantic-search/chat/', body);
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { code: 'model_not_found' }]);
    const known = await client.send('POST', '/semantic-search/chat/', { ...body, llm_model_id: 1 });
    expect(known.status).toBe(200);
    await known.text();
  });

  it('keeps conversations, which only their owner reads, renames and deletes', async () => {
    const stranger = await api.signUp();
    const ask = async (message: string) => {
      const response = await client.send('POST', '/semantic-search/chat/', { message, conversation_id: 'talk' });
      return {
        turn: response.headers.get('x-turn-id'),
        session: Number(response.headers.get('x-chat-session-id')),
        body: await response.text(),
      };
    };
    const first = await ask('How much does the Vega valve weigh?');
    const second = await ask('And the Orion pump?');
    expect(second.session).toBe(first.session);
    const base = '/microservices/chat-sessions/';
    const address = `${base}${first.session}/`;
    const listed = await client.get<{ results: Record<string, unknown>[] }>(`${base}?kind=document&search=vega`);
    expect(listed.results[0]).toMatchObject({
      id: first.session,
      kind: 'document',
      title: 'How much does the Vega valve weigh?',
      conversation_id: 'talk',
      pinned: false,
      message_count: 4,
    });
    type Messages = { id: number; turn_id: string; role: string; message: string; sources: Group[] }[];
    const messages = await client.get<Messages>(`${address}messages/`);
    expect(messages.map(({ turn_id, role }) => [turn_id, role])).toEqual([
      [first.turn, 'user'],
      [first.turn, 'assistant'],
      [second.turn, 'user'],
      [second.turn, 'assistant'],
    ]);
    const { sources, answer } = splitAnswer<Group>(first.body);
    expect(messages[1]).toMatchObject({ message: answer, sources });
    const before = await client.get<Messages>(`${address}messages/?limit=2&before=${messages[3]!.id}`);
    expect(before.map(({ id }) => id)).toEqual([messages[1]!.id, messages[2]!.id]);
    const patched = await client.send('PATCH', address, { title: 'Weights', pinned: true });
    expect(await patched.json()).toMatchObject({ title: 'Weights', pinned: true });
    for (const [method, at] of [
      ['GET', address],
      ['PATCH', address],
      ['DELETE', address],
      ['GET', `${address}messages/`],
    ] as const)
      expect((await stranger.send(method, at, method === 'PATCH' ? { title: 'Mine' } : undefined)).status).toBe(404);
    const made = await client.send('POST', base, { kind: 'document', title: 'Empty' });
    expect([made.status, await made.json()]).toMatchObject([201, { title: 'Empty', message_count: 0 }]);
    expect((await client.send('DELETE', address)).status).toBe(204);
    expect((await client.send('GET', address)).status).toBe(404);
    expect((await call(`${api.baseUrl}${base}`)).status).toBe(401);
  });
});

describe('searching over HTTP', () => {
  let api: TestApi;
  let client: HttpClient;
  let viewerId: number;
  type Found = { results: { uid: string; filename: string; score: number; explanation?: Record<string, unknown> }[] };
  const names = async (query: string, more: object = {}) =>
    (await client.post<Found>('/semantic-search/search/', { query, ...more })).results.map(({ filename }) => filename);

  beforeAll(async () => {
    api = await startApi();
    client = await api.signUp();
    const dataSource = api.database.dataSource;
    const [row] = await dataSource.query<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [
      client.username,
    ]);
    viewerId = row.id;
    await addIndexedDocument(dataSource, {
      ownerId: viewerId,
      filename: 'Expense-Handbook 2026.pdf',
      pages: ['Travel is paid by the firm.'],
    });
    const old = await addIndexedDocument(dataSource, {
      ownerId: viewerId,
      filename: 'old.txt',
      pages: ['Travel needs a form.'],
      docClass: 'policy',
    });
    await dataSource.query(`UPDATE documents SET created_at = '2020-05-01' WHERE uid = $1`, [old]);
    await addIndexedDocument(dataSource, { ownerId: viewerId, filename: 'دليل السفر.pdf', pages: ['نص قصير.'] });
  });
  afterAll(() => api.stop());

  it('finds documents by name: by its beginning, with a letter wrong, in Arabic', async () => {
    expect(await names('expense handb')).toEqual(['Expense-Handbook 2026.pdf']);
    expect(await names('expence handbook')).toEqual(['Expense-Handbook 2026.pdf']);
    expect(await names('دليل السفر')).toEqual(['دليل السفر.pdf']);
    expect(await names('handball tournament')).toEqual([]);
    const stranger = await api.signUp();
    expect(await stranger.post('/semantic-search/search/', { query: 'expense handbook' })).toMatchObject({ count: 0 });
  });

  it('finds a shared document by its name', async () => {
    const friend = await api.signUp();
    await api.database.dataSource.query(
      `INSERT INTO document_shares (document_uid, user_id) SELECT d.uid, u.id FROM documents d, users u
       WHERE d.filename = 'Expense-Handbook 2026.pdf' AND d.owner_id = $1 AND u.username = $2`,
      [viewerId, friend.username],
    );
    const found = await friend.post<Found>('/semantic-search/search/', { query: 'expence handbook' });
    expect(found.results.map(({ filename }) => filename)).toEqual(['Expense-Handbook 2026.pdf']);
  });

  it('filters by date and class', async () => {
    expect((await names('travel')).toSorted()).toEqual(['Expense-Handbook 2026.pdf', 'old.txt']);
    expect(await names('travel', { created_before: '2021-01-01T00:00:00Z' })).toEqual(['old.txt']);
    expect(await names('travel', { created_from: '2021-01-01T00:00:00Z' })).toEqual(['Expense-Handbook 2026.pdf']);
    expect(await names('travel', { doc_class: 'policy' })).toEqual(['old.txt']);
    const wrong = await client.send('POST', '/semantic-search/search/', { query: 'x', created_from: 'yesterday' });
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { created_from: [expect.any(String)] }]);
  });

  it('explains its scores when asked', async () => {
    const { results } = await client.post<Found>('/semantic-search/search/', { query: 'travel form', explain: true });
    expect(results[0]!.explanation).toMatchObject({
      keyword: { bm25: expect.any(Number) as number, share: results[0]!.score, weight: 1 },
      vector: null,
      name: null,
      rerank: null,
    });
    const plain = await client.post<Found>('/semantic-search/search/', { query: 'travel form' });
    expect(plain.results[0]).not.toHaveProperty('explanation');
  });
});
