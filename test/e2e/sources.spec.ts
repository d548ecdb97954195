import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBucket, type BucketServer } from '../support/buckets.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { startGraph, type GraphServer } from '../support/graph.js';
import { HttpClient } from '../support/http-client.js';
import { inAll, rounds } from '../support/long.js';
import { type HostedApp, type HostedPlatform, hostPlatform } from '../support/hosted-platform.js';
import { until } from '../support/until.js';

interface Source {
  id: string;
  state: string;
  last_error: string;
  batch_id: string | null;
  has_secret: boolean;
  added: number;
  updated: number;
  removed: number;
  failed: number;
  item_count: number;
  code: string;
  [field: string]: unknown;
}

interface Item {
  item_id: string;
  name: string;
  state: string;
  reason: string;
  document_uid: string | null;
}

interface Document {
  uid: string;
  folder: string;
  filename: string;
  processing_state: string;
  from_dms: boolean;
  external_drive_item_id: string;
}

const SOURCES = '/semantic-search/sources/';

const get = (client: HttpClient, id: string) => client.get<Source>(`${SOURCES}${id}/`);
const items = async (client: HttpClient, id: string) =>
  (await client.get<{ results: Item[] }>(`${SOURCES}${id}/items/?page_size=100`)).results;
const documents = (client: HttpClient) => client.get<Document[]>('/semantic-search/documents/');

async function ended(client: HttpClient, id: string, withinMs = 30_000): Promise<Source> {
  await until(async () => (await get(client, id)).state !== 'syncing', withinMs);
  return get(client, id);
}

async function sync(client: HttpClient, id: string): Promise<Source> {
  const begun = await client.post<Source>(`${SOURCES}${id}/sync/`, {});
  // The worker may have ended it before this is answered.
  expect(begun.state).not.toBe('idle');
  return ended(client, id);
}

const indexed = (client: HttpClient) =>
  until(async () => (await documents(client)).every((row) => row.processing_state === 'completed'), 30_000);

