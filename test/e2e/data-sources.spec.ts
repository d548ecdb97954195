import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { DataSources } from '@app/data-sources';
import { startApi, type TestApi } from '../support/api.js';
import { audited } from '../support/audit.js';
import type { HttpClient } from '../support/http-client.js';
import { testServers } from '../support/servers.js';
import { until } from '../support/until.js';

interface SourceBody extends Record<string, unknown> {
  id: number;
  ref: string;
  has_secret: boolean;
  status: string;
}

const SOURCES = '/microservices/data-sources/';
const SECRET = `secret-${randomBytes(12).toString('hex')}`;
const DRAFT = { name: 'Books', type: 'postgres', host: 'db.example', database: 'books', username: 'reader' };

async function sent<T = Record<string, unknown>>(
  client: HttpClient,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: T }> {
  const response = await client.send(method, path, body);
  const text = await response.text();
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as T };
}

describe('data sources', () => {
  let api: TestApi;
  let owner: HttpClient;
  const unanswered = new Set<Socket>();
  /** Takes connections, and says nothing. */
  const silent = createServer((socket) => {
    unanswered.add(socket.on('error', () => undefined).once('close', () => unanswered.delete(socket)));
    socket.resume();
  });

  beforeAll(async () => {
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const listed = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const at = new URL(testServers().databaseUrl);
    api = await startApi({ DATA_SOURCE_HOSTS: `warehouse,db.lan:6000,${listed},${at.host}` });
    owner = await api.signUp();
  });
  afterAll(async () => {
    silent.close();
    await api.stop();
  });

  const create = async (fields: object = {}) => {
    const made = await sent<SourceBody>(owner, 'POST', SOURCES, { ...DRAFT, ...fields });
    expect(made).toMatchObject({ status: 201 });
    return made.body;
  };
  const put = (id: number, fields: object) => sent<SourceBody>(owner, 'PUT', `${SOURCES}${id}/`, fields);

  it('are kept as the contract says, without their secrets', async () => {
    const made = await create({
      name: '  My\u0007 books ',
      host: 'DB.Example',
      secret: SECRET,
      schemas: ['a', 'a', 'b'],
    });
    expect(made).toEqual({
      id: expect.any(Number) as number,
      ref: `ds:${made.id}`,
      name: 'My books',
      type: 'postgres',
      host: 'db.example',
      port: 5432,
      database: 'books',
      username: 'reader',
      has_secret: true,
      ssl_mode: 'verify-full',
      schemas: ['a', 'b'],
      status: 'untested',
      last_ok_at: null,
      last_error: '',
      created_at: expect.any(String) as string,
      updated_at: expect.any(String) as string,
    });
    expect(await owner.get(`${SOURCES}${made.id}/`)).toEqual(made);
    expect((await owner.get<SourceBody[]>(SOURCES))[0]).toEqual(made);
    const mysql = await create({ type: 'mysql', host: '[2606:4700::1111]', ssl_mode: 'require' });
    expect(mysql).toMatchObject({ host: '2606:4700::1111', port: 3306, has_secret: false });
    const [row] = await api.database.dataSource.query<{ sealed: Buffer }[]>(
      'SELECT secret_sealed AS sealed FROM data_sources WHERE id = $1',
      [made.id],
    );
    expect(row!.sealed.includes(SECRET)).toBe(false);
  });

  it('are nobody else’s', async () => {
    const { id } = await create();
    const stranger = await api.signUp();
    expect(await stranger.get(SOURCES)).toEqual([]);
    for (const [method, body] of [['GET'], ['PUT', { name: 'x' }], ['DELETE']] as const)
      expect(await sent(stranger, method, `${SOURCES}${id}/`, body)).toMatchObject({ status: 404 });
    for (const strange of ['0', '99999999999', 'x', '-1', '1.5', '2147483648'])
      expect(await sent(owner, 'GET', `${SOURCES}${strange}/`)).toMatchObject({ status: 404 });
    expect((await sent(owner, 'DELETE', `${SOURCES}${id}/`)).status).toBe(204);
    expect(await sent(owner, 'DELETE', `${SOURCES}${id}/`)).toMatchObject({ status: 404 });
  });

  it.each(['mssql', 'bigquery', 'snowflake'])('are never a %s that could not be read', async (type) => {
    const before = await owner.get<SourceBody[]>(SOURCES);
    const refused = { status: 400, body: { type: ['Not supported by this deployment.'] } };
    expect(await sent(owner, 'POST', SOURCES, { ...DRAFT, type })).toEqual(refused);
    expect(await owner.get(SOURCES)).toHaveLength(before.length);
  });

  it.each([
    [{ type: 'oracle' }, 'type'],
    [{ host: '' }, 'host'],
    [{ host: '/var/run/postgresql' }, 'host'],
    [{ host: './socket' }, 'host'],
    [{ host: '@abstract' }, 'host'],
    [{ host: 'user@db.example' }, 'host'],
    [{ host: 'db.example:5432' }, 'host'],
    [{ host: 'db.example/x' }, 'host'],
    [{ host: 'a\0b' }, 'host'],
    [{ host: 'fe80::1%eth0' }, 'host'],
    [{ host: '127.0.0.1' }, 'host'],
    [{ host: 'localhost' }, 'host'],
    [{ host: 'x'.repeat(300) }, 'host'],
    [{ port: 0 }, 'port'],
    [{ port: 65_536 }, 'port'],
    [{ port: 'x' }, 'port'],
    [{ database: ' ' }, 'database'],
    [{ database: 'a\nb' }, 'database'],
    [{ username: 'a\0b' }, 'username'],
    [{ name: '\u0001' }, 'name'],
    [{ ssl_mode: 'disable' }, 'ssl_mode'],
    [{ ssl_mode: 'prefer' }, 'ssl_mode'],
    [{ type: 'mysql', host: '2606:4700::1111' }, 'ssl_mode'],
    [{ schemas: 'public' }, 'schemas'],
    [{ schemas: [''] }, 'schemas'],
    [{ schemas: Array.from({ length: 101 }, (_, at) => `s${at}`) }, 'schemas'],
    [{ secret: {} }, 'secret'],
  ])('refuse %j', async (fields, field) => {
    const refused = await sent(owner, 'POST', SOURCES, { ...DRAFT, ...fields });
    expect(refused.status).toBe(400);
    expect(Object.keys(refused.body)).toEqual([field]);
  });

  it('may leave out encryption at hosts of the deployment alone', async () => {
    const plain = { ssl_mode: 'disable' };
    expect(await create({ ...plain, host: 'warehouse' })).toMatchObject({ host: 'warehouse', ssl_mode: 'disable' });
    expect(await create({ ...plain, host: 'db.lan', port: 6000 })).toMatchObject({ port: 6000 });
    expect((await sent(owner, 'POST', SOURCES, { ...DRAFT, ...plain, host: 'db.lan' })).status).toBe(400);
  });

  it('keep a secret for where it was given', async () => {
    const { id } = await create({ secret: SECRET, host: 'warehouse' });
    for (const elsewhere of [
      { host: 'evil.example' },
      { port: 5433 },
      { database: 'other' },
      { username: 'other' },
      { ssl_mode: 'require' },
    ]) {
      const refused = await put(id, elsewhere);
      expect(refused.status).toBe(400);
      expect(Object.keys(refused.body)).toEqual(['secret']);
    }
    expect(await put(id, { name: 'Other' })).toMatchObject({ status: 200, body: { name: 'Other', has_secret: true } });
    expect((await put(id, { type: 'mysql' })).body).toHaveProperty('type');
    expect(await put(id, { host: 'other.example', secret: 'new' })).toMatchObject({ body: { has_secret: true } });
    expect(await put(id, { port: 6001, secret: '' })).toMatchObject({ body: { has_secret: false, port: 6001 } });
    expect(await put(id, { port: 6002 })).toMatchObject({ status: 200 });
    expect(await put(id, { secret: null })).toMatchObject({ body: { has_secret: false } });
  });

  it('tell others that what was read before is void', async () => {
    const sources = api.app.get(DataSources);
    const { id } = await create({ secret: SECRET });
    const [{ ownerId }] = await api.database.dataSource.query<[{ ownerId: number }]>(
      'SELECT owner_id AS "ownerId" FROM data_sources WHERE id = $1',
      [id],
    );
    const revision = async () => (await sources.revisions(ownerId, [id, 2 ** 40, 1.5])).get(id);
    const first = await revision();
    await put(id, { name: 'Renamed' });
    expect(await revision()).toBe(first);
    await put(id, { schemas: ['other'] });
    const second = await revision();
    expect(second).not.toBe(first);
    await put(id, { secret: 'another' });
    expect(await revision()).not.toBe(second);
    expect(await sources.revisions(ownerId + 1, [id])).toEqual(new Map());
    expect(await sources.describe(ownerId, [id])).toEqual([{ id, type: 'postgres', name: 'Renamed' }]);
    await expect(sources.describe(ownerId, [id, 2 ** 40])).rejects.toMatchObject({ code: 'source_not_found' });
    await expect(sources.describe(ownerId + 1, [id])).rejects.toMatchObject({ code: 'source_not_found' });
  });

  it('are twenty at most, however many ask at once', async () => {
    const collector = await api.signUp();
    const answers = await Promise.all(
      Array.from({ length: 24 }, () => sent<Record<string, unknown>>(collector, 'POST', SOURCES, DRAFT)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    const refused = answers.find(({ status }) => status === 400);
    expect(refused?.body).toEqual({ non_field_errors: ['An account has at most 20 data sources.'] });
  });

  it('are written into the audit log, without what they hold', async () => {
    const { id } = await create({ secret: SECRET });
    await put(id, { secret: `${SECRET}2` });
    await owner.send('DELETE', `${SOURCES}${id}/`);
    const entries = await audited(api.database.dataSource, { target: `data_source:${id}` });
    expect(entries.map(({ action }) => action).toSorted()).toEqual([
      'data_source.created',
      'data_source.deleted',
      'data_source.updated',
    ]);
    for (const told of entries.map((entry) => JSON.stringify(entry))) {
      expect(told).toContain('db.example');
      expect(told).not.toContain(SECRET);
    }
  });

  it('are tested and looked at', async () => {
    const at = new URL(api.database.url);
    const made = await create({
      host: at.hostname,
      port: Number(at.port),
      database: at.pathname.slice(1),
      username: decodeURIComponent(at.username),
      secret: decodeURIComponent(at.password),
      ssl_mode: 'disable',
    });
    const path = `${SOURCES}${made.id}/`;
    const tested = await sent<Record<string, unknown>>(owner, 'POST', `${path}test/`);
    expect(tested).toEqual({
      status: 200,
      body: {
        ok: true,
        error: '',
        warnings: expect.arrayContaining([expect.stringContaining('administrator')]) as string[],
        version: expect.stringMatching(/^PostgreSQL /) as string,
        latency_ms: expect.any(Number) as number,
        source: { ...made, status: 'ok', last_ok_at: expect.any(String) as string },
      },
    });
    const page = await sent<{ count: number; next: string; results: Record<string, unknown>[] }>(
      owner,
      'GET',
      `${path}schema/?search=data_sources&page_size=1`,
    );
    expect(page).toMatchObject({ status: 200, body: { count: 1, next: null, previous: null } });
    expect(page.body.results[0]).toMatchObject({ schema: 'public', name: 'data_sources', kind: 'table', comment: '' });
    expect(page.body.results[0]!['columns']).toContainEqual({
      name: 'last_ok_at',
      type: 'datetime',
      native_type: 'timestamp with time zone',
      nullable: true,
    });
    expect((await sent(owner, 'GET', `${path}schema/?page=2147483647&page_size=100`)).status).toBe(200);
    expect((await sent(owner, 'GET', `${path}schema/?page=0`)).status).toBe(400);
    const stranger = await api.signUp();
    expect((await sent(stranger, 'POST', `${path}test/`)).status).toBe(404);
    expect((await sent(stranger, 'GET', `${path}schema/`)).status).toBe(404);

    await put(made.id, { secret: 'wrong' });
    const error = 'The database does not accept this user and password from here.';
    expect(await sent(owner, 'POST', `${path}test/`)).toMatchObject({
      status: 200,
      body: { ok: false, error, version: '', source: { status: 'error', last_error: error } },
    });
    expect(await sent(owner, 'GET', `${path}schema/`)).toEqual({
      status: 502,
      body: { detail: error, code: 'source_unavailable' },
    });
  });

  it('are not asked any more when whoever asked has gone', async () => {
    const { port } = silent.address() as AddressInfo;
    const made = await create({ host: '127.0.0.1', port, ssl_mode: 'require' });
    const url = `${owner.baseUrl}${SOURCES}${made.id}/`;
    for (const [method, path] of [
      ['POST', 'test/'],
      ['GET', 'schema/'],
    ] as const) {
      const leaving = new AbortController();
      const headers = { authorization: `Token ${owner.token}` };
      const asked = fetch(url + path, { method, headers, signal: leaving.signal });
      const gone = expect(asked).rejects.toThrow();
      await until(() => unanswered.size === 1);
      leaving.abort();
      await gone;
      // Long before the database would have been given up.
      await until(() => unanswered.size === 0, 5000);
      expect(await owner.get(`${SOURCES}${made.id}/`)).toMatchObject({ status: 'untested' });
    }
  });
});
