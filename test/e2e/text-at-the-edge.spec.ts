import { newId } from '@app/common';
import { startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { rawCall, type RawReply } from '../support/raw-http.js';
import { startWorkflow } from '../support/workflow-api.js';

/** What is no UTF-8, one character for each byte. */
const BROKEN: [string, string][] = [
  ['Latin-1', 'caf\xe9'],
  ['a byte that never occurs', '\xff'],
  ['an overlong NUL', '\xc0\x80'],
  ['an overlong slash', '\xe0\x80\xaf'],
  ['a lone surrogate', '\xed\xa0\x80'],
  ['half a character', '\xe2\x82'],
  ['beyond Unicode', '\xf4\x90\x80\x80'],
];
const escaped = (bytes: string) =>
  [...bytes].map((byte) => `%${byte.codePointAt(0)!.toString(16).padStart(2, '0')}`).join('');
const form = (disposition: string, content = 'hello') =>
  Buffer.from(`--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n--x--\r\n`, 'latin1');
const MULTIPART = { 'Content-Type': 'multipart/form-data; boundary=x' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('text at the edge', () => {
  let api: TestApi;
  let user: HttpClient;
  let hook: string;
  const account = { username: 'edgar.edge', password: 'a password of the edge', email: 'edgar@test.example' };
  let credential: { id: string; secret: string };

  beforeAll(async () => {
    api = await startApi();
    user = await api.signUp();
    await user.post('/api/v1/users/', account);
    const id = await startWorkflow(user, { nodes: [{ id: 'hook', kind: 'webhook_trigger' }] });
    const opened = await user.send('PUT', `/microservices/workflow/${id}/webhook-url/`, { scheme: 'none' });
    hook = new URL(((await opened.json()) as { webhook_url: string }).webhook_url).pathname;
    const made = await user.get<{ webhook_id: string; webhook_secret: string }>(`/microservices/workflow/${id}/`);
    credential = { id: made.webhook_id, secret: made.webhook_secret };
  });
  afterAll(() => api.stop());

  const own = () => ({ Authorization: `Token ${user.token}` });
  const ask = (method: string, target: string, headers: Record<string, string> = {}, body: string | Buffer = '') =>
    rawCall(api.baseUrl, method, target, headers, body);

  /** By where the text stands; each answers in the shape of its route. */
  const places: Record<string, [key: string | null, (bytes: string) => Promise<RawReply>]> = {
    'a query': ['detail', (bytes) => ask('GET', `/users/metadata/?key=${escaped(bytes)}`, own())],
    'a name in a query': ['detail', (bytes) => ask('GET', `/users/metadata/?${escaped(bytes)}=x`, own())],
    // Node itself refuses them.
    'a query, not escaped': [null, (bytes) => ask('GET', `/users/metadata/?key=${bytes}`, own())],
    // A handshake is answered without a body.
    'the query of an upgrade': [null, (bytes) => upgrade(`/ws/chat/${newId()}?token=${escaped(bytes)}`)],
    'a path': ['detail', (bytes) => ask('GET', `/artifacts/links/${escaped(bytes)}/`, own())],
    'a path of workflows': ['detail', (bytes) => ask('GET', `/microservices/workflow/${escaped(bytes)}/`, own())],
    'a path of SCIM': ['detail', (bytes) => ask('GET', `/scim/v2/Users/${escaped(bytes)}`, own())],
    'a path with an own shape': ['error', (bytes) => ask('POST', `/hooks/${escaped(bytes)}/`, JSON_TYPE, '{}')],
    'a form': ['detail', (bytes) => ask('POST', '/api/v1/token/login/', FORM, `username=${escaped(bytes)}`)],
    'a name in a form': ['detail', (bytes) => ask('POST', '/api/v1/token/login/', FORM, `${escaped(bytes)}=x`)],
    'a field of a multipart form': ['detail', (bytes) => login(form('name="username"', bytes))],
    'a name in a multipart form': ['detail', (bytes) => login(form(`name="${bytes}"`))],
    'a file name': ['detail', (bytes) => upload(form(`name="path"; filename="${bytes}.txt"`))],
    'an extended file name': ['detail', (bytes) => upload(form(`name="path"; filename*=UTF-8''${escaped(bytes)}.txt`))],
    'a field beside a file': ['detail', (bytes) => upload(form('name="folder"', bytes))],
    'a name of a field beside a file': ['detail', (bytes) => upload(form(`name="${bytes}"`))],
    'the metadata of tus': ['detail', (bytes) => tus(`filename ${Buffer.from(bytes, 'latin1').toString('base64')}`)],
    'a name in the metadata of tus': ['detail', (bytes) => tus(`${bytes} YQ==`)],
    'other metadata of tus': [
      'detail',
      (bytes) => tus(`filename YS50eHQ=,note ${Buffer.from(bytes, 'latin1').toString('base64')}`),
    ],
    'an idempotency key': [
      'detail',
      (bytes) =>
        ask(
          'POST',
          '/microservices/workflow/start/',
          { ...own(), ...JSON_TYPE, 'Idempotency-Key': bytes },
          '{"nodes":[]}',
        ),
    ],
    'an idempotency key of a webhook': ['error', (bytes) => trigger({ 'Idempotency-Key': bytes })],
    'a header for a workflow': ['error', (bytes) => ask('POST', hook, { ...JSON_TYPE, 'X-Shop-Topic': bytes }, '{}')],
    'a header of a delivery for a workflow': ['error', (bytes) => deliver({ 'X-GitHub-Event': bytes })],
    'a query for a workflow': ['error', (bytes) => ask('POST', `${hook}?from=${escaped(bytes)}`, JSON_TYPE, '{}')],
    'JSON for a workflow': [
      'error',
      (bytes) => ask('POST', hook, JSON_TYPE, Buffer.from(`{"a":"${bytes}"}`, 'latin1')),
    ],
    'a form for a workflow': ['error', (bytes) => ask('POST', hook, FORM, `a=${escaped(bytes)}`)],
    'a name in a form for a workflow': ['error', (bytes) => ask('POST', hook, FORM, `${escaped(bytes)}=1`)],
    'a multipart form for a workflow': ['error', (bytes) => ask('POST', hook, MULTIPART, form('name="a"', bytes))],
    'a file name for a workflow': [
      'error',
      (bytes) => ask('POST', hook, MULTIPART, form(`name="a"; filename="${bytes}.txt"`)),
    ],
    'a form of a delivery': ['error', (bytes) => deliver(FORM, `a=${escaped(bytes)}`)],
    'JSON of a delivery': ['error', (bytes) => deliver({}, Buffer.from(`{"a":"${bytes}"}`, 'latin1'))],
  };

  const login = (body: Buffer) => ask('POST', '/api/v1/token/login/', MULTIPART, body);
  const upload = (body: Buffer) => ask('POST', '/semantic-search/upload/', { ...own(), ...MULTIPART }, body);
  const tus = (metadata: string) =>
    ask('POST', '/semantic-search/upload/tus/', {
      ...own(),
      'Tus-Resumable': '1.0.0',
      'Upload-Length': '3',
      'Upload-Metadata': metadata,
    });
  const upgrade = (target: string) =>
    ask('GET', target, {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'MDEyMzQ1Njc4OWFiY2RlZg==',
    });
  const trigger = (headers: Record<string, string>) =>
    ask(
      'POST',
      '/microservices/workflow/webhook/',
      { ...JSON_TYPE, ...headers },
      JSON.stringify({ webhook_id: credential.id, webhook_secret: credential.secret, payload: {} }),
    );
  const deliver = (headers: Record<string, string>, body: string | Buffer = '{}') =>
    ask(
      'POST',
      `/microservices/workflow/webhook/${credential.id}/`,
      { ...JSON_TYPE, 'X-Webhook-Secret': credential.secret, ...headers },
      body,
    );

  it.each(Object.keys(places))('is refused in %s, unless it is UTF-8', async (place) => {
    const [key, send] = places[place]!;
    const found: unknown[] = [];
    for (const [kind, bytes] of BROKEN) {
      const { status, body } = await send(bytes);
      if (status !== 400 || (key !== null && typeof body[key] !== 'string')) found.push([kind, status, body]);
    }
    expect(found).toEqual([]);
  });

  it('is kept as it was sent', async () => {
    const bytes = Buffer.from('café 字 😀').toString('latin1');
    const form = `a=${encodeURIComponent('café 字 😀')}`;
    expect((await ask('POST', `${hook}?from=${escaped(bytes)}`, { ...FORM, 'X-Shop-Topic': bytes }, form)).status).toBe(
      202,
    );
    const legacy = { 'Content-Type': 'application/x-www-form-urlencoded; charset=windows-1252' };
    expect((await ask('POST', hook, legacy, 'a=caf%e9')).status).toBe(202);
    const stored = await api.database.dataSource.query<{ payload: object }[]>(
      'SELECT payload FROM workflow_requests ORDER BY seq',
    );
    expect(stored.map(({ payload }) => payload)).toMatchObject([
      { a: 'café 字 😀', _request: { headers: { 'x-shop-topic': 'café 字 😀' }, query: { from: 'café 字 😀' } } },
      { a: 'café' },
    ]);
  });

  it('names a client as it calls itself', async () => {
    const names: string[] = [];
    for (const name of [Buffer.from('Jürgens 📱').toString('latin1'), 'J\xfcrgens']) {
      const signedIn = await ask(
        'POST',
        '/api/v1/token/login/',
        { ...JSON_TYPE, 'User-Agent': name },
        JSON.stringify(account),
      );
      const token = signedIn.body.auth_token as string;
      const sessions = await fetch(`${api.baseUrl}/api/v1/auth/sessions/`, {
        headers: { authorization: `Token ${token}` },
      });
      names.push(await sessions.text());
    }
    expect(names).toEqual([expect.stringContaining('"Jürgens 📱"'), expect.stringContaining('"J?rgens"')]);
  });
});
