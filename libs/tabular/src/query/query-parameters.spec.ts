import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection, VARCHAR } from '@duckdb/node-api';
import { hostileTexts } from '../../../../test/support/hostile-texts.js';
import { seededRandom } from '../../../../test/support/hostile-values.js';
import { rounds } from '../../../../test/support/long.js';
import { stopwatch } from '../../../../test/support/timing.js';
import { toDatabaseParameters } from './child/parameters.js';
import { quoteText } from './child/parse-statement.js';
import { queryEntry } from './query-entry.js';
import type { BoundParameter, Cell, QueriedFile } from './query-messages.js';
import { QueryRunner } from './query-runner.js';

const text = (name: string, value: string | null): BoundParameter => ({ name, type: 'text', value });
const number = (name: string, value: number | null): BoundParameter => ({ name, type: 'number', value });
const date = (name: string, value: string | null): BoundParameter => ({ name, type: 'date', value });
const boolean = (name: string, value: boolean | null): BoundParameter => ({ name, type: 'boolean', value });

/** Different texts of which a corpus is, and that stand in its table, too: all that are known, then made ones. */
const HOSTILE = hostileTexts(rounds(500, 160));

describe('parameters', () => {
  let folder: string;
  let people: QueriedFile;
  let others: QueriedFile;
  let connection: DuckDBConnection;
  const runner = new QueryRunner({ totalMs: 120_000 }, 2);
  /** In the order of their ids. */
  let rows: { id: number; name: string; secret: string; amount: number; day: string; paid: boolean }[];

  const outcomes = (statements: { sql: string; parameters?: BoundParameter[]; scope?: number }[], by = runner) =>
    by.runEach({
      scopes: [[people], [others]],
      statements: statements.map(({ sql, parameters = [], scope = 0 }) => ({ sql, parameters, scope })),
    });
  const one = async (sql: string, ...parameters: BoundParameter[]) => (await outcomes([{ sql, parameters }]))[0]!;
  const rowsOf = async (sql: string, ...parameters: BoundParameter[]) => {
    const outcome = await one(sql, ...parameters);
    return 'result' in outcome ? outcome.result.rows : outcome.error;
  };

  const idsWhere = (keep: (row: (typeof rows)[number]) => boolean): Cell[][] =>
    rows.filter(keep).map(({ id }): Cell[] => [id]);

  beforeAll(async () => {
    if (!existsSync(queryEntry())) throw new Error('Build first: these tests run the compiled query process.');
    folder = await mkdtemp(join(tmpdir(), 'query-parameters-'));
    connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
    await connection.run(`ATTACH '${join(folder, 'people.duckdb')}' AS p`);
    await connection.run(`ATTACH '${join(folder, 'others.duckdb')}' AS o`);
    await connection.run('CREATE TABLE o.people AS SELECT 1 AS id, $$of the other file$$ AS name');
    await connection.run(
      'CREATE TABLE p.people (id INT, name TEXT, secret TEXT, amount DOUBLE, day DATE, paid BOOLEAN)',
    );
    // Every third one stands in the table, in some case.
    rows = HOSTILE.filter((_, at) => at % 3 === 0).map((name, at) => ({
      id: at + 1,
      name: at % 2 === 0 ? name : name.toUpperCase(),
      secret: `secret-${at}`,
      amount: at * 1.5,
      day: `2024-01-${String((at % 28) + 1).padStart(2, '0')}`,
      paid: at % 2 === 0,
    }));
    for (const { id, name, secret, amount, day, paid } of rows)
      await connection.run(
        'INSERT INTO p.people VALUES ($id, $name, $secret, $amount, $day::DATE, $paid)',
        { id, name, secret, amount, day, paid },
        { name: VARCHAR, secret: VARCHAR, day: VARCHAR },
      );
    await connection.run('DETACH p; DETACH o');
    people = { path: join(folder, 'people.duckdb'), tables: [{ name: 'people', alias: 'people' }] };
    others = { path: join(folder, 'others.duckdb'), tables: [{ name: 'people', alias: 'people' }] };
  });
  afterAll(async () => {
    runner.onModuleDestroy();
    connection.closeSync();
    await rm(folder, { recursive: true });
  });

  describe('that hostile people give', () => {
    it.each<[string, string, (value: string) => Cell[][]]>([
      ['an equation', 'SELECT id FROM people WHERE name = :v ORDER BY id', (v) => idsWhere(({ name }) => name === v)],
      ['the value itself', "SELECT :v AS v, :V || '!' AS w", (v) => [[v, `${v}!`]]],
      [
        'a part of a text, beside texts, comments and names that look like it',
        `SELECT id, ':v' AS ":v" /* :v */ FROM people WHERE contains(name, :v) AND ':v' <> $$:v:v$$ -- :v
         ORDER BY id`,
        (v) => idsWhere(({ name }) => name.includes(v)).map(([id]) => [id!, ':v']),
      ],
      [
        'a list, a case and a default',
        `SELECT count(*) FILTER (name IN ('x', :v)), max(CASE WHEN name = coalesce(:v, 'x') THEN secret END) FROM people`,
        (v) => {
          const found = rows.filter(({ name }) => name === v || name === 'x');
          const same = rows.filter(({ name }) => name === v).map(({ secret }) => secret);
          return [[found.length, same.sort().at(-1) ?? null]];
        },
      ],
    ])('change no statement: %s', async (_, sql, expected) => {
      const values = HOSTILE;
      const found = await outcomes(values.map((value) => ({ sql, parameters: [text('v', value)] })));
      const wrong = found.flatMap((outcome, at) => {
        const given = 'result' in outcome ? outcome.result.rows : outcome.error;
        const wanted = expected(values[at]!);
        return JSON.stringify(given) === JSON.stringify(wanted) ? [] : [{ value: values[at], given, wanted }];
      });
      expect(wrong).toEqual([]);
      // They stand in a database that is as it was.
      expect(await rowsOf('SELECT count(*), count(DISTINCT secret) FROM people')).toEqual([[rows.length, rows.length]]);
    });
  });

  it('are what a literal would be', async () => {
    const asked: [Cell[][], string, ...BoundParameter[]][] = [
      [
        [[3], [31]],
        'SELECT id FROM people WHERE day = :d AND paid = :p ORDER BY id LIMIT :n',
        date('d', '2024-01-03'),
        boolean('p', true),
        number('n', 2),
      ],
      [
        [[2, 2 ** 40, 2.5, 2.3]],
        'SELECT :n + 1, :big, :part * 2, round(2.345, :digits)',
        number('n', 1),
        number('big', 2 ** 40),
        number('part', 1.25),
        number('digits', 1),
      ],
      [
        [['2024-02-01T00:00:00', '2024-03-01T00:00:00']],
        `SELECT date_trunc('month', :d), :d + INTERVAL (:n) DAY`,
        date('d', '2024-02-28'),
        number('n', 2),
      ],
      [
        [[true, true, true, true]],
        'SELECT :a IS NULL, :b IS NULL, :c IS NULL, :d IS NULL',
        text('a', null),
        number('b', null),
        boolean('c', null),
        date('d', null),
      ],
      [[[rows.length]], 'SELECT count(*) FROM people WHERE :name IS NULL OR name = :name', text('name', null)],
      [[[1]], 'SELECT 1 AS one', text('unused', 'x')],
      [[[2]], 'SELECT\u00a01\u00a0+\u00a0:n', number('n', 1)],
      [[['0001-01-01']], 'SELECT :d', date('d', '0001-01-01')],
      [[[2]], 'SELECT id FROM people ORDER BY id LIMIT :n OFFSET :o', number('n', 1), number('o', 1)],
    ];
    const found = await outcomes(asked.map(([, sql, ...parameters]) => ({ sql, parameters })));
    expect(found.map((outcome) => ('result' in outcome ? outcome.result.rows : outcome.error))).toEqual(
      asked.map(([wanted]) => wanted),
    );
  });

  const REFUSED: [string, RegExp][] = [
    ['SELECT :missing FROM people', /No parameter :missing is declared/],
    [`SELECT {'a' :v} FROM people`, /syntax error/i],
    ['SELECT $v FROM people', /Write a parameter as :name/],
    ['SELECT $1 FROM people', /Write a parameter as :name/],
    ['SELECT ? FROM people', /Write a parameter as :name/],
    ['SELECT COLUMNS(:v) FROM people', /cannot choose a column/],
    ['SELECT COLUMNS(c -> c LIKE :v) FROM people', /cannot choose a column/],
    ['SELECT people[:v] FROM people', /cannot choose a column/],
    [`SELECT people[:v || ''] FROM people`, /cannot choose a column/],
    ['SELECT struct_extract(people, :v) FROM people', /cannot choose a column/],
    ['SELECT people->>:v FROM people', /cannot choose a column/],
    ['SELECT * FROM :v', /syntax error/i],
    ['SELECT name AS :v FROM people', /syntax error/i],
    ['SELECT id FROM people ORDER BY :v', /ORDER BY/],
    ['SELECT * FROM (FROM people) PIVOT (count(*) FOR name IN (:v))', /SELECT/],
    ['SELECT :v::INT FROM people', /convert/i],
    ['SELECT :v; SELECT 1', /single SELECT/],
    ['DELETE FROM people WHERE name = :v', /SELECT/],
    [`SELECT * FROM read_csv(:v)`, /read_csv/],
  ];
  it('stand for values alone', async () => {
    // One process tells of them all, each for itself.
    const found = await outcomes(REFUSED.map(([sql]) => ({ sql, parameters: [text('v', 'name')] })));
    for (const [at, [sql, message]] of REFUSED.entries())
      expect([sql, found[at]]).toMatchObject([
        sql,
        { error: { code: expect.stringMatching(/query_(refused|failed)/), message: expect.stringMatching(message) } },
      ]);
  });

  it('are not found where no statement is', async () => {
    // Each piece, and the parameter in it, where it has one.
    const PIECES: [string, string?][] = [
      [':aa', 'aa'], ['(:bb)', 'bb'], ['-:cc', 'cc'], [`'x'||:dd`, 'dd'], [':ee::TEXT', 'ee'], ['[1, :ff]', 'ff'], [`{'k': :gg}`, 'gg'],
      ['/* :no */ :aa', 'aa'], ['/* /* :no */ :no */ 1'], ["':no'"], ["'it''s :no'"], ["'\\'"], [`E'\\':no'`], [`e'x\\\\' || :hh`, 'hh'],
      [`E'x'\n'\\':no'`], [`E'x' -- :no\n \n'\\':no'`], [`'x'\n':no'`], ['1 -- :no\n'], ['1 -- :no\r'], ['$$:no$$'], ['$t$ $$ :no $t$'], ['$é$:no$é$'],
      [`{'a':id}`], ['list_value(1,2,3)[1:id]'], ['"id"::INT'], ['id::TEXT'], ['struct_pack(a := :ii)', 'ii'], ['(SELECT z:1)'],
      [`list_transform([1], lambda x:x)`], [`list_transform([1], lambda x: x + :jj)`, 'jj'], ['1e5 + :ll', 'll'], ['id = :mm', 'mm'], [`x'00'`], ['2.5'],
    ]; // oxfmt-ignore
    const names = PIECES.flatMap(([, name]) => name ?? []);
    const next = seededRandom(7);
    for (let round = 0; round < rounds(2000, 300); round++) {
      const chosen = Array.from(
        { length: 1 + Math.floor(next() * 6) },
        () => PIECES[Math.floor(next() * PIECES.length)]!,
      );
      const sql = `SELECT ${chosen.map(([piece]) => piece).join(next() < 0.5 ? ' , ' : ',')} FROM people`;
      const written = toDatabaseParameters(sql, new Set(names));
      expect(written.length).toBe(sql.length);
      const reader = await connection.runAndReadAll(`SELECT json_serialize_sql(${quoteText(written)})`);
      const tree = JSON.parse(String(reader.getRows()[0]![0])) as {
        error_message?: string;
        statements?: { named_param_map: { key: string }[] }[];
      };
      expect([sql, tree.error_message ?? '']).toEqual([sql, '']);
      const found = tree.statements![0]!.named_param_map.map(({ key }) => key).sort();
      expect([sql, found]).toEqual([sql, [...new Set(chosen.flatMap(([, name]) => name ?? []))].sort()]);
    }
  });

  it.each([
    ['comments after a text', `SELECT 'a' ${'-- '.repeat(7000)}`],
    ['lines after a text', `SELECT 'a'${'\n'.repeat(10_000)}${`'b'\n\n`.repeat(2000)}`],
    ['comments that open', `SELECT ${'/*'.repeat(10_000)}`],
    ['dollars', `SELECT ${'$a$'.repeat(7000)}`],
    ['colons', `SELECT ${' :'.repeat(10_000)}`],
    ['quotes', `SELECT ${`E'\\'`.repeat(5000)}`],
  ])('are looked for in little time: %s', (_, sql) => {
    const took = stopwatch();
    toDatabaseParameters(sql, new Set());
    expect(took()).toBeLessThan(500);
  });

  describe('in one run of several statements', () => {
    it('has an outcome for each, in order', async () => {
      const found = await outcomes([
        { sql: 'SELECT id FROM people WHERE id = :n', parameters: [number('n', 2)] },
        { sql: 'SELECT nothing FROM people' },
        { sql: 'DELETE FROM people' },
        { sql: 'SELECT count(*) FROM people' },
      ]);
      expect(found).toMatchObject([
        { result: { rows: [[2]], truncated: false } },
        { error: { code: 'query_failed' } },
        { error: { code: 'query_refused' } },
        { result: { rows: [[rows.length]] } },
      ]);
      expect(await runner.runEach({ scopes: [], statements: [] })).toEqual([]);
    });

    it('lets a statement see the tables of its own file alone', async () => {
      const found = await outcomes([
        { sql: 'SELECT count(*) FROM people', scope: 1 },
        { sql: 'SELECT count(*) FROM people', scope: 0 },
        { sql: 'SELECT secret FROM people', scope: 1 },
        { sql: 'SELECT * FROM file_0.main.people', scope: 1 },
        { sql: 'SELECT * FROM temp.people', scope: 1 },
      ]);
      expect(found.map((outcome) => ('result' in outcome ? outcome.result.rows : outcome.error.code))).toEqual([
        [[1]],
        [[rows.length]],
        'query_failed',
        'query_refused',
        'query_refused',
      ]);
    });

    it('goes on without files that cannot be opened', async () => {
      const gone = { path: join(folder, 'gone.duckdb'), tables: [{ name: 'people', alias: 'people' }] };
      const statement = { sql: 'SELECT count(*) FROM people', parameters: [] };
      const found = await runner.runEach({
        scopes: [[gone], [people], [gone, people]],
        statements: [0, 1, 2].map((scope) => ({ ...statement, scope })),
      });
      expect(found).toMatchObject([
        { error: { code: 'source_unreadable', message: expect.not.stringContaining('gone') } },
        { result: { rows: [[rows.length]] } },
        { error: { code: 'source_unreadable' } },
      ]);
    });

    it('has the others done before one that takes long, which then has the rest of the time', async () => {
      const endless = { sql: 'SELECT count(*) FROM range(100000000000) a' };
      const some = { sql: 'SELECT count(*) FROM people' };
      // Longer than the share of one of three, shorter than what is left then.
      const long = {
        sql: 'SELECT count(*) FROM range(:n) a WHERE a.range % 7 = 3',
        parameters: [number('n', 150_000_000)],
      };
      // A machine that stalls may need all of a short time for the start of the process.
      for (const totalMs of [2500, 10_000, 40_000]) {
        const quick = new QueryRunner({ totalMs }, 1);
        const took = stopwatch();
        const found = await outcomes([endless, long, some], quick);
        quick.onModuleDestroy();
        expect(took()).toBeLessThan(totalMs + 2000);
        if (totalMs < 40_000 && 'error' in found[2]!) continue;
        expect(found).toMatchObject([
          { error: { code: 'query_timeout' } },
          expect.anything(),
          { result: { rows: [[rows.length]] } },
        ]);
        break;
      }
    });

    it('never takes what was interrupted for the whole', async () => {
      const quick = new QueryRunner(
        { totalMs: 1500, eachRows: 100_000_000, resultCharacters: 1e9, allCharacters: 1e9 },
        1,
      );
      const found = await outcomes([{ sql: 'SELECT i % 2 FROM range(1000000000) t(i)' }], quick);
      expect(found).toMatchObject([{ error: { code: expect.stringMatching(/query_(timeout|too_large)/) } }]);
      quick.onModuleDestroy();
    });

    it('goes on in another process where a statement takes the first one down', async () => {
      // No database limit stops it: only the one of the process does.
      const small = new QueryRunner({ databaseMb: 4096, rssBytes: 300 * 1024 * 1024 }, 1);
      const bulky = {
        sql: `WITH RECURSIVE t AS (SELECT 'x' AS s UNION ALL SELECT concat(s, s, s, s) FROM t) SELECT max(length(s)) FROM t`,
      };
      const some = { sql: 'SELECT count(*) FROM people' };
      const found = await outcomes([some, bulky, some, bulky, some], small);
      const count = { result: { rows: [[rows.length]] } };
      const large = { error: { code: 'query_too_large' } };
      expect(found).toMatchObject([count, large, count, large, count]);
      // Which has no room of its own.
      const tight = new QueryRunner({ databaseMb: 4096, rssBytes: 300 * 1024 * 1024, allCharacters: 100_000 }, 1);
      const many = { sql: 'FROM range(9000)' };
      expect(await outcomes([many, bulky, many, some], tight)).toMatchObject([{ result: {} }, large, large, count]);
      tight.onModuleDestroy();
      small.onModuleDestroy();
    });

    it('gives many rows, and says where it stops', async () => {
      const [many, exact] = await outcomes([{ sql: 'FROM range(10001)' }, { sql: 'FROM range(10000)' }]);
      expect(many).toMatchObject({ result: { truncated: true } });
      expect(exact).toMatchObject({ result: { truncated: false } });
      const small = new QueryRunner({ allCharacters: 100_000 }, 1);
      const found = await outcomes(
        [{ sql: 'FROM range(9000)' }, { sql: 'FROM range(9000)' }, { sql: 'FROM range(10)' }],
        small,
      );
      expect(found).toMatchObject([{ result: {} }, { error: { code: 'query_too_large' } }, { result: {} }]);
      small.onModuleDestroy();
    });

    it('ends when nobody waits any more', async () => {
      const controller = new AbortController();
      const statements = [{ sql: 'SELECT count(*) FROM range(100000000000)', scope: 0, parameters: [] }];
      const run = runner.runEach({ scopes: [[people]], statements, signal: controller.signal });
      setTimeout(() => controller.abort(new Error('gone')), 300);
      await expect(run).rejects.toThrow('gone');
    });

    it('has outcomes where no process is free in time', async () => {
      const busy = new QueryRunner({ totalMs: 1500 }, 1);
      const endless = [{ sql: 'SELECT count(*) FROM range(100000000000)', scope: 0, parameters: [] }];
      const runs = ['a', 'b'].map((asker) => busy.runEach({ asker, scopes: [[people]], statements: endless }));
      for (const run of runs) expect(await run).toMatchObject([{ error: { code: 'query_timeout' } }]);
      busy.onModuleDestroy();
    });
  });
});
