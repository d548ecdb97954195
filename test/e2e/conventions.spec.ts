import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { type Answer, call, postJson, startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { stopwatch } from '../support/timing.js';
import { inAll } from '../support/long.js';

const json = { 'content-type': 'application/json' };

/** What `fetch` would not send. */
function raw(baseUrl: string, request: string): Promise<string> {
  const { port, hostname } = new URL(baseUrl);
  return new Promise((done, fail) => {
    const socket = connect(Number(port), hostname, () => socket.write(request));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', fail);
    socket.on('close', () => done(answer));
    socket.setTimeout(1000, () => socket.end());
  });
}

const shown = ({ status, body }: Answer) => [status, body];

describe('conventions', () => {
  let api: TestApi;
  let client: HttpClient;
  const url = (path: string) => api.baseUrl + path;
  const post = (path: string, body: RequestInit['body'], headers: Record<string, string> = json) =>
    call(url(path), { method: 'POST', headers, body: body ?? null });
  const end = (id: string) => call(url(`/api/v1/auth/sessions/${id}/`), { method: 'DELETE', headers: asClient() });
  const from = (origin: string) =>
    call(url('/users/me/'), { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'GET' } });
  const asClient = () => ({ authorization: `Token ${client.token}` });
  const parseError = { code: 'parse_error', detail: expect.any(String) };

  beforeAll(async () => {
    api = await startApi({ CORS_ORIGINS: 'https://app.example', BODY_LIMIT_BYTES: '20000' });
    client = await api.signUp();
  });
  afterAll(() => api.stop());

  describe('paths', () => {
    it('answers unknown ones with 404', async () => {
      for (const path of [
        '/nowhere/',
        '/nowhere',
        '/users/me/more/',
        '//evil.example/users/me/',
        '/users%00/me/',
        '/api/v1/users/%00/',
      ])
        expect(shown(await call(url(path)))).toEqual([404, { detail: 'Not found.', code: 'not_found' }]);
    });

    inAll('leads a GET to the slash, and nothing else', async () => {
      const answer = await call(url('/users/me?a=1&b=%2F'));
      expect([answer.status, answer.headers.get('location')]).toEqual([301, '/users/me/?a=1&b=%2F']);
      expect((await call(url('/users/me'), { method: 'HEAD' })).status).toBe(301);
      expect(shown(await postJson(url('/api/v1/token/login'), {}))).toEqual([
        404,
        { detail: 'Not found.', code: 'not_found' },
      ]);
      for (const method of ['PUT', 'PATCH', 'DELETE'])
        expect((await call(url('/users/me'), { method })).status).toBe(404);
      expect((await call(url('/openapi.json'))).status).toBe(200);
    });

    inAll('gives its description packed, and once to whoever keeps it', async () => {
      const plain = await fetch(url('/openapi.json'), { headers: { 'accept-encoding': 'identity' } });
      const packed = await fetch(url('/openapi.json'));
      const etag = plain.headers.get('etag')!;
      expect([plain.headers.get('content-encoding'), packed.headers.get('content-encoding')]).toEqual([null, 'gzip']);
      expect(await packed.text()).toBe(await plain.text());
      expect(packed.headers.get('etag')).toBe(etag);
      expect(Number(packed.headers.get('content-length')) * 5).toBeLessThan(
        Number(plain.headers.get('content-length')),
      );
      const again = await call(url('/openapi.json'), { headers: { 'if-none-match': etag } });
      expect([again.status, again.body]).toEqual([304, '']);
    });

    it('never redirects to another host', async () => {
      const answer = await raw(api.baseUrl, 'GET //evil.example HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      expect(answer).toMatch(/^HTTP\/1.1 404 /);
      expect(answer).not.toMatch(/^location:/im);
    });

    it('names the methods of a path', async () => {
      const answer = await call(url('/users/models/'), { method: 'DELETE' });
      expect(shown(answer)).toEqual([405, { detail: 'Method "DELETE" not allowed.', code: 'method_not_allowed' }]);
      expect(answer.headers.get('allow')).toBe('GET, HEAD');
      const refusedPath = await call(url('/microservices/cost-tracker/users/a%00b/costs'));
      expect(shown(refusedPath)).toEqual([404, { detail: 'Not found.', code: 'not_found' }]);
      expect(refusedPath.headers.get('allow')).toBeNull();
    });

    it('answers broken percent-encoding and wrong ids with 4xx', async () => {
      expect(shown(await end('%ff'))).toEqual([400, parseError]);
      for (const id of ['1', 'x'.repeat(5000), '%2e%2e', "'; DROP TABLE users"])
        expect((await end(id)).status).toBe(404);
    });
  });

  describe('bodies', () => {
    it.each([
      ['JSON that ends early', '{"username": "a"'],
      ['a trailing comma', '{"username": "a",}'],
      ['single quotes', "{'a': 1}"],
      ['what is no JSON', 'undefined'],
      ['a deep nest', `${'['.repeat(5000)}${']'.repeat(5000)}`],
    ])('refuses %s', async (_, body) => {
      expect(shown(await post('/api/v1/token/login/', body))).toEqual([400, parseError]);
    });

    it.each([
      ['[]', 'list'],
      ['"text"', 'str'],
      ['7', 'int'],
      ['null', 'NoneType'],
    ])('refuses %s', async (body, type) => {
      expect(shown(await post('/api/v1/token/login/', body))).toEqual([
        400,
        { non_field_errors: [`Invalid data. Expected a dictionary, but got ${type}.`] },
      ]);
    });

    it('uses the shape of the route', async () => {
      expect(shown(await post('/users/check/availability/', '{'))).toEqual([
        400,
        { error: expect.any(String), code: 'parse_error' },
      ]);
      expect(shown(await post('/users/check/availability/', '{"username":[]}'))).toEqual([
        400,
        { error: 'username: Not a valid string.', code: 'invalid' },
      ]);
    });

    it('keeps `code` a word where a field of that name is wrong', async () => {
      for (const provider of ['sso_org', 'sso_platform'])
        expect(shown(await post(`/api/v1/auth/${provider}/callback/`, '{"code":[1],"state":{}}'))).toEqual([
          400,
          { detail: 'code: Not a valid string.', code: 'invalid' },
        ]);
    });

    it('ignores unknown fields and cannot be polluted', async () => {
      const body =
        '{"username":"a","password":"b","extra":1,"__proto__":{"isStaff":true},"constructor":{"prototype":{"x":1}}}';
      expect((await post('/api/v1/token/login/', body)).status).toBe(400);
      expect(({} as Record<string, unknown>).isStaff).toBeUndefined();
      expect(({} as Record<string, unknown>).x).toBeUndefined();
    });

    it('refuses other types, encodings and sizes', async () => {
      expect(shown(await post('/api/v1/token/login/', 'x', { 'content-type': 'text/plain' }))).toEqual([
        415,
        { detail: 'Unsupported media type "text/plain" in request.', code: 'unsupported_media_type' },
      ]);
      expect((await post('/api/v1/token/login/', '{}', { ...json, 'content-encoding': 'zip' })).status).toBe(415);
      expect(
        (await post('/api/v1/token/login/', '{}', { 'content-type': 'application/json; charset=klingon' })).status,
      ).toBe(415);
      const large = { code: 'payload_too_large', detail: expect.any(String) };
      const filler = 'x'.repeat(21_000);
      expect(shown(await postJson(url('/api/v1/token/login/'), { username: filler }))).toEqual([413, large]);
      expect(shown(await post('/api/v1/token/login/', new URLSearchParams({ username: filler }), {}))).toEqual([
        413,
        large,
      ]);
      const form = new FormData();
      form.append('username', filler);
      expect(shown(await post('/api/v1/token/login/', form, {}))).toEqual([413, large]);
    });

    it('refuses broken multipart and files where none belong', async () => {
      const type = { 'content-type': 'multipart/form-data; boundary=x' };
      for (const body of [
        '--x\r\nContent-Disposition: form-data; name="username"\r\n\r\nabc',
        'no parts',
        '--x\r\nbroken\r\n\r\n--x--',
      ])
        expect((await post('/api/v1/token/login/', body, type)).status).toBe(400);
      expect((await post('/api/v1/token/login/', 'x', { 'content-type': 'multipart/form-data' })).status).toBe(400);
      const form = new FormData();
      form.append('username', new Blob(['x']), 'x.txt');
      expect((await post('/api/v1/token/login/', form, {})).status).toBe(400);
    });

    it('takes a missing body for an empty one', async () => {
      expect(shown(await call(url('/api/v1/token/login/'), { method: 'POST' }))).toEqual([
        400,
        { username: ['This field is required.'], password: ['This field is required.'] },
      ]);
    });

    it('does not read the body of callers that it refuses', async () => {
      const answer = await post('/ws/ticket/', '{"broken');
      expect(answer.status).toBe(401);
    });
  });

  describe('headers', () => {
    it('echoes a request id that is fit to be logged, and makes one otherwise', async () => {
      const id = async (value: string) =>
        (await call(url('/healthz/'), { headers: { 'x-request-id': value } })).headers.get('x-request-id');
      expect(await id('abc-123')).toBe('abc-123');
      for (const value of ['a b', 'x'.repeat(129), 'ä', '']) expect(await id(value)).toMatch(/^[0-9a-f-]{36}$/);
      expect((await call(url('/nowhere/'))).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('sets security headers on every answer, errors included', async () => {
      for (const path of ['/healthz/', '/nowhere/', '/users/me/']) {
        const { headers } = await call(url(path));
        expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('referrer-policy')).toBe('no-referrer');
        expect(headers.get('x-frame-options')).toBe('DENY');
        expect(headers.get('x-powered-by')).toBeNull();
      }
    });

    it('lets the configured origins in, and no other', async () => {
      const allowed = await from('https://app.example');
      expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example');
      expect(allowed.headers.get('access-control-allow-credentials')).toBe('true');
      const answer = await call(url('/version/'), { headers: { origin: 'https://app.example' } });
      for (const name of ['X-Request-Id', 'X-Turn-Id', 'X-Chat-Session-Id', 'X-Run-Version', 'ETag', 'Retry-After'])
        expect(answer.headers.get('access-control-expose-headers')?.split(',')).toContain(name);
      expect((await from('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
    });

    it.each([
      ['https://app.example', 'https://app.example', 'true'],
      ['https://evil.example', '*', null],
    ])(
      'lets everybody read the schema of workflows, with cookies or without: %s',
      async (origin, named, credentials) => {
        const { headers } = await call(url('/schemas/workflow.json'), { headers: { origin } });
        expect([
          headers.get('access-control-allow-origin'),
          headers.get('access-control-allow-credentials'),
          headers.get('vary'),
        ]).toEqual([named, credentials, 'Origin']);
      },
    );
  });

  describe('health', () => {
    it('lives and is ready', async () => {
      expect(shown(await call(url('/healthz/')))).toEqual([200, { status: 'ok' }]);
      const ok = { status: 'ok', latency_ms: expect.any(Number) };
      expect(shown(await call(url('/readyz/')))).toEqual([
        200,
        { status: 'ok', checks: { database: ok, queue: ok, storage: ok, index: ok, messages: ok } },
      ]);
    });
  });
});

describe('shutdown', () => {
  it('finishes what is in flight, and serves what still reaches it', async () => {
    const api = await startApi({ BCRYPT_COST: '12' });
    const login = () => postJson(`${api.baseUrl}/api/v1/token/login/`, { username: 'a', password: 'b' });
    const arrived = once(api.app.getHttpServer() as Server, 'request');
    const inFlight = login();
    await arrived;
    const took = stopwatch();
    const stopped = api.stop();
    const late = await login().then(
      ({ status }) => status,
      () => 'refused',
    );
    expect((await inFlight).status).toBe(400);
    await stopped;
    expect(took()).toBeLessThan(5000);
    expect([400, 'refused']).toContain(late);
  });
});
