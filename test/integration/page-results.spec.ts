import {
  type AskedQuery,
  type AskedVersion,
  type KeptResult,
  type NamedQuery,
  PageResults,
  type QueryOutcome,
  RESULT_LIMITS,
  ResultRows,
  ResultSweeps,
  SourceQueries,
} from '@app/artifacts';
import { newId, NotFoundError } from '@app/common';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { lockWaits } from '../support/lock-waits.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

const AS_OF = new Date('2026-01-01T00:00:00Z');
const rowsOf = (...rows: string[][]): QueryOutcome => ({
  columns: [{ name: 'a', type: 'text' }],
  rows,
  truncated: false,
  asOf: AS_OF,
});
const ask = (...names: string[]) => names.map((name) => ({ name, params: {} }));
const told = (kept: KeptResult) => ('error' in kept ? kept.error.code : kept.result.length);

/** Sources that are there, and give what the test says. */
class OwnSources extends SourceQueries {
  readonly asked: string[] = [];
  give: (name: string) => QueryOutcome = (name) => rowsOf([name]);

  async run(_ownerId: number, asked: readonly AskedQuery[]): Promise<QueryOutcome[]> {
    this.asked.push(...asked.map(({ query }) => query.name));
    return asked.map(({ query }) => this.give(query.name));
  }

  async revisions(_ownerId: number, refs: readonly string[]): Promise<Map<string, string>> {
    return new Map(refs.map((ref) => [ref, '1']));
  }

  bind(): Record<string, never> {
    return {};
  }

  describe(): never {
    throw new Error('Nothing is published here.');
  }

  check(): never {
    throw new Error('Nothing is published here.');
  }
}

