import { connect } from 'node:net';
import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { inOneMinute } from '../support/minute.js';
import { publish, renderUrl } from '../support/pages.js';
import { rawCall } from '../support/raw-http.js';

const PER_MINUTE = 5;

describe('the listener of pages', () => {
  let api: TestApi;
  let owner: HttpClient;
  let id: string;
  let lastAddress = 0;

  beforeAll(async () => {
    api = await startApi({
      RATE_LIMITS: 'true',
      RATE_LIMIT_PER_USER: String(PER_MINUTE),
      TRUSTED_PROXY_HOPS: '1',
      BODY_TIMEOUT_SECONDS: '5',
      CORS_ORIGINS: 'https://app.example',
      ARTIFACT_ORIGIN: 'https://pages.example',
    });
    owner = await api.signUp();
    id = await publish(api, owner, { html: '<h1>Trips</h1>' });
  });
  afterAll(() => api?.stop());

  const newAddress = () => `10.1.2.${(lastAddress += 1)}`;
  const ask = (path: string, { address = newAddress(), ...init }: RequestInit & { address?: string } = {}) =>
    fetch(`${api.pagesUrl}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { ...(init.headers as Record<string, string>), 'x-forwarded-for': address },
    });
  const post = (path: string, token: string, address?: string) =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { 'x-viewer-token': token }) },
      body: '{"name":"x"}',
      ...(address && { address }),
    });

  it.each<[string, (address: string) => Promise<Response>, number]>([
    ['no token', (address) => post(`/artifacts/${id}/data/`, '', address), 401],
    ['a guessed token', (address) => post(`/artifacts/${id}/data/`, 'guess', address), 403],
    ['a guessed token to renew', (address) => post(`/artifacts/${id}/token/`, 'guess', address), 403],
    ['a page without a token', (address) => ask(`/artifacts/${id}/render/`, { address }), 401],
    ['a page with a guessed one', (address) => ask(`/artifacts/${id}/render/?token=guess`, { address }), 403],
    ['an artifact that is none', (address) => ask('/artifacts/x/render/?token=guess', { address }), 404],
    ['a path that is none', (address) => ask('/nothing/', { address }), 404],
    ['a path that cannot be read', (address) => ask('/artifacts/%ff/render/', { address }), 400],
    ['another method', (address) => ask('/assets/holder/', { address, method: 'DELETE' }), 405],
    ['a worker', (address) => ask('/', { address, headers: { 'service-worker': 'script' } }), 404],
  ])('counts calls with %s, by their address', (_, send, status) =>
    inOneMinute(async () => {
      const address = newAddress();
      const statuses = [];
      for (let time = 0; time < PER_MINUTE + 2; time += 1) statuses.push((await send(address)).status);
      expect(statuses).toEqual([...Array.from({ length: PER_MINUTE }, () => status), 429, 429]);
      expect((await ask('/healthz/', { address })).status).toBe(200);
      expect((await send(newAddress())).status).toBe(status);
    }),
  );

  it('counts a viewer once for each call, wherever they are', () =>
    inOneMinute(async () => {
      const viewer = await api.signUp();
      const own = await publish(api, viewer, {});
      const { token } = (await renderUrl(viewer, own)).body;
      const statuses = [];
      for (let time = 0; time < PER_MINUTE + 1; time += 1)
        statuses.push((await post(`/artifacts/${own}/data/`, token)).status);
      expect(statuses).toEqual([...Array.from({ length: PER_MINUTE }, () => 400), 429]);
    }));

  it('says with everything that it is no document, and belongs to TLS', async () => {
    const all = await Promise.all([
      ask('/healthz/'),
      post(`/artifacts/${id}/data/`, ''),
      post('/nothing/', ''),
      ask('/nothing/'),
      ask('/assets/charts/'),
    ]);
    for (const { headers } of all)
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'referrer-policy': 'no-referrer',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
        'x-content-type-options': 'nosniff',
        'x-robots-tag': 'noindex, nofollow',
      });
    expect(all.slice(0, 3).map(({ headers }) => headers.get('content-security-policy'))).toEqual(
      Array.from({ length: 3 }, () => "default-src 'none'; frame-ancestors 'none'"),
    );
  });

  it('has its parts kept under the addresses that shells name, and under no others', async () => {
    const viewer = await api.signUp();
    const own = await publish(api, viewer, {});
    const { pathname, search } = new URL((await renderUrl(viewer, own)).body.url);
    const shell = await (await ask(pathname + search)).text();
    const { holder, charts } = JSON.parse(/id="opened"[^>]*>([^<]*)</.exec(shell)![1]!) as Record<string, string>;
    const kept = async (path: string) => (await ask(path)).headers.get('cache-control');
    expect([await kept(holder!), await kept(charts!)]).toEqual([
      'private, max-age=86400',
      'public, max-age=31536000, immutable',
    ]);
    for (const path of ['/assets/holder/', '/assets/holder/?v=0123456789abcdef', '/assets/charts/?v=x'])
      expect([path, await kept(path)]).toEqual([path, 'no-store']);
  });

  it('waits for a body as long as the setting says', async () => {
    const viewer = await api.signUp();
    const own = await publish(api, viewer, {});
    const { token } = (await renderUrl(viewer, own)).body;
    const { hostname, port } = new URL(api.pagesUrl);
    const text = await new Promise<string>((done) => {
      const chunks: Buffer[] = [];
      const socket = connect(Number(port), hostname);
      // A byte now and then, which is not standing still.
      const dribble = setInterval(() => socket.write(' '), 300);
      socket.on('data', (chunk: Buffer) => {
        clearInterval(dribble);
        chunks.push(chunk);
      });
      // What is ended while bytes are on their way is reset.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        clearInterval(dribble);
        done(Buffer.concat(chunks).toString());
      });
      socket.write(
        `POST /artifacts/${own}/data/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
          `X-Viewer-Token: ${token}\r\nContent-Length: 200000\r\n\r\n{`,
      );
    });
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(text).toContain('request_timeout');
  });
});

