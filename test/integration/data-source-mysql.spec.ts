import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { StoredSource } from '@app/data-sources';
import { selfSigned } from '../support/certificate.js';
import { ConnectedDatabases, READER_SECRET } from '../support/connected-databases.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type Mariadb, startMariadb } from '../support/mariadb.js';
import { rounds } from '../support/long.js';
import { stopwatch } from '../support/timing.js';
import { until } from '../support/until.js';

/** Which the reader of the tests may write, as it may with `FILE`. */
const WRITTEN = join(tmpdir(), `atrium-written-${process.pid}`);

const local = async () => [{ address: '127.0.0.1', family: 4 }];
const series = (n: number) => `SELECT seq FROM seq_1_to_${n}`;

describe('a MariaDB of somebody’s own', () => {
  let folder: string;
  let server: Mariadb | null = null;
  let ours: TestDatabase;
  let databases: ConnectedDatabases;
  let source: Omit<StoredSource, 'id' | 'revision' | 'schemas'>;
  let id: number;
  const known = getCACertificates();

  beforeAll(async () => {
    ours = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'atrium-tls-'));
    const { certificate, key } = selfSigned({ hosts: ['books.example'] });
    const tls = { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    await Promise.all([writeFile(tls.certificate, certificate), writeFile(tls.key, key)]);
    setDefaultCACertificates([...known, certificate]);
    server = await startMariadb({ tls });
    if (!server) return;
    await server.run(`CREATE DATABASE books; CREATE DATABASE other; USE books;
      CREATE TABLE orders (id int PRIMARY KEY, region varchar(20), amount decimal(10,2), placed date);
      INSERT INTO orders VALUES (1, 'north', 12.5, '2026-01-31'), (2, 'south', 7, '2026-02-01'), (3, 'north', 100, NULL);
      CREATE TABLE written (n int); CREATE SEQUENCE counter;
      CREATE FUNCTION sneaky() RETURNS int MODIFIES SQL DATA BEGIN INSERT INTO written VALUES (1); RETURN 1; END;
      CREATE USER 'reader'@'%' IDENTIFIED BY '${READER_SECRET}';
      GRANT ALL ON books.* TO 'reader'@'%'; GRANT FILE ON *.* TO 'reader'@'%';
      CREATE USER 'sparse'@'%' IDENTIFIED BY '${READER_SECRET}'; GRANT SELECT ON books.orders TO 'sparse'@'%'`);
    databases = await ConnectedDatabases.of(
      ours,
      [`127.0.0.1:${server.port}`, `books.example:${server.port}`, `other.example:${server.port}`],
      local,
    );
    source = {
      type: 'mysql',
      host: '127.0.0.1',
      port: server.port,
      database: 'books',
      username: 'reader',
      sslMode: 'disable',
      secret: READER_SECRET,
    };
    id = await databases.connect(source);
  });

  afterAll(async () => {
    setDefaultCACertificates(known);
    await Promise.all([ours.drop(), server?.stop(), rm(folder, { recursive: true, force: true })]);
  });

  /** Where there is no server, which was said loudly, there is nothing to test. */
  const withServer = (name: string, test: (server: Mariadb) => Promise<void>) =>
    it(name, async () => {
      if (server) await test(server);
    });

  const running = async (text: string) =>
    (await server!.run(`SELECT 1 FROM information_schema.PROCESSLIST WHERE INFO LIKE '%${text}%' AND USER = 'reader'`))
      .length;

  withServer('gives rows as JSON, with the types of columns', async () => {
    const { columns, rows } = await databases.rows(
      id,
      `SELECT 1 AS i, 9007199254740993 AS big, 18446744073709551615 AS huge, 1.50 AS n, 0.1e0 AS f, true AS b,
         DATE '2026-01-31' AS d, TIMESTAMP '2026-01-31 12:00:00' AS ts, NULL AS nothing, JSON_OBJECT('a', 9007199254740993) AS j,
         x'deadbeef' AS bytes, 'a\\\\b' AS back, "it's" AS quoted, TIME '10:00:00' AS t, 12345678901234567890.5 AS wide`,
    );
    expect(columns.map(({ name, type }) => `${name} ${type}`).join(', ')).toBe(
      'i integer, big integer, huge integer, n number, f number, b integer, d date, ts datetime, nothing text, j json, ' +
        'bytes text, back text, quoted text, t text, wide number',
    );
    expect(rows).toEqual([
      [
        1,
        '9007199254740993',
        '18446744073709551615',
        1.5,
        0.1,
        1,
        '2026-01-31',
        '2026-01-31T12:00:00',
        null,
        { a: '9007199254740993' },
        '3q2+7w==',
        'a\\b',
        "it's",
        '10:00:00',
        '12345678901234567890.5',
      ],
    ]);
  });

  withServer('gives floats with the digits that they were written with, and bits as numbers', async ({ run }) => {
    await run(`USE books; CREATE TABLE odd (price float, big float, n int, flag bit(1), flags bit(64));
      INSERT INTO odd VALUES (19.99, 3.4e38, 1, b'1', ~0), (-0.3, 16777217, 2, b'0', 5), (0.1, 123456.7, 3, NULL, NULL)`);
    const { columns, rows } = await databases.rows(id, 'SELECT price, big, flag, flags FROM odd ORDER BY n');
    expect(columns.map(({ type }) => type)).toEqual(['number', 'number', 'integer', 'integer']);
    expect(rows).toEqual([
      [19.99, 3.4e38, 1, '18446744073709551615'],
      [-0.3, 16777216, 0, 5],
      [0.1, 123456.7, null, null],
    ]);
    const { items } = await databases.schemas.list(databases.ownerId, id, { search: 'odd', limit: 1, offset: 0 });
    expect(items[0]!.columns.find(({ name }) => name === 'flag')).toMatchObject({ type: 'integer' });
    await run('DROP TABLE books.odd');
  });

  withServer('binds parameters, and no text becomes a part of the statement', async () => {
    const types = { region: 'text', least: 'number', from: 'date', all: 'boolean' } as const;
    const sql = `SELECT id FROM orders WHERE (:region IS NULL OR region = :region) AND amount > :least
      AND (:all OR placed >= :from) ORDER BY id LIMIT :least`;
    const ask = async (params: Record<string, string | number | boolean | null>) =>
      (
        await databases.rows(id, { sql, params: { region: null, from: '2026-01-01', all: true, ...params }, types })
      ).rows.flat();
    expect(await ask({ least: 5 })).toEqual([1, 2, 3]);
    expect(await ask({ least: 5, region: 'north' })).toEqual([1, 3]);
    for (const hostile of [`x' OR '1'='1`, `\\' OR 1=1 -- `, `north'/*`, '" OR ""="'])
      expect(await ask({ least: 1, region: hostile })).toEqual([]);
    expect(await ask({ least: 2, all: false })).toEqual([1, 2]);
    const { rows } = await databases.rows(id, {
      sql: `SELECT ':x', "a\\":x", \`:x\`, :x + 0.5 FROM (SELECT 1 AS \`:x\`) t -- :x\n # :x`,
      params: { x: 1.25 },
      types: { x: 'number' },
    });
    expect(rows).toEqual([[':x', 'a":x', 1, 1.75]]);
    expect(await databases.failure(id, 'SELECT :unknown')).toMatchObject({ code: 'query_refused' });
  });

  const STATEMENTS = [
    'INSERT INTO written VALUES (1)',
    'UPDATE written SET n = 1',
    'DELETE FROM written',
    'REPLACE INTO written VALUES (1)',
    'SELECT 1; INSERT INTO written VALUES (1)',
    'SELECT 1; COMMIT; INSERT INTO written VALUES (1)',
    "SELECT 1 INTO OUTFILE '/tmp/x'",
    "SELECT 1 INTO DUMPFILE '/tmp/x'",
    `SELECT 'pwn', 1e1into outfile '${WRITTEN}'`,
    `SELECT 'pwn', 1.into outfile '${WRITTEN}'`,
    `SELECT 'pwn', .5into outfile '${WRITTEN}'`,
    `SELECT 'pwn', \\Ninto outfile '${WRITTEN}'`,
    `SELECT 1 --\x7f'\n into outfile '${WRITTEN}' -- '`,
    `SELECT 1 --\x01'\n into outfile '${WRITTEN}' -- '`,
    `SELECT 1 --\v'\n into outfile '${WRITTEN}' -- '`,
    `SELECT 'pwn'\x0binto outfile '${WRITTEN}'`,
    `SELECT x'41'into outfile '${WRITTEN}'`,
    'SELECT * FROM written WHERE n < 1e1for update',
    `SELECT _utf8'a'into outfile '${WRITTEN}'`,
    `SELECT @@version into/**/outfile '${WRITTEN}'`,
    `SELECT {d'2020-01-01'}into outfile '${WRITTEN}'`,
    `SELECT 1 /* /* */ into outfile '${WRITTEN}' -- */`,
    `SELECT 1 -- \r into outfile '${WRITTEN}'\n into outfile '${WRITTEN}'`,
    `SELECT 1 UNION (SELECT 1 into outfile '${WRITTEN}')`,
    'SELECT NEXT/**/VALUE/**/FOR counter',
    'WITH x AS (SELECT 1) DELETE FROM written',
    'BEGIN NOT ATOMIC DELETE FROM written; END',
    'SET STATEMENT max_statement_time = 0 FOR SELECT 1',
    'SELECT 1 INTO @x',
    "SELECT 1 /*! INTO OUTFILE '/tmp/x' */",
    "SELECT 1 /*M! INTO OUTFILE '/tmp/x' */",
    "SELECT 1 /*!50000 INTO OUTFILE '/tmp/x' */",
    "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE written",
    "SELECT LOAD_FILE('/etc/passwd')",
    "SELECT `load_file`('/etc/passwd')",
    "SELECT load_file /**/ ('/etc/passwd')",
    'SELECT SLEEP(20)',
    'SELECT BENCHMARK(1000000000, 1)',
    "SELECT GET_LOCK('x', 10)",
    'SELECT * FROM written FOR UPDATE',
    'SELECT * FROM written LOCK IN SHARE MODE',
    'WITH x AS (SELECT 1 AS n) UPDATE written SET n = 1',
    'SET @@autocommit = 1',
    'SHOW TABLES',
    'CALL x()',
    'DO SLEEP(1)',
    'TRUNCATE written',
    'SELECT NEXTVAL(counter)',
    'SELECT NEXT VALUE FOR counter',
    'SELECT sneaky()',
    'SELECT ?',
    "SELECT 'x",
    "SELECT 'x\\'",
    '',
  ];
  withServer('runs nothing that writes, waits or reads files', async (mariadb) => {
    for (const sql of STATEMENTS) {
      const [outcome] = await databases.run(id, sql);
      expect({ sql, outcome }).toEqual({
        sql,
        outcome: { error: { code: 'query_refused', message: expect.any(String) as string } },
      });
    }
    expect(await mariadb.run('SELECT * FROM books.written')).toEqual([]);
    expect(existsSync(WRITTEN)).toBe(false);
  });

  withServer('reads numbers and names that begin with one', async (mariadb) => {
    await mariadb.run('CREATE TABLE books.2024_sales (1st int); INSERT INTO books.2024_sales VALUES (7)');
    const { rows } = await databases.rows(id, 'SELECT 1st, 0x41 + 0, 0b101 + 0, 1e1, 1.5e-1, .5 FROM 2024_sales');
    expect(rows).toEqual([[7, 65, 5, 10, 0.15, 0.5]]);
  });

  withServer('tells what is wrong, and goes on with the next one', async () => {
    const [first, second] = await databases.run(id, 'SELECT nope FROM orders', 'SELECT 1');
    expect(first).toMatchObject({
      error: { code: 'query_failed', message: expect.stringContaining('nope') as string },
    });
    expect(second).toMatchObject({ rows: [[1]] });
    const sparse = await databases.connect({ ...source, username: 'sparse' });
    const { message } = await databases.failure(sparse, 'SELECT * FROM written');
    expect(message).toContain('this user');
    expect(message).not.toContain('127.0.0.1');
  });

  withServer('stops at its limits, and leaves nothing running', async () => {
    const [many, exact, after] = await databases.run(
      id,
      `${series(100_000_000)} LIMIT 90000000`,
      series(10_000),
      'SELECT 1',
    );
    expect(many).toMatchObject({ truncated: true });
    expect((many as { rows: unknown[] }).rows).toHaveLength(10_000);
    expect(exact).toMatchObject({ truncated: false });
    expect((exact as { rows: unknown[] }).rows).toHaveLength(10_000);
    expect(after).toMatchObject({ rows: [[1]] });
    const unlimited = await databases.rows(id, series(100_000_000));
    expect([unlimited.rows.length, unlimited.truncated]).toEqual([10_000, true]);
    const wide = await databases.rows(id, `SELECT repeat('x', 9000) FROM seq_1_to_5000`);
    expect([wide.rows.length < 500, wide.truncated]).toEqual([true, true]);
    await until(async () => (await running('seq_1_to')) === 0, 5000);
  });

  const SLOW = 'SELECT count(*) FROM seq_1_to_10000000000 AS slow_one, seq_1_to_1000 AS b';
  /** A view that waits in each of its rows, which costs nobody a processor. */
  const WAITING = 'SELECT max(n) FROM waiting AS slow_one';

  withServer('is cancelled there too when whoever asked leaves', async () => {
    const leaving = new AbortController();
    const asked = databases.sessions.run(databases.ownerId, id, [{ sql: SLOW, params: {}, types: {} }], leaving.signal);
    await until(async () => (await running('slow_one')) === 1);
    leaving.abort(new Error('left'));
    await expect(asked).rejects.toThrow('left');
    await until(async () => (await running('slow_one')) === 0, 5000);
  });

  /** What computes is cancelled in `npm test` by who leaves; here it takes seconds of a processor. */
  const LONGEST = [WAITING, SLOW].slice(0, rounds(2, 1));
  withServer('does not run longer than it may', async (mariadb) => {
    await mariadb.run('CREATE VIEW books.waiting AS SELECT SLEEP(1) + seq AS n FROM books.seq_1_to_300');
    for (const statement of LONGEST) {
      const took = stopwatch();
      const [slow, after] = await databases.run(id, statement, 'SELECT 1');
      expect(slow).toEqual({ error: { code: 'query_timeout', message: 'The database took too long to answer.' } });
      expect(after).toMatchObject({ rows: [[1]] });
      expect(took()).toBeLessThan(25_000);
      await until(async () => (await running('slow_one')) === 0, 5000);
    }
    await mariadb.run('DROP VIEW books.waiting');
  });

  withServer('says that the connection broke off, and connects anew', async (mariadb) => {
    const asked = databases.run(id, SLOW, 'SELECT 2');
    await until(async () => (await running('slow_one')) === 1);
    const [{ ID: thread }] = (await mariadb.run<{ ID: number }>(
      `SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'reader' AND INFO LIKE '%slow_one%'`,
    )) as [{ ID: number }];
    await mariadb.run(`KILL ${thread}`);
    const [broken, next] = await asked;
    expect(broken).toMatchObject({ error: { code: 'source_unavailable' } });
    expect(next).toMatchObject({ rows: [[2]] });
  });

  withServer('reads statements as it looks at them, whatever the server is set to', async (mariadb) => {
    await mariadb.run(`SET GLOBAL sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,ORACLE'`);
    try {
      expect((await databases.rows(id, `SELECT "a", 'it\\'s'`)).rows).toEqual([['a', "it's"]]);
    } finally {
      await mariadb.run(`SET GLOBAL sql_mode = DEFAULT`);
    }
  });

  withServer('does not let in who may not, and tells neither the secret nor where it is', async () => {
    for (const [change, message] of [
      [{ secret: 'wrong' }, 'The database does not accept this user and password from here.'],
      [{ username: 'nobody' }, 'The database does not accept this user and password from here.'],
      [{ database: 'nowhere' }, 'The database does not accept this user and password from here.'],
    ] as const) {
      const wrong = await databases.connect({ ...source, ...change });
      expect(await databases.failure(wrong, 'SELECT 1')).toEqual({ code: 'source_unavailable', message });
    }
  });

  withServer('shows the tables that may be read, with their columns', async () => {
    const list = (query: object, asked = id) =>
      databases.schemas.list(databases.ownerId, asked, { limit: 100, offset: 0, ...query });
    const { count, items } = await list({});
    expect(items.map(({ schema, name }) => `${schema}.${name}`)).toEqual(
      expect.arrayContaining(['books.orders', 'books.written']),
    );
    expect(count).toBe(items.length);
    expect(items.find(({ name }) => name === 'orders')).toEqual({
      schema: 'books',
      name: 'orders',
      kind: 'table',
      comment: '',
      columnsTruncated: false,
      columns: [
        { name: 'id', type: 'integer', nativeType: 'int(11)', nullable: false },
        { name: 'region', type: 'text', nativeType: 'varchar(20)', nullable: true },
        { name: 'amount', type: 'number', nativeType: 'decimal(10,2)', nullable: true },
        { name: 'placed', type: 'date', nativeType: 'date', nullable: true },
      ],
    });
    expect(await list({ limit: 1, offset: 1e11 })).toEqual({ count, items: [] });
    expect(await list({ search: 'ORD' })).toMatchObject({ count: 1, items: [{ name: 'orders' }] });
    expect(await list({ schema: 'mysql' })).toMatchObject({ count: 0 });
    const limited = await databases.connect({ ...source, schemas: ['other'] });
    expect(await list({}, limited)).toEqual({ count: 0, items: [] });
  });

  withServer('tells when its user may do more than read', async () => {
    const { ok, version, warnings } = await databases.probe.test(databases.ownerId, id);
    expect([ok, version]).toEqual([true, expect.stringContaining('MariaDB')]);
    expect(warnings.join(' ')).toMatch(/Nothing is encrypted.*may change data.*files of the server/);
    const sparse = await databases.connect({ ...source, username: 'sparse' });
    expect((await databases.probe.test(databases.ownerId, sparse)).warnings).toHaveLength(1);
  });

  const encrypted = async (change: object) => {
    const made = await databases.connect({ ...source, sslMode: 'verify-full', ...change });
    const [outcome] = await databases.run(
      made,
      `SELECT VARIABLE_VALUE <> '' FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'Ssl_cipher'`,
    );
    return outcome && 'error' in outcome ? outcome.error.message : outcome?.rows;
  };

  withServer('verifies the certificate against the host that was written', async () => {
    expect(await encrypted({ host: 'books.example' })).toEqual([[1]]);
    expect(await encrypted({ host: 'other.example' })).toBe(
      'The certificate of the database is made out to another name.',
    );
    expect(await encrypted({ host: 'other.example', sslMode: 'require' })).toEqual([[1]]);
    setDefaultCACertificates(known);
    expect(await encrypted({ host: 'books.example' })).toBe(
      'The certificate of the database is not signed by a known authority.',
    );
    expect(await encrypted({ host: 'books.example', sslMode: 'require' })).toEqual([[1]]);
  });
});
