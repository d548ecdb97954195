import { newId } from '@app/common';
import { postJson, startApi, type TestApi } from '../support/api.js';
import * as hostile from '../support/hostile-model.js';
import type { HttpClient } from '../support/http-client.js';
import { inAll, rounds } from '../support/long.js';
import { OddServer } from '../support/mcp-odd-server.js';
import { addIndexedDocument } from '../support/retrieval.js';
import { splitAnswer } from '../support/streamed-answer.js';
import { addTableFile, ORDERS } from '../support/tables.js';

const PLAN = { action: 'query', reasoning: 'r', sql: 'SELECT count(*) AS n FROM orders', chart: 'none', reply: '' };
/** In a short run until the first questions fit no more, and some further ones. */
const TURNS = rounds(30, 9);
const TABLE_TURNS = rounds(12, 5);
const AGENT_TURNS = rounds(30, 12);

const isTooMuch = (tokens: number, messages: unknown, tools: unknown = []) =>
  (JSON.stringify(messages).length + JSON.stringify(tools).length) / 3.6 > tokens;

/** Counts otherwise than we estimate, and more; refuses what does not fit, as endpoints do. */
const strict =
  (tokens: number): hostile.Behaviour =>
  (response, call) => {
    const {
      messages,
      tools = [],
      response_format: format,
    } = call.body as {
      messages: unknown[];
      tools?: unknown[];
      response_format?: unknown;
    };
    if (isTooMuch(tokens, messages, tools)) return hostile.refuses(400, 'context_length_exceeded')(response, call);
    return hostile.answers(format ? JSON.stringify(PLAN) : `Because of the seals. ${'So it is. '.repeat(60)}`)(
      response,
      call,
    );
  };

const FIRST = 'Question 1:';
const long = (turn: number) =>
  `Question ${turn}: why do the seals of the Orion pump leak? ${'We have looked at it from all sides and see no reason. '.repeat(18)}`;

