import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { inAll, rounds, stride } from '../../../../test/support/long.js';
import { until } from '../../../../test/support/until.js';
import { parseStatement } from './child/parse-statement.js';
import { RefusedStatement } from './child/sql-guard.js';
import { openWorkspace } from './child/workspace.js';
import { QueryRunner } from './query-runner.js';
import { queryEntry } from './query-entry.js';
import type { QueriedFile } from './query-messages.js';
import { stopwatch } from '../../../../test/support/timing.js';

function childrenOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
}

async function make(path: string, statement: string): Promise<void> {
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
}

/** What must not run within this process. */
const COSTLY = /sleep|repeat|lpad|rpad|range\(|CHECKPOINT|VACUUM/;

const SECRET = 'the-secret-of-another-tenant';

describe('QueryRunner', () => {
  let folder: string;
  let files: QueriedFile[];
  let secret: string;
  let other: string;
  const runner = new QueryRunner({ totalMs: 4000 }, 2);
  const patient = new QueryRunner({ totalMs: 60_000 }, 2);
  /** For what takes all the time that there is. */
  const strict = new QueryRunner({ totalMs: rounds(4000, 2500) }, 2);
  const one = async (sql: string, by = runner) => (await by.run({ files, statements: [sql] }))[0]!;
  /** On a machine that stalls even a small question may take longer than a runner gives it: it is asked again. */
  const answerOf = async (sql: string, by: QueryRunner) => {
    let rows: unknown;
    await until(async () => {
      const found = await one(sql, by).catch((error: { code?: string }) => {
        if (error.code !== 'query_timeout') throw error;
      });
      rows = found?.rows;
      return found !== undefined;
    });
    return rows;
  };
  const evidenceOf = async (sql: string) =>
    (await runner.run({ files, statements: [sql], evidence: true }))[0]!.evidence!;

  beforeAll(async () => {
    if (!existsSync(queryEntry())) throw new Error('Build first: these tests run the compiled query process.');
    folder = await mkdtemp(join(tmpdir(), 'query-runner-'));
    secret = join(folder, 'secret.csv');
    other = join(folder, 'other.duckdb');
    await writeFile(secret, `a\n${SECRET}\n`);
    await make(
      join(folder, 'one.duckdb'),
      `CREATE TABLE orders AS SELECT i AS id, ['Amman', 'Irbid', 'Zarqa'][i % 3 + 1] AS city, i * 1.5::DOUBLE AS amount,
         DATE '2024-01-01' + i::INT AS day FROM range(3000) t(i)`,
    );
    await make(join(folder, 'two.duckdb'), `CREATE TABLE cities AS SELECT 'Amman' AS city, 4000000 AS people`);
    await make(other, `CREATE TABLE t AS SELECT '${SECRET}' AS a`);
    files = [
      { path: join(folder, 'one.duckdb'), tables: [{ name: 'orders', alias: 'orders' }] },
      { path: join(folder, 'two.duckdb'), tables: [{ name: 'cities', alias: 'cities_2' }] },
    ];
  });
  afterAll(async () => {
    runner.onModuleDestroy();
    patient.onModuleDestroy();
    strict.onModuleDestroy();
    await rm(folder, { recursive: true });
  });

  it('reads rows that are no database, each column as it is said to be', async () => {
    const path = join(folder, 'rows.jsonl');
    const values = {
      'it\'s "a" name': '=1+1',
      amount: 2.5,
      day: '2026-02-28',
      at: '2026-02-28T23:59:00',
      is_paid: true,
    };
    await writeFile(path, `${JSON.stringify(values)}\n${JSON.stringify({ amount: null })}\n`);
    const columns = [
      { name: 'it\'s "a" name', type: 'text' as const },
      { name: 'amount', type: 'number' as const },
      { name: 'day', type: 'date' as const },
      { name: 'at', type: 'datetime' as const },
      { name: 'is_paid', type: 'boolean' as const },
    ];
    const rows = { path, tables: [{ name: 'rows', alias: 'rows' }], columns };
    const run = (sql: string) => runner.run({ files: [rows, files[1]!], statements: [sql] });
    const [result] = await run('SELECT * FROM rows ORDER BY amount');
    expect(result!.rows).toEqual([
      ['=1+1', 2.5, '2026-02-28', expect.stringContaining('2026-02-28'), true],
      [null, null, null, null, null],
    ]);
    expect(result!.columns.map(({ type }) => type)).toEqual(['text', 'number', 'date', 'datetime', 'boolean']);
    await expect(run(`SELECT * FROM read_json('${path}')`)).rejects.toMatchObject({ code: 'query_refused' });
    await expect(run('DELETE FROM rows')).rejects.toMatchObject({ code: 'query_refused' });
  });

  it('joins the tables of several files, in JSON', async () => {
    const result = await one(
      `SELECT o.city, count(*) AS orders, sum(o.amount) AS total, max(c.people) AS people, min(o.day) AS first
       FROM orders o JOIN "cities_2" c USING (city) GROUP BY ALL`,
    );
    expect(result).toMatchObject({
      columns: [
        { name: 'city', type: 'text' },
        { name: 'orders', type: 'integer' },
        { name: 'total', type: 'number' },
        { name: 'people', type: 'integer' },
        { name: 'first', type: 'date' },
      ],
      rows: [['Amman', 1000, 2_247_750, 4_000_000, '2024-01-01']],
      truncated: false,
    });
  });

  it('makes every value safe for JSON', async () => {
    const { rows } = await one(
      `SELECT 'nan'::DOUBLE, '-infinity'::DOUBLE, 9007199254740993, 12::HUGEINT, 1.50::DECIMAL(9, 2),
         123456789012345678901.5::DECIMAL(30, 1), DATE '2024-01-01', TIMESTAMP '2024-01-01 10:00:00.5',
         TIMESTAMPTZ '2024-01-01 10:00:00+02', [1, NULL], {'a': 'x'}, NULL, TRUE, INTERVAL 3 DAY, 'a' || chr(0), map([chr(0)], [1])`,
    );
    expect(rows[0]!.slice(0, 6)).toEqual([null, null, '9007199254740993', 12, 1.5, '123456789012345678901.5']);
    expect(rows[0]!.slice(6, 9)).toEqual(['2024-01-01', '2024-01-01T10:00:00.5', '2024-01-01T08:00:00Z']);
    expect(rows[0]!.slice(9)).toEqual([[1, null], { a: 'x' }, null, true, '3 days', 'a\uFFFD', { '\uFFFD': 1 }]);
  });

  inAll(
    'tells sums of decimals without the noise of doubles, and leaves digits that a value has of its own',
    async () => {
      const { rows } = await one(
        `SELECT 0.1::DOUBLE + 0.2::DOUBLE, -1.1::DOUBLE - 2.2::DOUBLE, 1e-7::DOUBLE * 3, 1696.9999999999998::DOUBLE, 12.345678901234567::DOUBLE, 1::DOUBLE / 3, 2.5::DOUBLE`,
      );
      expect(rows).toEqual([[0.3, -3.3, 3e-7, 1697, 12.345678901234567, 1 / 3, 2.5]]);
    },
  );

  inAll('stops at a thousand rows, long texts and large results, and says so', async () => {
    const many = await one('SELECT id FROM orders ORDER BY id');
    expect([many.rows.length, many.truncated, many.rows.at(-1)]).toEqual([1000, true, [999]]);
    const exact = await one('SELECT id FROM orders LIMIT 1000');
    expect([exact.rows.length, exact.truncated]).toEqual([1000, false]);
    const long = await one(`SELECT string_agg(city, '') AS text FROM orders`);
    expect([String(long.rows[0]![0]).length, long.truncated]).toEqual([10_001, true]);
    const small = new QueryRunner({ resultCharacters: 100 });
    const { rows, truncated } = await one('SELECT id, city FROM orders', small);
    expect([rows.length > 3 && rows.length < 10, truncated]).toEqual([true, true]);
  });

  inAll('says on which cells a result rests', async () => {
    const [filtered] = await evidenceOf(`SELECT sum(amount) FROM orders o WHERE o.id < 3 OR o.id BETWEEN 10 AND 11`);
    expect(filtered).toMatchObject({
      table: 'orders',
      columns: ['id', 'amount'],
      spans: [
        [0, 2],
        [10, 11],
      ],
    });
    expect(filtered!.rows).toEqual([0, 1, 2, 10, 11].map((id) => [id, id * 1.5]));
    const joined = await evidenceOf('SELECT people FROM orders JOIN cities_2 USING (city) LIMIT 1');
    expect(joined.map(({ table, spans }) => [table, spans])).toEqual([
      ['orders', [[0, 2999]]],
      ['cities_2', [[0, 0]]],
    ]);
    expect(await evidenceOf('SELECT count(*) FROM orders')).toMatchObject([
      { columns: ['id', 'city', 'amount', 'day'], spans: [[0, 2999]] },
    ]);
  });

  it('ends what takes too long, and what nobody waits for, at once', async () => {
    const endless = 'SELECT count(*) FROM range(1000000000000)';
    await expect(one(endless, new QueryRunner({ totalMs: 700 }))).rejects.toMatchObject({ code: 'query_timeout' });
    const gone = new AbortController();
    setTimeout(() => gone.abort(new Error('the client went')), 300);
    const took = stopwatch();
    await expect(runner.run({ files, statements: [endless], signal: gone.signal })).rejects.toThrow('the client went');
    expect(took()).toBeLessThan(1500);
  });

  inAll('waits for a free place no longer than it may, and gives slots back', async () => {
    const single = new QueryRunner({ totalMs: 1500 }, 1);
    const endless = 'SELECT count(*) FROM range(1000000000000)';
    const first = single.run({ files, statements: [endless] }).catch((error: { code: string }) => error.code);
    const second = single.run({ files, statements: ['SELECT 1'] }).catch((error: { code: string }) => error.code);
    const gone = new AbortController();
    const third = single.run({ files, statements: ['SELECT 1'], signal: gone.signal });
    gone.abort(new Error('gone'));
    await expect(third).rejects.toThrow('gone');
    expect(await first).toBe('query_timeout');
    // It waited 1.5 s for the first and has none left, or just made it.
    expect(['query_timeout', expect.anything()]).toContainEqual(await second);
    expect(await answerOf('SELECT 2', single)).toEqual([[2]]);
  });

  inAll('keeps the caller responsive while a query uses up a core', async () => {
    const run = new QueryRunner({ totalMs: 1000 }).run({
      files,
      statements: ['SELECT count(*) FROM range(1000000000000)'],
    });
    // However busy the machine is: a caller that is held up has no turns at all.
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    await expect(run).rejects.toMatchObject({ code: 'query_timeout' });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });

  const digest = async () => {
    const names = (await readdir(folder)).toSorted();
    return Promise.all(
      names.map(
        async (name) =>
          `${name} ${createHash('sha256')
            .update(await readFile(join(folder, name)))
            .digest('hex')}`,
      ),
    );
  };

  const statements = () => [
    // Files
    `SELECT * FROM '${secret}'`,
    `SELECT * FROM "${secret}"`,
    `SELECT * FROM read_csv('${secret}')`,
    `SELECT * FROM read_csv_auto('${secret}')`,
    `SELECT * FROM read_text('${secret}')`,
    `SELECT * FROM read_blob('${secret}')`,
    `SELECT * FROM read_json('${secret}')`,
    `SELECT * FROM read_parquet('${secret}')`,
    `SELECT * FROM parquet_metadata('${secret}')`,
    `SELECT * FROM sniff_csv('${secret}')`,
    `SELECT * FROM read_duckdb('${other}')`,
    `SELECT * FROM read_blob('${files[0]!.path}')`,
    `SELECT * FROM glob('${folder}/*')`,
    `SELECT (SELECT content FROM read_text('${secret}'))`,
    `SELECT * FROM orders WHERE city IN (SELECT a FROM read_csv('${secret}'))`,
    `WITH t AS (SELECT * FROM read_csv('${secret}')) SELECT * FROM t`,
    `WITH t AS MATERIALIZED (FROM '${secret}') FROM t`,
    `SELECT * FROM orders ORDER BY (SELECT max(a) FROM read_csv('${secret}'))`,
    `SELECT sum(amount) OVER (ORDER BY (SELECT a FROM read_csv('${secret}'))) FROM orders`,
    `SELECT id FROM orders UNION ALL SELECT content FROM read_text('${secret}')`,
    `SELECT * FROM orders, LATERAL (SELECT * FROM read_text('${secret}'))`,
    `SELECT * FROM (PIVOT (FROM '${secret}') ON a IN ('x') USING count(*))`,
    `SELECT * FROM (VALUES ((SELECT content FROM read_text('${secret}'))))`,
    `SELECT list_transform([1], lambda x: (SELECT content FROM read_text('${secret}')))`,
    `SELECT * FROM orders LIMIT (SELECT length(content) FROM read_text('${secret}'))`,
    `SELECT * REPLACE ((SELECT content FROM read_text('${secret}')) AS city) FROM orders`,
    `SELECT COLUMNS(c -> c LIKE 'c%' OR (SELECT true FROM read_text('${secret}'))) FROM orders`,
    `FROM query('SELECT * FROM read_text(''${secret}'')')`,
    `FROM query_table('${secret}')`,
    `FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))`,
    `SELECT getenv('HOME')`,
    `COPY orders TO '${join(folder, 'out.csv')}'`,
    `COPY (SELECT 1) TO '${join(folder, 'out.csv')}'`,
    `COPY orders FROM '${secret}'`,
    `EXPORT DATABASE '${join(folder, 'out')}'`,
    `IMPORT DATABASE '${folder}'`,
    // Other databases, settings, extensions
    `ATTACH '${other}' AS other`,
    `ATTACH '${join(folder, 'new.duckdb')}'`,
    `DETACH file_0`,
    `USE file_0`,
    `INSTALL httpfs`,
    `LOAD httpfs`,
    `SET enable_external_access = true`,
    `SET memory_limit = '100GB'`,
    `RESET memory_limit`,
    `PRAGMA version`,
    `PRAGMA database_list`,
    `PRAGMA table_info('orders')`,
    `CALL pragma_version()`,
    `CREATE SECRET s (TYPE s3, KEY_ID 'x')`,
    `CHECKPOINT`,
    `FORCE CHECKPOINT file_0`,
    `VACUUM`,
    // The catalogue, and tables past the views
    `SELECT * FROM duckdb_settings()`,
    `SELECT * FROM duckdb_databases`,
    `SELECT * FROM duckdb_secrets()`,
    `SELECT * FROM information_schema.tables`,
    `SELECT * FROM pg_catalog.pg_tables`,
    `SELECT * FROM sqlite_master`,
    `SELECT * FROM file_0.main.orders`,
    `SELECT * FROM main.orders`,
    `SELECT * FROM memory.main.orders`,
    `SHOW TABLES`,
    `DESCRIBE orders`,
    `SUMMARIZE orders`,
    `FROM (SHOW ALL TABLES)`,
    `SELECT current_setting('memory_limit')`,
    `SELECT current_database()`,
    `SELECT version()`,
    `SELECT current_query()`,
    `WITH duckdb_settings AS (FROM duckdb_settings) FROM duckdb_settings`,
    `SELECT * FROM (WITH duckdb_databases AS (SELECT 1) FROM duckdb_databases), duckdb_databases`,
    `WITH RECURSIVE a AS (FROM duckdb_settings) FROM a`,
    `SELECT * FROM orders AT (VERSION => 1)`,
    // Changes
    `DELETE FROM file_0.main.orders`,
    `EXPLAIN ANALYZE DELETE FROM file_0.main.orders`,
    `EXPLAIN SELECT 1`,
    `UPDATE orders SET city = 'x'`,
    `INSERT INTO orders VALUES (1)`,
    `MERGE INTO orders USING cities_2 ON true WHEN MATCHED THEN DELETE`,
    `TRUNCATE file_0.main.orders`,
    `DROP TABLE file_0.main.orders`,
    `DROP VIEW orders`,
    `ALTER TABLE file_0.main.orders DROP COLUMN city`,
    `CREATE TABLE t AS SELECT 1`,
    `CREATE TABLE file_0.main.t AS SELECT 1`,
    `CREATE OR REPLACE VIEW orders AS SELECT 1`,
    `CREATE MACRO f() AS 1`,
    `CREATE TYPE mood AS ENUM ('a')`,
    `WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d`,
    `BEGIN`,
    `COMMIT`,
    // More than one, none, parameters
    `SELECT 1; SELECT 2`,
    `SELECT 1; DROP VIEW orders`,
    `SELECT 1;;DELETE FROM orders`,
    `PREPARE p AS SELECT 1`,
    `EXECUTE p`,
    `PIVOT orders ON city USING sum(amount)`,
    `SELECT $1`,
    `SELECT ?`,
    ``,
    `-- nothing`,
    `SELEC 1`,
    `SELECT '\0'`,
    // Functions with effects, and small statements with large results
    `SELECT nextval('s')`,
    `SELECT setseed(0.5)`,
    `SELECT sleep_ms(10000)`,
    `SELECT pg_sleep(10)`,
    `SELECT write_log('x')`,
    `SELECT error('x')`,
    `SELECT repeat('x', 4000000000)`,
    `SELECT lpad('x', 2000000000, 'y')`,
    `SELECT rpad('x', (SELECT 2000000000), 'y')`,
    `SELECT range(1000000000)`,
    `SELECT * FROM repeat_row(1, num_rows = 1000000000000)`,
    `SELECT * FROM test_all_types()`,
    `SELECT json_serialize_plan('SELECT 1')`,
  ];

  it('opens files or says so in its own words, not to the asker', async () => {
    const broken = join(tmpdir(), `${randomUUID()}.duckdb`);
    await writeFile(broken, 'this is no database');
    const run = runner.run({ files: [{ path: broken, tables: [] }], statements: ['SELECT 1'] });
    await expect(run).rejects.not.toHaveProperty('code');
    await rm(broken);
  });

  inAll('ends its processes with the process that asked', async () => {
    const script = `
      process.argv[1] = ${JSON.stringify(process.argv[1])};
      const { QueryRunner } = await import(${JSON.stringify(queryEntry().replace('child/main.js', 'query-runner.js'))});
      const runner = new QueryRunner();
      await runner.run({ files: [], statements: ['SELECT 1'] });
      console.log('ready');
      await runner.run({ files: [], statements: ['SELECT count(*) FROM range(1000000000000)'] });`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(parent.stdout, 'data');
    let children: string[] = [];
    await until(async () => {
      children = (await childrenOf(parent.pid!))
        .trim()
        .split(' ')
        .filter((pid) => pid !== '');
      return children.length > 0;
    });
    parent.kill('SIGKILL');
    await until(async () => children.every((pid) => !existsSync(`/proc/${pid}`)));
  });

  describe('statements that nobody should run', () => {
    const before = new Map<string, string>();
    beforeAll(async () => {
      for (const line of await digest()) before.set(line, line);
    });
    afterAll(async () => {
      expect(await digest()).toEqual([...before.keys()]);
    });

    it('are refused, one and all', async () => {
      expect(statements().length).toBeGreaterThanOrEqual(100);
      const connection = await openWorkspace(files, 256);
      const tables = new Set(['orders', 'cities_2']);
      const accepted: string[] = [];
      for (const sql of statements()) {
        try {
          await parseStatement(connection, sql, tables);
          accepted.push(sql);
        } catch (error) {
          if (!(error instanceof RefusedStatement)) accepted.push(`${sql} -> ${String(error)}`);
          expect(String(error)).not.toContain(SECRET);
        }
      }
      expect(accepted).toEqual([]);
      connection.closeSync();
    });

    inAll('are refused by the process, too', async () => {
      // One process tells of all of them; where a run has one statement alone, each takes a process.
      const scoped = statements().map((sql) => ({ sql, scope: 0, parameters: [] }));
      const all = await patient.runEach({ scopes: [files], statements: scoped });
      const answered = all.map((outcome, at) => ({ sql: scoped[at]!.sql, outcome }));
      expect(answered.filter(({ outcome }) => !('error' in outcome && outcome.error.code === 'query_refused'))).toEqual(
        [],
      );
      const some = statements().filter((_, at) => at % (9 * stride(4)) === 0);
      const outcomes = await Promise.all(
        some.map((sql) => one(sql, patient).then(JSON.stringify, ({ code }: { code: string }) => code)),
      );
      expect(outcomes).toEqual(some.map(() => 'query_refused'));
    });

    it('would find nothing and change nothing if the check let them pass', async () => {
      const connection = await openWorkspace(files, 256);
      const seen: string[] = [];
      for (const sql of statements().filter((text) => !COSTLY.test(text))) {
        try {
          const reader = await connection.runAndReadAll(sql);
          seen.push(JSON.stringify(reader.getRowsJson()));
        } catch (error) {
          seen.push(String(error));
        }
      }
      expect(seen.filter((text) => text.includes(SECRET))).toEqual([]);
      connection.closeSync();
    });

    inAll.each([
      ['too many rows at once', 'SELECT list(a.city || b.city || c.city) FROM orders a, orders b, orders c'],
      [
        'texts that double',
        `WITH RECURSIVE t AS (SELECT 'x' AS s UNION ALL SELECT concat(s, s, s, s) FROM t) SELECT max(length(s)) FROM t`,
      ],
      ['an aggregate without end', `SELECT length(string_agg(a.city, ',')) FROM orders a, orders b, range(1000)`],
      ['a sort of everything', 'SELECT a.city FROM orders a, orders b, orders c ORDER BY random(), a.id LIMIT 1'],
      [
        'an endless recursion',
        'WITH RECURSIVE t AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM t) SELECT max(i) FROM t',
      ],
      ['deep nesting', `SELECT ${'('.repeat(20_000)}1${')'.repeat(20_000)}`],
      ['a long chain', `SELECT ${Array.from({ length: 50_000 }, () => '1').join('+')}`],
      [
        'a costly pattern',
        `SELECT count(*) FROM orders a, orders b WHERE regexp_matches(a.city || b.city, '(a*)*(b*)*c$')`,
      ],
    ])('cannot take more than their share: %s', async (_, sql) => {
      const took = stopwatch();
      const outcome = await one(sql, strict).then(
        ({ rows }) => `answered ${rows.length}`,
        ({ code }: { code: string }) => code,
      );
      expect(['query_too_large', 'query_timeout', 'query_failed', 'query_refused', 'answered 1']).toContain(outcome);
      expect(took()).toBeLessThan(8000);
      expect(await answerOf('SELECT count(*) FROM orders', strict)).toEqual([[3000]]);
    });
  });
});
