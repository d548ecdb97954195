import { createHmac } from 'node:crypto';
import { auditedActions } from '../support/audit.js';
import { call, type Hook, senders } from '../support/hooks.js';
import { HttpClient } from '../support/http-client.js';
import { type HostedApp, type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';
import { fanOutAndJoin } from '../support/workflows.js';

const REFUSED = { error: expect.any(String), code: 'invalid_webhook_credentials' };
const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const SCHEMES = Object.keys(senders);
const TIMED = ['stripe', 'slack', 'zoom', 'svix', 'standard-webhooks'];
const json = { 'content-type': 'application/json' };
const post = (url: string, body: string, headers: Record<string, string> = json) =>
  call(url, { method: 'POST', headers, body });
const statuses = (...urls: string[]) => Promise.all(urls.map(async (url) => (await post(url, '{}')).status));
const bytes = (...values: number[]) => new Uint8Array(values);
const echo = {
  nodes: [
    { id: 'hook', kind: 'webhook_trigger', next: ['say'] },
    { id: 'say', kind: 'respond', params: { body: { $ref: '_output.hook' } } },
  ],
};

describe('webhooks by URL', () => {
  let platform: HostedPlatform;
  let replica: HostedApp;
  let owner: HttpClient;

  beforeAll(async () => {
    platform = await hostPlatform(['api', 'workflow-runner']);
    replica = await platform.host('api', {
      PUBLIC_URL: 'https://atrium.example/base/',
      LOG_LEVEL: 'debug',
      LOG_REQUESTS: 'true',
    });
    owner = await HttpClient.signUp(platform.baseUrl);
  });
  afterAll(() => platform.stop());

  async function create(definition: unknown, wish: object | null = {}): Promise<Hook> {
    const { workflow_id: id } = await owner.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: definition,
    });
    return wish === null ? { id, url: '', secret: '' } : open(id, wish);
  }
  async function put(id: string, wish: object) {
    const response = await owner.send('PUT', `/microservices/workflow/${id}/webhook-url/`, wish);
    return { status: response.status, body: (await response.json()) as Record<string, string | null> };
  }
  async function open(id: string, wish: object): Promise<Hook> {
    const { status, body } = await put(id, wish);
    expect([status, body]).toEqual([200, expect.objectContaining({ workflow_id: id })]);
    return { id, url: body.webhook_url!, secret: (wish as { secret?: string }).secret ?? body.secret ?? '' };
  }
  const count = async (id: string) =>
    Number(
      (
        await platform.database.dataSource.query('SELECT count(*) FROM workflow_requests WHERE workflow_id = $1', [id])
      )[0].count,
    );
  const detailOf = (id: string, base = platform.baseUrl) =>
    fetch(`${base}/microservices/workflow/${id}/`, { headers: { authorization: `Token ${owner.token}` } }).then(
      (response) => response.json() as Promise<Record<string, string | null>>,
    );

  it('are opened on request, shown to those who see the secret, and made of PUBLIC_URL', async () => {
    const { id } = await create(fanOutAndJoin, null);
    expect((await detailOf(id)).webhook_url).toBeNull();
    const node = await owner.get<Record<string, unknown>>(`/microservices/workflow/${id}/node-webhook/left/`);
    expect(node.webhook_url).toBeNull();
    const hook = await open(id, {});
    expect(hook.url).toMatch(new RegExp(`^${platform.baseUrl}/hooks/[A-Za-z0-9_-]{43}/$`));
    expect((await detailOf(id)).webhook_url).toBe(hook.url);
    const token = hook.url.split('/').at(-2)!;
    const other = replica.baseUrl;
    expect((await detailOf(id, other)).webhook_url).toBe(`https://atrium.example/base/hooks/${token}/`);
    // Asked for again, it is the same.
    expect((await open(id, {})).url).toBe(hook.url);

    const ofNode = await open(id, { node_id: 'left' });
    expect(ofNode.url).not.toBe(hook.url);
    expect(await owner.get(`/microservices/workflow/${id}/node-webhook/left/`)).toMatchObject({
      webhook_url: ofNode.url,
    });
    const settings = await owner.get<{ credentials: object[] }>(`/microservices/workflow/${id}/webhook-settings/`);
    expect(settings.credentials).toEqual([
      expect.objectContaining({ node_id: null, webhook_url: hook.url, url_scheme: 'none', url_challenge: 'none' }),
      expect.objectContaining({ node_id: 'left', webhook_url: ofNode.url }),
    ]);
    expect((await put(id, { node_id: 'nowhere' })).status).toBe(404);

    const stranger = await HttpClient.signUp(platform.baseUrl);
    const [{ id: strangerId }] = await platform.database.dataSource.query('SELECT id FROM users WHERE username = $1', [
      stranger.username,
    ]);
    for (const [role, shown] of [
      ['viewer', null],
      ['editor', hook.url],
    ] as const) {
      await platform.database.dataSource.query(
        `INSERT INTO workflow_collaborators (workflow_id, user_id, role) VALUES ($1, $2, $3)
         ON CONFLICT (workflow_id, user_id) DO UPDATE SET role = excluded.role`,
        [id, strangerId, role],
      );
      const seen = await stranger.get<Record<string, unknown>>(`/microservices/workflow/${id}/`);
      expect([role, seen.webhook_url]).toEqual([role, shown]);
      expect((await stranger.send('PUT', `/microservices/workflow/${id}/webhook-url/`, {})).status).toBe(403);
      expect((await stranger.send('DELETE', `/microservices/workflow/${id}/webhook-url/`)).status).toBe(403);
    }
    // Neither the token nor a secret stands in the database as it is.
    const rows = JSON.stringify([
      await platform.database.dataSource.query('SELECT * FROM workflow_webhook_urls'),
      await platform.database.dataSource.query('SELECT * FROM workflow_webhook_receivers'),
    ]);
    expect(rows).not.toContain(token);
  });

  it.each(SCHEMES)('%s: right, repeated, wrong and late', async (scheme) => {
    const extra = { header: { header_name: 'X-Key' }, hmac: { header_name: 'X-Key' }, basic: { username: 'ada' } }[
      scheme
    ];
    const hook = await create(fanOutAndJoin, { scheme, ...extra, ...(scheme !== 'none' && { secret: SECRET }) });
    const sign = senders[scheme]!;
    const body = JSON.stringify({ id: 'evt_1', event_id: 'Ev1', n: 1 });
    const headers = { ...json, ...sign(SECRET, body, new Date(), 'd1') };
    const first = await post(hook.url, body, headers);
    expect(first).toMatchObject({ status: 202, body: { workflow_id: hook.id, request_id: expect.any(String) } });
    expect(first.body).not.toHaveProperty('output');
    const again = await post(hook.url.slice(0, -1), body, headers);
    expect(again).toMatchObject({ status: 202, body: { duplicate: true, request_id: first.body.request_id } });

    const unknown = await post(hook.url.replace(/[^/]{43}\/$/, `${'A'.repeat(43)}/`), body, headers);
    expect(unknown).toMatchObject({ status: 401, body: REFUSED });
    const wrongs = [
      scheme === 'none' ? null : await post(hook.url, body),
      scheme === 'none'
        ? null
        : await post(hook.url, body, { ...json, ...sign(`${SECRET.slice(0, -8)}AAAAAAA=`, body, new Date(), 'd2') }),
      scheme === 'none'
        ? null
        : await post(hook.url, body, {
            ...json,
            ...sign(`whsec_${Buffer.alloc(24, 1).toString('base64')}`, body, new Date(), 'd2'),
          }),
      ...(TIMED.includes(scheme)
        ? [-301, 305].map((late) =>
            post(hook.url, body, { ...json, ...sign(SECRET, body, new Date(Date.now() + late * 1000), 'd2') }),
          )
        : []),
      await call(hook.url),
      await call(`${hook.url}?challenge=x&validationToken=y&hub.mode=subscribe&hub.challenge=1`),
    ];
    for (const wrong of await Promise.all(wrongs))
      if (wrong) expect([wrong.status, wrong.body, wrong.type]).toEqual([401, unknown.body, unknown.type]);
    expect(await count(hook.id)).toBe(1);
  });

  it('keep a captured call that was signed without time from running again under another name', async () => {
    const hook = await create(fanOutAndJoin, { scheme: 'github', secret: 'geheim' });
    const body = '{"zen":"x"}';
    const headers = senders.github!('geheim', body, new Date(), 'one');
    const first = await post(hook.url, body, { ...json, ...headers });
    const replayed = await post(hook.url, body, {
      ...json,
      ...headers,
      'x-github-delivery': 'two',
      'idempotency-key': 'x',
    });
    expect(replayed.body).toMatchObject({ duplicate: true, request_id: first.body.request_id });
  });

  it('answer challenges of the vendor that was chosen', async () => {
    const meta = await create(fanOutAndJoin, {
      challenge: 'meta',
      verify_token: 'tok en',
      scheme: 'github',
      secret: 's',
    });
    const asked = `${meta.url}?hub.mode=subscribe&hub.verify_token=tok%20en&hub.challenge=1158201444`;
    expect(await call(asked)).toMatchObject({ status: 200, text: '1158201444', type: 'text/plain; charset=utf-8' });
    expect((await call(asked.replace('tok%20en', 'token'))).status).toBe(401);
    const dropbox = await create(fanOutAndJoin, {
      challenge: 'dropbox',
      scheme: 'hmac',
      header_name: 'X-Dropbox-Signature',
      secret: 's',
    });
    const echoed = await call(`${dropbox.url}?challenge=<script>alert(1)</script>`);
    expect([echoed.status, echoed.text]).toEqual([200, '<script>alert(1)</script>']);
    expect(echoed.headers.get('x-content-type-options')).toBe('nosniff');
    expect(echoed.headers.get('content-security-policy')).toContain('sandbox');
    const graph = await create(fanOutAndJoin, { challenge: 'microsoft-graph' });
    const validation = await call(`${graph.url}?validationToken=Validation%3A+a%26b`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
    });
    expect([validation.status, validation.text, validation.type]).toEqual([
      200,
      'Validation: a&b',
      'text/plain; charset=utf-8',
    ]);
    const slack = await create(fanOutAndJoin, { scheme: 'slack', secret: 's' });
    const question = JSON.stringify({ type: 'url_verification', challenge: '3eZbrw1a' });
    expect(await post(slack.url, question, senders.slack!('s', question, new Date(), ''))).toMatchObject({
      status: 200,
      text: '3eZbrw1a',
    });
    expect((await post(slack.url, question)).status).toBe(401);
    const zoom = await create(fanOutAndJoin, { scheme: 'zoom', secret: 's' });
    const validate = JSON.stringify({ event: 'endpoint.url_validation', payload: { plainToken: 'abc' } });
    expect((await post(zoom.url, validate, senders.zoom!('s', validate, new Date(), ''))).body).toEqual({
      plainToken: 'abc',
      encryptedToken: createHmac('sha256', 's').update('abc').digest('hex'),
    });
    for (const { id } of [meta, dropbox, graph, slack, zoom]) expect(await count(id)).toBe(0);
  });

  it('take any body, and give what the workflow responds', async () => {
    const hook = await create(echo);
    const send = async (body: string | Uint8Array<ArrayBuffer>, type?: string) => {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      const { status, body: said } = await call(hook.url, { method: 'POST', headers, body });
      return status === 200 ? said.payload : { status, code: said.code };
    };
    expect(
      await send(
        '{"a":1,"file":"/x","files":[1],"path":"/y","file-path":"z","_schedule":{},"_request":{},"b":{"path":1}}',
        'application/json',
      ),
    ).toEqual({ a: 1, b: {} });
    expect(await send('[1,2]', 'application/vnd.api+json')).toEqual({ body: [1, 2] });
    expect(await send('"x"', 'application/json; charset=utf-8')).toEqual({ body: 'x' });
    expect(await send('a=1&a=2&b=%C3%BC&path=x', 'application/x-www-form-urlencoded')).toEqual({
      a: ['1', '2'],
      b: 'ü',
    });
    expect(await send('Größe', 'text/plain')).toEqual({ body: 'Größe' });
    expect(await send('{"Type":"Notification"}', 'text/plain; charset=UTF-8')).toEqual({ Type: 'Notification' });
    expect(await send(bytes(0x47, 0xf6), 'text/plain; charset=iso-8859-1')).toEqual({ body: 'Gö' });
    expect(await send('<a b="1">x</a>', 'application/xml')).toEqual({ body: '<a b="1">x</a>' });
    const latin = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>', 'latin1');
    expect(await send(latin, 'application/xml')).toEqual({ body: latin.toString('latin1') });
    const claimed = '<?xml version="1.0" encoding="utf-16"?><a>é</a>';
    expect(await send(claimed, 'text/xml')).toEqual({ body: claimed });
    const unknown = Buffer.from(latin.toString('latin1').replace('ISO-8859-1', 'klingon'), 'latin1');
    expect(await send(unknown, 'text/xml')).toEqual({ body_base64: unknown.toString('base64') });
    expect(await send('<soap/>', 'application/soap+xml')).toEqual({ body: '<soap/>' });
    expect(await send('hello', 'application/x-unheard-of')).toEqual({ body: 'hello' });
    expect(await send(bytes(0xff, 0xfe, 0, 1), 'application/octet-stream')).toEqual({ body_base64: '//4AAQ==' });
    expect(await send(bytes(0x7b, 0x7d))).toEqual({});
    expect(await send('', 'application/json')).toEqual({});
    expect(await send('{"a":', 'application/json')).toEqual({ status: 400, code: 'parse_error' });
    expect(await send(bytes(0x22, 0xff, 0x22), 'application/json')).toEqual({ status: 400, code: 'parse_error' });
    expect(await send('x', 'text/plain; charset=klingon')).toMatchObject({ status: 415 });
    expect(await send('--b\r\nbroken', 'multipart/form-data; boundary=b')).toEqual({
      status: 400,
      code: 'parse_error',
    });
    expect(await send('{"a":"\\u0000"}', 'application/json')).toMatchObject({ status: 400 });
    expect(await send(JSON.stringify({ a: 'x'.repeat(66_000) }), 'application/json')).toEqual({
      status: 400,
      code: 'invalid_payload',
    });
    expect(await send('x'.repeat(400_000), 'text/plain')).toEqual({ status: 400, code: 'invalid_payload' });
    expect(await send(`${'['.repeat(5000)}${']'.repeat(5000)}`, 'application/json')).toMatchObject({ status: 400 });

    const form = new FormData();
    form.append('subject', 'Hi');
    form.append('file', new Blob(['a,b\n1,2'], { type: 'text/csv' }), 'tablé.csv');
    form.append('picture', new Blob([bytes(0x89, 0, 0xff)], { type: 'image/png' }), 'p.png');
    const { body } = await call(`${hook.url}?kind=mail&token=geheim&wait_seconds=20`, {
      method: 'POST',
      body: form,
      headers: { 'x-mail-event': 'in' },
    });
    expect(body).toMatchObject({
      payload: { subject: 'Hi' },
      headers: { 'x-mail-event': 'in' },
      query: { kind: 'mail' },
      uploads: [
        { field: 'file', file_name: 'tablé.csv', content_type: 'text/csv', size_bytes: 7, text: 'a,b\n1,2' },
        { field: 'picture', file_name: 'p.png', content_type: 'image/png', size_bytes: 3, base64: 'iQD/' },
      ],
    });
    expect(body.query).toEqual({ kind: 'mail' });
  });

  it('are rotated, closed and changed; what is replaced is taken for a day', async () => {
    const hook = await create(fanOutAndJoin);
    const path = `/microservices/workflow/${hook.id}/webhook-url/`;
    const rotate = (body: object = {}) => owner.post<Record<string, string>>(`${path}rotate/`, body);
    const rotated = await rotate();
    expect(rotated.webhook_url).not.toBe(hook.url);
    expect(Date.parse(rotated.previous_valid_until!)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    expect(await statuses(hook.url, rotated.webhook_url!)).toEqual([202, 202]);
    // Past its time; whoever changes an address is not answered from what was remembered of it.
    await platform.database.dataSource.query(
      `UPDATE workflow_webhook_urls SET expires_at = now() WHERE expires_at IS NOT NULL`,
    );
    await owner.send('PUT', path, {});
    expect(await statuses(hook.url, rotated.webhook_url!)).toEqual([401, 202]);
    const last = await rotate({ keep_previous: false });
    expect(await statuses(rotated.webhook_url!, last.webhook_url!)).toEqual([401, 202]);
    for (let i = 0; i < 5; i++) await rotate();
    expect((await owner.send('POST', `${path}rotate/`, {})).status).toBe(409);

    // A secret that is made is shown once; the one before it is taken as well, unless it is not to be.
    const { url } = await create(fanOutAndJoin, null).then(({ id }) => open(id, {}));
    const { id } = await create(fanOutAndJoin, null);
    const made = await put(id, { scheme: 'bearer' });
    expect(made.body.secret).toMatch(/^[\w-]{43}$/);
    expect((await put(id, { scheme: 'bearer' })).body).toMatchObject({
      secret: null,
      webhook_url: made.body.webhook_url,
    });
    const changed = await put(id, { scheme: 'bearer', secret: 'new' });
    const as = (secret: string) => post(made.body.webhook_url!, '{}', { authorization: `bearer ${secret}` });
    expect(Date.parse(changed.body.previous_valid_until!)).toBeGreaterThan(Date.now());
    expect([(await as(made.body.secret!)).status, (await as('new')).status]).toEqual([202, 202]);
    await put(id, { scheme: 'bearer', secret: 'newer', keep_previous: false });
    expect([(await as('new')).status, (await as('newer')).status]).toEqual([401, 202]);
    await put(id, { scheme: 'header', header_name: 'x-key' });
    expect((await as('newer')).status).toBe(401);

    expect((await owner.send('DELETE', path)).status).toBe(204);
    expect(await statuses(last.webhook_url!)).toEqual([401]);
    expect((await detailOf(hook.id)).webhook_url).toBeNull();
    expect((await owner.send('DELETE', path)).status).toBe(404);
    expect((await owner.send('POST', `${path}rotate/`, {})).status).toBe(404);
    const actions = await auditedActions(platform.database.dataSource);
    expect(new Set(actions.filter((action) => action.startsWith('webhook.url')))).toEqual(
      new Set(['webhook.url_opened', 'webhook.url_changed', 'webhook.url_rotated', 'webhook.url_closed']),
    );
    expect(url).toBeTruthy();
  });

  it('are refused with the same words when the workflow or its owner is gone, and when the settings make no sense', async () => {
    const other = await HttpClient.signUp(platform.baseUrl);
    const { workflow_id: id } = await other.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: fanOutAndJoin,
    });
    const { webhook_url: url } = (await (
      await other.send('PUT', `/microservices/workflow/${id}/webhook-url/`, {})
    ).json()) as { webhook_url: string };
    await platform.database.dataSource.query('UPDATE users SET is_active = false WHERE username = $1', [
      other.username,
    ]);
    expect(await post(url, '{}')).toMatchObject({ status: 401, body: REFUSED });
    await platform.database.dataSource.query('UPDATE users SET is_active = true WHERE username = $1', [other.username]);
    await until(async () => (await post(url, '{}')).status === 202);
    await other.send('DELETE', `/microservices/workflow/${id}/`);
    await until(async () => (await post(url, '{}')).status === 401);

    const { id: mine } = await create(fanOutAndJoin, null);
    for (const [wish, field] of [
      [{ scheme: 'stripe' }, 'secret'],
      [{ scheme: 'slack', secret: '' }, 'secret'],
      [{ scheme: 'svix', secret: 'whsec_???' }, 'secret'],
      [{ scheme: 'header' }, 'header_name'],
      [{ scheme: 'header', header_name: 'Host' }, 'header_name'],
      [{ scheme: 'header', header_name: 'a b' }, 'header_name'],
      [{ scheme: 'basic' }, 'username'],
      [{ scheme: 'basic', username: 'a:b' }, 'username'],
      [{ challenge: 'meta' }, 'verify_token'],
      [{ scheme: 'magic' }, 'scheme'],
      [{ scheme: 'bearer', secret: 'ü' }, 'secret'],
    ] as const) {
      const { status, body } = await put(mine, wish);
      expect([wish, status, Object.keys(body)]).toEqual([wish, 400, [field]]);
    }
  });

  it('leave their token in no log', async () => {
    const hook = await create(fanOutAndJoin);
    const token = hook.url.split('/').at(-2)!;
    const url = `${replica.baseUrl}/hooks/${token}/`;
    await post(url, '{}');
    await post(url.replace('/hooks/', '/HOOKS/'), '{}');
    await call(`${url}further/`);
    await call(url.slice(0, -1), { method: 'PUT' });
    await post(url, '{"a":', json);
    await until(() => platform.log().includes('/hooks/[redacted]/further/'));
    expect(platform.log()).not.toContain(token);
  });
});
