import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { NewFile, ReadableFile, StoragePort } from '@app/workflow-definition';
import {
  errorOf,
  guardedHttp,
  outputOf,
  type Received,
  runTool,
  startHost,
  type TestHost,
  until,
} from '../tool-context.spec-support.js';
import { httpRequestTool as tool } from './http-request.tool.js';

const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgrsBvSLDoOjnIqk8j
xXKo9ShgDYDNo8wTZSsYFrQLK7ahRANCAARW17agZoj5BOk2OYIidImsJ34K7DOF
sD4WfDLaOPMWgg1uGEJtww1VkXqU8C4+R2NBYnxa1jm6R+uvpxAWrrOB
-----END PRIVATE KEY-----`;
// Signed by itself, for inside.example, until 2126.
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBqjCCAVCgAwIBAgIUKnrxh143zr6N1wkH/5gVAZcV8DMwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOaW5zaWRlLmV4YW1wbGUwIBcNMjYxMTIxMTMzMDAwWhgPMjEy
NjEwMjgxMzMwMDBaMBkxFzAVBgNVBAMMDmluc2lkZS5leGFtcGxlMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEVte2oGaI+QTpNjmCInSJrCd+CuwzhbA+Fnwy2jjz
FoINbhhCbcMNVZF6lPAuPkdjQWJ8WtY5ukfrr6cQFq6zgaN0MHIwHQYDVR0OBBYE
FCH0VigcpFGScJuCfUKzu7ELsfmIMB8GA1UdIwQYMBaAFCH0VigcpFGScJuCfUKz
u7ELsfmIMA8GA1UdEwEB/wQFMAMBAf8wHwYDVR0RBBgwFoIOaW5zaWRlLmV4YW1w
bGWHBH8AAAEwCgYIKoZIzj0EAwIDSAAwRQIgKOJXFfudxX7PoTlCl99BzXXOk3Eo
w+t6liSHo0jMISMCIQDr8P1TfyJNnhoztMOXZgG6vrD7LscMJoLZh35drOtsIQ==
-----END CERTIFICATE-----`;

interface Output {
  status: number;
  ok: boolean;
  headers: Record<string, string>;
  body: unknown;
  file: unknown;
  items: unknown[];
  pages: number;
  has_more: boolean;
}

const NOW = 1_000_000;
const json = (value: unknown) => JSON.stringify(value);
const problems = (params: Record<string, unknown>) => tool.checkParams(params, []).map(({ path }) => path);

