import { LLMock } from '@copilotkit/aimock';
import { startApi, type TestApi } from '../support/api.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { addIndexedDocument } from '../support/retrieval.js';
import { until } from '../support/until.js';

type Body = Record<string, unknown>;

const insights = {
  summary: 'A lease of the **Orion** building for ten years.',
  document_class: 'agreement',
  language: 'en',
  questions: ['How long is the lease?', 'Which building is it?'],
};

const send = async (who: HttpClient, method: string, path: string, body?: unknown) => {
  const response = await who.send(method, `/semantic-search/${path}`, body);
  return { status: response.status, body: (await response.json()) as Body };
};

describe('summaries and questions with a language model', () => {
  const mock = new LLMock({ port: 0 });
  let platform: HostedPlatform;
  let client: HttpClient;
  let reader: HttpClient;
  let stranger: HttpClient;
  let ownerId: number;

  const add = (text: string, generation: number | null = 1) =>
    addIndexedDocument(platform.database.dataSource, { ownerId, pages: [text], generation });
  const summaryOf = (uid: string) => client.get<Body>(`/semantic-search/${uid}/summary/`);
  const ended = (uid: string) => until(async () => (await summaryOf(uid)).status !== 'pending', 30_000);
  const share = (uid: string) =>
    platform.database.dataSource.query(
      'INSERT INTO document_shares (document_uid, user_id) SELECT $1, id FROM users WHERE username = $2',
      [uid, reader.username],
    );
  const calls = (mark: string) => mock.getRequests().filter(({ body }) => JSON.stringify(body).includes(mark)).length;

  beforeAll(async () => {
    await mock.start();
    mock.onMessage(/Orion lease/, { content: JSON.stringify(insights) }, { latency: 200 });
    const loose = { ...insights, document_class: 'Lease contract', language: 'English' };
    mock.onMessage(/loosely described/, {
      content: JSON.stringify({
        ...loose,
        questions: ['', ...Array.from({ length: 12 }, (_, at) => `Question ${at}?`)],
      }),
    });
    mock.onMessage(/say nothing/, { content: ' ' });
    const many = Array.from({ length: 4 }, (_, at) => ({ question: `Lyra ${at}?`, documents: [1, 9, 1.5] }));
    mock.onMessage(/Lyra note/, { content: JSON.stringify({ questions: many }) });
    mock.onMessage(/garbled/, { content: 'This is no JSON.' });
    mock.onMessage(/shorter/, { content: 'A ten-year lease.' });
    mock.onMessage(/Vega note/, {
      content: JSON.stringify({ questions: [{ question: 'What is Vega?', documents: [1, 1] }] }),
    });
    platform = await hostPlatform(['api', 'indexer'], {
      LLM_PROVIDER: 'openai',
      LLM_BASE_URL: `${mock.url}/v1`,
      LLM_MODEL: 'test-model',
    });
    const signUp = () => HttpClient.signUp(platform.baseUrl);
    [client, reader, stranger] = await Promise.all([signUp(), signUp(), signUp()]);
    const [row] = await platform.database.dataSource.query<[{ id: number }]>(
      'SELECT id FROM users WHERE username = $1',
      [client.username],
    );
    ownerId = row.id;
  });
  afterAll(async () => {
    await platform.stop();
    await mock.stop();
  });

  it('writes a summary once, however many ask at the same time', async () => {
    const uid = await add('Orion lease one: the building is let for ten years.');
    await share(uid);
    expect(await summaryOf(uid)).toEqual({
      uid,
      status: 'none',
      summary: '',
      doc_class: '',
      language: '',
      model: '',
      generated_at: null,
      error: '',
    });
    const asked = await Promise.all(
      [client, reader, client, reader].map((who) => send(who, 'POST', `${uid}/summary/generate/`, {})),
    );
    for (const answer of asked)
      expect(answer).toEqual({ status: 202, body: { uid, status: 'pending', detail: expect.any(String) as string } });
    await ended(uid);
    expect(calls('Orion lease one')).toBe(1);
    expect(await summaryOf(uid)).toMatchObject({
      status: 'ready',
      summary: insights.summary,
      doc_class: 'agreement',
      language: 'en',
      model: 'test-model',
      generated_at: expect.any(String) as string,
    });
    expect(await client.get(`/semantic-search/${uid}/questions/`)).toMatchObject({
      uid,
      status: 'ready',
      questions: insights.questions,
    });
    expect(await client.get(`/semantic-search/documents/${uid}/`)).toMatchObject({ doc_class: 'agreement' });

    // There is one now: nothing is written again unless its owner insists.
    expect(await send(client, 'POST', `${uid}/summary/generate/`, {})).toMatchObject({
      status: 200,
      body: { status: 'ready' },
    });
    expect(await send(reader, 'POST', `${uid}/summary/generate/`, { force: true })).toMatchObject({ status: 403 });
    expect(calls('Orion lease one')).toBe(1);
    expect(await send(client, 'POST', `${uid}/summary/generate/`, { force: true, language: 'ar' })).toMatchObject({
      status: 202,
    });
    await ended(uid);
    expect(JSON.stringify(mock.getLastRequest()!.body)).toContain('Write in Arabic.');
  });

  it('says honestly when the model fails, and can be asked again', async () => {
    const uid = await add('Some garbled text.');
    await send(client, 'POST', `${uid}/summary/generate/`, {});
    await platform.database.dataSource.query('UPDATE document_summaries SET attempts = 2 WHERE document_uid = $1', [
      uid,
    ]);
    await ended(uid);
    expect(await summaryOf(uid)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/model/) as string,
      summary: '',
    });
    expect(await send(client, 'POST', `${uid}/summary/generate/`, {})).toMatchObject({
      status: 202,
      body: { status: 'pending' },
    });
  });

  it('takes what a model writes beyond what it was asked for', async () => {
    const uid = await add('A text that is loosely described.');
    await send(client, 'POST', `${uid}/summary/generate/`, {});
    await ended(uid);
    expect(await summaryOf(uid)).toMatchObject({ status: 'ready', doc_class: 'other', language: 'und' });
    const { questions } = await client.get<{ questions: string[] }>(`/semantic-search/${uid}/questions/`);
    expect(questions).toEqual(Array.from({ length: 10 }, (_, at) => `Question ${at}?`));
  });

  it('goes on after its worker was killed', async () => {
    const uid = await add('Orion lease two, with a worker that dies.');
    await platform.database.dataSource.query(
      `INSERT INTO document_summaries (document_uid, status, fence, lease_owner, leased_until, next_attempt_at)
       VALUES ($1, 'pending', 3, 'lost', now() - interval '1 second', now() - interval '1 minute')`,
      [uid],
    );
    await ended(uid);
    expect(await summaryOf(uid)).toMatchObject({ status: 'ready' });
  });

  it('refuses what is not ready, not there, or not theirs', async () => {
    const waiting = await add('x', null);
    expect(await send(client, 'POST', `${waiting}/summary/generate/`, {})).toMatchObject({
      status: 409,
      body: { code: 'document_not_ready', processing_state: 'queued' },
    });
    const uid = await add('Orion lease three.');
    for (const [method, path, body] of [
      ['GET', `${uid}/summary/`],
      ['GET', `${uid}/questions/`],
      ['POST', `${uid}/summary/generate/`, {}],
      ['POST', 'rewrite-summary/', { uid, instruction: 'shorter' }],
    ] as const)
      expect(await send(stranger, method, path, body)).toMatchObject({
        status: 404,
        body: { code: 'document_not_found' },
      });
    expect(await send(stranger, 'POST', 'summaries/', { uids: [uid] })).toMatchObject({
      body: { summaries: [], not_found: [uid] },
    });
    expect(await send(stranger, 'POST', 'questions/', { uids: [uid] })).toMatchObject({
      body: { questions: [], not_found: [uid] },
    });
    expect(await send(client, 'POST', 'rewrite-summary/', { uid, instruction: 'shorter' })).toMatchObject({
      status: 409,
      body: { code: 'summary_not_ready', status: 'none' },
    });
    expect(await send(client, 'POST', 'questions/', { uids: [waiting] })).toMatchObject({
      status: 409,
      body: { uids: [waiting] },
    });
    expect(await send(client, 'POST', 'summaries/', { uids: 'all' })).toMatchObject({ status: 400 });
    const none = await send(client, 'POST', 'summaries/', { uids: [] });
    expect(none).toEqual({ status: 200, body: { summaries: [], not_found: [] } });
    expect(await send(client, 'POST', `${uid}/summary/generate/`, { language: 'Klingon!' })).toMatchObject({
      status: 400,
    });
  });

  it('rewrites a summary, and keeps it for the owner', async () => {
    const uid = await add('Orion lease four.');
    await share(uid);
    await send(client, 'POST', `${uid}/summary/generate/`, {});
    await ended(uid);
    const rewritten = { uid, summary: 'A ten-year lease.', saved: false };
    expect(await send(reader, 'POST', 'rewrite-summary/', { uid, instruction: 'Make it shorter' })).toEqual({
      status: 200,
      body: rewritten,
    });
    expect(await summaryOf(uid)).toMatchObject({ summary: insights.summary });
    const save = { uid, instruction: 'Make it shorter', save: true };
    expect(await send(reader, 'POST', 'rewrite-summary/', save)).toMatchObject({ status: 403 });
    expect(await send(client, 'POST', 'rewrite-summary/', save)).toEqual({
      status: 200,
      body: { ...rewritten, saved: true },
    });
    const nothing = { uid, instruction: 'Please say nothing', save: true };
    expect(await send(client, 'POST', 'rewrite-summary/', nothing)).toMatchObject({
      status: 502,
      body: { code: 'model_error' },
    });
    expect(JSON.stringify(mock.getLastRequest()!.body)).toContain('Keep the language of the summary');
    const { body } = await send(client, 'POST', 'summaries/', { uids: [uid, nobodys] });
    expect(body).toMatchObject({
      summaries: [{ uid, status: 'ready', summary: 'A ten-year lease.', doc_class: 'agreement' }],
      not_found: [nobodys],
    });
  });

  it('asks over several documents', async () => {
    const uid = await add('Vega note: Vega is a valve.');
    const { status, body } = await send(client, 'POST', 'questions/', { uids: [uid, nobodys], count: 1 });
    expect([status, body]).toEqual([
      200,
      { questions: [{ question: 'What is Vega?', uids: [uid] }], not_found: [nobodys] },
    ]);
    const lyra = await add('Lyra note: Lyra is a motor.');
    expect((await send(client, 'POST', 'questions/', { uids: [lyra], count: 2 })).body).toEqual({
      questions: [
        { question: 'Lyra 0?', uids: [lyra] },
        { question: 'Lyra 1?', uids: [lyra] },
      ],
      not_found: [],
    });
    const garbled = await add('garbled too');
    expect(await send(client, 'POST', 'questions/', { uids: [garbled] })).toMatchObject({
      status: 502,
      body: { code: 'model_error' },
    });
  });
});

const nobodys = '00000000-0000-4000-8000-000000000000';

describe('summaries and questions without a language model', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  it('answers 503 before anything is stored', async () => {
    const client = await api.signUp();
    const [row] = await api.database.dataSource.query<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [
      client.username,
    ]);
    const uid = await addIndexedDocument(api.database.dataSource, { ownerId: row.id, pages: ['Text.'] });
    for (const [path, body] of [
      [`${uid}/summary/generate/`, {}],
      ['questions/', { uids: [uid] }],
      ['rewrite-summary/', { uid, instruction: 'shorter' }],
    ] as const) {
      const response = await client.send('POST', `/semantic-search/${path}`, body);
      expect([response.status, await response.json()]).toMatchObject([503, { code: 'model_not_configured' }]);
    }
    expect(await client.get(`/semantic-search/${uid}/summary/`)).toMatchObject({ status: 'none' });
    expect(await client.post('/semantic-search/summaries/', { uids: [uid] })).toMatchObject({
      summaries: [{ uid, status: 'none' }],
    });
  });
});
