import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ArtifactQueriesModule, type NamedQuery, type QueryOutcome, SourceQueries } from '@app/artifacts';
import { newId } from '@app/common';
import { DataSourcesModule } from '@app/data-sources';
import { DocumentsModule } from '@app/documents';
import { LooseFiles } from '@app/entitlements';
import { DatabaseModule } from '@app/entities';
import { FileStorage, IntegrationsModule } from '@app/integrations';
import { QueuesModule } from '@app/queues';
import { SealingService, SecretsModule } from '@app/secrets';
import { TableQuestionsModule, TabularModule } from '@app/tabular';
import { WorkModule } from '@app/work';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { addTableFile, ORDERS } from '../support/tables.js';
import { inAll } from '../support/long.js';

const query = (sourceRef: string, sql: string, more: Partial<NamedQuery> = {}): NamedQuery => ({
  name: 'q',
  sourceRef,
  sql,
  params: [],
  ...more,
});
const LARGER = {
  ...ORDERS,
  rows: `SELECT i AS order_id, 'Aqaba' AS city, 1.0 AS amount, DATE '2025-01-01' AS day FROM range(3) t(i)`,
};
/** A result by its rows, or why there is none. */
const told = (outcome: QueryOutcome) => ('rows' in outcome ? outcome.rows : outcome.error.code);