describe('what pages ask for', () => {
  let database: TestDatabase;
  let ownerId: number;
  let sources: OwnSources;
  let rows: ResultRows;
  let results: PageResults;

  beforeAll(async () => {
    database = await createTestDatabase();
    ownerId = await createUserRow(database);
  });
  afterAll(() => database.drop());
  beforeEach(() => {
    sources = new OwnSources();
    rows = new ResultRows(database.dataSource);
    results = new PageResults(rows, sources);
  });

  const sql = <T>(text: string, values: unknown[] = []) => database.dataSource.query<T>(text, values);

  async function newVersion(...names: string[]): Promise<AskedVersion> {
    const artifactId = newId();
    await sql(`INSERT INTO artifacts (id, owner_id, title, kind, version) VALUES ($1, $2, 'Trips', 'page', 1)`, [
      artifactId,
      ownerId,
    ]);
    const queries = names.map((name): NamedQuery => ({ name, sourceRef: 'file:own', sql: 'SELECT 1', params: [] }));
    return { artifactId, version: 1, ownerId, refreshes: 0, queries };
  }

  const stored = ({ artifactId }: AskedVersion) =>
    sql<{ name: string; hasResult: boolean; code: string | null; message: string | null; maker: string | null }[]>(
      `SELECT query_name AS name, result IS NOT NULL AS "hasResult", failure->>'code' AS code,
         failure->>'message' AS message, made_by AS maker FROM artifact_results WHERE artifact_id = $1 ORDER BY query_name`,
      [artifactId],
    );

  it('is read once however often it is asked for, and fits into one answer', async () => {
    const version = await newVersion('large', 'small');
    sources.give = (name) => rowsOf([(name === 'large' ? 'x' : 'y').repeat(name === 'large' ? 3_999_000 : 10)]);
    const sought: number[] = [];
    for (const name of ['findCurrent', 'findLast'] as const) {
      const find = rows[name].bind(rows);
      rows[name] = (place, keys) => {
        sought.push(keys.length);
        return find(place, keys);
      };
    }
    const names = [...Array.from({ length: 49 }, () => 'large'), 'small'];
    for (const read of ['read', 'read', 'readLast'] as const) {
      const all = await results[read](version, ask(...names));
      const length = all.reduce((sum, one) => sum + ('error' in one ? 0 : one.result.length), 0);
      expect(length).toBeLessThanOrEqual(RESULT_LIMITS.answer);
      expect(all.map(told).slice(0, 7)).toEqual([
        ...Array.from({ length: 5 }, () => expect.any(Number)),
        'query_too_large',
        'query_too_large',
      ]);
      // What still fits is given.
      expect(all.map(told).at(-1)).toEqual(expect.any(Number));
    }
    expect([sources.asked, sought]).toEqual([
      ['large', 'small'],
      [2, 2, 2],
    ]);
  });

  it('is given beside a failure whose words are no text', async () => {
    const version = await newVersion('good', 'half', 'nul');
    sources.give = (name) =>
      name === 'good'
        ? rowsOf(['x'])
        : { error: { code: 'query_failed', message: name === 'half' ? 'cut \ud83d' : 'a\0b' } };
    const all = await results.read(version, ask('half', 'good', 'nul'));
    expect(all.map(told)).toEqual(['query_failed', expect.any(Number), 'query_failed']);
    expect(await stored(version)).toEqual([
      { name: 'good', hasResult: true, code: null, message: null, maker: null },
      { name: 'half', hasResult: false, code: 'query_failed', message: 'cut \ufffd', maker: null },
      { name: 'nul', hasResult: false, code: 'query_failed', message: 'a\ufffdb', maker: null },
    ]);
  });

  it('is given though it cannot be kept, and made anew for the next', async () => {
    const version = await newVersion('good', 'odd');
    const keep = rows.keep.bind(rows);
    rows.keep = async (place, key, maker, made) => {
      if (key.queryName === 'odd') throw new Error('It cannot be stored.');
      return keep(place, key, maker, made);
    };
    for (const made of [['odd', 'good'], ['odd']]) {
      sources.asked.length = 0;
      const all = await results.read(version, ask('odd', 'good'));
      expect([all.map(told), sources.asked]).toEqual([[expect.any(Number), expect.any(Number)], made]);
      expect((await stored(version)).map(({ hasResult, maker }) => [hasResult, maker])).toEqual([
        [true, null],
        [false, null],
      ]);
    }
  });

  it('ends at once where the artifact is gone, is deleted at the moment, or while another makes it', async () => {
    const gone = await newVersion('q');
    await sql('DELETE FROM artifacts WHERE id = $1', [gone.artifactId]);
    await expect(results.read(gone, ask('q'))).rejects.toThrow(NotFoundError);

    const going = await newVersion('q');
    const tx = database.dataSource.createQueryRunner();
    await tx.startTransaction();
    await tx.query('DELETE FROM artifacts WHERE id = $1', [going.artifactId]);
    const asked = results.read(going, ask('q'));
    const refused = expect(asked).rejects.toThrow(NotFoundError);
    await until(async () => (await lockWaits(database.dataSource, '%INSERT INTO artifact_results%')) > 0);
    await tx.commitTransaction();
    await tx.release();
    await refused;

    const made = await newVersion('q');
    let go: () => void;
    const busy = new Promise<void>((done) => (go = done));
    const slow = new OwnSources();
    slow.run = async () => {
      await busy;
      return [rowsOf(['x'])];
    };
    const other = new PageResults(new ResultRows(database.dataSource), slow).read(made, ask('q'));
    await until(async () => (await stored(made)).length === 1);
    const waits = expect(results.read(made, ask('q'))).rejects.toThrow(NotFoundError);
    await sql('DELETE FROM artifacts WHERE id = $1', [made.artifactId]);
    await waits;
    go!();
    // Who has made it has it.
    expect((await other).map(told)).toEqual([expect.any(Number)]);
    expect(sources.asked).toEqual([]);
  });

  it('keeps results before failures, however new they are', async () => {
    const version = await newVersion('a', 'b', 'c', 'x', 'y', 'z');
    sources.give = (name) => (name < 'x' ? rowsOf([name]) : { error: { code: 'query_failed', message: 'no' } });
    await results.read(version, ask('a', 'b', 'c'));
    await results.read(version, ask('x', 'y', 'z'));
    const left = async (most: number) => {
      await rows.trim(version.artifactId, { bytes: RESULT_LIMITS.bytes, results: most });
      return (await stored(version)).map(({ name }) => name).join('');
    };
    expect(await left(6)).toBe('abcxyz');
    expect(await left(4)).toMatch(/^abc[xyz]$/);
    expect(await left(3)).toBe('abc');
    expect((await left(2)).length).toBe(2);
  });

  inAll('is made by another once its maker is silent, whose late result is not kept', async () => {
    const version = await newVersion('q');
    const { promise: wakes, resolve: wake } = Promise.withResolvers<void>();
    const still = new OwnSources();
    still.run = async () => {
      await wakes;
      return [rowsOf(['late'])];
    };
    // A process that stands still holds nothing.
    const silent = new ResultRows(database.dataSource);
    silent.hold = async () => undefined;
    const late = new PageResults(silent, still).read(version, ask('q'));
    await until(async () => (await stored(version)).length === 1);
    const [{ seconds }] = await sql<[{ seconds: number }]>(
      `SELECT extract(epoch FROM made_until - now())::float AS seconds FROM artifact_results WHERE artifact_id = $1`,
      [version.artifactId],
    );
    expect(seconds).toBeLessThanOrEqual(6);

    sources.give = () => rowsOf(['in', 'time']);
    const others = [results, new PageResults(rows, sources)].map((one) => one.read(version, ask('q')));
    const [first, second] = await Promise.all(others);
    expect([sources.asked, second]).toEqual([['q'], first]);
    wake();
    expect(await late).not.toEqual(first);
    expect(await results.readLast(version, ask('q'))).toEqual(first);
    expect((await stored(version)).map(({ hasResult, maker }) => [hasResult, maker])).toEqual([[true, null]]);
  });

  it('is held for as long as its maker works', async () => {
    const version = await newVersion('q');
    const { promise: ready, resolve: finish } = Promise.withResolvers<void>();
    const slow = new OwnSources();
    slow.run = async () => {
      await ready;
      return [rowsOf(['x'])];
    };
    const made = new PageResults(rows, slow).read(version, ask('q'));
    const heldUntil = () =>
      sql<{ at: Date | null }[]>('SELECT made_until AS at FROM artifact_results WHERE artifact_id = $1', [
        version.artifactId,
      ]).then(([row]) => row?.at?.getTime());
    await until(async () => (await heldUntil()) !== undefined);
    const first = (await heldUntil())!;
    await until(async () => (await heldUntil())! > first);
    const other = results.read(version, ask('q'));
    finish();
    expect(await other).toEqual(await made);
    expect(sources.asked).toEqual([]);
  });

  it('goes, the oldest first, where an artifact keeps more than it may', async () => {
    const version = await newVersion('a', 'b', 'c', 'd');
    const days = new Map([
      ['a', 3],
      ['b', 4],
      ['c', 1],
      ['d', 2],
    ]);
    sources.give = (name) =>
      ({
        ...(rowsOf(['x'.repeat(1000)]) as object),
        asOf: new Date(AS_OF.getTime() + days.get(name)! * 86_400_000),
      }) as QueryOutcome;
    await results.read(version, ask('a', 'b', 'c', 'd'));
    const [{ bytes }] = await sql<[{ bytes: number }]>(
      'SELECT max(size_bytes)::int AS bytes FROM artifact_results WHERE artifact_id = $1',
      [version.artifactId],
    );
    const left = async (limits: { bytes: number; results: number }) => {
      await rows.trim(version.artifactId, limits);
      return (await stored(version)).map(({ name }) => name).join('');
    };
    expect(await left({ bytes: 4 * bytes, results: 4 })).toBe('abcd');
    expect(await left({ bytes: 4 * bytes - 1, results: 4 })).toBe('abd');
    expect(await left({ bytes: 4 * bytes, results: 2 })).toBe('ab');
    // What somebody makes at the moment stays.
    await sql(`UPDATE artifact_results SET made_by = 'x' WHERE artifact_id = $1 AND query_name = 'a'`, [
      version.artifactId,
    ]);
    expect(await left({ bytes: 0, results: 0 })).toBe('a');
  });

  it('goes after a week where its version is not the latest', async () => {
    const version = await newVersion('old', 'new');
    const kept = async () => (await stored(version)).map(({ name }) => name);
    sources.give = (name) =>
      ({
        ...(rowsOf(['x']) as object),
        asOf: new Date(Date.now() - (name === 'old' ? 8 : 6) * 86_400_000),
      }) as QueryOutcome;
    await results.read(version, ask('old', 'new'));
    // More than go at once.
    await sql(
      `INSERT INTO artifact_results (artifact_id, version, query_name, params_key, as_of)
       SELECT $1, 1, 'old', sha256(i::text::bytea), now() - interval '8 days' FROM generate_series(1, 1100) i`,
      [version.artifactId],
    );
    const sweeps = new ResultSweeps(rows, {} as never);
    await sweeps.sweep();
    expect((await kept()).length).toBe(1102);
    await sql('UPDATE artifacts SET version = 2 WHERE id = $1', [version.artifactId]);
    await sweeps.sweep();
    expect(await kept()).toEqual(['new']);
    await sweeps.sweep(5);
    expect(await kept()).toEqual([]);
  });
});
