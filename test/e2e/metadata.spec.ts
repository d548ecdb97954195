import { call, postJson, startApi, type TestApi } from '../support/api.js';
import { HttpClient } from '../support/http-client.js';

const seen = ({ status, body }: { status: number; body: unknown }) => [status, body];

describe('metadata', () => {
  let api: TestApi;
  let ada: HttpClient;
  let bob: HttpClient;
  const post = (client: HttpClient, path: string, body: unknown) =>
    postJson(`${api.baseUrl}/users/metadata/${path}`, body, { authorization: `Token ${client.token}` });
  const list = async (client: HttpClient, query = '') => {
    const headers = { authorization: `Token ${client.token}` };
    return ((await call(`${api.baseUrl}/users/metadata/${query}`, { headers })).body as { metadata: unknown[] })
      .metadata;
  };

  beforeAll(async () => {
    api = await startApi();
    [ada, bob] = await Promise.all([api.signUp(), api.signUp()]);
  });
  afterAll(() => api.stop());

  it('keeps objects in order, finds them by key, and shows them to nobody else', async () => {
    const first = { rek_password_encrypted: { v: 1, ct: 'canary-of-ada' } };
    expect((await post(ada, 'push/', { data: first })).status).toBe(200);
    expect((await post(ada, 'push/', { data: '{"filter": "x", "n": [1, {"a": null}]}' })).status).toBe(200);
    expect(await list(ada)).toEqual([first, { filter: 'x', n: [1, { a: null }] }]);
    expect(await list(ada, '?key=filter')).toEqual([{ filter: 'x', n: [1, { a: null }] }]);
    expect(await list(ada, '?key=constructor')).toEqual([]);
    expect(await list(bob)).toEqual([]);
    const rows = await api.database.dataSource.query<{ text: string }[]>('SELECT m::text AS text FROM user_metadata m');
    const dump = rows.map(({ text }) =>
      Buffer.from(text.split('"\\\\x')[1]?.split('"')[0] ?? '', 'hex').toString('latin1'),
    );
    expect(JSON.stringify(rows) + dump.join()).not.toContain('canary-of-ada');
  });

  it('removes every object that has all the given values', async () => {
    for (const data of [{ a: 1, b: 2 }, { a: 1 }, { a: '1' }, { a: 1, c: { d: [1] } }])
      await post(bob, 'push/', { data });
    expect(seen(await post(bob, 'pop/', { data: { a: 1, c: { d: [1] } } }))).toEqual([
      200,
      { message: '1 object was removed.' },
    ]);
    expect(seen(await post(bob, 'pop/', { data: '{"a":1}' }))).toEqual([200, { message: '2 objects were removed.' }]);
    expect(await list(bob)).toEqual([{ a: '1' }]);
    expect(seen(await post(bob, 'pop/', { data: { a: 9 } }))).toEqual([
      404,
      { message: 'No metadata matches.', code: 'metadata_not_found' },
    ]);
    const twice = await Promise.all([1, 2].map(() => post(bob, 'pop/', { data: { a: '1' } })));
    expect(twice.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(seen(await post(bob, 'pop/', { data: { a: 9 } }))).toEqual([
      400,
      { error: 'There is no metadata.', code: 'metadata_empty' },
    ]);
  });

  it.each([
    [{}, 'data_missing'],
    [{ data: '' }, 'data_missing'],
    [{ data: '{' }, 'invalid_json'],
    [{ data: [] }, 'data_not_an_object'],
    [{ data: '[1]' }, 'data_not_an_object'],
    [{ data: '{"a":"\\u0000"}' }, 'invalid'],
    [{ data: '{"a":["\\ud800"]}' }, 'invalid'],
    [{ data: 5 }, 'data_not_an_object'],
    [{ data: { big: 'x'.repeat(66_000) } }, 'metadata_too_large'],
  ])('refuses %j', async (body, code) => {
    expect(seen(await post(ada, 'push/', body))).toEqual([400, { error: expect.any(String), code }]);
    if (code !== 'metadata_too_large') expect((await post(ada, 'pop/', body)).status).toBe(400);
  });

  it('wants criteria', async () => {
    expect(seen(await post(ada, 'pop/', { data: {} }))).toEqual([
      400,
      { error: 'No criteria were given.', code: 'criteria_missing' },
    ]);
  });

  it('holds 1,000 objects and 4 MiB of one account', async () => {
    const carl = await api.signUp();
    const big = { data: { big: 'x'.repeat(65_000) } };
    const statuses: number[] = [];
    for (let i = 0; i < 66; i += 1) statuses.push((await post(carl, 'push/', big)).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(64);
    expect((await post(carl, 'push/', big)).body).toMatchObject({ code: 'metadata_limit_reached' });
  });
});
