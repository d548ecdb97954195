import { SourceQueries, ViewerTokens } from '@app/artifacts';
import { SealingService } from '@app/secrets';
import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { addTrips, callPages, publish, renderUrl, showOnBoard, tripsQueries, userIdOf } from '../support/pages.js';
import { rawCall } from '../support/raw-http.js';
import { inAll } from '../support/long.js';

describe('pages', () => {
  let api: TestApi;
  let owner: HttpClient;
  let viewer: HttpClient;
  let stranger: HttpClient;
  let source: string;
  let id: string;

  beforeAll(async () => {
    api = await startApi({ CORS_ORIGINS: 'https://app.example' });
    [owner, viewer, stranger] = [await api.signUp(), await api.signUp(), await api.signUp()];
    source = await addTrips(api, owner);
    id = await publish(api, owner, { html: '<h1>Trips</h1>', queries: tripsQueries(source) });
  });
  afterAll(() => api?.stop());

  const data = (token: string, body: unknown, artifact = id) =>
    callPages(api, `/artifacts/${artifact}/data/`, token, body);
  const total = (token: string) => data(token, { name: 'total' });
  const sql = <T>(text: string, values: unknown[]) => api.database.dataSource.query<T>(text, values);
  const tokenOf = async (client: HttpClient, artifact = id, body: unknown = {}) =>
    (await renderUrl(client, artifact, body)).body.token;
  const get = (path: string) => fetch(`${api.pagesUrl}${path}`, { redirect: 'manual' });

  it('are answered with their queries', async () => {
    const { status, body } = await renderUrl(owner, id);
    expect([status, body]).toEqual([
      200,
      { artifact_id: id, version: 1, title: 'Trips', kind: 'page', url: expect.any(String), token: expect.any(String) },
    ]);
    const { origin, pathname, searchParams } = new URL(body.url);
    expect([origin, pathname]).toEqual([api.pagesUrl.replace('127.0.0.1', 'localhost'), `/artifacts/${id}/render/`]);
    expect(Object.fromEntries(searchParams)).toEqual({ token: body.token, version: '1' });
    expect(await total(body.token)).toEqual({
      status: 200,
      body: {
        as_of: expect.stringMatching(/^\d{4}-.*Z$/),
        columns: [
          { name: 'trips', type: 'integer' },
          { name: 'km', type: 'number' },
        ],
        rows: [[1000, 49_500]],
        truncated: false,
      },
    });
  });

  it.each([
    [{ version: 0 }, 'version'],
    [{ version: -1 }, 'version'],
    [{ version: '3' }, 'version'],
    [{ version: 1.5 }, 'version'],
    [{ version: 1e12 }, 'version'],
    [{ state: [] }, 'state'],
    [{ state: 'x' }, 'state'],
    [{ state: { text: 'x'.repeat(2049 - '{"text":""}'.length) } }, 'state'],
    [{ state: { text: 'é'.repeat(1020) } }, 'state'],
  ])('are not rendered with %j', async (body, field) => {
    const { status, body: refusal } = await renderUrl(owner, id, body);
    expect([status, Object.keys(refusal)]).toEqual([400, [field]]);
  });

  it('take a state of 2,048 bytes, which nobody reads on its way', async () => {
    const state = { text: 'y'.repeat(2048 - '{"text":""}'.length) };
    const { status, body } = await renderUrl(owner, id, { state });
    expect(status).toBe(200);
    expect(Buffer.from(body.token, 'base64url').includes('yyyy')).toBe(false);
    const shell = await (await get(new URL(body.url).pathname + new URL(body.url).search)).text();
    expect(shell).toContain('yyyy');
    expect((await owner.send('POST', `/microservices/artifacts/${id}/render-url/`)).status).toBe(200);
  });

  it.each(['x:99999', '1.2.3.999', '[1:2]', 'a..b', '%61', '-', 'x:y'])(
    'have an address, whatever the caller calls the api (%s)',
    async (host) => {
      const headers = { Host: host, Authorization: `Token ${owner.token}`, 'Content-Type': 'application/json' };
      const call = (path: string, body: object) =>
        rawCall(api.baseUrl, 'POST', path, headers, JSON.stringify(body)).then((answer) => ({
          status: answer.status,
          isAddress: URL.canParse(String(answer.body.url)),
        }));
      expect(await call(`/microservices/artifacts/${id}/render-url/`, {})).toEqual({ status: 200, isAddress: true });
      expect(await call('/artifacts/links/', { artifact_uid: id })).toEqual({ status: 201, isAddress: true });
      for (const path of ['/artifacts/links/', '/microservices/workflow/?page=2&page_size=1'])
        expect((await rawCall(api.baseUrl, 'GET', path, headers)).status).toBeLessThan(500);
    },
  );

  it.each([['x'], ['0'], ['01a21f8f-9102-71fa-a13b-dbe55207b8e9'], ['%00'], ['a'.repeat(300)]])(
    'are not there under %s',
    async (unknown) => {
      const { status } = await renderUrl(owner, unknown);
      expect(status).toBe(404);
      expect((await owner.send('POST', `/microservices/artifacts/${unknown}/refresh/`)).status).toBe(404);
      expect((await get(`/artifacts/${unknown}/render/?token=x`)).status).toBeGreaterThanOrEqual(400);
      expect((await get(`/artifacts/${unknown}/public/?link=x`)).status).toBe(404);
    },
  );

  it('have versions, which others do not know', async () => {
    expect(await renderUrl(owner, id, { version: 2 })).toMatchObject({
      status: 404,
      body: { code: 'version_not_found' },
    });
    expect(await renderUrl(stranger, id)).toMatchObject({ status: 404, body: { code: 'artifact_not_found' } });
    expect((await stranger.send('POST', `/microservices/artifacts/${id}/refresh/`)).status).toBe(404);
  });

  it('come in a shell that keeps them in, and on their own port alone', async () => {
    const { body } = await renderUrl(owner, id);
    const { pathname, search } = new URL(body.url);
    const shell = await get(pathname + search);
    const policy = shell.headers.get('content-security-policy')!;
    expect(shell.status).toBe(200);
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'nonce-([^']+)'; style-src 'nonce-\1'; connect-src 'self'; frame-src 'self'/,
    );
    expect(policy).toContain('frame-ancestors https://app.example');
    expect(Object.fromEntries(shell.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'connection-allowlist': '(response-origin)',
    });
    expect(shell.headers.get('access-control-allow-origin')).toBeNull();
    const holder = await get('/assets/holder/');
    expect(holder.headers.get('content-security-policy')).toMatch(
      /^sandbox allow-scripts allow-forms; default-src 'none'; /,
    );
    expect(holder.headers.get('connection-allowlist')).toBe('()');
    for (const path of [pathname + search, '/assets/holder/', `/artifacts/${id}/public/`])
      expect((await fetch(api.baseUrl + path)).status).toBe(404);
    for (const path of ['/users/me/', '/docs/', '/openapi.json', '/', '/assets/', '/artifacts/links/'])
      expect((await get(path)).status).toBe(404);
    expect((await get('/healthz/')).status).toBe(200);
    expect((await fetch(`${api.pagesUrl}/assets/holder/`, { headers: { 'service-worker': 'script' } })).status).toBe(
      404,
    );
    expect((await fetch(`${api.pagesUrl}${pathname}`, { method: 'DELETE' })).status).toBe(405);
  });

  it('are not shown to whoever has no token for them', async () => {
    const other = await publish(api, owner, { html: 'other' });
    const token = await tokenOf(owner);
    const seal = api.app.get(SealingService);
    const issued = (secondsAgo: number, begun = secondsAgo) =>
      new ViewerTokens(seal, { now: () => Date.now() - secondsAgo * 1000 } as never).issue({
        artifactId: id,
        version: 1,
        viewer: { userId, sessionId },
        begunAt: Math.floor(Date.now() / 1000) - begun,
      }).token;
    const userId = await userIdOf(api, owner);
    const [{ id: sessionId }] = await sql<[{ id: string }]>('SELECT id FROM sessions WHERE user_id = $1', [userId]);
    const forged = `${token.slice(0, -8)}AAAAAAAA`;
    const cases: [string, number, string][] = [
      ['', 401, 'viewer_token_missing'],
      ['x', 403, 'viewer_token_invalid'],
      [forged, 403, 'viewer_token_invalid'],
      [await tokenOf(owner, other), 403, 'viewer_token_invalid'],
      [issued(301), 401, 'viewer_token_expired'],
      [issued(10, 13 * 3600), 401, 'viewer_token_expired'],
      [issued(0, 12 * 3600), 401, 'viewer_token_expired'],
      ['a'.repeat(9000), 403, 'viewer_token_invalid'],
    ];
    for (const [wrong, status, code] of cases) {
      expect([await total(wrong), code]).toEqual([{ status, body: { detail: expect.any(String), code } }, code]);
      const page = await get(`/artifacts/${id}/render/?token=${wrong}&version=1`);
      const text = await page.text();
      expect([page.status, page.headers.get('content-type'), text.includes('Trips')]).toEqual([
        status,
        'text/html; charset=utf-8',
        false,
      ]);
    }
    // One that ended a moment ago is followed by another; none of long ago is, and none that goes on for ever.
    const renew = (old: string) => callPages(api, `/artifacts/${id}/token/`, old, {});
    const renewed = await renew(issued(400));
    expect(renewed).toMatchObject({ status: 200, body: { expires_in: 300 } });
    expect((await total(String(renewed.body.token))).status).toBe(200);
    expect((await renew(issued(1300))).status).toBe(401);
    expect((await renew(issued(10, 13 * 3600))).status).toBe(401);
    // The last one before the 12 hours are over ends with them, whether it is renewed or shown.
    const last = issued(0, 12 * 3600 - 100);
    const { body: next } = await renew(last);
    expect(next.expires_in).toBeGreaterThan(0);
    expect(next.expires_in).toBeLessThanOrEqual(100);
    const shell = await (await get(`/artifacts/${id}/render/?token=${last}`)).text();
    const seconds = Number(/"seconds":(\d+)/.exec(shell)?.[1]);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(100);
    expect((await get(`/artifacts/${id}/render/?token=${token}&version=2`)).status).toBe(404);
  });

  it('are shown to whom a board shows them, for as long as it does', async () => {
    const own = await publish(api, owner, { html: '<h1>Shared</h1>', queries: tripsQueries(source) });
    const board = await showOnBoard(api, owner, viewer, own);
    const token = await tokenOf(viewer, own);
    expect((await data(token, { name: 'total' }, own)).body.rows).toEqual([[1000, 49_500]]);
    expect((await viewer.send('POST', `/microservices/artifacts/${own}/refresh/`)).status).toBe(403);
    await publish(api, owner, { html: '<h1>Next</h1>', queries: tripsQueries(source) }, own);
    // What is open goes on; the early version is not there for others any more, but for the creator.
    expect((await data(token, { name: 'total' }, own)).status).toBe(200);
    expect((await renderUrl(viewer, own)).body.version).toBe(2);
    expect((await renderUrl(viewer, own, { version: 1 })).status).toBe(404);
    expect((await renderUrl(owner, own, { version: 1 })).status).toBe(200);
    await sql('DELETE FROM board_collaborators WHERE board_id = $1', [board]);
    const ended = { status: 403, body: { detail: expect.any(String), code: 'view_ended' } };
    expect(await data(token, { name: 'total' }, own)).toEqual(ended);
    expect(await callPages(api, `/artifacts/${own}/token/`, token, {})).toEqual(ended);
    expect((await get(`/artifacts/${own}/render/?token=${token}&version=1`)).status).toBe(403);
    expect((await renderUrl(viewer, own)).status).toBe(404);
  });

  it('are shown in the version that a tile keeps, and no other', async () => {
    const own = await publish(api, owner, { html: 'first' });
    await publish(api, owner, { html: 'second' }, own);
    await showOnBoard(api, owner, viewer, own, { version: 1 });
    expect((await renderUrl(viewer, own)).body.version).toBe(1);
    expect((await renderUrl(viewer, own, { version: 2 })).status).toBe(404);
  });

  inAll('end with the account of their creator, of their viewer, and with the session', async () => {
    const [creator, guest] = [await api.signUp(), await api.signUp()];
    const own = await publish(api, creator, { queries: tripsQueries(await addTrips(api, creator)) });
    await showOnBoard(api, creator, guest, own);
    const token = await tokenOf(guest, own);
    const isActive = (client: HttpClient, active: boolean) =>
      sql('UPDATE users SET is_active = $2 WHERE username = $1', [client.username, active]);
    for (const who of [creator, guest]) {
      await isActive(who, false);
      expect(await data(token, { name: 'total' }, own)).toMatchObject({ status: 403, body: { code: 'view_ended' } });
      await isActive(who, true);
      expect((await data(token, { name: 'total' }, own)).status).toBe(200);
    }
    await sql('UPDATE sessions SET revoked_at = now() WHERE user_id = (SELECT id FROM users WHERE username = $1)', [
      guest.username,
    ]);
    expect(await callPages(api, `/artifacts/${own}/token/`, token, {})).toMatchObject({
      status: 401,
      body: { code: 'view_ended' },
    });
    // Nor by its address, which would give it the next token.
    const page = await get(`/artifacts/${own}/render/?token=${token}`);
    expect([page.status, (await page.text()).includes('"token"')]).toEqual([401, false]);
  });

  inAll('get one answer for each query, whatever is wrong with the others', async () => {
    const gone = await addTrips(api, owner);
    const own = await publish(api, owner, {
      queries: [...tripsQueries(source), { ...tripsQueries(gone)[0]!, name: 'gone' }],
    });
    await sql('DELETE FROM tabular_files WHERE uid = $1', [gone.slice(5)]);
    const token = await tokenOf(owner, own);
    const { status, body } = await data(
      token,
      {
        queries: [
          { name: 'total' },
          { name: 'gone' },
          { name: '__proto__' },
          { name: 'by_city', params: { city: 1 } },
          { name: 'by_city', params: { city: 'Aqaba' } },
          { name: 'by_city', params: { city: "x' OR 1=1 --" } },
        ],
      },
      own,
    );
    const results = body.results as { rows?: unknown; error?: { code: string } }[];
    expect([status, results.map(({ rows, error }) => error?.code ?? rows)]).toEqual([
      200,
      [[[1000, 49_500]], 'source_gone', 'unknown_query', 'invalid_params', [['Aqaba', 334]], []],
    ]);
    expect(await data(token, { name: 'gone' }, own)).toMatchObject({ status: 400, body: { code: 'source_gone' } });
    const wrong = { code: 'invalid_params', params: { city: 'has to be a text' } };
    expect(results[3]!.error).toMatchObject(wrong);
    const single = await data(token, { name: 'by_city', params: { city: 1 } }, own);
    expect(single).toMatchObject({ status: 400, body: { ...wrong, detail: expect.any(String) as string } });
    expect((await get(`/artifacts/${own}/render/?token=${token}`)).status).toBe(200);
  });

  it.each([
    [[]],
    [null],
    [{}],
    [{ name: 1 }],
    [{ name: 'total', params: [] }],
    [{ queries: [] }],
    [{ queries: Array.from({ length: 51 }, () => ({ name: 'total' })) }],
    [{ queries: [{ name: 'x'.repeat(200) }] }],
  ])('refuse what is no question: %j', async (body) => {
    expect((await data(await tokenOf(owner), body)).status).toBe(400);
  });

  it('refuse what is too large, and what cannot be read', async () => {
    const token = await tokenOf(owner);
    expect(await data(token, { name: 'total', params: { a: 'x'.repeat(300_000) } })).toMatchObject({ status: 413 });
    const broken = await fetch(`${api.pagesUrl}/artifacts/${id}/data/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-viewer-token': token },
      body: '{"name": ',
    });
    expect([broken.status, await broken.json()]).toMatchObject([400, { code: 'parse_error' }]);
    for (const path of ['/artifacts/%E0%A4%A/render/?token=x', '/artifacts/%ff/public/?link=x', '/%'])
      expect([path, (await get(path)).status]).toEqual([path, path === '/%' ? 404 : 400]);
  });

  inAll('run each query once for fifty viewers and a refresh, on two replicas', async () => {
    const replica = await api.startReplica();
    try {
      const own = await publish(api, owner, { queries: tripsQueries(source) });
      const token = await tokenOf(owner, own);
      let runs = 0;
      for (const { app } of [api, replica]) {
        const queries = app.get(SourceQueries);
        const run = queries.run.bind(queries);
        queries.run = (ownerId, asked, signal) => {
          runs += asked.length;
          return run(ownerId, asked, signal);
        };
      }
      const look = async (place: number) => {
        const { results } = (
          await callPages(place % 2 === 0 ? api : replica, `/artifacts/${own}/data/`, token, {
            queries: [{ name: 'total' }, { name: 'by_city' }],
          })
        ).body as { results: { as_of: string; rows: unknown[] }[] };
        return results.map(({ as_of: asOf }) => asOf).join();
      };
      const all = () => Promise.all(Array.from({ length: 50 }, (_, place) => look(place)));
      const first = new Set(await all());
      expect([first.size, runs]).toEqual([1, 2]);
      expect((await owner.post<{ retired: number }>(`/microservices/artifacts/${own}/refresh/`, {})).retired).toBe(2);
      const second = new Set(await all());
      expect([second.size, runs, second.has([...first][0]!)]).toEqual([1, 4, false]);
      expect((await owner.post<{ retired: number }>(`/microservices/artifacts/${own}/refresh/`, {})).retired).toBe(2);
      expect((await owner.post<{ retired: number }>(`/microservices/artifacts/${own}/refresh/`, {})).retired).toBe(0);
    } finally {
      await replica.stop();
    }
  });

  it('are public by a link, with what was shown last, until it is taken back', async () => {
    const own = await publish(api, owner, { html: '<h1>Public</h1>', queries: tripsQueries(source) });
    const link = await owner.post<{ uid: string; url: string; access_count: number }>('/artifacts/links/', {
      artifact_uid: own,
    });
    const open = async () => {
      const { pathname, search } = new URL(link.url, api.pagesUrl);
      const response = await get(pathname + search);
      const shell = await response.text();
      return { response, shell, token: /"token":"([\w-]+)"/.exec(shell)?.[1] ?? '' };
    };
    const before = await open();
    expect(before.response.status).toBe(200);
    expect(await data(before.token, { name: 'total' }, own)).toMatchObject({
      status: 400,
      body: { code: 'no_stored_result' },
    });
    await data(await tokenOf(owner, own), { name: 'total' }, own);
    await owner.post(`/microservices/artifacts/${own}/refresh/`, {});
    const { response, shell, token } = await open();
    expect([response.headers.get('cache-control'), shell.includes('Public')]).toEqual(['no-store', true]);
    expect((await data(token, { name: 'total' }, own)).body.rows).toEqual([[1000, 49_500]]);
    expect((await data(token, { name: 'by_city', params: { city: 'Amman' } }, own)).status).toBe(400);
    const links = await owner.get<{ uid: string; access_count: number }[]>('/artifacts/links/');
    expect(links.find(({ uid }) => uid === link.uid)?.access_count).toBe(2);
    for (const wrong of ['', '?link=', '?link=x', `?link=${link.url.split('=')[1]}x`])
      expect((await get(`/artifacts/${own}/public/${wrong}`)).status).toBe(404);
    expect((await get(`/artifacts/${id}/public/?link=${link.url.split('=')[1]}`)).status).toBe(404);
    await owner.send('DELETE', `/artifacts/links/${link.uid}/`);
    expect((await open()).response.status).toBe(404);
    expect(await data(token, { name: 'total' }, own)).toMatchObject({ status: 403, body: { code: 'view_ended' } });
  });
});