describe('conversations with models of small windows', () => {
  const endpoint = new hostile.HostileModel();
  let odd: OddServer;
  let api: TestApi;
  let client: HttpClient;
  let document: string;
  let table: string;

  beforeAll(async () => {
    await endpoint.start();
    odd = await OddServer.start();
    const known = { api_key: 'k', base_url: endpoint.baseUrl, max_retries: 0 };
    const models = [
      { ...known, id: 1, name: 'Small', value: 'small', context_window: 2_600 },
      { ...known, id: 2, name: 'Silent about it', value: 'silent' },
      { ...known, id: 3, name: 'Agent', value: 'agent', context_window: 14_000 },
      { ...known, id: 4, name: 'Local', value: 'local', context_window: 8_000 },
      { ...known, id: 5, name: 'Unknown', value: 'unknown' },
      { ...known, id: 6, name: 'Unknown, too', value: 'unknown-too' },
    ];
    api = await startApi({
      LLM_MODELS: JSON.stringify(models),
      CHAT_TITLES: 'false',
      MCP_HOSTS: odd.host,
    });
    await api.hostRunner();
    client = await api.signUp();
    // Else the last call may be one that judges what is worth remembering.
    await client.send('PUT', '/microservices/agent/memories/settings/', { enabled: false });
    const [row] = await api.database.dataSource.query<{ id: number }[]>('SELECT id FROM users WHERE username = $1', [
      client.username,
    ]);
    const pages = [
      'The seals of the Orion pump leak where they are old. '.repeat(30),
      'Seals last 36 months. '.repeat(60),
    ];
    document = await addIndexedDocument(api.database.dataSource, { ownerId: row!.id, pages, filename: 'manual.pdf' });
    table = await addTableFile(api, { ownerId: row!.id, store: 'database', filename: 'orders.csv', tables: [ORDERS] });
  });
  afterAll(async () => {
    await api?.stop();
    await Promise.all([endpoint.stop(), odd.stop()]);
  });

  /** What the model was told last; it has no place for the `FIRST` question any more. */
  const lastCall = () => JSON.stringify(endpoint.calls.at(-1)!.body);
  const headers = () => ({ authorization: `Token ${client.token}` });
  const send = async (path: string, body: Record<string, unknown>) => {
    const response = await client.send('POST', path, body);
    return { status: response.status, text: await response.text(), session: response.headers.get('x-chat-session-id') };
  };

  it.each([
    ['a document chat, by the setting', 1, 2_600],
    ['a document chat, by the endpoint alone', 2, 2_600],
  ])(`%s: ${TURNS} long questions are all answered`, async (_name, llm_model_id, takes) => {
    endpoint.always(strict(takes));
    let chat_session_id: number | undefined;
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const body = { uid: document, message: long(turn), llm_model_id, ...(chat_session_id && { chat_session_id }) };
      const { status, text, session } = await send('/semantic-search/single-file-chat/', body);
      expect([turn, status, text.slice(0, 300)]).toEqual([turn, 200, expect.any(String)]);
      expect(splitAnswer(text).answer).toMatch(/^Because of the seals\./);
      chat_session_id = Number(session);
    }
    const last = lastCall();
    expect(last).toContain(`Question ${TURNS}:`);
    expect(last).toContain('<passage number');
    expect(last).not.toContain(FIRST);
  });

  it(`secure-gpt: ${TURNS} long questions are all answered`, async () => {
    endpoint.always(strict(2_600));
    let chat_session_id: number | undefined;
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const body = { message: long(turn), llm_model_id: 1, ...(chat_session_id && { chat_session_id }) };
      const { status, text, session } = await send('/secure-gpt/chat/', body);
      expect([turn, status, text]).toEqual([turn, 200, expect.stringMatching(/^Because of the seals\./)]);
      chat_session_id = Number(session);
    }
    expect((endpoint.calls.at(-1)!.body.messages as unknown[]).length).toBeGreaterThan(2);
    expect(lastCall()).not.toContain(FIRST);
  });

  inAll(`a table chat: ${TABLE_TURNS} long questions are all answered`, async () => {
    endpoint.always(strict(2_600));
    let chat_session_id: number | undefined;
    for (let turn = 1; turn <= TABLE_TURNS; turn += 1) {
      const body = { uid: table, message: long(turn), llm_model_id: 1, ...(chat_session_id && { chat_session_id }) };
      const reply = await postJson(`${api.baseUrl}/database-search/chat/`, body, headers());
      expect([turn, reply]).toMatchObject([turn, { status: 200, body: { status: 'completed', error: null } }]);
      chat_session_id = (reply.body as { chat_session_id: number }).chat_session_id;
    }
    expect(lastCall()).not.toContain(FIRST);
  });

  inAll(`the agent: ${AGENT_TURNS} long questions are all answered`, async () => {
    endpoint.always(strict(14_000));
    const conversation_id = newId();
    for (let turn = 1; turn <= AGENT_TURNS; turn += 1) {
      const body = { conversation_id, message: `${long(turn)} ${long(turn)}`, llm_model_id: 3 };
      const reply = await postJson(`${api.baseUrl}/microservices/agent/chat/`, body, headers());
      expect([turn, reply]).toMatchObject([turn, { status: 200, body: { status: 'completed' } }]);
    }
    expect(lastCall()).not.toContain(FIRST);
  });

  it.each([
    ['by the setting', 4, 8_000],
    ['by the endpoint alone', 6, 4_000],
  ])(
    'the agent in a window that is too small for all of its tools, %s: goes on with what was said',
    async (_name, llm_model_id, takes) => {
      endpoint.always(strict(takes));
      const conversation_id = newId();
      for (let turn = 1; turn <= 4; turn += 1) {
        const body = { conversation_id, message: long(turn), llm_model_id };
        const reply = await postJson(`${api.baseUrl}/microservices/agent/chat/`, body, headers());
        expect([turn, reply]).toMatchObject([turn, { status: 200, body: { status: 'completed' } }]);
      }
      const { messages, tools } = endpoint.calls.at(-1)!.body as { messages: unknown[]; tools: unknown[] };
      for (const said of ['Question 4:', 'Question 3:', 'Because of the seals.'])
        expect(JSON.stringify(messages)).toContain(said);
      expect(JSON.stringify(tools)).toMatch(/"semantic_search".*"find_tools".*further tools of the platform/);
    },
  );

  it('what an endpoint takes is found out once, and not in each turn', async () => {
    const refusals = async (body: Record<string, unknown>, path: string) => {
      const before = endpoint.calls.length;
      const reply = await client.send('POST', path, { ...body, llm_model_id: 5 });
      expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('Because of the seals.')]);
      return endpoint.calls.slice(before).filter(({ body: { messages, tools } }) => isTooMuch(7_000, messages, tools))
        .length;
    };
    endpoint.always(strict(7_000));
    const message = long(1).repeat(12);
    const turns = [];
    for (let turn = 1; turn <= 3; turn += 1)
      turns.push(await refusals({ conversation_id: newId(), message }, '/microservices/agent/chat/'));
    expect(turns).toEqual([expect.any(Number), 0, 0]);
    expect(turns[0]).toBeGreaterThan(0);
    expect(await refusals({ uid: document, message }, '/semantic-search/single-file-chat/')).toBe(0);
  });

  it('the agent: goes on where a model calls nothing by name, or in its text', async () => {
    endpoint.next(
      hostile.calls({ index: 0, id: 'a', function: { name: '', arguments: '{}' } }),
      hostile.answers('<tool_call>\n{"name": "list_workflows", "arguments": {}}\n</tool_call>'),
      hostile.answers('<function=list_workflows>\n<parameter=search>\nseals\n</parameter>\n</function>\n</tool_call>'),
      hostile.answers(
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>list_workflows<｜tool▁sep｜>{"search": "oil"}<｜tool▁call▁end｜>',
      ),
      hostile.answers('All is well.'),
    );
    const body = { conversation_id: newId(), message: 'Is all well?', llm_model_id: 4 };
    const reply = await postJson(`${api.baseUrl}/microservices/agent/chat/`, body, headers());
    expect(reply).toMatchObject({ status: 200, body: { status: 'completed', answer: 'All is well.' } });
    expect(JSON.stringify(endpoint.calls.at(-1)!.body.messages)).toMatch(
      /names no tool(?:.*"name":"list_workflows".*result of list_workflows){3}/,
    );
  });

  it('the agent: tools of servers that would fill the window are found instead of shown', async () => {
    const input = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`argument_${n}`, { type: 'string' }]));
    odd.tools = Array.from({ length: 30 }, (_, n) => ({
      name: `record_${n}`,
      description: `Looks records of kind ${n} up. `.repeat(15),
      inputSchema: { type: 'object', properties: input },
    }));
    const { id } = await client.post<{ id: number }>('/mcp-servers/servers/', { label: 'Odd', url: odd.url });
    await client.post(`/mcp-servers/servers/${id}/test/`, {});
    endpoint.always(strict(14_000));
    const body = { conversation_id: newId(), message: long(1), llm_model_id: 3 };
    const reply = await postJson(`${api.baseUrl}/microservices/agent/chat/`, body, headers());
    expect(reply).toMatchObject({ status: 200, body: { status: 'completed' } });
    const asked = JSON.stringify(endpoint.calls.filter(({ body: { tools } }) => tools !== undefined));
    expect(asked).toContain('find_tools');
    expect(asked).not.toContain('odd__record_1');
    await client.send('DELETE', `/mcp-servers/servers/${id}/`);
  });

  inAll(
    'reads a pasted text in part and says so, and says of one that is far too long how long it may be',
    async () => {
      endpoint.always(strict(2_600));
      const pasted = `What does this say? ${'The seals are old and have to be changed. '.repeat(150)} Answer in one word.`;
      const inPart = await send('/semantic-search/single-file-chat/', {
        uid: document,
        message: pasted,
        llm_model_id: 1,
      });
      expect(inPart.status).toBe(200);
      expect(splitAnswer(inPart.text).answer).toMatch(/^_Your message is longer [^]*Because of the seals\./);
      const sent = JSON.stringify(endpoint.calls.at(-1)!.body);
      expect(sent).toContain('What does this say?');
      expect(sent).toContain('Answer in one word.');
      endpoint.calls.length = 0;
      const book = 'The seals are old and have to be changed. '.repeat(1_500);
      for (const [path, body] of [
        ['/semantic-search/single-file-chat/', { uid: document }],
        ['/secure-gpt/chat/', {}],
        ['/database-search/chat/', { uid: table }],
      ] as const) {
        const { status, text } = await send(path, { ...body, message: book, llm_model_id: 1 });
        expect([path, status, text]).toEqual([path, 400, expect.stringMatching(/context_too_long/)]);
        expect(text).toMatch(/it has 62,999 characters, and about [\d,]+ fit/);
      }
      expect(endpoint.calls).toHaveLength(0);
    },
  );
});