describe('http_request', () => {
  let host: TestHost;
  let other: TestHost;
  let http: ReturnType<typeof guardedHttp>;
  const calls = (path: string) => host.received.filter((one) => one.path.startsWith(path));
  const last = (path: string): Received => calls(path).at(-1)!;
  const get = (path: string, more: Record<string, unknown> = {}) =>
    outputOf<Output>(tool, { url: `${host.url}${path}`, ...more }, { http });
  const fail = (path: string, more: Record<string, unknown> = {}) =>
    errorOf(tool, { url: `${host.url}${path}`, ...more }, { http });

  beforeAll(async () => {
    other = await startHost((_, response) => response.end('other'));
    host = await startHost(({ path, headers }, response, count) => {
      const url = new URL(path, 'http://host');
      const page = Number(url.searchParams.get('page') ?? url.searchParams.get('cursor') ?? 0);
      const sendJson = (value: unknown, more: Record<string, string> = {}, status = 200) =>
        response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...more }).end(json(value));
      switch (url.pathname) {
        case '/echo':
          return void sendJson({ path, n: count }, { 'set-cookie': 'session=canary-cookie' });
        case '/mirror':
          return void sendJson([{ ...headers, path }], { 'x-echo': headers.authorization ?? '' });
        case '/text':
          return void response
            .writeHead(200, { 'content-type': 'text/plain; charset=iso-8859-1' })
            .end(Buffer.from('caf\u00e9', 'latin1'));
        case '/encoded':
          return void response
            .writeHead(200, { 'content-type': url.searchParams.get('type')! })
            .end(Buffer.from(url.searchParams.get('bytes')!, 'base64'));
        case '/broken-json':
          return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":');
        case '/missing':
          return void sendJson({ detail: 'canary-banner' }, { server: 'canary-banner' }, 404);
        case '/busy':
          return void sendJson({}, { 'retry-after': '120' }, 429);
        case '/flaky':
          return void sendJson({ tries: calls('/flaky').length }, {}, calls('/flaky').length < 3 ? 503 : 200);
        case '/cut':
          if (calls('/cut').length > 1) return void sendJson({ whole: true });
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
          return void response.write('{"whole":', () => response.destroy());
        case '/big':
          return void response.end('x'.repeat(5000));
        case '/silent':
          return undefined;
        case '/file':
          return void response
            .writeHead(200, {
              'content-type': 'application/pdf',
              'content-disposition': 'attachment; filename="../../etc/r\u00e9port.pdf"',
            })
            .end('%PDF-bytes');
        case '/to-other':
          return void response.writeHead(302, { location: `${other.url}/landed` }).end();
        case '/to-metadata':
          return void response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
        case '/to-private':
          return void response.writeHead(302, { location: 'https://10.0.0.1/' }).end();
        case '/link':
          return void sendJson(
            [page * 2, page * 2 + 1],
            page < 2 ? { link: `</link?page=${page + 1}>; rel="next", </link?page=0>; rel="first"` } : {},
          );
        case '/next':
          return void sendJson({
            data: { rows: [page] },
            links: { next: page < 2 ? `/next?page=${page + 1}` : null },
          });
        case '/elsewhere':
          return void sendJson({ data: { rows: [page] }, links: { next: `${other.url}/next` } });
        case '/cursor':
          return void sendJson({ rows: [page], cursor: page < 2 ? page + 1 : '' });
        case '/pages':
          return void sendJson(page < 4 ? [page] : []);
        case '/offsets': {
          const offset = Number(url.searchParams.get('offset') ?? 0);
          return void sendJson([0, 1, 2, 3, 4].slice(offset, offset + 2));
        }
        case '/endless':
          return void sendJson({ rows: [1], cursor: 'same' });
        case '/token':
          return void sendJson({ access_token: `token-${calls('/token').length}`, expires_in: 3600 });
        case '/guarded-api':
          return void sendJson({}, {}, headers.authorization === 'Bearer token-2' ? 200 : 401);
        default:
          return void response.end('ok');
      }
    });
    http = guardedHttp(host.host, other.host);
  });
  afterAll(async () => {
    await host.close();
    await other.close();
  });

  describe('sends', () => {
    it('query, headers and its own key, and reads JSON', async () => {
      const found = await get('/echo?a=1', {
        query: { q: 'x y', n: 2, missing: null },
        headers: { 'X-Trace': 'abc', Accept: 'application/json', skipped: null },
      });
      expect(found).toMatchObject({ status: 200, ok: true, body: { path: '/echo?a=1&q=x+y&n=2' }, pages: 1 });
      expect(found.headers).not.toHaveProperty('set-cookie');
      expect(last('/echo').headers).toMatchObject({ 'x-trace': 'abc', accept: 'application/json' });
      expect(last('/echo').headers).not.toHaveProperty('idempotency-key');
      await get('/echo', { method: 'POST', body_kind: 'json', body: { a: [1] } });
      expect(last('/echo')).toMatchObject({
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'run:node' },
      });
      expect(last('/echo').body.toString()).toBe('{"a":[1]}');
    });

    it('forms, texts and nothing', async () => {
      await get('/form', { method: 'POST', body_kind: 'form', body: { a: 'x&y', list: [1, 2], gone: null } });
      expect(last('/form').body.toString()).toBe('a=x%26y&list=1&list=2');
      await get('/text-body', { method: 'PUT', body_kind: 'text', body: 'hello', content_type: 'text/markdown' });
      expect(last('/text-body')).toMatchObject({ headers: { 'content-type': 'text/markdown' } });
      expect((await get('/head', { method: 'HEAD' })).body).toBe('');
    });

    it('files, as they are and in forms', async () => {
      const storage = new OneFile('report.txt', 'file content');
      const context = { http, storage };
      const url = `${host.url}/upload`;
      await outputOf(tool, { url, method: 'PUT', body_kind: 'raw', file: 'report.txt' }, context);
      expect(last('/upload')).toMatchObject({ headers: { 'content-type': 'text/plain', 'content-length': '12' } });
      expect(last('/upload').body.toString()).toBe('file content');
      const files = [{ field: 'attachment', file: 'report.txt' }];
      await outputOf(tool, { url, method: 'POST', body_kind: 'multipart', body: { title: 'T' }, files }, context);
      const sent = last('/upload');
      const form = await new Response(new Uint8Array(sent.body), {
        headers: { 'content-type': sent.headers['content-type']! },
      }).formData();
      expect(form.get('title')).toBe('T');
      const file = form.get('attachment') as File;
      expect([file.name, await file.text()]).toEqual(['report.txt', 'file content']);
      expect(Number(sent.headers['content-length'])).toBe(sent.body.length);
      await outputOf(tool, { url, method: 'POST', body_kind: 'raw', body: 'AAEC/w==' }, { http });
      expect([...last('/upload').body]).toEqual([0, 1, 2, 255]);
      const noBytes = { url, method: 'POST', body_kind: 'raw', body: 'not base64!' };
      expect(await errorOf(tool, noBytes, { http })).toMatchObject({ code: 'invalid_params' });
      expect(await errorOf(tool, { url, method: 'PUT', body_kind: 'raw', file: 'x' }, { http })).toMatchObject({
        code: 'storage_unavailable',
      });
    });

    it.each([
      [
        { auth: 'basic', username: 'ada', password: 's:ecret' },
        `Basic ${Buffer.from('ada:s:ecret').toString('base64')}`,
      ],
      [{ auth: 'bearer', token: 'abc' }, 'Bearer abc'],
      [{ auth: 'header', key_name: 'Authorization', key_value: 'Key k' }, 'Key k'],
    ])('signs in by %j', async (params, expected) => {
      await get('/echo', params);
      expect(last('/echo').headers.authorization).toBe(expected);
    });

    it('a key in the address, which no error and no output repeats', async () => {
      await get('/echo?x=1', { auth: 'query', key_name: 'api_key', key_value: 'canary key' });
      expect(last('/echo').path).toBe('/echo?x=1&api_key=canary+key');
      const error = await fail('/missing', { auth: 'query', key_name: 'api_key', key_value: 'canary' });
      expect(`${error.message} ${json(error)}`).not.toMatch(/canary|127|missing/);
      expect(error).toMatchObject({
        code: 'http_status',
        message: 'The host answered with status 404.',
        retryable: true,
      });
    });

    it.each([
      { auth: 'basic', username: 'ada', password: 'canary-password' },
      { auth: 'bearer', token: 'canary-token' },
      { auth: 'header', key_name: 'X-Api-Key', key_value: 'canary key/+' },
      { auth: 'query', key_name: 'key', key_value: 'canary key/+' },
    ])('and takes out what a host echoes of %j', async (params) => {
      const single = await get('/mirror', params);
      const many = await get('/mirror', { ...params, pagination: 'link_header' });
      const sent = JSON.stringify(last('/mirror').headers) + last('/mirror').path;
      expect(decodeURIComponent(sent)).toMatch(/canary|Basic/);
      for (const found of [single, many]) {
        expect(json(found)).not.toMatch(/canary/);
        expect(json(found)).not.toContain(Buffer.from('canary-password').toString('base64').slice(4, -4));
        expect(json(found)).toContain('***');
      }
    });

    it('an OAuth 2 token, kept while it lasts and renewed when it is refused', async () => {
      const auth = {
        auth: 'oauth2',
        token_url: `${host.url}/token`,
        client_id: 'id',
        client_secret: 'canary',
        scope: 's',
      };
      expect((await get('/guarded-api', auth)).status).toBe(200);
      expect(calls('/token')).toHaveLength(2);
      expect(calls('/token')[0]).toMatchObject({
        headers: { authorization: `Basic ${Buffer.from('id:canary').toString('base64')}` },
      });
      expect(calls('/token')[0]!.body.toString()).toBe('grant_type=client_credentials&scope=s');
      await get('/guarded-api', auth);
      expect(calls('/token')).toHaveLength(2);
      const refused = await fail('/guarded-api', { ...auth, token_url: `${host.url}/missing`, client_auth: 'body' });
      expect(refused).toMatchObject({ code: 'oauth_failed', message: 'The token address gave no token (404).' });
      expect(last('/missing').body.toString()).toContain('client_secret=canary');
    });

    it.each([
      [{ headers: { Host: 'inside' } }, 'invalid_header'],
      [{ headers: { 'Transfer-Encoding': 'chunked' } }, 'invalid_header'],
      [{ headers: { 'x-a': 'a\r\nx-b: canary' } }, 'invalid_header'],
      [{ headers: { 'x a': 'b' } }, 'invalid_header'],
      [{ auth: 'bearer', token: 'canary\r\nx: y' }, 'invalid_header'],
      [{ auth: 'bearer' }, 'invalid_params'],
      [{ method: 'TRACE' }, 'invalid_params'],
      [{ method: 'POST', body_kind: 'form', body: [1] }, 'invalid_params'],
    ])('nothing of %j', async (params, code) => {
      const before = host.received.length;
      const error = await fail('/echo', params);
      expect(error).toMatchObject({ code, retryable: false });
      expect(error.message).not.toContain('canary');
      expect(host.received).toHaveLength(before);
    });
  });

  describe('reads', () => {
    it('text in the encoding that the host names', async () => {
      expect((await get('/text')).body).toBe('caf\u00e9');
      expect((await get('/echo', { response: 'text' })).body).toMatch(/^{"path"/);
    });

    it.each([
      ['text/html', 'latin1', '<html><head><meta charset="iso-8859-1"></head>caf\u00e9'],
      ['text/html', 'latin1', '<meta http-equiv=Content-Type content="text/html;charset=windows-1252">caf\u00e9'],
      ['text/html', 'utf8', '<meta charset="utf-16">caf\u00e9'],
      ['text/html; charset=utf-8', 'utf8', '<meta charset="iso-8859-1">caf\u00e9'],
      ['application/xml', 'latin1', '<?xml version="1.0" encoding="ISO-8859-1"?><a>caf\u00e9</a>'],
      ['text/plain', 'utf16le', '\ufeffcaf\u00e9'],
      ['text/plain', 'utf8', '<meta charset="iso-8859-1">caf\u00e9'],
      ['text/plain', 'latin1', 'caf\u00e9'],
      ['text/html', 'latin1', '<p>caf\u00e9'],
    ] as const)('%s in the encoding that it names itself, %s: %s', async (type, encoding, text) => {
      const query = new URLSearchParams({ type, bytes: Buffer.from(text, encoding).toString('base64') });
      expect((await get(`/encoded?${query}`, { response: 'text' })).body).toBe(text.replace('\ufeff', ''));
    });

    it('what should be JSON and is not', async () => {
      expect(await fail('/broken-json')).toMatchObject({ code: 'response_invalid', retryable: false });
      expect(await fail('/text', { response: 'json' })).toMatchObject({ code: 'response_invalid' });
    });

    it('a file under a name without folders, once per key', async () => {
      const storage = new OneFile('', '');
      const { file, body } = await outputOf<Output>(tool, { url: `${host.url}/file` }, { http, storage });
      expect(body).toBeNull();
      expect(file).toMatchObject({ mime_type: 'application/pdf', size_bytes: 10 });
      expect(storage.written).toMatchObject([
        { name: expect.stringMatching(/^r.*port\.pdf$/), idempotencyKey: 'run:node' },
      ]);
      await outputOf(tool, { url: `${host.url}/file`, filename: 'own.pdf' }, { http, storage });
      expect(storage.written[1]).toMatchObject({ name: 'own.pdf' });
    });

    it('no file where only its head was asked for', async () => {
      expect(await get('/file', { method: 'HEAD' })).toMatchObject({ status: 200, body: '', file: null });
    });

    it('an error as an answer, when asked to', async () => {
      expect(await get('/missing', { fail_on_status: false })).toMatchObject({
        status: 404,
        ok: false,
        body: { detail: 'canary-banner' },
      });
    });

    it('no more than it may, and no longer', async () => {
      expect(await fail('/big', { max_bytes: 1000 })).toMatchObject({ code: 'response_too_large', retryable: false });
      expect(await fail('/silent', { timeout_seconds: 1, max_retries: 0 })).toMatchObject({ code: 'host_timeout' });
    });

    it('stops with its node: the connection is gone', async () => {
      const controller = new AbortController();
      let closed = false;
      const slow = await startHost((_, response) => {
        response.once('close', () => (closed = true));
        controller.abort(new Error('stopped'));
      });
      const run = runTool(tool, { url: slow.url }, { http: guardedHttp(slow.host), signal: controller.signal });
      await expect(run).rejects.toThrow('stopped');
      await until(() => closed);
      await slow.close();
    });
  });

  describe('tries again', () => {
    it('in place after short pauses', async () => {
      const pauses: number[] = [];
      const sleep = (milliseconds: number) => {
        pauses.push(milliseconds);
        return Promise.resolve();
      };
      const found = await outputOf<Output>(tool, { url: `${host.url}/flaky` }, { http, sleep });
      expect(found.body).toEqual({ tries: 3 });
      expect(pauses).toHaveLength(2);
      expect(pauses[0]).toBeGreaterThanOrEqual(250);
      expect(pauses[0]).toBeLessThanOrEqual(500);
      expect(pauses[1]).toBeLessThanOrEqual(1000);
    });

    it('after what Retry-After says, away from its worker, and gives up after the last try', async () => {
      const params = { url: `${host.url}/busy`, max_retries: 2 };
      const result = await runTool(tool, params, { http, now: () => NOW });
      if (!('wait' in result)) throw new Error('It does not wait.');
      expect(result.wait).toMatchObject({ reason: 'timer', data: { tries: 1 } });
      expect(result.wait.until! - NOW).toBeGreaterThanOrEqual(120_000);
      expect(result.wait.until! - NOW).toBeLessThanOrEqual(132_000);
      const resume = { reason: 'timer' as const, data: { tries: 2 }, answer: null };
      expect(await errorOf(tool, params, { http, resume })).toMatchObject({ code: 'http_status', retryable: true });
    });

    it('what broke off in its midst', async () => {
      expect(await get('/cut')).toMatchObject({ body: { whole: true } });
    });

    it('nothing that may take effect twice, unless the host recognises it', async () => {
      const before = calls('/busy').length;
      const params = { method: 'POST', url: `${host.url}/busy` };
      expect(await errorOf(tool, params, { http })).toMatchObject({ code: 'http_status' });
      expect(calls('/busy')).toHaveLength(before + 1);
      expect(await runTool(tool, { ...params, safe_to_repeat: true }, { http })).toHaveProperty('wait');
    });

    it.each([
      [{}, 'none'],
      [{ method: 'HEAD' }, 'none'],
      [{ method: 'PUT' }, 'idempotent'],
      [{ method: 'DELETE' }, 'idempotent'],
      [{ method: 'POST' }, 'external'],
      [{ method: 'PATCH' }, 'external'],
      [{ method: 'POST', safe_to_repeat: true }, 'idempotent'],
      [{ method: 'POST', safe_to_repeat: { $ref: '_output.a' } }, 'external'],
    ])('and says of %j that its effects are %s', (params, effects) => {
      expect(tool.sideEffectsOf?.(params)).toBe(effects);
    });
  });

  describe('turns pages', () => {
    it('by Link headers', async () => {
      expect(await get('/link', { pagination: 'link_header' })).toMatchObject({
        items: [0, 1, 2, 3, 4, 5],
        pages: 3,
        has_more: false,
        body: null,
      });
    });

    it('by addresses and cursors in the answer', async () => {
      const next = { pagination: 'next_url', items_path: 'data.rows', next_path: 'links.next' };
      expect(await get('/next', next)).toMatchObject({ items: [0, 1, 2], pages: 3 });
      const cursor = { pagination: 'cursor', items_path: 'rows', next_path: 'cursor' };
      expect(await get('/cursor', cursor)).toMatchObject({ items: [0, 1, 2], pages: 3 });
      expect(await get('/endless', cursor)).toMatchObject({ pages: 2, has_more: true });
    });

    it('by numbers', async () => {
      expect(await get('/pages', { pagination: 'page' })).toMatchObject({ items: [1, 2, 3], pages: 4 });
      expect(await get('/pages', { pagination: 'page', max_pages: 2 })).toMatchObject({ pages: 2, has_more: true });
      expect(await get('/offsets', { pagination: 'offset' })).toMatchObject({ items: [0, 1, 2, 3, 4] });
      expect(await get('/offsets', { pagination: 'offset', max_items: 3 })).toMatchObject({
        items: [0, 1, 2],
        has_more: true,
      });
    });

    it('never on another host, which would get the credentials', async () => {
      const before = other.received.length;
      const params = { pagination: 'next_url', items_path: 'data.rows', next_path: 'links.next' };
      expect(await fail('/elsewhere', params)).toMatchObject({ code: 'pagination_refused' });
      expect(other.received).toHaveLength(before);
    });
  });

  describe('is guarded', () => {
    it.each([
      'https://169.254.169.254/latest/meta-data/',
      'http://169.254.169.254/',
      'https://10.0.0.1/',
      'https://localhost/',
      'https://[::1]/',
      'https://127.0.0.1:5432/',
      'http://example.com/',
      'file:///etc/passwd',
      'gopher://example.com/',
    ])('against %s', async (url) => {
      const error = await errorOf(tool, { url }, { http });
      expect(error).toMatchObject({ code: 'address_refused', retryable: false });
      expect(error.message).not.toMatch(/169|10\.0|127|::1|passwd/);
    });

    it('against redirects to such places, and takes no credentials along to others', async () => {
      expect(await fail('/to-metadata')).toMatchObject({ code: 'address_refused' });
      expect(await fail('/to-private')).toMatchObject({ code: 'address_refused' });
      const found = await get('/to-other', { auth: 'bearer', token: 'canary', headers: { 'x-key': 'canary' } });
      expect(found.body).toBe('other');
      expect(json(other.received.at(-1)!.headers)).not.toContain('canary');
      expect(await get('/to-other', { follow_redirects: false })).toMatchObject({ status: 302 });
    });

    it('against certificates that nobody vouches for, and says so', async () => {
      const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (_, response) => response.end('secret'));
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      const error = await errorOf(tool, { url: `https://${at}/` }, { http: guardedHttp(at) });
      expect(error).toMatchObject({
        code: 'certificate_invalid',
        message: 'The certificate of the host is not signed by a known authority.',
        retryable: false,
      });
      server.close();
    });

    it('when nobody is there', async () => {
      const gone = { url: 'http://127.0.0.1:1/', max_retries: 0 };
      const error = await errorOf(tool, gone, { http: guardedHttp('127.0.0.1:1') });
      expect(error).toMatchObject({
        code: 'host_unreachable',
        message: 'The host cannot be reached.',
        retryable: true,
      });
    });
  });

  it('is checked when it is saved, as far as it can be', () => {
    expect(problems({ url: 'https://api.example/{{_output.a.id}}' })).toEqual([]);
    expect(problems({ url: { $ref: '_output.a.url' } })).toEqual([]);
    expect(problems({ url: 'api.example' })).toEqual(['params.url']);
    expect(problems({ url: 'https://user:pw@api.example/' })).toEqual(['params.url']);
    expect(problems({ url: 'https://a.example', auth: 'oauth2' })).toEqual(['params.token_url']);
    expect(problems({ url: 'https://a.example', method: '{{_output.a.method}}' })).toContain('params.method');
  });

  it('says when there is no way out', async () => {
    expect(tool.unavailableReason({})).toBe('Calls to other hosts are not available.');
    expect(await errorOf(tool, { url: 'https://a.example/' })).toMatchObject({ code: 'http_unavailable' });
  });
});

/** A storage of one file, which keeps what is written. */
class OneFile implements StoragePort {
  readonly written: NewFile[] = [];
  private readonly file: ReadableFile;

  constructor(name: string, text: string) {
    const bytes = Buffer.from(text);
    const open = async function* () {
      yield bytes;
    };
    this.file = { name, mimeType: 'text/plain', sizeBytes: bytes.length, open };
  }

  find(): Promise<ReadableFile> {
    return Promise.resolve(this.file);
  }

  findWritten(): Promise<null> {
    return Promise.resolve(null);
  }

  async write(_viewer: unknown, file: NewFile) {
    this.written.push(file);
    let sizeBytes = 0;
    if (file.content instanceof Uint8Array) sizeBytes = file.content.length;
    else for await (const chunk of file.content) sizeBytes += chunk.length;
    return { mediaPath: '/media/written/1/x', path: file.name, name: file.name, mimeType: file.mimeType, sizeBytes };
  }
}
