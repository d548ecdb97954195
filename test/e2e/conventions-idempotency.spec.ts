import { type Answer, postJson, startApi, type TestApi } from '../support/api.js';
import type { HttpClient } from '../support/http-client.js';
import { fanOutAndJoin } from '../support/workflows.js';
import { inAll } from '../support/long.js';

const PATH = '/microservices/workflow/start/';
const named = (name: string) => ({ json: { ...fanOutAndJoin, name } });

describe('Idempotency-Key', () => {
  let api: TestApi;
  let client: HttpClient;
  let keys = 0;
  const newKey = () => `key-${(keys += 1)}`;
  const send = (key: string, body: unknown = named('first'), who = client): Promise<Answer> =>
    postJson(api.baseUrl + PATH, body, { authorization: `Token ${who.token}`, 'idempotency-key': key });
  const workflows = async () => (await client.get<{ count: number }>('/microservices/workflow/')).count;

  beforeAll(async () => {
    api = await startApi();
    client = await api.signUp();
  });
  afterAll(() => api.stop());

  it('answers a repeated call like the first, and starts nothing', async () => {
    const key = newKey();
    const before = await workflows();
    const first = await send(key);
    const second = await send(key);
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([201, null]);
    expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(second.body).toEqual(first.body);
    expect(await workflows()).toBe(before + 1);
  });

  it('starts one thing for many concurrent calls', async () => {
    const key = newKey();
    const before = await workflows();
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(key)));
    expect(await workflows()).toBe(before + 1);
    for (const { status, body } of answers)
      if (status !== 201)
        expect([status, body]).toEqual([409, expect.objectContaining({ code: 'idempotency_in_progress' })]);
    expect((await send(key)).headers.get('idempotency-replayed')).toBe('true');
  });

  it('refuses the same key with another body, and keeps users apart', async () => {
    const key = newKey();
    await send(key);
    expect(await send(key, named('second'))).toMatchObject({ status: 409, body: { code: 'idempotency_key_conflict' } });
    const stranger = await api.signUp();
    const theirs = await send(key, named('first'), stranger);
    expect([theirs.status, theirs.headers.get('idempotency-replayed')]).toEqual([201, null]);
  });

  it('frees the key after an error', async () => {
    const key = newKey();
    expect((await send(key, { json: {} })).status).toBe(400);
    expect((await send(key)).status).toBe(201);
  });

  it('takes over from a call that died, after its lease', async () => {
    const key = newKey();
    await send(key);
    const set = (sql: string) =>
      api.database.dataSource.query(`UPDATE idempotency_keys SET ${sql} WHERE key = $1`, [key]);
    await set(`response_status = NULL, lease_expires_at = now() + interval '1 minute'`);
    expect(await send(key)).toMatchObject({ status: 409, body: { code: 'idempotency_in_progress' } });
    await set(`lease_expires_at = now() - interval '1 second'`);
    const next = await send(key);
    expect([next.status, next.headers.get('idempotency-replayed')]).toEqual([201, null]);
    await set(`expires_at = now() - interval '1 second'`);
    expect((await send(key, named('after a day'))).status).toBe(201);
  });

  it('makes one organisation and sends one invitation', async () => {
    const owner = await api.signUp();
    await api.database.dataSource.query('UPDATE users SET email_verified = true WHERE username = $1', [owner.username]);
    const repeat = async (path: string, json: object) => {
      const headers = { authorization: `Token ${owner.token}`, 'idempotency-key': newKey() };
      const [first, second] = [
        await postJson(api.baseUrl + path, json, headers),
        await postJson(api.baseUrl + path, json, headers),
      ];
      expect([first.status, second.status, second.headers.get('idempotency-replayed')]).toEqual([201, 201, 'true']);
      expect(second.body).toEqual(first.body);
    };
    await repeat('/organisations/', { name: 'Once' });
    await repeat('/organisations/current/invitations/', { email: 'once@test.example' });
  });

  inAll('is taken by every POST that makes something, but for those that say why not', async () => {
    const { paths } = (await (await fetch(`${api.baseUrl}/openapi.json`)).json()) as {
      paths: Record<string, { post?: { security?: unknown[]; parameters?: object[]; responses: object } }>;
    };
    const without = Object.entries(paths).flatMap(([path, { post }]) =>
      post &&
      post.security?.length !== 0 &&
      ['201', '202'].some((status) => status in post.responses) &&
      !JSON.stringify(post.parameters ?? []).includes('Idempotency-Key')
        ? [path]
        : [],
    );
    expect(without.toSorted()).toEqual([
      // The same file gives the same link.
      '/artifacts/links/',
      // Its tools take keys of their own.
      '/mcp/',
      // The record would hold a hash of the value.
      '/microservices/workflow/{id}/secrets/',
      '/organisations/current/secrets/',
      // An address that went unused ends by itself.
      '/semantic-search/upload/tus/',
      // The kept answer would hold the token.
      '/users/api-tokens/',
    ]);
  });

  it('refuses keys that are none', async () => {
    for (const key of ['with space', 'x'.repeat(256)])
      expect(await send(key)).toMatchObject({ status: 400, body: { code: 'invalid_idempotency_key' } });
  });
});