describe('the listener of pages, with a name for each artifact', () => {
  let api: TestApi;
  let owner: HttpClient;

  beforeAll(async () => {
    api = await startApi({ ARTIFACT_ORIGIN: 'https://*.pages.example' });
    owner = await api.signUp();
  });
  afterAll(() => api?.stop());

  it('shows a page under its own name alone, to viewers and strangers', async () => {
    const [one, other] = [await publish(api, owner, {}), await publish(api, owner, {})];
    const { url, token } = (await renderUrl(owner, one)).body;
    const link = await owner.post<{ url: string }>('/artifacts/links/', { artifact_uid: one });
    expect([new URL(url).origin, new URL(link.url).origin]).toEqual(
      Array.from({ length: 2 }, () => `https://${one}.pages.example`),
    );
    const statusesAt = async (host: string) => {
      const opened = [url, link.url].map((address) => {
        const { pathname, search } = new URL(address);
        return rawCall(api.pagesUrl, 'HEAD', pathname + search, { Host: host });
      });
      const headers = { Host: host, 'X-Viewer-Token': token, 'Content-Type': 'application/json' };
      const renewed = rawCall(api.pagesUrl, 'POST', `/artifacts/${one}/token/`, headers, '{}');
      return (await Promise.all([...opened, renewed])).map(({ status }) => status);
    };
    expect(await statusesAt(`${one}.pages.example`)).toEqual([200, 200, 200]);
    expect(await statusesAt(`${one.toUpperCase()}.Pages.Example`)).toEqual([200, 200, 200]);
    for (const host of [`${other}.pages.example`, 'pages.example', `${one}.pages.example.evil.example`, 'x:99999', '*'])
      expect([host, await statusesAt(host)]).toEqual([host, [404, 404, 404]]);
    // The parts of a shell are the same for all.
    expect((await rawCall(api.pagesUrl, 'HEAD', '/assets/holder/', { Host: 'pages.example' })).status).toBe(200);
  });
});
