import type { StoredSource } from '@app/data-sources';
import { ConnectedDatabases, READER_SECRET } from '../support/connected-databases.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.js';
import { stopwatch } from '../support/timing.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

describe('a Postgres of somebody’s own', () => {
  let ours: TestDatabase;
  let theirs: TestDatabase;
  let databases: ConnectedDatabases;
  let source: Omit<StoredSource, 'id' | 'revision' | 'schemas'>;
  let id: number;
  const role = `reader_${process.pid}`;
  const theirSql = <T = unknown>(sql: string, values: unknown[] = []) => theirs.dataSource.query<T>(sql, values);

  beforeAll(async () => {
    // One after the other: each copies a template, which nobody else may use meanwhile.
    ours = await createTestDatabase();
    theirs = await createEmptyDatabase();
    await theirSql(`CREATE ROLE ${role} LOGIN PASSWORD '${READER_SECRET}'`);

    // It may write: what keeps it from it is not its role.
    await theirSql(`CREATE SCHEMA sales; CREATE TYPE mood AS ENUM ('good', 'bad');
      CREATE TABLE sales.orders (id int PRIMARY KEY, region text, amount numeric, placed date, ref uuid, feeling mood, tags text[]);
      INSERT INTO sales.orders VALUES
        (1, 'north', 12.5, '2026-01-31', '01890a5d-ac96-774b-bcce-b302099a8057', 'good', '{a,"b \\"c\\"",NULL}'),
        (2, 'south', 7, '2026-02-01', NULL, 'bad', '{}'), (3, 'north', 100, NULL, NULL, NULL, NULL);
      CREATE DOMAIN share AS numeric; CREATE TYPE pair AS (a int, b text);
      CREATE TABLE written (n int);
      GRANT ALL ON SCHEMA sales, public TO ${role}; GRANT ALL ON ALL TABLES IN SCHEMA sales, public TO ${role}`);

    const at = new URL(theirs.url);
    databases = await ConnectedDatabases.of(ours, [at.host]);

    source = {
      type: 'postgres',
      host: at.hostname,
      port: Number(at.port),
      database: at.pathname.slice(1),
      username: role,
      sslMode: 'disable',
      secret: READER_SECRET,
    };
    id = await databases.connect(source);
  });

  afterAll(async () => {
    await theirSql(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await Promise.all([ours.drop(), theirs.drop()]);
  });

  /** Statements of ours that are at work there: a cursor is fetched from. */
  const running = async () =>
    (
      await theirSql<{ pid: number }[]>(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'atrium'
           AND state = 'active' AND query LIKE 'FETCH%'`,
      )
    ).map(({ pid }) => pid);

  it('gives rows as JSON, with the types of columns', async () => {
    const { columns, rows, truncated } = await databases.rows(
      id,
      `SELECT 1 AS i, 9007199254740993::bigint AS big, 1.50::numeric AS n, 12345678901234567890.5 AS wide, 'NaN'::float8 AS nan,
         0.1::float8 AS f, true AS b, date '2026-01-31' AS d, timestamptz '2026-01-31 12:00:00.5+02' AS tz,
         timestamp '2026-01-31 12:00' AS ts, NULL::text AS nothing, '{"a":[1,9007199254740993]}'::jsonb AS j,
         ARRAY[[1,2],[3,NULL]] AS a, ARRAY['x"y', 'a,b', NULL] AS texts, '\\xdeadbeef'::bytea AS bytes, 'infinity'::date AS never,
         interval '1 day' AS span, 'good'::mood AS m, E'a\\\\b' AS back`,
    );
    expect(columns.map(({ name, type }) => `${name} ${type}`).join(', ')).toBe(
      'i integer, big integer, n number, wide number, nan number, f number, b boolean, d date, tz datetime, ts datetime, ' +
        'nothing text, j json, a json, texts json, bytes text, never date, span text, m text, back text',
    );
    expect(rows).toEqual([
      [
        1,
        '9007199254740993',
        1.5,
        '12345678901234567890.5',
        null,
        0.1,
        true,
        '2026-01-31',
        '2026-01-31T10:00:00.5Z',
        '2026-01-31T12:00:00',
        null,
        { a: [1, '9007199254740993'] },
        [
          [1, 2],
          [3, null],
        ],
        ['x"y', 'a,b', null],
        '3q2+7w==',
        'infinity',
        '1 day',
        'good',
        'a\\b',
      ],
    ]);
    expect(truncated).toBe(false);
  });

  it('gives arrays as lists, of whatever type their items are', async () => {
    const { columns, rows } = await databases.rows(
      id,
      `SELECT '{good,NULL,bad}'::mood[] AS moods, ARRAY[1.10, 12345678901234567890.5]::share[] AS shares, 0.5::share AS share,
         ARRAY[interval '1 day'] AS spans, ARRAY[time '10:00'] AS times, ARRAY[int4range(1, 5)] AS ranges,
         ARRAY['10.0.0.1'::inet] AS addresses, ARRAY[B'101'] AS bits, '{}'::mood[] AS none, NULL::mood[] AS nothing,
         ROW(1, 'a')::pair AS pair`,
    );
    expect(columns.map(({ name, type }) => `${name} ${type}`).join(', ')).toBe(
      'moods json, shares json, share number, spans json, times json, ranges json, addresses json, bits json, none json, ' +
        'nothing json, pair text',
    );
    expect(rows).toEqual([
      [
        ['good', null, 'bad'],
        [1.1, '12345678901234567890.5'],
        0.5,
        ['1 day'],
        ['10:00:00'],
        ['[1,5)'],
        ['10.0.0.1'],
        ['101'],
        [],
        null,
        '(1,a)',
      ],
    ]);
    await theirSql(`CREATE TABLE sales.kinds (moods mood[], shares share[], share share, pair pair);
      GRANT SELECT ON sales.kinds TO ${role}`);
    const { items } = await databases.schemas.list(databases.ownerId, id, { search: 'kinds', limit: 1, offset: 0 });
    expect(items[0]!.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'moods json',
      'shares json',
      'share number',
      'pair text',
    ]);
    await theirSql('DROP TABLE sales.kinds');
  });

  it('binds parameters by their types, and no text becomes a part of the statement', async () => {
    const types = { region: 'text', least: 'number', from: 'date', all: 'boolean' } as const;
    const sql = `SELECT id FROM sales.orders WHERE (:region IS NULL OR region = :region) AND amount > :least
      AND (:all OR placed >= :from) ORDER BY id LIMIT :least`;
    const ask = async (params: Record<string, string | number | boolean | null>) =>
      (
        await databases.rows(id, { sql, params: { region: null, from: '2026-01-01', all: true, ...params }, types })
      ).rows.flat();
    expect(await ask({ least: 5 })).toEqual([1, 2, 3]);
    expect(await ask({ least: 9.5, region: 'north' })).toEqual([1, 3]);
    expect(await ask({ least: 1, region: `x' OR '1'='1` })).toEqual([]);
    expect(await ask({ least: 2, all: false })).toEqual([1, 2]);
    const rows = (text: string, params: Record<string, string | number>, kinds: Record<string, 'text' | 'number'>) =>
      databases.rows(id, { sql: text, params, types: kinds }).then((result) => result.rows);
    // A text becomes what it is compared with, as a literal does.
    const ref = '01890a5d-ac96-774b-bcce-b302099a8057';
    expect(await rows('SELECT id FROM sales.orders WHERE ref = :ref', { ref }, { ref: 'text' })).toEqual([[1]]);
    expect(await rows(`SELECT id FROM sales.orders WHERE feeling = :m`, { m: 'bad' }, { m: 'text' })).toEqual([[2]]);
    // Where it cannot, it is a text.
    expect(await rows(`SELECT concat(:x, '-', :x)`, { x: 'a' }, { x: 'text' })).toEqual([['a-a']]);
    expect(await rows('SELECT round(1.239, :digits)', { digits: 2 }, { digits: 'number' })).toEqual([[1.24]]);
    expect(
      await rows(
        `SELECT date_trunc(:unit, placed)::date::text, count(*) FROM sales.orders WHERE placed IS NOT NULL GROUP BY date_trunc(:unit, placed) ORDER BY 1`,
        { unit: 'year' },
        { unit: 'text' },
      ),
    ).toEqual([['2026-01-01', 2]]);
    expect(await rows(`SELECT ':x', $$ :x $$, "a:x" FROM (SELECT 1 AS "a:x") t /* :x */ -- :x`, {}, {})).toEqual([
      [':x', ' :x ', 1],
    ]);
    expect(await rows('SELECT (ARRAY[1,2,3])[1:2]', {}, {})).toEqual([[[1, 2]]]);
    expect(await databases.failure(id, 'SELECT :unknown')).toMatchObject({ code: 'query_refused' });
  });

  it.each([
    ['INSERT INTO written VALUES (1)'],
    ['UPDATE written SET n = 1'],
    ['DELETE FROM written'],
    ['WITH w AS (INSERT INTO written VALUES (1) RETURNING n) SELECT * FROM w'],
    ['WITH w AS MATERIALIZED (DELETE FROM written RETURNING n) SELECT * FROM w'],
    ['WITH w AS (SELECT 1) INSERT INTO written SELECT * FROM w'],
    ['WITH w AS (/* */ UPDATE written SET n = 2 RETURNING n) SELECT * FROM w'],
    ['SELECT 1 INTO fresh'],
    ['SELECT 1; INSERT INTO written VALUES (1)'],
    ['SELECT 1; COMMIT; INSERT INTO written VALUES (1); SELECT 1'],
    ['COPY (SELECT 1) TO STDOUT'],
    ['COPY written FROM PROGRAM $$id$$'],
    ['CREATE TABLE fresh (n int)'],
    ['DO $$ BEGIN INSERT INTO written VALUES (1); END $$'],
    ['EXPLAIN ANALYZE INSERT INTO written VALUES (1)'],
    ['TABLE written'],
    ['SET default_transaction_read_only = off'],
    [`SELECT set_config('transaction_read_only', 'off', false)`],
    [`SELECT pg_catalog.set_config('statement_timeout', '0', false)`],
    [`SELECT "set_config"('statement_timeout', '0', false)`],
    [`SELECT U&"set\\005Fconfig"('statement_timeout', '0', false)`],
    [`SELECT pg_read_file('/etc/passwd')`],
    [`SELECT * FROM pg_ls_dir('/')`],
    [`SELECT pg_sleep(20)`],
    [`SELECT lo_export(1, '/tmp/x')`],
    [`SELECT dblink('host=127.0.0.1', 'SELECT 1')`],
    [`SELECT pg_terminate_backend(1)`],
    [`SELECT query_to_xml('DELETE FROM written', true, false, '')`],
    [`SELECT nextval('s')`],
    [`SELECT E'a'\n'\\'', pg_read_file($$PG_VERSION$$), $$'$$`],
    [`SELECT E'a' /**/\n'\\'', pg_read_file($$PG_VERSION$$), $$'$$`],
    [`SELECT "text"$q$ ' $q$, pg_read_file($$PG_VERSION$$), $$'$$`],
    [`SELECT x.pg_read_file FROM unnest(array['PG_VERSION'::text]) x`],
    [`SELECT x."pg_read_file" FROM unnest(array['PG_VERSION'::text]) x`],
    [`SELECT (1::float8) /**/ . pg_sleep`],
    [`SELECT ts_stat('SELECT pg_read_file($$PG_VERSION$$)::tsvector')`],
    [`SELECT ts_rewrite('a'::tsquery, 'SELECT pg_sleep(1)::text::tsquery, $$a$$::tsquery')`],
    [`SELECT pg_stat_reset()`],
    [`SELECT pg_stat_reset_single_table_counters(1)`],
    [`SELECT lo_from_bytea(0, 'a')`],
    [`SELECT lowrite(1, 'a')`],
    [`SELECT * FROM crosstab('SELECT pg_sleep(1)')`],
    [`SELECT 1e'\\'', pg_sleep(1), $$'$$`],
    [`SELECT u&"pg!005fread_file" UESCAPE '!' ('PG_VERSION')`],
    [`SELECT N'a'\n'\\'', pg_read_file($$PG_VERSION$$), $$'$$`],
    [`SELECT 1 /* /* */ ' */ , pg_read_file('PG_VERSION') -- '`],
    [`SELECT 1 --\r, pg_read_file('PG_VERSION')`],
    [`SELECT 1 AS a$b$, pg_read_file('PG_VERSION') AS c$b$`],
    ['SELECT * FROM ROWS FROM (pg_ls_dir($$.$$), generate_series(1, 2)) t'],
    ['WITH x AS (MERGE INTO written USING (SELECT 1) s ON false WHEN NOT MATCHED THEN INSERT VALUES (1)) SELECT 1'],
    ['SELECT (SELECT 1 INTO fresh)'],
    ['EXECUTE x'],
    [''],
    ['  -- nothing'],
    ['SELECT 1 /* '],
    ["SELECT 'x"],
    ['SELECT $1'],
    [`SELECT ${String.fromCharCode(0)}`],
    ['BEGIN'],
  ])('does not run %s', async (sql) => {
    const [outcome, after] = await databases.run(id, sql, 'SELECT count(*)::int FROM written');
    expect(outcome).toEqual({ error: { code: 'query_refused', message: expect.any(String) as string } });
    expect(after).toMatchObject({ rows: [[0]] });
  });

  it('leaves refusing to the database where words do not tell', async () => {
    await theirSql(`CREATE FUNCTION sneaky() RETURNS int LANGUAGE sql AS 'INSERT INTO written VALUES (1) RETURNING n'`);
    for (const sql of ['SELECT sneaky()', 'SELECT * FROM written FOR UPDATE'])
      expect((await databases.failure(id, sql)).code).toBe('query_refused');
    expect(await theirSql('SELECT * FROM written')).toEqual([]);
  });

  it('keeps no function by its name that only looks', async () => {
    const sql = `SELECT pg_table_size('written'), pg_stat_get_numscans('written'::regclass), ts_rewrites, t.lo_rate, 0.5e1, .5, 1.
      FROM (SELECT 1 AS ts_rewrites, 2 AS lo_rate) t`;
    expect((await databases.rows(id, sql)).rows[0]!.slice(2)).toEqual([1, 2, 5, 0.5, 1]);
  });

  it('lets names be what they are', async () => {
    const { rows } = await databases.rows(
      id,
      `SELECT "into", t.update, count(delete) FROM (SELECT 1 AS "into", 2 AS update, 3 AS delete) t GROUP BY 1, 2;  -- all`,
    );
    expect(rows).toEqual([[1, 2, 1]]);
    expect((await databases.rows(id, '(SELECT 1) UNION ALL (SELECT 2)')).rows).toEqual([[1], [2]]);
  });

  it('tells what is wrong, and goes on with the next one', async () => {
    const [first, second, third] = await databases.run(id, 'SELECT nope', 'SELECT 1', 'SELECT 1/0');
    expect(first).toEqual({ error: { code: 'query_failed', message: 'column "nope" does not exist' } });
    expect(second).toMatchObject({ rows: [[1]] });
    expect(third).toEqual({ error: { code: 'query_failed', message: 'division by zero' } });
  });

  it('finds tables of the named schemas', async () => {
    expect((await databases.failure(id, 'SELECT count(*) FROM orders')).code).toBe('query_failed');
    const named = await databases.connect({ ...source, schemas: ['sales', `odd"; DROP TABLE written; --`] });
    expect((await databases.rows(named, 'SELECT count(*) FROM orders')).rows).toEqual([[3]]);
  });

  it('stops at its limits, without holding what it does not give', async () => {
    const many = await databases.rows(id, 'SELECT generate_series(1, 100000000) AS g');
    expect([many.rows.length, many.truncated]).toEqual([10_000, true]);
    const exact = await databases.rows(id, 'SELECT g FROM generate_series(1, 10000) g');
    expect([exact.rows.length, exact.truncated]).toEqual([10_000, false]);
    const long = await databases.rows(id, `SELECT repeat('😀x', 1000000) AS t`);
    expect([String(long.rows[0]![0]).length, long.truncated]).toEqual([10_000, true]);
    const wide = await databases.rows(id, `SELECT repeat('x', 9000) FROM generate_series(1, 5000) g`);
    expect([wide.rows.length < 500, wide.truncated]).toEqual([true, true]);
    const [huge, after] = await databases.run(
      id,
      `SELECT repeat('x', g) FROM generate_series(40000000, 40000001) g`,
      'SELECT 1',
    );
    expect(huge).toMatchObject({ error: { code: 'query_too_large' } });
    expect(after).toMatchObject({ rows: [[1]] });
  });

  const SLOW = 'SELECT count(*) FROM generate_series(1, 1000000000000) slow_one';

  it('is cancelled there too when whoever asked leaves', async () => {
    const leaving = new AbortController();
    const asked = databases.sessions.run(databases.ownerId, id, [{ sql: SLOW, params: {}, types: {} }], leaving.signal);
    await until(async () => (await running()).length === 1);
    leaving.abort(new Error('left'));
    await expect(asked).rejects.toThrow('left');
    await until(async () => (await running()).length === 0, 5000);
  });

  inAll('does not run longer than it may', async () => {
    const took = stopwatch();
    const [slow, after] = await databases.run(id, SLOW, 'SELECT 1');
    expect(slow).toEqual({ error: { code: 'query_timeout', message: 'The database took too long to answer.' } });
    expect(after).toMatchObject({ rows: [[1]] });
    expect(took()).toBeLessThan(25_000);
    await until(async () => (await running()).length === 0, 5000);
  });

  it('says that the connection broke off, and connects anew', async () => {
    const asked = databases.run(id, SLOW, 'SELECT 2');
    await until(async () => (await running()).length === 1);
    await theirSql('SELECT pg_terminate_backend($1)', await running());
    const [broken, next] = await asked;
    expect(broken).toMatchObject({ error: { code: 'source_unavailable' } });
    expect(next).toMatchObject({ rows: [[2]] });
  });

  it('does not let in who may not, and tells neither the secret nor where it is', async () => {
    for (const [change, message] of [
      [{ secret: 'wrong' }, 'The database does not accept this user and password from here.'],
      [{ username: 'nobody' }, 'The database does not accept this user and password from here.'],
      [{ database: 'nowhere' }, 'The database does not exist.'],
      [{ sslMode: 'require' }, 'The database does not speak with encryption.'],
      [{ sslMode: 'verify-full' }, 'The database does not speak with encryption.'],
      [{ host: '127.0.0.1', port: 1 }, 'The host is not on the public internet, and this deployment does not list it.'],
    ] as const) {
      const wrong = await databases.connect({ ...source, ...change });
      expect(await databases.failure(wrong, 'SELECT 1')).toEqual({ code: 'source_unavailable', message });
      const [row] = await ours.dataSource.query<unknown[]>(
        'SELECT status, last_error AS error FROM data_sources WHERE id = $1',
        [wrong],
      );
      expect(row).toEqual({ status: 'error', error: message });
    }
    expect((await databases.failure(id, `SELECT '${READER_SECRET}'::int`)).message).not.toContain(READER_SECRET);
  });

  it('takes no password from the environment of ours', async () => {
    const saved = process.env['PGPASSWORD'];
    process.env['PGPASSWORD'] = READER_SECRET;
    try {
      const none = await databases.connect({ ...source, secret: '' });
      // The servers of the tests may trust whoever comes from this machine.
      const [outcome] = await databases.run(none, 'SELECT 1');
      expect(outcome).toMatchObject({ error: { code: 'source_unavailable' } });
    } finally {
      if (saved === undefined) delete process.env['PGPASSWORD'];
      else process.env['PGPASSWORD'] = saved;
    }
  });

  it('has four sessions for one person at once, and the others wait', async () => {
    const most = await Promise.all(
      Array.from({ length: 12 }, () =>
        databases.rows(
          id,
          `SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'atrium' AND usename = current_user`,
        ),
      ),
    );
    const counts = most.map(({ rows }) => Number(rows[0]![0]));
    expect(Math.max(...counts)).toBeLessThanOrEqual(5);
    expect(counts).toHaveLength(12);
  });

  it('shows the tables that may be read, with their columns', async () => {
    await theirSql(`COMMENT ON TABLE sales.orders IS 'What was sold'; CREATE VIEW sales.north AS SELECT id, amount FROM sales.orders;
      CREATE TABLE sales.hidden (n int); CREATE TABLE sales.wide (${Array.from({ length: 301 }, (_, at) => `c${at} int`).join(', ')});
      GRANT SELECT ON sales.north, sales.wide TO ${role}`);
    const list = (query: object, source = id) =>
      databases.schemas.list(databases.ownerId, source, { limit: 100, offset: 0, ...query });
    const all = await list({});
    expect(all.items.map(({ schema, name, kind }) => `${schema}.${name} ${kind}`)).toEqual([
      'public.written table',
      'sales.north view',
      'sales.orders table',
      'sales.wide table',
    ]);
    expect(all.count).toBe(4);
    expect(all.items[2]).toMatchObject({ comment: 'What was sold', columnsTruncated: false });
    expect(all.items[2]!.columns.slice(0, 3)).toEqual([
      { name: 'id', type: 'integer', nativeType: 'integer', nullable: false },
      { name: 'region', type: 'text', nativeType: 'text', nullable: true },
      { name: 'amount', type: 'number', nativeType: 'numeric', nullable: true },
    ]);
    expect([all.items[3]!.columns.length, all.items[3]!.columnsTruncated]).toEqual([300, true]);
    expect(await list({ limit: 1, offset: 2 })).toMatchObject({ count: 4, items: [{ name: 'orders' }] });
    expect(await list({ limit: 1, offset: 1e11 })).toEqual({ count: 4, items: [] });
    expect(await list({ search: 'ORD' })).toMatchObject({ count: 1, items: [{ name: 'orders' }] });
    expect(await list({ search: `%' OR 1=1 --` })).toEqual({ count: 0, items: [] });
    expect((await list({ schema: 'public' })).items.map(({ name }) => name)).toEqual(['written']);
    const limited = await databases.connect({ ...source, schemas: ['public', 'nowhere'] });
    expect((await list({}, limited)).items.map(({ name }) => name)).toEqual(['written']);
    expect(await list({ schema: 'sales' }, limited)).toEqual({ count: 0, items: [] });
  });

  it('tells when its user may do more than read', async () => {
    const probe = await databases.probe.test(databases.ownerId, id);
    expect(probe).toMatchObject({ ok: true, error: '', version: expect.stringMatching(/^PostgreSQL \d/) as string });
    expect(probe.warnings.join(' ')).toMatch(/Nothing is encrypted.*may change data/);
    expect(probe.warnings.join(' ')).not.toMatch(/administrator|files of the server/);
    expect(probe.source).toMatchObject({ status: 'ok', lastError: '', lastOkAt: expect.any(Date) as Date });
    const at = new URL(theirs.url);
    const power = { username: decodeURIComponent(at.username), secret: decodeURIComponent(at.password) };
    const administrator = await databases.connect({ ...source, ...power });
    const { warnings } = await databases.probe.test(databases.ownerId, administrator);
    expect(warnings.join(' ')).toMatch(/administrator.*may change data.*files of the server/);
    const wrong = await databases.connect({ ...source, secret: 'wrong' });
    const failed = await databases.probe.test(databases.ownerId, wrong);
    const error = 'The database does not accept this user and password from here.';
    expect(failed).toMatchObject({ ok: false, error, warnings: [], source: { status: 'error', lastError: error } });
  });
});
