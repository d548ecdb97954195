import { randomBytes } from 'node:crypto';
import { createConnection } from 'node:net';
import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { apiToken, callTool, connectMcp, postMcp } from '../support/mcp-client.js';
import { inOneMinute } from '../support/minute.js';
import { addIndexedDocument } from '../support/retrieval.js';

const message = (method: string, params: unknown = {}, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });
const call = (name: unknown, given: unknown = {}, id: unknown = 1) =>
  message('tools/call', { name, arguments: given }, id);

const left = (answer: { headers: Headers }) => Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]);

describe('hostile clients of the MCP endpoint', () => {
  let api: TestApi;
  let owner: HttpClient;
  let token: string;
  let bearer: Record<string, string>;

  beforeAll(async () => {
    api = await startApi({
      BODY_LIMIT_BYTES: '100000',
      RATE_LIMITS: 'true',
      RATE_LIMIT_PER_USER: '400',
      RATE_LIMIT_PER_IP: '5000',
    });
    owner = await api.signUp();
    token = await apiToken(owner, ['documents:read', 'workflows:read', 'workflows:run']);
    bearer = { authorization: `Bearer ${token}` };
  });
  afterAll(() => api?.stop());

  it.each([
    ['no token', {}],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['a token that never was', { authorization: 'Bearer atr_nonsense' }],
    ['an empty token', { authorization: 'Bearer ' }],
    ['a huge token', { authorization: `Bearer ${'x'.repeat(8000)}` }],
  ])('%s is a 401 that says where tokens come from', async (_, headers) => {
    for (const path of ['/mcp/', '/mcp']) {
      const answer = await postMcp(api.baseUrl, message('tools/list'), headers as Record<string, string>, path);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toContain(
        `resource_metadata="${api.baseUrl}/.well-known/oauth-protected-resource/mcp"`,
      );
      expect(answer.text).not.toContain('nonsense');
    }
  });

  it('a token that was revoked is good for nothing more', async () => {
    const made = await owner.post<{ id: number; token: string }>('/users/api-tokens/', {
      name: 'short',
      scopes: ['documents:read'],
    });
    const headers = { authorization: `Bearer ${made.token}` };
    expect((await postMcp(api.baseUrl, message('tools/list'), headers)).status).toBe(200);
    await owner.send('DELETE', `/users/api-tokens/${made.id}/`);
    expect((await postMcp(api.baseUrl, message('tools/list'), headers)).status).toBe(401);
  });

  it('a token with too few scopes sees fewer tools, and is told which scope it lacks', async () => {
    const headers = { authorization: `Bearer ${await apiToken(owner, ['documents:read'])}` };
    const { messages } = await postMcp(api.baseUrl, message('tools/list'), headers);
    const names = (messages[0]!.result!.tools as { name: string }[]).map(({ name }) => name);
    expect(names).toContain('search_documents');
    expect(names).not.toContain('run_workflow');
    const given = { workflow_id: crypto.randomUUID() };
    const refused = await postMcp(api.baseUrl, call('run_workflow', given), headers);
    expect(refused.status).toBe(403);
    const lacking = 'error="insufficient_scope", scope="workflows:run"';
    const metadata = `resource_metadata="${api.baseUrl}/.well-known/oauth-protected-resource/mcp"`;
    // Of two errors, clients read the first.
    expect(refused.headers.get('www-authenticate')).toBe(`Bearer ${lacking}, ${metadata}`);
    // In a batch it is not hidden either.
    expect((await postMcp(api.baseUrl, [message('ping'), call('run_workflow', given, 2)], headers)).status).toBe(403);
    const chats = { authorization: `Bearer ${await apiToken(owner, ['chats:write'])}` };
    expect((await postMcp(api.baseUrl, call('search_documents', { query: 'x' }), chats)).status).toBe(403);
    const resources = await postMcp(api.baseUrl, message('resources/list'), chats);
    expect(resources.messages[0]!.error).toMatchObject({ message: expect.stringContaining('scope') as string });
  });

  it.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['half a character', '"\\ud800'],
    ['null', 'null'],
    ['a number', '17'],
    ['an empty list', '[]'],
    ['a list of nonsense', '[1, 2]'],
    ['another version', JSON.stringify({ ...message('ping'), jsonrpc: '1.0' })],
    ['no version', '{"id":1,"method":"ping"}'],
    ['a method that is no text', JSON.stringify({ jsonrpc: '2.0', id: 1, method: {} })],
    ['an id that is an object', JSON.stringify(message('ping', {}, {}))],
    ['params that are a list', JSON.stringify(message('tools/call', [1]))],
    ['21 messages', JSON.stringify(Array.from({ length: 21 }, (_, id) => message('ping', {}, id)))],
    ['two beginnings', JSON.stringify([message('initialize', {}, 1), message('initialize', {}, 2)])],
    ['depth', '['.repeat(2000) + ']'.repeat(2000)],
    [
      'depth of arguments',
      JSON.stringify(call('search_documents')).replace('{}', '{"a":'.repeat(500) + '1' + '}'.repeat(500)),
    ],
  ])('%s is an error of JSON-RPC, never of the server', async (_, body) => {
    const answer = await postMcp(api.baseUrl, body, bearer);
    expect(answer.status).toBeLessThan(500);
    expect(answer.status === 202 || answer.messages.every(({ error }) => error !== undefined)).toBe(true);
    expect(answer.text).not.toMatch(/node_modules|at .*\.js/);
  });

  it('bodies beyond the limit are not read, however they come', async () => {
    const huge = JSON.stringify(call('search_documents', { query: 'x'.repeat(200_000) }));
    const answer = await postMcp(api.baseUrl, huge, bearer);
    expect(answer.status).toBe(413);
    expect(answer.messages[0]!.error!.code).toBe(-32_000);
    let sent = 0;
    const chunked = await fetch(`${api.baseUrl}/mcp/`, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: new ReadableStream({
        async pull(controller) {
          await new Promise((done) => setTimeout(done, 5));
          if ((sent += 1) > 100) controller.close();
          else controller.enqueue(randomBytes(16_384));
        },
      }),
      duplex: 'half',
    } as RequestInit).then(
      ({ status }) => status,
      // It hung up before all was sent.
      () => 413,
    );
    expect(chunked).toBe(413);
    const { port } = new URL(api.baseUrl);
    const bomb = await new Promise<string>((done) => {
      const socket = createConnection(Number(port), '127.0.0.1', () =>
        socket.write(
          `POST /mcp/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Encoding: nonsense\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
        ),
      );
      let text = '';
      socket.on('data', (piece: Buffer) => (text += piece.toString())).on('close', () => done(text));
    });
    expect(bomb).toMatch(/^HTTP\/1\.1 4\d\d/);
  });

  it.each([
    ['GET', 405],
    ['DELETE', 405],
    ['PUT', 405],
    ['PATCH', 405],
  ])('%s is not spoken here', async (method, status) => {
    for (const path of ['/mcp/', '/mcp']) {
      const answer = await fetch(api.baseUrl + path, { method, headers: { ...bearer, accept: 'text/event-stream' } });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('allow')).toContain('POST');
    }
  });

  it('pages of other origins are turned away', async () => {
    for (const origin of ['https://evil.example', 'null', api.baseUrl, 'http://localhost:5173']) {
      const answer = await postMcp(api.baseUrl, message('tools/list'), { ...bearer, origin });
      expect([origin, answer.status]).toEqual([origin, 403]);
      expect(answer.text).toContain('origin_not_allowed');
    }
    const replica = await api.startReplica({
      PUBLIC_URL: 'https://atrium.example',
      CORS_ORIGINS: 'https://app.example',
    });
    const ask = (headers: Record<string, string>) =>
      postMcp(replica.baseUrl, message('ping'), { ...bearer, ...headers });
    expect((await ask({ origin: 'https://app.example' })).status).toBe(200);
    expect((await ask({ origin: 'https://atrium.example' })).status).toBe(200);
    expect((await ask({ origin: 'https://app.example.evil.example' })).status).toBe(403);
    const metadata = (await postMcp(replica.baseUrl, message('ping'))).headers.get('www-authenticate');
    expect(metadata).toContain('"https://atrium.example/.well-known/oauth-protected-resource/mcp"');
    const { port } = new URL(replica.baseUrl);
    const status = await new Promise<string>((done) => {
      const body = JSON.stringify(message('ping'));
      const socket = createConnection(Number(port), '127.0.0.1', () =>
        socket.write(
          `POST /mcp/ HTTP/1.1\r\nHost: rebound.evil.example\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
        ),
      );
      socket.once('data', (piece: Buffer) => done(piece.toString().slice(0, 12)));
    });
    expect(status).toBe('HTTP/1.1 403');
    await replica.stop();
  });

  it('media types and versions that are not spoken are refused', async () => {
    expect((await postMcp(api.baseUrl, message('ping'), { ...bearer, accept: 'application/json' })).status).toBe(406);
    // As curl says it.
    expect((await postMcp(api.baseUrl, message('ping'), { ...bearer, accept: '*/*' })).status).toBe(200);
    expect((await postMcp(api.baseUrl, message('ping'), { ...bearer, 'content-type': 'text/plain' })).status).toBe(415);
    const odd = await postMcp(api.baseUrl, message('ping'), { ...bearer, 'mcp-protocol-version': '1999-01-01' });
    expect(odd.status).toBe(400);
    const session = await postMcp(api.baseUrl, message('ping'), {
      ...bearer,
      'mcp-session-id': "'; DROP TABLE users; --",
    });
    expect(session.status).toBe(200);
  });

  it.each([
    ['an unknown tool', 'no_such_tool', {}],
    ['a tool of the prototype', 'constructor', {}],
    ['no name', undefined, {}],
    ['a wrong type', 'search_documents', { query: 17 }],
    ['an unknown argument', 'search_documents', { query: 'x', user_id: 1 }],
    ['a limit beyond the limits', 'search_documents', { query: 'x', limit: 1e9 }],
    ['a uid that is none', 'read_document', { uid: "' OR 1=1 --" }],
    ['a document that is none', 'read_document', { uid: crypto.randomUUID() }],
    ['a folder with a zero byte', 'list_documents', { folder: 'a\0b' }],
    ['a name with a zero byte', 'list_documents', { name_contains: 'a\0b' }],
    ['a query with a zero byte', 'search_documents', { query: 'a\0b' }],
    ['half a character', 'ask_documents', { question: '\ud800' }],
    ['a cursor that is none', 'list_documents', { cursor: 'xxxx' }],
    [
      'a cursor of nonsense',
      'list_documents',
      { cursor: Buffer.from('9999-99-99 99:99:99+00 0').toString('base64url') },
    ],
    ['SQL of two statements', 'query_table', { uids: [crypto.randomUUID()], sql: 'SELECT 1; DROP TABLE users' }],
    ['a workflow that is none', 'run_workflow', { workflow_id: crypto.randomUUID() }],
    ['a payload that is a list', 'run_workflow', { workflow_id: crypto.randomUUID(), payload: [] }],
    ['a wait without end', 'get_run', { workflow_id: crypto.randomUUID(), version: 1, wait_seconds: 1e6 }],
    ['a run beyond numbers', 'get_run', { workflow_id: crypto.randomUUID(), version: 2 ** 40 }],
  ])('%s is told to the model, and is no fault of the server', async (_, name, given) => {
    const { status, messages, text } = await postMcp(api.baseUrl, call(name, given), bearer);
    expect(status).toBe(200);
    const [answer] = messages;
    const failed = answer?.error !== undefined || answer?.result?.isError === true;
    // A text that Postgres cannot hold may also be found nowhere.
    expect([text, failed || /half|zero/.test(expect.getState().currentTestName ?? '')]).toEqual([text, true]);
    expect(text).not.toMatch(/internal_error|node_modules|syntax error/);
  });

  it.each([
    ['tools/call', {}],
    ['tools/call', { name: 'list_documents', arguments: null }],
    ['tools/call', { name: 'nonsense' }],
    ['resources/read', {}],
    ['resources/list', { cursor: 7 }],
    ['prompts/get', { name: ['x'] }],
    ['prompts/get', { name: 'summarise_document' }],
  ])('%s with %j is a mistake of the client, and told as one', async (method, params) => {
    const { status, messages } = await postMcp(api.baseUrl, message(method, params), bearer);
    expect([status, messages[0]?.error?.code]).toEqual([200, -32_602]);
    expect(messages[0]!.error!.message).not.toContain('MCP error');
  });

  it('a batch is answered one by one, and counts one by one', async () => {
    const before = await postMcp(api.baseUrl, message('ping'), bearer);
    const batch = await postMcp(
      api.baseUrl,
      [
        message('ping', {}, 'a'),
        message('tools/list', {}, 'b'),
        message('nonsense', {}, 'c'),
        { jsonrpc: '2.0', method: 'notifications/initialized' },
      ],
      bearer,
    );
    expect(batch.messages.map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'c']);
    expect(batch.messages.find(({ id }) => id === 'c')!.error!.code).toBe(-32_601);
    expect(left(before) - left(batch)).toBe(4);
    const empty = await postMcp(api.baseUrl, [], bearer);
    expect([empty.status, empty.messages[0]?.error?.code]).toEqual([400, -32_600]);
  });

  it('calls beside each other stay apart, and too many at a time are refused', async () => {
    const [row] = await api.database.dataSource.query<[{ id: number }]>('SELECT id FROM users WHERE username = $1', [
      owner.username,
    ]);
    const uid = await addIndexedDocument(api.database.dataSource, { ownerId: row.id, pages: ['A heron.'] });
    const client = await connectMcp(api.baseUrl, token);
    const read = await Promise.allSettled(
      Array.from({ length: 40 }, () => callTool<{ uid: string }>(client, 'read_document', { uid })),
    );
    const good = read.flatMap((one) => (one.status === 'fulfilled' ? [one.value.uid] : []));
    expect(new Set(good)).toEqual(new Set([uid]));
    for (const one of read) if (one.status === 'rejected') expect(String(one.reason)).toContain('throttled');
    await client.close();
    const others = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => {
        const someone = await api.signUp();
        const headers = { authorization: `Bearer ${await apiToken(someone, ['documents:read'])}` };
        // The same request id, from everybody at once.
        const answer = await postMcp(api.baseUrl, call('list_documents', {}, 1), headers);
        return [at, answer.messages[0]!.result!.structuredContent];
      }),
    );
    for (const [, listed] of others) expect(listed).toEqual({ documents: [], next_cursor: null });
  });

  it('the rate limit of the user holds', () =>
    inOneMinute(async () => {
      const someone = await api.signUp();
      const headers = { authorization: `Bearer ${await apiToken(someone, ['documents:read'])}` };
      const batch = Array.from({ length: 20 }, (_, id) => message('ping', {}, id));
      const statuses = new Set<number>();
      const rounds = Array.from({ length: 60 }, () => postMcp(api.baseUrl, batch, headers));
      for (const answer of await Promise.all(rounds)) {
        statuses.add(answer.status);
        if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect(statuses).toEqual(new Set([200, 429]));
    }));
});
