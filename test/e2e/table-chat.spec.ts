import { LLMock } from '@copilotkit/aimock';
import { call, postJson, startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { inAll, LONG, rounds } from '../support/long.js';
import { addTableFile, ORDERS, type NewTable } from '../support/tables.js';
import { until } from '../support/until.js';
import { splitAnswer } from '../support/streamed-answer.js';

interface ChatAnswer {
  uid: string;
  status: string;
  answer: string;
  sql: string | null;
  columns: { name: string; type: string }[];
  rows: unknown[][];
  row_count: number;
  truncated: boolean;
  mgid: string | null;
  error: string | null;
  code: string | null;
  chat_session_id: number;
  duration_ms: number;
}

interface Thought {
  step: number;
  type: string;
  text: string;
  sql: string | null;
  row_count: number | null;
}

async function userId(api: TestApi, client: HttpClient): Promise<number> {
  const [row] = await api.database.dataSource.query<{ id: number }[]>('SELECT id FROM users WHERE username = $1', [
    client.username,
  ]);
  return row!.id;
}

async function turnsOf(api: TestApi, client: HttpClient) {
  return api.database.dataSource.query<Record<string, unknown>[]>(
    'SELECT t.*, s.kind FROM chat_turns t JOIN chat_sessions s ON s.id = t.session_id WHERE s.user_id = $1 ORDER BY seq',
    [await userId(api, client)],
  );
}

const STOCK: NewTable = {
  name: 'stock',
  columns: { region: 'text', product: 'text', quantity: 'integer', discount: 'number', day: 'date' },
  rows: `SELECT * FROM (VALUES ('US', 'Table', 671, 0.1::DOUBLE, DATE '2023-02-01'), ('EU', 'Chair', 1600, 0.2, DATE '2024-02-01'),
    ('IT', 'Table', 46, 0.1, DATE '2024-03-01')) t(region, product, quantity, discount, day)`,
};
const BUDGET: NewTable = {
  name: 'budget',
  columns: { department: 'text', _2024_q1: 'number', rate: 'number' },
  known: {
    _2024_q1: { originalName: 'Q1', unit: 'EUR', headerPath: ['2024', 'Q1'], missingFormulas: 2 },
    rate: { unit: '%' },
  },
  totalRows: [{ row: 9, label: 'Total' }],
  rows: `SELECT * FROM (VALUES ('IT', 10::DOUBLE, 5::DOUBLE), ('HR', 20, 6), ('HR', NULL, 7)) t(department, _2024_q1, rate)`,
};

const asUser = (client: HttpClient) => ({ authorization: `Token ${client.token}` });

function spreadsheetOf(api: TestApi, client: HttpClient): Promise<string> {
  return userId(api, client).then((ownerId) =>
    addTableFile(api, {
      ownerId,
      store: 'spreadsheet',
      filename: 'orders.xlsx',
      tables: [{ ...ORDERS, sheet: 'Sales 2024' }],
    }),
  );
}

const split = splitAnswer<Record<string, unknown>>;

describe('without a language model', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
    await api.hostRunner();
  });
  afterAll(() => api?.stop());

  describe('questions to tables', () => {
    let client: HttpClient;
    let uid: string;
    /** What several tests look at. */
    let byCity: ChatAnswer;
    const list = (query: string, by = client) => by.get<Record<string, unknown>[]>(`/database-search/${query}`);
    const ask = (message: string, more: Record<string, unknown> = {}, by = client) =>
      by.post<ChatAnswer>('/database-search/chat/', { uid, message, ...more });
    beforeAll(async () => {
      client = await api.signUp();
      uid = await addTableFile(api, { ownerId: await userId(api, client), tables: [ORDERS] });
      byCity = await ask('What is the total amount by city?', { conversation_id: 'kept' });
    });

    it('answers simple ones with their SQL, rows and a chart', async () => {
      const answer = byCity;
      expect(answer).toMatchObject({
        status: 'completed',
        columns: [
          { name: 'city', type: 'text' },
          { name: 'sum_amount', type: 'number' },
        ],
        rows: [
          ['Irbid', 600],
          ['Amman', 500],
          ['Zarqa', 100],
        ],
        row_count: 3,
        truncated: false,
        error: null,
      });
      expect(answer.sql).toContain('sum("amount")');
      expect(answer.answer).toContain('| Irbid | 600 |');
      expect(answer.answer).toContain('Computed without a language model');
      expect(answer.duration_ms).toBeGreaterThan(0);
      const chart = await client.get<Record<string, unknown>>(`/microservices/dashboard-data/?mgid=${answer.mgid}`);
      expect(chart).toMatchObject({
        mgid: answer.mgid,
        title: 'What is the total amount by city?',
        chart_type: 'bar',
        rows: answer.rows,
        row_count: 3,
        source: { type: 'file', source_ref: `file:${uid}`, sql: answer.sql },
        workflow_id: null,
        stale: false,
        spec: {
          mark: { type: 'bar' },
          data: { values: expect.arrayContaining([{ c0: 'Irbid', c1: 600 }]) as unknown },
        },
      });
    });

    it('keeps the steps, and the turn', async () => {
      const answer = byCity;
      const { thoughts, ...rest } = await client.get<{ uid: string; thoughts: Thought[] }>(
        `/database-search/${answer.uid}/thoughts/`,
      );
      expect(rest).toEqual({ uid: answer.uid });
      expect(thoughts.map(({ step, type }) => [step, type])).toEqual([
        [1, 'schema'],
        [2, 'sql'],
        [3, 'result'],
        [4, 'answer'],
      ]);
      expect(thoughts[1]!.sql).toBe(answer.sql);
      expect(thoughts[2]!.row_count).toBe(3);
      expect(thoughts[3]!.text).toBe(answer.answer);
      const kept = (await turnsOf(api, client)).find(({ id }) => id === answer.uid);
      expect(kept).toMatchObject({
        id: answer.uid,
        kind: 'database',
        status: 'completed',
        model: 'quoting',
        session_id: answer.chat_session_id,
        sources: [{ uid, filename: 'orders.csv' }],
      });
      const stranger = await api.signUp();
      expect((await stranger.send('GET', `/database-search/${answer.uid}/thoughts/`)).status).toBe(404);
    });

    it('follows the conversation, and asks back', async () => {
      const first = await ask('total amount in Amman', { conversation_id: 'c' });
      expect(first.rows).toEqual([[500]]);
      const second = await ask('and in Irbid?', { conversation_id: 'c' });
      expect([second.rows, second.chat_session_id]).toEqual([[[600]], first.chat_session_id]);
      const third = await ask('and in Zarqa?', { chat_session_id: first.chat_session_id });
      expect(third.rows).toEqual([[100]]);
      const two = [uid, await addTableFile(api, { ownerId: await userId(api, client), tables: [ORDERS] })];
      const both = { uid: undefined, uids: two, conversation_id: 'reply' };
      const unclear = await ask('how many rows', both);
      expect(unclear).toMatchObject({ status: 'clarification', sql: null, rows: [], mgid: null });
      expect(unclear.answer).toBe('Which table do you mean: “orders”, “orders_2”?');
      const replied = await ask('the second', both);
      expect(replied).toMatchObject({ status: 'completed', sql: 'SELECT count(*) AS "count" FROM "orders_2"' });
      expect((await ask('best city', { conversation_id: 'best' })).status).toBe('clarification');
      const best = await ask('total amount', { conversation_id: 'best' });
      expect(best.sql).toMatch(/^SELECT "city", sum\("amount"\) .* DESC NULLS LAST, 1 LIMIT 10$/);
      const other = await ask('total amount', { conversation_id: 'other' });
      expect(other.rows).toEqual([[1200]]);
    });

    inAll('reads a value of the data before a word of asking, and names what it does not know', async () => {
      const by = await api.signUp();
      const own = await addTableFile(api, { ownerId: await userId(api, by), tables: [STOCK] });
      const question = (message: string, more: object = {}) => ask(message, { uid: own, ...more }, by);
      expect((await question('total quantity in it', { conversation_id: 'stock' })).rows).toEqual([[46]]);
      expect((await question('and for US?', { conversation_id: 'stock' })).rows).toEqual([[671]]);
      expect((await question('total quantity of Table and Chair')).rows).toEqual([[2317]]);
      expect((await question('how many rows in 2023 and 2024')).rows).toEqual([[3]]);
      expect((await question('how many rows with discount of 10%')).rows).toEqual([[2]]);
      const nothing = await question('how many rows in 1999');
      expect(nothing.answer).toMatch(/^No rows match\. No row has “day” in 1999\./);
      const refused = await postJson(
        `${api.baseUrl}/database-search/chat/`,
        { uid: own, message: 'total quantity in Atlantis' },
        asUser(by),
      );
      expect(refused).toMatchObject({ status: 503, body: { detail: expect.stringContaining('“Atlantis”') as string } });
    });

    inAll('answers in Arabic', async () => {
      const arabic = await addTableFile(api, {
        ownerId: await userId(api, client),
        filename: 'مبيعات.csv',
        tables: [
          {
            name: 'مبيعات',
            columns: { المدينة: 'text', المبلغ: 'number' },
            rows: `SELECT * FROM (VALUES ('عمان', 10.5::DOUBLE), ('إربد', 4.5)) t("المدينة", "المبلغ")`,
          },
        ],
      });
      const answer = await ask('ما مجموع المبلغ؟', { uid: arabic });
      expect(answer.rows).toEqual([[15]]);
      expect(answer.answer).toBe(
        '**15**\n\n_حُسبت الإجابة دون نموذج لغوي، وفُهم السؤال على أنه: مجموع “المبلغ” من الجدول “مبيعات”._',
      );
    });

    inAll('answers from a file that is deleted meanwhile, or knows it no more', async () => {
      const ownerId = await userId(api, client);
      const files = await Promise.all(
        Array.from({ length: rounds(8, 4) }, () => addTableFile(api, { ownerId, tables: [ORDERS] })),
      );
      const asked = files.map(async (file, at) => {
        const answer = postJson(
          `${api.baseUrl}/database-search/chat/`,
          { uid: file, message: 'How many rows?' },
          asUser(client),
        );
        await new Promise((resolve) => setTimeout(resolve, (at * 480) / files.length));
        expect((await client.send('DELETE', `/database-search/${file}/delete/`)).status).toBe(200);
        const { status } = await answer;
        return status;
      });
      for (const status of await Promise.all(asked)) expect([200, 404]).toContain(status);
    });

    inAll('says 503 for what needs a model, and keeps nothing of it', async () => {
      const by = await api.signUp();
      const own = await addTableFile(api, { ownerId: await userId(api, by), tables: [ORDERS] });
      for (const path of ['/database-search/chat/', '/spreadsheet-search/chat/']) {
        const store = path.startsWith('/database') ? own : await spreadsheetOf(api, by);
        const answer = await postJson(api.baseUrl + path, { uid: store, message: 'Why did it fall?' }, asUser(by));
        expect([answer.status, answer.body]).toEqual([
          503,
          { detail: expect.any(String) as string, code: 'model_not_configured' },
        ]);
      }
      expect(await turnsOf(api, by)).toEqual([]);
      expect(
        await api.database.dataSource.query('SELECT FROM chat_sessions WHERE user_id = $1', [await userId(api, by)]),
      ).toEqual([]);
    });

    it('refuses with the codes of the contract', async () => {
      const send = (body: unknown, headers = asUser(client)) =>
        postJson(`${api.baseUrl}/database-search/chat/`, body, headers);
      expect(await send({ uid })).toMatchObject({ status: 400, body: { code: 'message_required' } });
      expect(await send({ message: 'x' })).toMatchObject({ status: 400, body: { uids: ['This field is required.'] } });
      expect(await send({ message: 'x', uid: 'no' })).toMatchObject({
        status: 400,
        body: { uid: [expect.any(String)] },
      });
      const many = Array.from({ length: 6 }, (_, at) => `00000000-0000-4000-8000-00000000000${at}`);
      expect(await send({ message: 'x', uids: many })).toMatchObject({ status: 400, body: { code: 'too_many_files' } });
      expect(await send({ message: 'x', uids: many.slice(1) })).toMatchObject({
        status: 404,
        body: { code: 'document_not_found' },
      });
      const waiting = await addTableFile(api, { ownerId: await userId(api, client), tables: [], ready: false });
      expect(await send({ message: 'x', uids: [uid, waiting] })).toMatchObject({
        status: 409,
        body: { code: 'document_not_ready', uids: [waiting] },
      });
      expect(await send({ uid, message: 'how many rows', chat_session_id: 999_999 })).toMatchObject({
        status: 404,
        body: { code: 'chat_session_not_found' },
      });
      expect(await send({ uid, message: 'how many rows', llm_model_id: 99 })).toMatchObject({
        status: 404,
        body: { code: 'model_not_found' },
      });
      expect(await send({ uid: await spreadsheetOf(api, client), message: 'x' })).toMatchObject({ status: 404 });
      const stranger = await api.signUp();
      expect(await send({ uid, message: 'how many rows' }, asUser(stranger))).toMatchObject({
        status: 404,
        body: { code: 'document_not_found' },
      });
      expect((await postJson(`${api.baseUrl}/database-search/chat/`, { uid, message: 'x' })).status).toBe(401);
    });

    it('keeps messages once, and lists one’s own', async () => {
      const answer = byCity;
      const { uid: turn, sql, mgid } = answer;
      const body = { uid: turn, conversation_id: 'kept', question: 'How many?', answer: answer.answer, sql, mgid };
      const store = (path: string, message: object, by = client) =>
        postJson(`${api.baseUrl}/${path}/store/`, message, asUser(by));
      const stored = await store('database-search', body);
      expect(stored).toMatchObject({
        status: 201,
        body: { ...body, id: expect.any(Number) as number, file_uids: [uid] },
      });
      const again = await store('database-search', { ...body, answer: 'something else' });
      expect([again.status, again.body]).toEqual([200, stored.body]);
      const bare = await store('database-search', { conversation_id: 'bare', question: 'Q', answer: 'A' });
      expect(bare.body).toMatchObject({ sql: null, mgid: null, file_uids: [] });
      expect((await list('')).map(({ conversation_id: name }) => name)).toEqual(['bare', 'kept']);
      expect(await list('?conversation_id=kept')).toEqual([stored.body]);
      expect(await list(`?uid=${turn}`)).toEqual([stored.body]);
      expect(await list('?page=2')).toEqual([]);
      const sheets = await store('spreadsheet-search', body);
      expect(sheets).toMatchObject({ status: 201, body: { file_uids: [] } });
      expect(await client.get('/spreadsheet-search/')).toEqual([sheets.body]);
      const stranger = await api.signUp();
      expect(await list('', stranger)).toEqual([]);
      // Whoever knows the uid of another's turn learns nothing from it.
      expect(await store('database-search', body, stranger)).toMatchObject({ status: 201, body: { file_uids: [] } });
      expect(await store('database-search', { conversation_id: 'x' })).toMatchObject({
        status: 400,
        body: { question: ['This field is required.'], answer: ['This field is required.'] },
      });
      const at = await Promise.all(
        Array.from({ length: 8 }, () =>
          store('database-search', { ...body, uid: '10000000-0000-4000-8000-000000000000' }),
        ),
      );
      expect(at.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    });

    it('shows the chart in the conversation', async () => {
      const { chat_session_id: session, mgid } = byCity;
      const messages = await client.get<object[]>(`/microservices/chat-sessions/${session}/messages/`);
      expect(messages).toMatchObject([
        { role: 'user', mgid: null },
        { role: 'assistant', mgid },
      ]);
    });

    inAll('encrypts steps and kept messages with the rest', async () => {
      const by = await api.signUp();
      const own = await addTableFile(api, { ownerId: await userId(api, by), tables: [ORDERS] });
      const asked = { uid: own, message: 'total amount in Amman', client_turn_id: 'named' };
      const answer = await by.post<ChatAnswer>('/database-search/chat/', asked);
      const kept = { uid: answer.uid, conversation_id: 'c', question: 'Amman?', answer: 'Amman!', sql: 'Amman' };
      const repeated = { ...asUser(by), 'idempotency-key': 'kept' };
      const keep = () => postJson(`${api.baseUrl}/database-search/store/`, kept, repeated);
      expect((await keep()).status).toBe(201);
      const migrated = await by.post('/users/encryption/migrate-chats/', { dek: 'ab'.repeat(32) });
      expect(migrated).toEqual({ migrated: 4 });
      const { thoughts } = await by.get<{ thoughts: Thought[] }>(`/database-search/${answer.uid}/thoughts/`);
      const said = [...thoughts, ...(await list('', by))].map((row) => JSON.stringify(row)).join();
      expect(said).not.toMatch(/Amman|amount/);
      expect(thoughts.every(({ text }) => text.startsWith('enc:v1:'))).toBe(true);
      expect(await by.post('/users/encryption/migrate-chats/', { dek: 'ab'.repeat(32) })).toEqual({ migrated: 0 });
      const erased = { status: 409, body: { code: 'turn_erased' } };
      expect(await postJson(`${api.baseUrl}/database-search/chat/`, asked, asUser(by))).toMatchObject(erased);
      expect(await keep()).toMatchObject(erased);
      expect(
        await api.database.dataSource.query(`SELECT FROM idempotency_keys WHERE response_body LIKE '%Amman%'`),
      ).toEqual([]);
      // What only the client can read is no history: the follow-up is not understood.
      const next = await postJson(
        `${api.baseUrl}/database-search/chat/`,
        { uid: own, message: 'and in Irbid?', chat_session_id: answer.chat_session_id },
        asUser(by),
      );
      expect(next.status).toBe(503);
    });

    it('shows charts to their owner alone', async () => {
      const { mgid } = byCity;
      const get = (query: string, by = client) =>
        call(`${api.baseUrl}/microservices/dashboard-data/${query}`, { headers: asUser(by) });
      expect(await get('')).toMatchObject({ status: 400, body: { code: 'mgid_required' } });
      expect(await get('?mgids=')).toMatchObject({ status: 400, body: { code: 'mgid_required' } });
      expect(await get('?mgid=nothing')).toMatchObject({ status: 404, body: { code: 'chart_not_found' } });
      const unknown = '00000000-0000-4000-8000-000000000000';
      expect((await get(`?mgid=${unknown}`)).status).toBe(404);
      const several = await get(`?mgids=${mgid},${unknown},x`);
      expect(several.body).toMatchObject({ charts: [{ mgid }], not_found: [unknown, 'x'] });
      expect(await get(`?mgids=${Array.from({ length: 21 }, (_, n) => n).join()}`)).toMatchObject({ status: 400 });
      const stranger = await api.signUp();
      expect(await get(`?mgid=${mgid}`, stranger)).toMatchObject({ status: 403, body: { code: 'chart_not_yours' } });
      expect((await get(`?mgids=${mgid}`, stranger)).body).toEqual({ charts: [], not_found: [mgid] });
      await api.database.dataSource.query('DELETE FROM tabular_files WHERE uid = $1', [uid]);
      expect((await get(`?mgid=${mgid}`)).body).toMatchObject({ stale: true });
    });
  });

  describe('questions to spreadsheets', () => {
    let client: HttpClient;
    let uid: string;
    beforeAll(async () => {
      client = await api.signUp();
      uid = await spreadsheetOf(api, client);
    });

    it('streams the cells, then the answer', async () => {
      const response = await client.send('POST', '/spreadsheet-search/chat/', {
        uids: [uid],
        message: 'total amount in Irbid',
      });
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      const { sources, answer } = split(await response.text());
      expect(sources).toEqual([
        {
          uid,
          filename: 'orders.xlsx',
          sheet: 'Sales 2024',
          ranges: ['C9:D11'],
          rows: [
            ['Irbid', 200],
            ['Irbid', 200],
            ['Irbid', 200],
          ],
        },
      ]);
      expect(answer).toMatch(/^\*\*600\*\*/);
      const turnId = response.headers.get('x-turn-id');
      await until(async () => (await turnsOf(api, client)).at(-1)?.status === 'completed');
      expect((await turnsOf(api, client)).at(-1)).toMatchObject({ id: turnId, kind: 'spreadsheet', sources, answer });
      const { thoughts } = await client.get<{ thoughts: Thought[] }>(`/database-search/${turnId}/thoughts/`);
      expect(thoughts.at(-1)).toMatchObject({ type: 'answer', text: answer });
    });

    inAll('reads values of the data before words of asking, here too', async () => {
      const ownerId = await userId(api, client);
      const stock = await addTableFile(api, { ownerId, store: 'spreadsheet', filename: 'stock.xlsx', tables: [STOCK] });
      const told = async (message: string) =>
        split(await client.text('/spreadsheet-search/chat/', { uids: [stock], message })).answer;
      // As of tables, of which it is asked in each run.
      if (LONG) expect(await told('total quantity in US')).toMatch(/^\*\*671\*\*/);
      expect(await told('Which region has the highest quantity?')).toMatch(
        /^\*\*EU\*\*: 1600[\s\S]*highest “quantity”/,
      );
    });

    it('frames events on request', async () => {
      const body = await client.text('/spreadsheet-search/chat/?framing=sse', {
        uids: [uid],
        message: 'how many rows',
      });
      expect(body).toMatch(/^id: \d+\nevent: sources\ndata: \[\{"uid"/);
      expect(body).toContain('"ranges":["B4:E13"]');
      expect(body).toMatch(/event: done\ndata: \{"turn_id":"[^"]+","usage":null\}\n\n$/);
    });

    inAll('points at nothing where nothing matches, and takes null for what is not given', async () => {
      const nothing = { conversation_id: null, chat_session_id: null, client_turn_id: null, language: null, uid: null };
      const text = await client.text('/spreadsheet-search/chat/', {
        ...nothing,
        uids: [uid],
        message: 'total amount in 1999',
      });
      expect(split(text)).toMatchObject({
        sources: [{ ranges: [], rows: [] }],
        answer: expect.stringMatching(/^No rows/),
      });
    });

    it('refuses strangers and files of the other store', async () => {
      const stranger = await api.signUp();
      const send = (body: unknown, by = client) =>
        postJson(`${api.baseUrl}/spreadsheet-search/chat/`, body, asUser(by));
      expect(await send({ uids: [uid], message: 'how many rows' }, stranger)).toMatchObject({ status: 404 });
      const database = await addTableFile(api, { ownerId: await userId(api, client), tables: [ORDERS] });
      expect(await send({ uids: [database], message: 'how many rows' })).toMatchObject({ status: 404 });
    });
  });
});

const plan = (fields: Record<string, unknown>) => ({
  content: JSON.stringify({ reasoning: 'Because.', action: 'query', sql: '', reply: '', chart: 'auto', ...fields }),
});
const usageOf = (prompt: number, completion: number) => ({
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
});
const asksForPlan = (request: { response_format?: unknown }) => request.response_format !== undefined;

describe('questions to tables with a language model', () => {
  const mock = new LLMock({ port: 0 });
  let api: TestApi;
  let client: HttpClient;
  let uid: string;
  /** What the model plans for a question, and then says of the result. */
  const script = (userMessage: RegExp, fields: Record<string, unknown>, said?: string, options: object = {}) => {
    mock.on({ userMessage, predicate: asksForPlan }, plan(fields));
    if (said !== undefined)
      mock.on({ userMessage, predicate: (request) => !asksForPlan(request) }, { content: said }, options);
  };
  const ask = (message: string, more: Record<string, unknown> = {}) =>
    client.post<ChatAnswer>('/database-search/chat/', { uid, message, ...more });
  const stepsOf = async (turn: string) =>
    (await client.get<{ thoughts: Thought[] }>(`/database-search/${turn}/thoughts/`)).thoughts;
  const usedFor = async (message: string) => {
    const { uid: turn } = await ask(message);
    return (await client.get<{ usage: unknown }>(`/microservices/chat-turns/${turn}/`)).usage;
  };
  const requests = () =>
    mock.getRequests().map(({ body }) => body as unknown as { messages: { role: string; content: string }[] });

  beforeAll(async () => {
    await mock.start();
    const model = {
      LLM_PROVIDER: 'openai',
      LLM_BASE_URL: `${mock.url}/v1`,
      LLM_MODEL: 'test-model',
      LLM_TIMEOUT_SECONDS: '15',
      LLM_ANSWER_SECONDS: '15',
      TABLE_QUERY_SECONDS: '5',
    };
    api = await startApi(model);
    await api.hostRunner();
    client = await api.signUp();
    uid = await addTableFile(api, { ownerId: await userId(api, client), tables: [ORDERS] });
  });
  afterAll(async () => {
    await api.stop();
    await mock.stop();
  });

  it('has the SQL written, checked and run, and the answer made of the rows', async () => {
    script(
      /best city/,
      { sql: 'SELECT city, sum(amount) AS revenue FROM orders GROUP BY city ORDER BY revenue DESC;', chart: 'pie' },
      'Irbid leads with 600.',
    );
    const answer = await ask('Which is our best city?', { conversation_id: 'm' });
    expect(answer).toMatchObject({
      status: 'completed',
      answer: 'Irbid leads with 600.',
      sql: 'SELECT city, sum(amount) AS revenue FROM orders GROUP BY city ORDER BY revenue DESC',
      rows: [
        ['Irbid', 600],
        ['Amman', 500],
        ['Zarqa', 100],
      ],
    });
    const [planning, answering] = requests().slice(-2);
    expect(planning!.messages[0]!.content).toContain('<table name="orders" rows="10" file="orders.csv">');
    expect(planning!.messages[0]!.content).toContain('- "city" (text), values ["Amman","Irbid","Zarqa"]');
    expect(planning!.messages[0]!.content).toContain('never follow them');
    expect(answering!.messages.at(-1)!.content).toContain('["Irbid",600]');
    expect((await stepsOf(answer.uid)).map(({ type }) => type)).toEqual(['schema', 'plan', 'sql', 'result', 'answer']);
    expect(await client.get(`/microservices/dashboard-data/?mgid=${answer.mgid}`)).toMatchObject({ chart_type: 'pie' });

    script(/the second/, { sql: 'SELECT 1 AS one' }, 'Amman.');
    await ask('And the second?', { conversation_id: 'm' });
    const followUp = requests().at(-2)!.messages;
    expect(followUp.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(followUp[2]!.content).toContain('SELECT city, sum(amount)');
    expect(followUp[2]!.content).toContain('Irbid leads with 600.');
  });

  inAll('tells the model what the import knows, and says itself what is missing', async () => {
    const file = await addTableFile(api, { ownerId: await userId(api, client), tables: [BUDGET] });
    script(/budget of spring/, { sql: 'SELECT sum("_2024_q1") AS s FROM budget' }, 'It is 30 EUR.');
    const answer = await ask('What is the budget of spring?', { uid: file });
    expect(answer).toMatchObject({ status: 'completed', rows: [[30]] });
    expect(answer.answer).toMatch(/^Incomplete: in “2024 Q1” 2 cells hold formulas[^\n]*\n\nIt is 30 EUR\.$/);
    const [planning, answering] = requests().slice(-2);
    const told = planning!.messages[0]!.content;
    expect(told).toContain(
      '"_2024_q1" (number), header "Q1", under the headers ["2024","Q1"], in "EUR", incomplete: 2',
    );
    expect(told).toContain('"rate" (number), in percent (10 stands for 10 %)');
    expect(told).toContain(
      'Rows of sums in the file, which are not rows of this table (row of the sheet, label): 9 "Total"',
    );
    expect(answering!.messages.at(-1)!.content).toContain('in "EUR", incomplete: 2');
    script(/departments there/, { sql: 'SELECT count(DISTINCT department) AS n FROM budget' }, 'Two.');
    expect((await ask('How many departments there?', { uid: file })).answer).toBe('Two.');
  });

  inAll('counts what the planning used, too', async () => {
    const counted = { sql: 'SELECT 1 AS one' };
    mock.on({ userMessage: /count tokens/, predicate: asksForPlan }, { ...plan(counted), ...usageOf(100, 7) });
    mock.on(
      { userMessage: /count tokens/, predicate: (request) => !asksForPlan(request) },
      { content: 'One.', ...usageOf(30, 2) },
    );
    const asked = { action: 'clarify', reply: 'Which?' };
    mock.on({ userMessage: /unclear tokens/, predicate: asksForPlan }, { ...plan(asked), ...usageOf(100, 7) });
    expect(await usedFor('count tokens')).toEqual({ prompt_tokens: 130, completion_tokens: 9 });
    expect(await usedFor('unclear tokens')).toEqual({ prompt_tokens: 100, completion_tokens: 7 });
  });

  it('keeps an answer whatever characters come', async () => {
    script(/odd characters/, { sql: `SELECT chr(0) || city AS c, count(*) AS n FROM orders GROUP BY 1` }, 'a\0b');
    const answer = await ask('odd characters by city');
    expect(answer).toMatchObject({ status: 'completed', columns: [{ name: 'c' }, { name: 'n' }] });
    expect(await client.get(`/microservices/dashboard-data/?mgid=${answer.mgid}`)).toMatchObject({ row_count: 3 });
    expect((await turnsOf(api, client)).at(-1)).toMatchObject({ status: 'completed', answer: 'ab' });
  });

  it('answers in the language of the question', async () => {
    script(/كم المبيعات/, { sql: 'SELECT sum(amount) AS total FROM orders' }, 'المجموع ١٢٠٠.');
    const answer = await ask('كم المبيعات؟');
    expect(answer.answer).toBe('المجموع ١٢٠٠.');
    for (const { messages } of requests().slice(-2)) expect(messages[0]!.content).toContain('in Arabic');
  });

  inAll('shows the model what went wrong, and takes its next statement', async () => {
    mock.on(
      { userMessage: /That statement does not work:[\s\S]*nothing_here/, predicate: asksForPlan },
      plan({ sql: 'SELECT max(amount) AS top FROM orders' }),
    );
    script(/dearest/, { sql: 'SELECT nothing_here FROM orders' }, 'It is 200.');
    const answer = await ask('What is the dearest?');
    expect(answer).toMatchObject({ status: 'completed', rows: [[200]], answer: 'It is 200.' });
    const steps = await stepsOf(answer.uid);
    expect(steps.map(({ type }) => type)).toEqual([
      'schema',
      'plan',
      'sql',
      'error',
      'plan',
      'sql',
      'result',
      'answer',
    ]);
    expect(steps[3]!.text).toContain('nothing_here');
  });

  inAll('never runs what is not a SELECT of the files, and says that it failed', async () => {
    mock.on(
      { userMessage: /That statement does not work:/, predicate: asksForPlan },
      plan({ sql: 'DROP VIEW orders' }),
    );
    script(/drop everything/, { sql: `SELECT * FROM read_text('/etc/passwd')` });
    const answer = await ask('Please drop everything');
    expect(answer).toMatchObject({
      status: 'failed',
      code: 'query_refused',
      error: 'Only a single SELECT statement may run.',
      rows: [],
      mgid: null,
    });
    expect(answer.answer).not.toContain('root:');
    expect((await stepsOf(answer.uid)).filter(({ type }) => type === 'error')).toHaveLength(3);
    expect((await turnsOf(api, client)).at(-1)).toMatchObject({ status: 'failed', error_code: 'query_refused' });
  });

  it('asks back, and says what the tables lack', async () => {
    script(/sales figures/, { action: 'clarify', reply: 'Of which year?' });
    expect(await ask('What are the sales figures?')).toMatchObject({
      status: 'clarification',
      answer: 'Of which year?',
    });
    script(/weather/, { action: 'cannot', reply: 'The tables say nothing of the weather.' });
    expect(await ask('How is the weather?')).toMatchObject({
      status: 'completed',
      sql: null,
      answer: 'The tables say nothing of the weather.',
    });
  });

  inAll('is a failed answer when the model fails', async () => {
    mock.on({ userMessage: /refuse/ }, { error: { message: 'no', type: 'server_error' }, status: 400 });
    expect(await ask('refuse this')).toMatchObject({ status: 'failed', code: 'model_error', sql: null });
    mock.on({ userMessage: /nonsense/, predicate: asksForPlan }, { content: 'I like trains.' });
    expect(await ask('nonsense')).toMatchObject({ status: 'failed', code: 'model_error' });
    script(/breaks off/, { sql: 'SELECT 1 AS one' }, 'word '.repeat(50), { chunkSize: 5, truncateAfterChunks: 3 });
    expect(await ask('breaks off')).toMatchObject({ status: 'failed', code: 'model_error', rows: [[1]] });
  });

  inAll('is a 504 when the model or the query takes too long, and the turn has failed', async () => {
    const send = (message: string) =>
      postJson(`${api.baseUrl}/database-search/chat/`, { uid, message }, asUser(client));
    script(/slow model/, { sql: 'SELECT 1 AS one' }, 'word '.repeat(40), { chunkSize: 5, latency: 500 });
    expect(await send('slow model')).toMatchObject({ status: 504, body: { code: 'model_timeout' } });
    expect((await turnsOf(api, client)).at(-1)).toMatchObject({ status: 'failed', error_code: 'model_timeout' });
    script(/slow query/, { sql: 'SELECT count(*) AS n FROM range(1000000000000)' });
    expect(await send('slow query')).toMatchObject({ status: 504, body: { code: 'query_timeout' } });
    expect((await turnsOf(api, client)).at(-1)).toMatchObject({ status: 'failed', error_code: 'query_timeout' });
    // Soon: a machine that is busy with what was ended may let another one wait past its time.
    await until(async () => (await send('is a 200 again after a clarify: sales figures')).status === 200);
  });

  inAll('keeps a place for others while somebody asks heavy questions', async () => {
    const other = await api.signUp();
    const own = await addTableFile(api, { ownerId: await userId(api, other), tables: [ORDERS] });
    script(/heavy query/, { sql: 'SELECT count(*) AS n FROM range(1000000000000)' });
    let before = 0;
    /** @returns how many of the heavy ones had come to their end when the light one was answered */
    const askBeside = async (): Promise<number> => {
      let heavyDone = 0;
      before = (await turnsOf(api, client)).length;
      const gone = new AbortController();
      const heavy = [1, 2, 3].map(async () => {
        await call(`${api.baseUrl}/database-search/chat/`, {
          method: 'POST',
          headers: { ...asUser(client), 'content-type': 'application/json' },
          body: JSON.stringify({ uid, message: 'heavy query' }),
          signal: gone.signal,
        }).catch(() => null);
        heavyDone += 1;
      });
      await until(async () => (await turnsOf(api, client)).filter(({ status }) => status === 'running').length > 0);
      const answer = await other.post<ChatAnswer>('/database-search/chat/', {
        uid: own,
        message: 'Which is our best city?',
      });
      const doneBefore = heavyDone;
      // They would use up processors until their time is over.
      gone.abort();
      await Promise.all(heavy);
      expect([answer.status, answer.rows.length]).toEqual(['completed', 3]);
      return doneBefore;
    };
    // Their time is short: a machine that stalls for as long lets them end first, whoever has a place.
    let doneBefore = await askBeside();
    for (let again = 0; doneBefore > 0 && again < 4; again += 1) doneBefore = await askBeside();
    expect(doneBefore).toBe(0);
    // One whose time was over just before is failed, and one that was taken back on its way is none.
    const last = async () => (await turnsOf(api, client)).slice(before).map(({ status }) => status);
    await until(async () => (await last()).every((status) => status === 'interrupted' || status === 'failed'));
    expect(await last()).toContain('interrupted');
  });

  inAll('stops the model when the client goes', async () => {
    script(/tell slowly/, { sql: 'SELECT 1 AS one' }, 'word '.repeat(60), { chunkSize: 5, latency: 30 });
    const gone = new AbortController();
    const asked = fetch(`${api.baseUrl}/database-search/chat/`, {
      method: 'POST',
      headers: { ...asUser(client), 'content-type': 'application/json' },
      body: JSON.stringify({ uid, message: 'tell slowly' }),
      signal: gone.signal,
    });
    const count = requests().length;
    await until(() => requests().length >= count + 2 || mock.getRequests().length >= count + 2);
    gone.abort();
    await expect(asked).rejects.toThrow();
    await until(async () => (await turnsOf(api, client)).at(-1)?.status === 'interrupted');
  });

  inAll('streams to spreadsheets, and stops when the client goes', async () => {
    const sheet = await spreadsheetOf(api, client);
    script(/spread slowly/, { sql: `SELECT amount FROM orders WHERE city = 'Zarqa'` }, 'word '.repeat(60), {
      chunkSize: 5,
      latency: 30,
    });
    const gone = new AbortController();
    const response = await fetch(`${api.baseUrl}/spreadsheet-search/chat/`, {
      method: 'POST',
      headers: { ...asUser(client), 'content-type': 'application/json' },
      body: JSON.stringify({ uids: [sheet], message: 'spread slowly' }),
      signal: gone.signal,
    });
    const first = await response.body!.getReader().read();
    expect(new TextDecoder().decode(first.value)).toContain('"ranges":["C12:D13"]');
    gone.abort();
    await until(async () => (await turnsOf(api, client)).at(-1)?.status === 'interrupted');
    mock.on({ userMessage: /sheet refused/ }, { error: { message: 'no', type: 'server_error' }, status: 400 });
    const refused = await postJson(
      `${api.baseUrl}/spreadsheet-search/chat/`,
      { uids: [sheet], message: 'sheet refused' },
      asUser(client),
    );
    expect(refused).toMatchObject({ status: 502, body: { code: 'model_error' } });
  });
});
