import { connect } from 'node:net';
import { RouteCatalog } from '../../apps/api/src/http/route-catalog.js';
import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { inAll } from '../support/long.js';
import { fanOutAndJoin } from '../support/workflows.js';

/** Sends bytes as they are; resolves with all that came until the connection closed. */
function raw(baseUrl: string, text: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // What is ended while bytes are on their way is reset.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
}

/** The beginning of a request with a body. */
const begun = (path: string, type = 'application/json', more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${more}Content-Type: ${type}\r\nContent-Length: 5000\r\n\r\n{`;

describe('what the api takes and gives over HTTP', () => {
  let api: TestApi;
  let user: HttpClient;
  const sent = (path: string, type: string, body: string | Buffer) =>
    fetch(`${api.baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Token ${user.token}`, 'content-type': type },
      body: Buffer.from(body),
    });

  beforeAll(async () => {
    api = await startApi({ BODY_TIMEOUT_SECONDS: '5', CORS_LOCALHOST: 'true', PUBLIC_URL: 'https://atrium.example/' });
    user = await api.signUp();
  });
  afterAll(() => api.stop());

  it.each(['1e400', '9007199254740993', '-1e999', '123456789012345678901'])(
    'refuses the number %s, which it could not keep',
    async (number) => {
      const answer = await sent('/users/metadata/push/', 'application/json', `{"a":{"deep":[${number}]}}`);
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('number_out_of_range')]);
    },
  );

  it('keeps the numbers that it can', async () => {
    const answer = await sent(
      '/users/metadata/push/',
      'application/json',
      '{"data":{"a":9007199254740991,"b":"9007199254740993"}}',
    );
    expect(answer.status).toBeLessThan(300);
  });

  it('refuses bytes that are no UTF-8, wherever they stand', async () => {
    const login = '/api/v1/token/login/';
    const statuses = await Promise.all([
      sent(
        login,
        'application/json',
        Buffer.concat([Buffer.from('{"username":"'), Buffer.of(0xff), Buffer.from('"}')]),
      ),
      sent(login, 'application/x-www-form-urlencoded', 'username=%ff&password=x'),
      sent(login, 'application/x-www-form-urlencoded', Buffer.from('username=\xe9&password=x', 'latin1')),
      sent(
        login,
        'multipart/form-data; boundary=x',
        Buffer.from('--x\r\nContent-Disposition: form-data; name="username"\r\n\r\n\xe9\r\n--x--\r\n', 'latin1'),
      ),
      sent(
        '/semantic-search/upload/',
        'multipart/form-data; boundary=x',
        Buffer.from(
          '--x\r\nContent-Disposition: form-data; name="path"; filename="caf\xe9.txt"\r\n\r\nhello\r\n--x--\r\n',
          'latin1',
        ),
      ),
      fetch(`${api.baseUrl}/users/metadata/?key=%ff`, { headers: { authorization: `Token ${user.token}` } }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 400]);
  });

  it('ends bodies that come too slowly, whoever sends them, however many', async () => {
    const json = { ...fanOutAndJoin, name: 'Called' };
    const { workflow_id: id } = await user.post<{ workflow_id: string }>('/microservices/workflow/start/', { json });
    const opened = await user.send('PUT', `/microservices/workflow/${id}/webhook-url/`, {});
    const { webhook_url } = (await opened.json()) as { webhook_url: string };
    const hook = new URL(webhook_url).pathname;
    const requests = [
      begun('/api/v1/token/login/'),
      begun('/semantic-search/upload/', 'multipart/form-data; boundary=x', `Authorization: Token ${user.token}\r\n`),
      ...Array.from({ length: 50 }, () => begun(hook)),
    ];
    const answers = await Promise.all(requests.map((request) => raw(api.baseUrl, request)));
    expect(answers.map((text) => text.slice(0, 13))).toEqual(requests.map(() => 'HTTP/1.1 408 '));
    expect((await fetch(`${api.baseUrl}/healthz/`)).status).toBe(200);
  });

  it.each([
    ['evil.example', {}],
    ['evil.example', { 'x-forwarded-host': 'worse.example', 'x-forwarded-proto': 'javascript' }],
    ['a"b<c>', {}],
  ])('writes its own address, whatever a request calls it (%s)', async (host, more) => {
    const headers = Object.entries({ ...more, Authorization: `Token ${user.token}`, Connection: 'close' });
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const get = (path: string) => raw(api.baseUrl, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${lines}\r\n`);
    for (const path of [
      '/.well-known/oauth-authorization-server',
      '/scim/v2/ResourceTypes',
      '/microservices/workflow/',
    ])
      expect(await get(path)).not.toMatch(/evil|worse|javascript/);
    expect(await get('/.well-known/oauth-authorization-server')).toContain('https://atrium.example/oauth/token/');
    const paged = await get('/microservices/workflow/?page=2&page_size=1');
    expect(paged).toContain('"previous":"https://atrium.example/microservices/workflow/?page=1');
  });

  inAll('lets nobody store an answer, unless its route says so', async () => {
    const storable: string[] = [];
    for (const { method, path } of api.app.get(RouteCatalog).routes) {
      if (method !== 'GET') continue;
      const answer = await fetch(`${api.baseUrl}${path.replaceAll(/[:*]\w+/g, '1')}`, {
        headers: { authorization: `Token ${user.token}` },
        redirect: 'manual',
      });
      await answer.body?.cancel();
      if (!/no-store/.test(answer.headers.get('cache-control') ?? '')) storable.push(path);
    }
    // These are the same for everybody.
    expect(storable.sort()).toEqual([
      '/mcp-servers/oauth/client-metadata.json',
      '/microservices/apis/',
      '/openapi.json',
      '/schemas/workflow.json',
    ]);
    const signIn = await sent('/api/v1/token/login/', 'application/json', '{}');
    expect(signIn.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['http://localhost:5173', true],
    ['http://127.0.0.1:8080', true],
    ['http://localhost.evil.example', false],
    ['http://evil.example', false],
    ['null', false],
  ])('lets pages of this machine call where the settings say so: %s', async (origin, isAllowed) => {
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const answer = await fetch(`${api.baseUrl}/users/me/`, { method: 'OPTIONS', headers });
    expect(answer.headers.get('access-control-allow-origin')).toBe(isAllowed ? origin : null);
  });

  it('lets none of them call in production', async () => {
    const closed = await api.startReplica({ CORS_LOCALHOST: 'false' });
    try {
      const headers = { origin: 'http://localhost:5173', 'access-control-request-method': 'GET' };
      const answer = await fetch(`${closed.baseUrl}/users/me/`, { method: 'OPTIONS', headers });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    } finally {
      await closed.stop();
    }
  });
});