describe('queries over sources of a person', () => {
  let database: TestDatabase;
  let app: INestApplicationContext;
  let folder: string;
  let sources: SourceQueries;
  let ownerId: number;
  let otherId: number;
  let orders: string;
  let others: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    ownerId = await createUserRow(database);
    otherId = await createUserRow(database);
    folder = await mkdtemp(join(tmpdir(), 'source-queries-'));
    const config = testConfig(database.url, {
      STORAGE_DIR: join(folder, 'files'),
      DATA_SOURCE_HOSTS: new URL(database.url).host,
    });
    @Module({
      imports: [
        DatabaseModule.forRoot(config, 'test'),
        WorkModule.forRoot(config, 'test'),
        QueuesModule.forRoot(config),
        IntegrationsModule.forRoot(config),
        SecretsModule.forRoot(config),
        DocumentsModule,
        TabularModule.forRoot(LooseFiles),
        TableQuestionsModule.forRoot(config),
        DataSourcesModule.forRoot(config),
        ArtifactQueriesModule,
      ],
    })
    class App {}
    app = await NestFactory.createApplicationContext(App, { logger: false });
    sources = app.get(SourceQueries);
    orders = `file:${await add({ tables: [ORDERS] })}`;
    others = `file:${await add({ tables: [LARGER], filename: 'more.csv' })}`;
  });
  afterAll(async () => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
    await database.drop();
  });

  const add = (file: Partial<Parameters<typeof addTableFile>[1]>) =>
    addTableFile({ app, database }, { ownerId, tables: [], ...file });
  const ask = async (...queries: (NamedQuery & { given?: object })[]) =>
    sources.run(
      ownerId,
      queries.map((one) => ({ query: one, params: { ...one.given } })),
    );
  const addDatabase = async (owner = ownerId, name = 'Books') => {
    const [{ id }] = await database.dataSource.query<[{ id: number }]>(
      `INSERT INTO data_sources (owner_id, name, type, host, port, database, username, ssl_mode)
       VALUES ($1, $2, 'postgres', 'db.example', 5432, 'books', 'reader', 'require') RETURNING id`,
      [owner, name],
    );
    return `ds:${id}`;
  };

  it('are told what a source is, in the order in which they name them', async () => {
    const books = await addDatabase();
    expect(await sources.describe(ownerId, [books, others, orders])).toEqual([
      { ref: books, type: 'postgres', name: 'Books' },
      { ref: others, type: 'file', name: 'more.csv' },
      { ref: orders, type: 'file', name: 'orders.csv' },
    ]);
    expect(await sources.describe(ownerId, [])).toEqual([]);
    const upper = orders.replace(/[^:]+$/, (uid) => uid.toUpperCase());
    expect(await sources.describe(ownerId, [upper])).toMatchObject([{ ref: upper, name: 'orders.csv' }]);
  });

  it.each([['file:'], ['file:x'], ['ds:'], ['ds:-1'], ['ds:1x'], ['ds:12345678901'], ['table:1'], ['']])(
    'know no source "%s"',
    async (ref) => {
      await expect(sources.describe(ownerId, [ref])).rejects.toMatchObject({ code: 'invalid_source' });
      expect((await ask(query(ref, 'SELECT 1'))).map(told)).toEqual(['invalid_source']);
    },
  );

  it('have nothing of what is somebody else’s, or is not there', async () => {
    const foreign = await addDatabase(otherId);
    for (const ref of [`file:${newId()}`, 'ds:999999', 'ds:9999999999', foreign]) {
      await expect(sources.describe(ownerId, [orders, ref])).rejects.toMatchObject({ code: 'source_not_found' });
      expect(await sources.revisions(ownerId, [ref])).toEqual(new Map());
      expect((await ask(query(ref, 'SELECT 1'), query(orders, 'SELECT 1'))).map(told)).toEqual([
        'source_not_found',
        [[1]],
      ]);
    }
    await expect(sources.describe(otherId, [orders])).rejects.toMatchObject({ code: 'source_not_found' });
    const [outcome] = await sources.run(otherId, [{ query: query(orders, 'FROM orders'), params: {} }]);
    expect(told(outcome!)).toBe('source_not_found');
    expect(await sources.revisions(otherId, [orders])).toEqual(new Map());
  });

  it('have another revision after an import, and none of what is gone', async () => {
    const uid = await add({ tables: [ORDERS] });
    const ref = `file:${uid}`;
    const books = await addDatabase();
    const before = await sources.revisions(ownerId, [ref, books, orders]);
    expect([...before.keys()]).toEqual([ref, books, orders]);
    expect(await sources.revisions(ownerId, [ref, books, orders])).toEqual(before);
    await database.dataSource.query(`UPDATE tabular_files SET database_key = 'another' WHERE uid = $1`, [uid]);
    await database.dataSource.query('UPDATE data_sources SET revision = revision + 1 WHERE id = $1', [books.slice(3)]);
    const after = await sources.revisions(ownerId, [ref, books, orders]);
    expect([ref, books, orders].map((one) => after.get(one) === before.get(one))).toEqual([false, false, true]);
    await database.dataSource.query('DELETE FROM tabular_files WHERE uid = $1', [uid]);
    expect([...(await sources.revisions(ownerId, [ref, orders])).keys()]).toEqual([orders]);
  });

  it('read several files in one run, each its own, with their parameters', async () => {
    const started = Date.now();
    const city: NamedQuery['params'] = [{ name: 'city', type: 'text', default: 'Amman' }];
    const found = await ask(
      query(orders, 'SELECT count(*) AS n FROM orders WHERE city = :city', { params: city }),
      {
        ...query(orders, 'SELECT count(*) AS n FROM orders WHERE city = :city', { params: city }),
        given: { city: 'Irbid' },
      },
      query(others, 'SELECT city, count(*) AS n FROM orders GROUP BY city'),
      query(orders, 'SELECT nothing FROM orders'),
      { ...query(orders, 'SELECT 1', { params: city }), given: { city: 1 } },
      query(orders, 'SELECT 1; SELECT 2'),
      query(orders, 'SELECT :city'),
    );
    expect(found.map(told)).toEqual([
      [[5]],
      [[3]],
      [['Aqaba', 3]],
      'query_failed',
      'invalid_params',
      'query_refused',
      'query_refused',
    ]);
    const [first] = found;
    expect(first).toMatchObject({ columns: [{ name: 'n', type: 'integer' }], truncated: false });
    const asOf = (first as { asOf: Date }).asOf.getTime();
    expect(asOf).toBeGreaterThanOrEqual(started);
    expect(asOf).toBeLessThanOrEqual(Date.now());
    expect(await ask()).toEqual([]);
  });

  inAll('say why a file cannot be read, while others are', async () => {
    const waiting = `file:${await add({ ready: false })}`;
    const lost = await add({ tables: [ORDERS] });
    await app.get(FileStorage).delete(await keyOf(lost));
    const broken = await add({ tables: [ORDERS] });
    await database.dataSource.query(`UPDATE tabular_files SET database_key = $2 WHERE uid = $1`, [
      broken,
      await brokenKey(),
    ]);
    const refs = [waiting, `file:${lost}`, `file:${broken}`, orders];
    const found = await ask(...refs.map((ref) => query(ref, 'SELECT count(*) FROM orders')));
    expect(found.map(told)).toEqual(['source_not_ready', 'source_unavailable', 'source_unreadable', [[10]]]);
    expect(await sources.describe(ownerId, refs)).toHaveLength(4);
  });

  inAll('read files and connected databases in one call', async () => {
    const books = await addDatabase();
    const id = Number(books.slice(3));
    const at = new URL(database.url);
    const secret = app.get(SealingService).seal(decodeURIComponent(at.password), {
      table: 'data_sources',
      column: 'secret_sealed',
      row: id,
    });
    await database.dataSource.query(
      `UPDATE data_sources SET host = $2, port = $3, database = $4, username = $5, ssl_mode = 'disable', secret_sealed = $6
       WHERE id = $1`,
      [id, at.hostname, Number(at.port), at.pathname.slice(1), decodeURIComponent(at.username), secret],
    );
    const params: NamedQuery['params'] = [
      { name: 'city', type: 'text', default: "' OR true --" },
      { name: 'n', type: 'number', default: 2 },
      { name: 'unused', type: 'date', default: null },
    ];
    const sql = `SELECT city FROM (VALUES ('Amman'), (''' OR true --')) AS t(city) WHERE city = :city LIMIT :n`;
    const found = await ask(
      query(books, sql, { params }),
      query(orders, sql, { params }),
      query(books, 'SELECT 1 FROM nothing_there'),
      query(books, 'DELETE FROM users'),
      query(books, 'SELECT count(*) FROM users WHERE id = :n', { params }),
      query(orders, 'SELECT count(*) FROM orders'),
    );
    const row = [["' OR true --"]];
    expect(found.map(told)).toEqual([row, row, 'query_failed', 'query_refused', [[1]], [[10]]]);
    const checked = query(books, 'SELECT :n AS n', { name: 'checked', params });
    expect(await sources.check(ownerId, [checked])).toEqual([
      { name: 'checked', columns: [{ name: 'n', type: 'integer' }], rowCount: 1 },
    ]);
  });

  inAll('are checked before they are kept', async () => {
    const n: NamedQuery['params'] = [
      { name: 'n', type: 'number' },
      { name: 'city', type: 'text' },
    ];
    const good = query(orders, 'SELECT city, sum(amount) AS total FROM orders GROUP BY city', { name: 'good' });
    const limited = query(orders, 'SELECT order_id FROM orders WHERE :city IS NULL LIMIT :n', {
      name: 'limited',
      params: n,
    });
    expect(await sources.check(ownerId, [good, limited])).toEqual([
      {
        name: 'good',
        columns: [
          { name: 'city', type: 'text' },
          { name: 'total', type: 'number' },
        ],
        rowCount: 3,
      },
      { name: 'limited', columns: [{ name: 'order_id', type: 'integer' }], rowCount: 1 },
    ]);
    const bad = query(orders, 'DELETE FROM orders', { name: 'bad' });
    const typo = query(orders, 'SELECT citty FROM orders', { name: 'typo' });
    await expect(sources.check(ownerId, [good, bad, typo])).rejects.toMatchObject({
      code: 'invalid_query',
      message: expect.stringMatching(/"bad" does not work: .*SELECT[^]*"typo" does not work: .*citty/),
      extra: {
        queries: [
          { name: 'bad', code: 'query_refused' },
          { name: 'typo', code: 'query_failed' },
        ],
      },
    });
    await expect(sources.check(ownerId, [query(`file:${newId()}`, 'SELECT 1')])).rejects.toMatchObject({
      code: 'source_not_found',
    });
    expect(await sources.check(ownerId, [])).toEqual([]);
  });

  it('end when nobody waits any more', async () => {
    const controller = new AbortController();
    const endless = query(orders, 'SELECT count(*) FROM range(100000000000)');
    const run = sources.run(ownerId, [{ query: endless, params: {} }], controller.signal);
    setTimeout(() => controller.abort(new Error('gone')), 300);
    await expect(run).rejects.toThrow('gone');
  });

  async function keyOf(uid: string): Promise<string> {
    const [{ key }] = await database.dataSource.query<[{ key: string }]>(
      'SELECT database_key AS key FROM tabular_files WHERE uid = $1',
      [uid],
    );
    return key;
  }

  async function brokenKey(): Promise<string> {
    const key = `tables/broken-${newId()}.duckdb`;
    await app.get(FileStorage).put(key, Readable.from('this is no database'));
    return key;
  }
});
