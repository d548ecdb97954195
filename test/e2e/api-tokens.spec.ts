import { type Answer, call, postJson, startApi, type TestApi } from '../support/api.js';
import { HttpClient } from '../support/http-client.js';
import { NodesSocket } from '../support/nodes-socket.js';
import { until } from '../support/until.js';
import { startWorkflow } from '../support/workflow-api.js';
import { stopwatch } from '../support/timing.js';

const seen = ({ status, body }: Answer) => [status, body];

interface TokenBody {
  id: number;
  token: string;
  hint: string;
  last_used_at: string | null;
}

const as = (token: string) => ({ authorization: `Token ${token}` });
const lacks = (scope: string) => [
  403,
  { detail: `This API token lacks the scope ${scope}.`, code: 'insufficient_scope' },
];

describe('API tokens', () => {
  let api: TestApi;
  let replica: TestApi;
  let ada: HttpClient;
  let bob: HttpClient;
  const make = (client: HttpClient, body: unknown) =>
    postJson(`${api.baseUrl}/users/api-tokens/`, body, as(client.token));
  const get = (token: string, path: string, base = api.baseUrl) => call(base + path, { headers: as(token) });
  const remove = (client: HttpClient, id: number) =>
    call(`${api.baseUrl}/users/api-tokens/${id}/`, { method: 'DELETE', headers: as(client.token) });
  const made = async (scopes: string[], client = ada) =>
    (await make(client, { name: 'script', scopes })).body as TokenBody;

  beforeAll(async () => {
    api = await startApi();
    replica = await api.startReplica();
    [ada, bob] = await Promise.all([api.signUp(), api.signUp()]);
  });
  afterAll(async () => {
    await replica.stop();
    await api.stop();
  });

  it('are shown once, and kept as a hash', async () => {
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    const answer = await make(ada, { name: 'Backup', scopes: ['documents:read', 'documents:read'], expires_at });
    const { id, token, hint } = answer.body as TokenBody;
    expect(seen(answer)).toEqual([
      201,
      {
        id,
        name: 'Backup',
        scopes: ['documents:read'],
        token: expect.stringMatching(/^atr_[\w-]{43}$/),
        hint: token.slice(-4),
        created_at: expect.any(String),
        expires_at,
        last_used_at: null,
      },
    ]);
    const listed = (await get(ada.token, '/users/api-tokens/')).body as object[];
    expect(listed.map((record) => ({ ...record, token }))).toEqual([answer.body]);
    expect(JSON.stringify(listed)).not.toContain(token);
    expect((await get(bob.token, '/users/api-tokens/')).body).toEqual([]);
    expect(hint).toHaveLength(4);
    const [{ dump }] = await api.database.dataSource.query<[{ dump: string }]>(
      `SELECT string_agg(t::text, '') || (SELECT string_agg(a::text, '') FROM access_tokens a) AS dump FROM api_tokens t`,
    );
    expect(dump).not.toContain(token.slice(4, 20));
  });

  it('tell of their first use at once, however soon it comes', async () => {
    const { token, id } = await made(['profile:read']);
    const lastUsed = async () =>
      ((await get(ada.token, '/users/api-tokens/')).body as TokenBody[]).find((one) => one.id === id)!.last_used_at;
    expect(await lastUsed()).toBeNull();
    expect((await get(token, '/users/me/')).status).toBe(200);
    await until(async () => (await lastUsed()) !== null);
  });

  it.each([
    [{ scopes: ['documents:read'] }, { name: ['This field is required.'] }],
    [{ name: 'x', scopes: [] }, { scopes: ['This list may not be empty.'] }],
    [{ name: 'x', scopes: ['everything'] }, { scopes: ['"everything" is not a valid choice.'] }],
    [
      { name: 'x', scopes: ['documents:read'], expires_at: '2020-01-01T00:00:00Z' },
      { expires_at: ['Must be in the future.'] },
    ],
  ])('are refused for %j', async (body, errors) => {
    expect(seen(await make(ada, body))).toEqual([400, errors]);
  });

  it('may do what their scopes say, and nothing that touches the account itself', async () => {
    const { token } = await made(['documents:read']);
    expect((await get(token, '/semantic-search/documents/')).status).toBe(200);
    expect(seen(await get(token, '/microservices/workflow/'))).toEqual(lacks('workflows:read'));
    expect(seen(await get(token, '/users/me/'))).toEqual(lacks('profile:read'));
    for (const [method, path] of [
      ['POST', '/users/api-tokens/'],
      ['GET', '/users/api-tokens/'],
      ['POST', '/users/password/change/'],
      ['POST', '/users/metadata/push/'],
      ['GET', '/users/metadata/'],
      ['GET', '/users/passkeys/'],
      ['POST', '/api/v1/auth/logout-all/'],
      ['GET', '/api/v1/auth/sessions/'],
      ['DELETE', '/users/delete/'],
      ['POST', '/users/export/'],
    ] as const)
      expect(seen(await call(api.baseUrl + path, { method, headers: as(token) }))).toEqual([
        403,
        { detail: 'API tokens may not do this. Sign in instead.', code: 'insufficient_scope' },
      ]);
  });

  it('read no secret by which more can be done than they may', async () => {
    const id = await startWorkflow(ada, { nodes: [{ id: 'hook', kind: 'webhook_trigger' }] });
    await ada.send('PUT', `/microservices/workflow/${id}/webhook-url/`, { scheme: 'none' });
    const path = `/microservices/workflow/${id}/`;
    const own = await ada.get<{ webhook_id: string; webhook_secret: string; webhook_url: string }>(path);
    expect([own.webhook_secret, own.webhook_url]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
    const seenWith = async (...scopes: string[]) => (await get((await made(scopes)).token, path)).body;
    expect(await seenWith('workflows:read', 'workflows:run')).toMatchObject({
      webhook_id: own.webhook_id,
      webhook_secret: '',
      webhook_url: null,
    });
    expect(await seenWith('workflows:read', 'workflows:write')).toMatchObject(own);
  });

  it('get tickets for the channels that their scopes open', async () => {
    for (const [scope, status] of [
      ['workflows:read', 200],
      ['chats:write', 200],
      ['documents:read', 403],
    ] as const) {
      const { token } = await made([scope]);
      const answer = await postJson(`${api.baseUrl}/ws/ticket/`, { channel: '/ws/chat/c1' }, as(token));
      expect(answer.status).toBe(status);
    }
  });

  it('outlive sign-outs, but neither their time nor their account', async () => {
    const { token, id } = await made(['profile:read'], bob);
    await call(`${api.baseUrl}/api/v1/auth/logout-all/`, { method: 'POST', headers: as(bob.token) });
    expect((await get(token, '/users/me/')).status).toBe(200);
    const { dataSource } = api.database;
    await dataSource.query(
      `UPDATE access_tokens SET expires_at = now() WHERE session_id = (SELECT session_id FROM api_tokens WHERE id = $1)`,
      [id],
    );
    await until(async () => (await get(token, '/users/me/')).status === 401, 7000);
  });

  it('end at once on every replica, with their sockets, and only by their owner', async () => {
    const started = await ada.post<{ workflow_id: string }>('/microservices/workflow/start/', {
      json: { nodes: [{ id: 'start', kind: 'webhook_trigger', next: [] }] },
    });
    const { token, id } = await made(['workflows:read', 'profile:read']);
    expect((await get(token, '/users/me/', replica.baseUrl)).status).toBe(200);
    const socket = NodesSocket.of(replica.baseUrl, started.workflow_id, `token=${token}`);
    await until(() => socket.frames.length > 0);
    expect((await remove(await api.signUp(), id)).status).toBe(404);
    const took = stopwatch();
    expect((await remove(ada, id)).status).toBe(204);
    await until(async () => (await get(token, '/users/me/', replica.baseUrl)).status === 401, 1000);
    expect(await socket.closed).toBe(1008);
    expect(took()).toBeLessThan(1500);
    expect((await remove(ada, id)).status).toBe(404);
  });

  it('are fifty at most, however many are asked for at once', async () => {
    const carl = await api.signUp();
    const body = { name: 'n', scopes: ['profile:read'] };
    const answers = await Promise.all(Array.from({ length: 60 }, () => make(carl, body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({ code: 'api_token_limit_reached' });
  });
});
