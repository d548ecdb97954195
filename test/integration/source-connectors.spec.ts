import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EgressGuard, SourceConnectors, SourceError, type SourceAccess, type SourceItem } from '@app/integrations';
import { startBucket, type BucketServer } from '../support/buckets.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { startGraph, type GraphServer } from '../support/graph.js';
import { until } from '../support/until.js';

/** A source with content of the test's own, and the ways in which it can be wrong. */
interface Subject {
  access: SourceAccess;
  wrongSecret: SourceAccess | null;
  /** Ids may differ; contents by path are known. */
  contents: Record<string, string>;
  change(): Promise<void>;
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof SourceError)) throw new Error(`No failure: ${String(error)}`);
  expect(error.message).not.toMatch(/127\.0\.0\.1|ECONN|secret|S3RVER/);
  return error.failure;
}

async function textOf(stream: AsyncIterable<Buffer | string>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

let connectors: SourceConnectors;
const subjects = new Map<string, Subject>();
const open = (access: SourceAccess) => connectors.open(access);
const pathOf = ({ path, name }: SourceItem) => (path === '' ? name : `${path}/${name}`);

const withQuery = (sql: string): SourceAccess => {
  const { access } = subjects.get('sql')!;
  return { ...access, config: { ...access.config, tables: [], queries: [{ name: 'q', sql }] } };
};
const read = async (access: SourceAccess) => {
  const connector = open(access);
  const [item] = (await connector.list(null)).items;
  return textOf(await connector.open(item!));
};
const sharepoint = () => subjects.get('sharepoint')!.access;

async function listAll(access: SourceAccess, from: string | null = null) {
  const connector = open(access);
  const items: SourceItem[] = [];
  const removed: string[] = [];
  let cursor = from;
  for (;;) {
    const page = await connector.list(cursor);
    items.push(...page.items);
    removed.push(...page.removedIds);
    cursor = page.cursor;
    if (page.isLast) return { items, removed, cursor };
  }
}

describe('a connector', () => {
  let folder: string;
  let bucket: BucketServer;
  let graph: GraphServer;
  let database: TestDatabase;
  let dead: number;

  beforeAll(async () => {
    [bucket, graph, database] = await Promise.all([startBucket(), startGraph(), createTestDatabase()]);
    folder = await mkdtemp(join(tmpdir(), 'atrium-source-'));
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => closed.once('listening', done));
    dead = (closed.address() as AddressInfo).port;
    await new Promise((done) => closed.close(done));
    const at = new URL(database.url);
    const hosts = [bucket.host, ...graph.hosts, at.host, `127.0.0.1:${dead}`];
    connectors = new SourceConnectors({
      folders: [folder],
      maxRows: 1000,
      graphUrl: graph.graphUrl,
      loginUrl: graph.loginUrl,
      guard: new EgressGuard({ allowedHosts: hosts }),
    });

    for (const [key, text] of [
      ['in/a.txt', 'A'],
      ['in/deep/er/b ü.txt', 'B'],
      ['in/folder/', ''],
      ['out/c.txt', 'C'],
    ] as const)
      await bucket.put(key, text);
    const s3: SourceAccess = {
      type: 's3',
      secret: bucket.credentials.secretAccessKey,
      config: {
        endpoint: bucket.endpoint,
        bucket: bucket.bucket,
        prefix: 'in/',
        access_key_id: bucket.credentials.accessKeyId,
      },
    };
    subjects.set('s3', {
      access: s3,
      wrongSecret: { ...s3, config: { ...s3.config, access_key_id: 'NOBODY' } },
      contents: { 'a.txt': 'A', 'deep/er/b ü.txt': 'B' },
      change: () => bucket.put('in/a.txt', 'A again'),
    });

    await mkdir(join(folder, 'docs/deep/er'), { recursive: true });
    await writeFile(join(folder, 'docs/a.txt'), 'A');
    await writeFile(join(folder, 'docs/deep/er/b ü.txt'), 'B');
    await writeFile(join(folder, 'docs/.hidden'), 'no');
    subjects.set('folder', {
      access: { type: 'folder', secret: '', config: { path: join(folder, 'docs') } },
      wrongSecret: null,
      contents: { 'a.txt': 'A', 'deep/er/b ü.txt': 'B' },
      change: () => writeFile(join(folder, 'docs/a.txt'), 'A again'),
    });

    await database.dataSource.query(
      `CREATE TABLE staff (id int PRIMARY KEY, name text, note text, photo bytea, since date)`,
    );
    await database.dataSource.query(
      `INSERT INTO staff VALUES (2, 'Grace "G"', E'two\\nlines', '\\x00', '2020-01-31'), (1, 'Ada, A.', NULL, NULL, NULL)`,
    );
    await database.dataSource.query('CREATE SCHEMA "Od d"; CREATE TABLE "Od d"."Ro""w" (v text)');
    const sql: SourceAccess = {
      type: 'sql',
      secret: decodeURIComponent(at.password),
      config: {
        host: at.hostname,
        port: Number(at.port),
        database: at.pathname.slice(1),
        user: at.username,
        ssl: 'disable',
        tables: ['staff', 'Od d.Ro"w'],
        queries: [{ name: 'Names', sql: 'SELECT upper(name) AS who FROM staff ORDER BY id;' }],
      },
    };
    subjects.set('sql', {
      access: sql,
      wrongSecret: { ...sql, config: { ...sql.config, user: 'nobody-of-this-name' } },
      contents: {
        'staff.csv': 'id,name,note,since\r\n1,"Ada, A.",,\r\n2,"Grace ""G""","two\nlines",2020-01-31\r\n',
        'Od d.Ro"w.csv': 'v\r\n',
        'Names.csv': 'who\r\n"ADA, A."\r\n"GRACE ""G"""\r\n',
      },
      change: async () => void (await database.dataSource.query(`UPDATE staff SET name = 'Ada' WHERE id = 1`)),
    });

    graph.put('a.txt', 'A');
    graph.put('deep/er/b ü.txt', 'B');
    const sharepoint: SourceAccess = {
      type: 'sharepoint',
      secret: graph.secret,
      config: { tenant_id: graph.tenant, client_id: graph.client, drive_id: graph.drive },
    };
    subjects.set('sharepoint', {
      access: sharepoint,
      wrongSecret: { ...sharepoint, secret: 'wrong secret' },
      contents: { 'a.txt': 'A', 'deep/er/b ü.txt': 'B' },
      change: async () => void graph.put('a.txt', 'A again'),
    });
  });
  afterAll(async () => {
    await Promise.all([bucket.stop(), graph.stop(), database.drop()]);
    await rm(folder, { recursive: true, force: true });
  });

  describe.each(['s3', 'folder', 'sql', 'sharepoint'])('for %s', (type) => {
    let subject: Subject;
    beforeAll(() => {
      subject = subjects.get(type)!;
    });

    it('tells whether it works', async () => {
      await expect(open(subject.access).test()).resolves.toBeUndefined();
      if (subject.wrongSecret) {
        expect(await failureOf(open(subject.wrongSecret).test())).toBe('auth');
        if (type !== 'sql') expect(await failureOf(open(subject.wrongSecret).list(null))).toBe('auth');
      }
    });

    it('lists everything once and opens it', async () => {
      const { items } = await listAll(subject.access);
      expect(items.map(pathOf).toSorted()).toEqual(Object.keys(subject.contents).toSorted());
      expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
      const connector = open(subject.access);
      for (const item of items) {
        const text = await textOf(await connector.open(item));
        expect([pathOf(item), text]).toEqual([pathOf(item), subject.contents[pathOf(item)]]);
        if (item.size !== null) expect(item.size).toBe(Buffer.byteLength(text));
      }
      expect((await listAll(subject.access)).items).toEqual(items);
    });

    it('keeps the id and changes the etag of what has changed', async () => {
      const before = (await listAll(subject.access)).items;
      await subject.change();
      const after = (await listAll(subject.access)).items;
      expect(after.map(({ id }) => id).toSorted()).toEqual(before.map(({ id }) => id).toSorted());
      const changed = after.filter((item) => item.etag !== before.find(({ id }) => id === item.id)!.etag);
      if (type === 'sql') {
        expect(after.every(({ etag }) => etag === null)).toBe(true);
        expect(await textOf(await open(subject.access).open(after[0]!))).toContain('1,Ada,');
      } else {
        expect(changed.map(pathOf)).toEqual(['a.txt']);
        expect(await textOf(await open(subject.access).open(changed[0]!))).toBe('A again');
      }
    });

    it('says that an item is not there', async () => {
      const ids = { s3: 'in/gone.txt', folder: 'gone.txt', sql: 'table:gone', sharepoint: '01GONE' };
      const id = ids[type as keyof typeof ids];
      const item = { id, name: 'gone', path: '', size: null, modifiedAt: null, etag: null };
      expect(await failureOf(open(subject.access).open(item))).toBe('not_found');
    });

    it('stops when it is told to', async () => {
      const stop = AbortSignal.abort(new Error('stop'));
      if (type !== 'sql') await expect(open(subject.access).list(null, stop)).rejects.toThrow('stop');
      else await expect(open(subject.access).test(stop)).rejects.toThrow('stop');
    });
  });

  it('says that nobody is there', async () => {
    const s3 = subjects.get('s3')!.access;
    const gone = { ...s3, config: { ...s3.config, endpoint: `http://127.0.0.1:${dead}` } };
    expect(await failureOf(open(gone).test())).toBe('unavailable');
    const sql = subjects.get('sql')!.access;
    expect(await failureOf(open({ ...sql, config: { ...sql.config, port: dead } }).test())).toBe('unavailable');
  });

  it('goes nowhere that the deployment does not allow', async () => {
    const guard = new EgressGuard({ allowedHosts: [] });
    const strict = new SourceConnectors({
      folders: [],
      maxRows: 10,
      graphUrl: graph.graphUrl,
      loginUrl: graph.loginUrl,
      guard,
    });
    for (const { access } of subjects.values())
      expect(['refused', 'auth']).toContain(await failureOf(strict.open(access).test()));
    const sql = subjects.get('sql')!.access;
    const verified = { ...sql, config: { ...sql.config, ssl: 'verify' } };
    expect(await failureOf(strict.open(verified).test())).toBe('refused');
  });

  describe('for a bucket', () => {
    it('says that there is none', async () => {
      const { access } = subjects.get('s3')!;
      const other = { ...access, config: { ...access.config, bucket: 'no-such-bucket' } };
      expect(await failureOf(open(other).test())).toBe('not_found');
    });

    it('pages', async () => {
      await bucket.put('many/000.txt', 'x');
      await bucket.copyOnDisk(
        'many/000.txt',
        Array.from({ length: 509 }, (_, n) => `many/${String(n + 1).padStart(3, '0')}.txt`),
      );
      const { access } = subjects.get('s3')!;
      const many = { ...access, config: { ...access.config, prefix: 'many/' } };
      const first = await open(many).list(null);
      expect([first.items.length, first.isLast]).toEqual([500, false]);
      const { items } = await listAll(many);
      expect(new Set(items.map(({ id }) => id)).size).toBe(510);
    });
  });

  describe('for a folder', () => {
    it('follows no link, at no depth, and leaves its folder by no name', async () => {
      const outside = await mkdtemp(join(tmpdir(), 'atrium-outside-'));
      await writeFile(join(outside, 'secret.txt'), 'canary');
      await mkdir(join(folder, 'tricks/real'), { recursive: true });
      await writeFile(join(folder, 'tricks/real/plain.txt'), 'P');
      await symlink(join(outside, 'secret.txt'), join(folder, 'tricks/file.txt'));
      await symlink(outside, join(folder, 'tricks/dir'));
      const connector = open({ type: 'folder', secret: '', config: { path: join(folder, 'tricks') } });
      expect((await connector.list(null)).items.map(({ id }) => id)).toEqual(['real/plain.txt']);
      const item = { name: 'x', path: '', size: null, modifiedAt: null, etag: null };
      for (const id of ['file.txt', 'dir/secret.txt', `../../${outside.split('/').at(-1)}/secret.txt`, 'real'])
        expect([id, await failureOf(connector.open({ ...item, id }))]).toEqual([id, 'not_found']);
      await symlink(outside, join(folder, 'link-to-outside'));
      for (const path of [outside, join(folder, 'link-to-outside'), join(folder, '..'), '/', `${folder}x`])
        expect([path, await failureOf(open({ type: 'folder', secret: '', config: { path } }).test())]).toEqual([
          path,
          'auth',
        ]);
      await rm(outside, { recursive: true });
    });

    it('goes on where a page ended', async () => {
      await mkdir(join(folder, 'many/sub'), { recursive: true });
      for (let n = 0; n < 300; n += 1) {
        await writeFile(join(folder, `many/${n}.txt`), 'x');
        await writeFile(join(folder, `many/sub/${n}.txt`), 'x');
      }
      const { items } = await listAll({ type: 'folder', secret: '', config: { path: join(folder, 'many') } });
      expect(new Set(items.map(({ id }) => id)).size).toBe(600);
      expect(items).toHaveLength(600);
    });
  });

  describe('for a database', () => {
    it.each([
      'SELECT 1; DROP TABLE staff',
      'SELECT 1; COMMIT; DROP TABLE staff',
      'DELETE FROM staff RETURNING id',
      'WITH gone AS (DELETE FROM staff RETURNING id) SELECT * FROM gone',
      `SELECT * FROM staff FOR UPDATE`,
      'SELEC 1',
      `SELECT setval('outbox_messages_id_seq', 1)`,
    ])('changes nothing: %s', async (sql) => {
      expect(await failureOf(read(withQuery(sql)))).toBe('refused');
      const [{ count }] = await database.dataSource.query<[{ count: number }]>('SELECT count(*)::int FROM staff');
      expect(count).toBe(2);
    });

    it('reads so many rows, and no more', async () => {
      expect((await read(withQuery('SELECT generate_series(1, 1000) AS n'))).split('\r\n')).toHaveLength(1002);
      expect(await failureOf(read(withQuery('SELECT generate_series(1, 1001) AS n')))).toBe('refused');
    });

    it('is not flooded', async () => {
      const rss = process.memoryUsage().rss;
      const wide = `SELECT repeat('x', 1000000) FROM generate_series(1, 300)`;
      expect(await failureOf(read(withQuery(wide)))).toBe('unavailable');
      expect(process.memoryUsage().rss - rss).toBeLessThan(400 * 1024 * 1024);
    });

    it('leaves no connection behind', async () => {
      const { access } = subjects.get('sql')!;
      const stream = await open(access).open((await open(access).list(null)).items[0]!);
      stream.destroy();
      // One that was broken off above may still be busy with what nobody reads any more.
      await until(async () => {
        const rows = await database.dataSource.query<unknown[]>(
          `SELECT FROM pg_stat_activity WHERE application_name = 'atrium-import' AND datname = current_database()`,
        );
        return rows.length === 0;
      });
    });
  });

  describe('for SharePoint', () => {
    it('tells changes: what is new, what is renamed, what is gone', async () => {
      const b = graph.idOf('deep/er/b ü.txt');
      const { cursor } = await listAll(sharepoint());
      expect(await listAll(sharepoint(), cursor)).toMatchObject({ items: [], removed: [] });
      const c = graph.put('deep/c.txt', 'C');
      graph.rename(b, 'renamed.txt');
      const gone = graph.put('gone.txt', 'G');
      graph.remove(gone);
      const changes = await listAll(sharepoint(), cursor);
      expect(changes.items.map((item) => [item.id, pathOf(item)]).toSorted()).toEqual(
        [
          [c, 'deep/c.txt'],
          [b, 'deep/er/renamed.txt'],
        ].toSorted(),
      );
      expect(changes.removed).toEqual([gone]);
    });

    it('gets a new token when the old one is withdrawn, once', async () => {
      const connector = open(sharepoint());
      await connector.test();
      const given = graph.tokensGiven;
      graph.expireTokens();
      await connector.list(null);
      expect(graph.tokensGiven).toBe(given + 1);
    });

    it('tells how long it has to wait', async () => {
      graph.throttle = { times: 1, retryAfter: '17' };
      const error = await open(sharepoint())
        .test()
        .catch((reason: SourceError) => reason);
      expect(error).toMatchObject({ failure: 'throttled', retryAfterSeconds: 17 });
    });

    it('says that a list of changes has expired', async () => {
      const { cursor } = await listAll(sharepoint());
      graph.forgetCursors();
      expect(await failureOf(open(sharepoint()).list(cursor))).toBe('cursor_expired');
      expect((await listAll(sharepoint())).items.length).toBeGreaterThan(1);
    });

    it('says that a content has broken off', async () => {
      const connector = open(sharepoint());
      const { items } = await listAll(sharepoint());
      graph.breakDownloads = true;
      const stream = await connector.open(items[0]!);
      graph.breakDownloads = false;
      expect(await failureOf(textOf(stream))).toBe('unavailable');
    });

    it('gives its token to no other origin', async () => {
      graph.downloads = [];
      const connector = open(sharepoint());
      const { items } = await listAll(sharepoint());
      await textOf(await connector.open(items[0]!));
      expect(graph.downloads).toHaveLength(1);
      expect(JSON.stringify(graph.downloads)).not.toContain('graph-token');
      for (const link of ['https://evil.example/v1.0/drives/x', `${graph.graphUrl.replace('/v1.0', '')}/elsewhere`])
        expect(await failureOf(connector.list(link))).toBe('cursor_expired');
    });
  });

  it('checks what it is configured with', () => {
    const check = (type: SourceAccess['type'], config: Record<string, unknown>) => () => connectors.check(type, config);
    expect(check('s3', {})).toThrow(
      expect.objectContaining({ fields: expect.objectContaining({ 'config.bucket': [expect.any(String)] }) }),
    );
    expect(check('s3', { bucket: 'a/../b', access_key_id: 'k' })).toThrow();
    expect(check('s3', { bucket: 'abc', access_key_id: 'k', region: 'x.evil.example/' })).toThrow();
    expect(check('sql', { host: 'a b', database: 'd', user: 'u' })).toThrow();
    expect(check('sharepoint', { tenant_id: '../x', client_id: 'c', drive_id: 'd' })).toThrow();
    expect(check('folder', { path: 'relative' })).toThrow();
    for (const odd of ['a\0b', 'a\ud800b'])
      expect(check('s3', { bucket: 'abc', access_key_id: 'k', prefix: odd })).toThrow('not allowed');
    expect(check('folder', { path: '/x', secret: 'y' })).toThrow();
    expect(connectors.check('s3', { bucket: 'abc', access_key_id: 'k' }).config).toEqual({
      bucket: 'abc',
      access_key_id: 'k',
      prefix: '',
      region: 'us-east-1',
    });
  });
});