describe('external sources', () => {
  let platform: HostedPlatform;
  let indexer: HostedApp;
  let bucket: BucketServer;
  let graph: GraphServer;
  let database: TestDatabase;
  let folder: string;
  const sql = <T>(text: string, values: unknown[] = []) => platform.database.dataSource.query<T>(text, values);

  beforeAll(async () => {
    [bucket, graph, database] = await Promise.all([startBucket(), startGraph(), createTestDatabase()]);
    folder = await mkdtemp(join(tmpdir(), 'atrium-e2e-source-'));
    platform = await hostPlatform(['api'], {
      SOURCE_HOSTS: [bucket.host, ...graph.hosts, new URL(database.url).host].join(','),
      SOURCE_FOLDERS: folder,
      SHAREPOINT_GRAPH_URL: graph.graphUrl,
      SHAREPOINT_LOGIN_URL: graph.loginUrl,
      MAX_UPLOAD_BYTES: '200000',
    });
    indexer = await platform.host('indexer');
  });
  afterAll(async () => {
    await platform.stop();
    await Promise.all([bucket.stop(), graph.stop(), database.drop()]);
    await rm(folder, { recursive: true, force: true });
  });

  const s3 = (prefix: string, more: Record<string, unknown> = {}) => ({
    type: 's3',
    name: 'Reports',
    secret: bucket.credentials.secretAccessKey,
    folder: 'From S3',
    config: {
      endpoint: bucket.endpoint,
      bucket: bucket.bucket,
      prefix,
      access_key_id: bucket.credentials.accessKeyId,
    },
    ...more,
  });
  const sharepoint = (more: Record<string, unknown> = {}) => ({
    type: 'sharepoint',
    name: 'Site',
    secret: graph.secret,
    config: { tenant_id: graph.tenant, client_id: graph.client, drive_id: graph.drive },
    ...more,
  });

  it('imports from a bucket: new, changed, gone, deleted here, and what it cannot take', async () => {
    const client = await platformUser();
    await bucket.put('a/one.txt', 'The kettle is in the kitchen.');
    await bucket.put('a/deep/two.md', '# Two\n\nThe printer is in the hall.');
    await bucket.put('a/three.txt', 'The lift is broken.');
    await bucket.put('a/big.txt', 'x'.repeat(200_001));
    await bucket.put('a/tool.exe', 'MZ');
    await bucket.put('a/fake.pdf', 'not a pdf');
    const made = await client.post<Source>(SOURCES, s3('a/'));
    expect(made).toMatchObject({ state: 'idle', has_secret: true, batch_id: null, type: 's3', folder: 'From S3' });
    expect(Object.keys({ ...made, ...(made.config as object) })).not.toContain('secret');
    expect(await client.post(`${SOURCES}${made.id}/test/`, {})).toMatchObject({ ok: true, code: null });

    const done = await sync(client, made.id);
    expect(done).toMatchObject({ state: 'ok', last_error: '', added: 3, failed: 3, item_count: 6 });
    await indexed(client);
    const rows = await documents(client);
    expect(rows.map(({ folder, filename }) => `${folder}/${filename}`).toSorted()).toEqual([
      'From S3/deep/two.md',
      'From S3/one.txt',
      'From S3/three.txt',
    ]);
    for (const row of rows)
      expect([row.from_dms, row.external_drive_item_id.startsWith(`${made.id}:a/`)]).toEqual([true, true]);
    const reasons = Object.fromEntries((await items(client, made.id)).map(({ name, reason }) => [name, reason]));
    expect(reasons).toMatchObject({
      'one.txt': '',
      'big.txt': expect.stringContaining('too large'),
      'tool.exe': 'Files of type ".exe" are not supported.',
      'fake.pdf': expect.stringContaining('not a PDF'),
    });
    const batch = await client.get(`/semantic-search/upload/batch/${done.batch_id}/status/`);
    expect(batch).toMatchObject({
      state: 'partial',
      source_type: 'direct',
      total: 6,
      completed: 3,
      failed: 3,
      pending: 0,
    });

    // Nothing has changed: nothing happens.
    const before = await documents(client);
    expect(await sync(client, made.id)).toMatchObject({ state: 'ok', added: 0, updated: 0, failed: 0, batch_id: null });
    expect(await documents(client)).toEqual(before);

    await bucket.put('a/one.txt', 'The kettle has moved to the cellar.');
    await bucket.remove('a/deep/two.md');
    const three = rows.find(({ filename }) => filename === 'three.txt')!;
    await client.send('DELETE', `/semantic-search/${three.uid}/delete/`);
    await bucket.put('a/three.txt', 'The lift works again.');
    expect(await sync(client, made.id)).toMatchObject({ state: 'ok', added: 0, updated: 1, removed: 1, failed: 0 });
    await indexed(client);
    const one = rows.find(({ filename }) => filename === 'one.txt')!;
    expect((await documents(client)).map(({ uid }) => uid)).toEqual([one.uid]);
    const found = await client.post<{ results: { text: string }[] }>('/semantic-search/search/', { query: 'kettle' });
    expect(found.results.map(({ text }) => text)).toEqual(['The kettle has moved to the cellar.']);
    const states = Object.fromEntries((await items(client, made.id)).map(({ name, state }) => [name, state]));
    expect(states).toMatchObject({ 'one.txt': 'imported', 'two.md': 'vanished', 'three.txt': 'removed' });

    // What comes back to the source comes back out of the trash, under its old uid.
    await bucket.put('a/deep/two.md', '# Two\n\nThe printer is back.');
    await sync(client, made.id);
    await indexed(client);
    const two = rows.find(({ filename }) => filename === 'two.md')!;
    expect((await documents(client)).map(({ uid }) => uid).toSorted()).toEqual([one.uid, two.uid].toSorted());

    const answer = await client.send('DELETE', `${SOURCES}${made.id}/?documents=trash`);
    expect(await answer.json()).toEqual({ status: 'deleted', id: made.id, trashed: 2 });
    expect(await documents(client)).toEqual([]);
    expect((await client.send('GET', `${SOURCES}${made.id}/`)).status).toBe(404);
  });

  inAll('imports tables: the same rows are the same document', async () => {
    const at = new URL(database.url);
    await database.dataSource.query('CREATE TABLE rooms (id int PRIMARY KEY, room text, floor text)');
    await database.dataSource.query(`INSERT INTO rooms VALUES (1, 'Oslo', 'third'), (2, 'Zurich', 'second')`);
    const client = await platformUser();
    const source = await client.post<Source>(SOURCES, {
      type: 'sql',
      name: 'House',
      secret: decodeURIComponent(at.password),
      config: {
        host: at.hostname,
        port: Number(at.port),
        database: at.pathname.slice(1),
        user: at.username,
        ssl: 'disable',
        tables: ['rooms', 'no_such_table'],
        queries: [{ name: 'Upper floors', sql: `SELECT room, floor FROM rooms WHERE floor = 'third'` }],
      },
    });
    const done = await sync(client, source.id);
    expect(done).toMatchObject({ state: 'ok', added: 2, failed: 1 });
    await indexed(client);
    const batch = await client.get(`/semantic-search/upload/batch/${done.batch_id}/status/`);
    expect(batch).toMatchObject({ source_type: 'sql', total: 3, completed: 2, failed: 1 });
    const before = await documents(client);
    expect(before.map(({ filename }) => filename).toSorted()).toEqual(['Upper floors.csv', 'rooms.csv']);
    expect(await sync(client, source.id)).toMatchObject({ added: 0, updated: 0 });
    expect(await documents(client)).toEqual(before);
    await database.dataSource.query(`UPDATE rooms SET floor = 'fifth' WHERE id = 2`);
    expect(await sync(client, source.id)).toMatchObject({ added: 0, updated: 1 });
    await indexed(client);
    expect((await documents(client)).map(({ uid }) => uid).toSorted()).toEqual(before.map(({ uid }) => uid).toSorted());
    const found = await client.post<{ results: { text: string }[] }>('/semantic-search/search/', {
      query: 'Zurich floor',
    });
    expect(found.results[0]!.text).toContain('room: Zurich; floor: fifth');
  });

  inAll(
    'follows the changes of a drive, waits when it is told to, and starts over when changes are forgotten',
    async () => {
      const a = graph.put('Plans/a.txt', 'Alpha plan');
      const b = graph.put('Plans/2026/b.txt', 'Beta plan');
      graph.put('c.txt', 'Gamma plan');
      const client = await platformUser();
      const source = await client.post<Source>(SOURCES, sharepoint({ folder: 'Site' }));
      graph.throttle = { times: 2, retryAfter: '1' };
      graph.calls = [];
      expect(await sync(client, source.id)).toMatchObject({ state: 'ok', added: 3, failed: 0 });
      expect(graph.throttle.times).toBe(0);
      await indexed(client);
      const first = await documents(client);
      expect(first.map(({ folder, filename }) => `${folder}/${filename}`).toSorted()).toEqual([
        'Site/Plans/2026/b.txt',
        'Site/Plans/a.txt',
        'Site/c.txt',
      ]);
      const { batch_id } = await get(client, source.id);
      expect(await client.get(`/semantic-search/upload/batch/${batch_id}/status/`)).toMatchObject({
        source_type: 'sharepoint',
        state: 'completed',
      });

      graph.calls = [];
      graph.put('Plans/a.txt', 'Alpha plan, second edition');
      graph.rename(b, 'renamed.txt');
      graph.expireTokens();
      expect(await sync(client, source.id)).toMatchObject({ state: 'ok', added: 0, updated: 2, removed: 0 });
      // The changes alone were asked for.
      expect(graph.calls.filter((call) => call.endsWith('/content'))).toHaveLength(2);
      await indexed(client);
      const second = await documents(client);
      expect(second.map(({ uid }) => uid).toSorted()).toEqual(first.map(({ uid }) => uid).toSorted());
      expect(second.map(({ filename }) => filename).toSorted()).toEqual(['a.txt', 'c.txt', 'renamed.txt']);

      graph.remove(a);
      expect(await sync(client, source.id)).toMatchObject({ removed: 1 });
      expect((await documents(client)).map(({ filename }) => filename).toSorted()).toEqual(['c.txt', 'renamed.txt']);
      // A folder takes with it what was in it, though the changes do not name that.
      graph.remove(graph.idOf('Plans'));
      expect(await sync(client, source.id)).toMatchObject({ removed: 1 });
      expect((await documents(client)).map(({ filename }) => filename)).toEqual(['c.txt']);
      graph.forgetCursors();
      graph.put('d.txt', 'Delta plan');
      expect(await sync(client, source.id)).toMatchObject({ state: 'ok', added: 1, updated: 0, removed: 0 });
      expect((await documents(client)).map(({ filename }) => filename).toSorted()).toEqual(['c.txt', 'd.txt']);
      graph.remove(graph.idOf('c.txt'));
      graph.remove(graph.idOf('d.txt'));
    },
  );

  inAll('loses and doubles nothing when its worker is killed in the middle, and when two ask at once', async () => {
    const count = rounds(40, 20);
    for (let n = 0; n < count; n += 1) graph.put(`many/${n}.txt`, `Item number ${n} is about topic ${n}.`);
    await indexer.stop();
    const workers = await Promise.all([platform.start('indexer'), platform.start('indexer')]);
    const client = await platformUser();
    const { id } = await client.post<Source>(SOURCES, sharepoint());
    let given = 0;
    graph.onDownload = async () => {
      given += 1;
      await new Promise((done) => setTimeout(done, 40));
    };
    const asked = await Promise.all(Array.from({ length: 5 }, () => client.post<Source>(`${SOURCES}${id}/sync/`, {})));
    expect(new Set(asked.map(({ state }) => state))).toEqual(new Set(['syncing']));
    const kills = [5, 15, 25].slice(0, rounds(3, 1));
    for (const [kill, killAt] of kills.entries()) {
      await until(() => given >= killAt, 30_000);
      await Promise.all(workers.splice(0).map((worker) => worker.kill('SIGKILL')));
      if (kill < kills.length - 1) workers.push(await platform.start('indexer'));
    }
    indexer = await platform.host('indexer');
    const done = await ended(client, id, 60_000);
    expect(done).toMatchObject({ state: 'ok', added: count, updated: 0, removed: 0, failed: 0 });
    const rows = await sql<{ external_drive_item_id: string }[]>(
      `SELECT external_drive_item_id FROM documents WHERE external_drive_item_id LIKE $1`,
      [`${id}:%`],
    );
    expect(rows).toHaveLength(count);
    expect(new Set(rows.map((row) => row.external_drive_item_id)).size).toBe(count);
    const batch = await client.get<{ total: number; items: { id: number }[] }>(
      `/semantic-search/upload/batch/${done.batch_id}/status/`,
    );
    expect(batch.total).toBe(count);
    graph.onDownload = async () => {};
  });

  inAll('breaks a sync off when the source is changed or deleted under it', async () => {
    for (let n = 0; n < 10; n += 1) await bucket.put(`slow/${n}.txt`, `Slow ${n}`);
    const client = await platformUser();
    const { id } = await client.post<Source>(SOURCES, s3('slow/'));
    await client.post(`${SOURCES}${id}/sync/`, {});
    const { type: _, secret: __, ...changed } = s3('slow/1');
    const after = await (await client.send('PUT', `${SOURCES}${id}/`, changed)).json();
    expect(after).toMatchObject({ state: 'idle', config: { prefix: 'slow/1' } });
    expect(await sync(client, id)).toMatchObject({ state: 'ok' });
    const left = (await documents(client)).map(({ filename }) => filename);
    expect(left).toEqual(['1.txt']);
    await client.post(`${SOURCES}${id}/sync/`, {});
    expect((await client.send('DELETE', `${SOURCES}${id}/`)).status).toBe(200);
    expect((await documents(client)).map(({ filename }) => filename)).toEqual(['1.txt']);
  });

  it('says why a source cannot be read, and sends a secret only to whom it was given for', async () => {
    const client = await platformUser();
    const { id } = await client.post<Source>(SOURCES, sharepoint({ secret: 'canary-wrong-secret' }));
    const test = await client.post<{ ok: boolean; code: string; detail: string }>(`${SOURCES}${id}/test/`, {});
    expect(test).toMatchObject({ ok: false, code: 'auth' });
    const failed = await sync(client, id);
    expect(failed).toMatchObject({ state: 'error', last_error: test.detail, batch_id: null });
    expect(JSON.stringify([test, failed])).not.toContain('canary');
    expect(platform.log()).not.toContain('canary');
    const put = (body: Record<string, unknown>) => client.send('PUT', `${SOURCES}${id}/`, body);
    const { type: _, secret: __, ...same } = sharepoint();
    expect((await put(same)).status).toBe(200);
    const elsewhere = await put({ ...same, config: { ...same.config, tenant_id: 'evil.example' } });
    expect([elsewhere.status, ((await elsewhere.json()) as Source).code]).toEqual([400, 'secret_required']);
    expect(await (await put({ ...same, secret: graph.secret })).json()).toMatchObject({ has_secret: true });
    expect(await client.post(`${SOURCES}${id}/test/`, {})).toMatchObject({ ok: true });
    const sealed = await sql<{ secret_sealed: Buffer }[]>('SELECT secret_sealed FROM external_sources WHERE id = $1', [
      id,
    ]);
    expect(sealed[0]!.secret_sealed.includes(graph.secret)).toBe(false);
  });

  it('is nobody else’s, and within its limits', async () => {
    const [client, stranger] = [await platformUser(), await platformUser()];
    const { id } = await client.post<Source>(SOURCES, s3('none/'));
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', 'test/'],
      ['POST', 'sync/'],
      ['GET', 'items/'],
    ] as const) {
      const { type: _, ...body } = s3('none/');
      const answer = await stranger.send(method, `${SOURCES}${id}/${path}`, method === 'PUT' ? body : undefined);
      expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
    expect(await stranger.get(SOURCES)).toEqual([]);
    expect((await client.get<Source[]>(SOURCES)).map((source) => source.id)).toEqual([id]);

    const answers = await Promise.all(
      Array.from({ length: 14 }, () => client.send('POST', SOURCES, s3('none/')).then((answer) => answer.status)),
    );
    expect(answers.toSorted()).toEqual([...Array<number>(9).fill(201), ...Array<number>(5).fill(400)]);

    const wrong = await client.send('POST', SOURCES, { type: 's3', name: 'x', config: { bucket: 'A' } });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toEqual({
      'config.bucket': ['This is no name of a bucket.'],
      'config.access_key_id': ['This field is required.'],
    });
    const config = { host: 'db', database: '', user: null, port: 'x', ssl: 'no', tables: 'a', db: 1 };
    const odd = await client.send('POST', SOURCES, { type: 'sql', name: 'x', secret: 'x', config });
    expect(await odd.json()).toEqual({
      config: ['There is no field called db.'],
      'config.database': ['This field may not be blank.'],
      'config.user': ['This field may not be null.'],
      'config.port': ['A valid integer is required.'],
      'config.ssl': ['"no" is not a valid choice.'],
      'config.tables': ['Expected a list of items.'],
    });
    const keyless = await client.send('POST', SOURCES, { ...s3('none/'), secret: undefined });
    expect(await keyless.json()).toEqual({ secret: ['This field is required.'] });
  });

  inAll('opens folders of the server to staff, below the folders that the deployment names', async () => {
    await mkdir(join(folder, 'shared'), { recursive: true });
    await writeFile(join(folder, 'shared/plan.txt'), 'The plan is simple.');
    const client = await platformUser();
    const body = { type: 'folder', name: 'Shared', config: { path: join(folder, 'shared') } };
    expect((await client.send('POST', SOURCES, body)).status).toBe(403);
    await sql('UPDATE users SET is_staff = true WHERE username = $1', [client.username]);
    const staff = await until(async () => (await client.send('POST', SOURCES, body)).status === 201).then(() =>
      client.get<Source[]>(SOURCES),
    );
    expect(await sync(client, staff[0]!.id)).toMatchObject({ state: 'ok', added: 1 });
    const outside = await client.post<Source>(SOURCES, { ...body, config: { path: '/etc' } });
    expect(await client.post(`${SOURCES}${outside.id}/test/`, {})).toMatchObject({ ok: false, code: 'auth' });
    expect(await sync(client, outside.id)).toMatchObject({ state: 'error', added: 0 });
  });

  inAll('takes no more than there is room for, and tries again when there is more', async () => {
    await bucket.put('room/small.txt', 'Small.');
    await bucket.put('room/wide.txt', 'w'.repeat(150_000));
    const client = await platformUser();
    const { id } = await client.post<Source>(SOURCES, s3('room/'));
    await indexer.stop();
    const tight = await platform.host('indexer', { STORAGE_QUOTA_BYTES: '1000' });
    expect(await sync(client, id)).toMatchObject({ state: 'ok', added: 1, failed: 1 });
    const failed = (await items(client, id)).find(({ name }) => name === 'wide.txt')!;
    expect(failed.reason).toContain('There is no room for this');
    await tight.stop();
    indexer = await platform.host('indexer');
    expect(await sync(client, id)).toMatchObject({ state: 'ok', added: 1, failed: 0 });
    expect((await documents(client)).map(({ filename }) => filename).toSorted()).toEqual(['small.txt', 'wide.txt']);
    const reserved = await sql<unknown[]>(
      'SELECT FROM storage_reservations WHERE user_id = (SELECT owner_id FROM external_sources WHERE id = $1)',
      [id],
    );
    expect(reserved).toEqual([]);
  });

  inAll('syncs by itself when a schedule says so', async () => {
    await bucket.put('timed/one.txt', 'On time.');
    const client = await platformUser();
    const { id } = await client.post<Source>(SOURCES, s3('timed/', { schedule_minutes: 15 }));
    await sql(`UPDATE external_sources SET next_sync_at = now() WHERE id = $1`, [id]);
    await until(async () => (await get(client, id)).state === 'ok', 40_000);
    const source = await get(client, id);
    expect(source).toMatchObject({ added: 1, schedule_minutes: 15 });
    expect(new Date(String(source.next_sync_at)).getTime()).toBeGreaterThan(Date.now() + 13 * 60_000);
  });

  function platformUser(): Promise<HttpClient> {
    return HttpClient.signUp(platform.baseUrl);
  }
});
