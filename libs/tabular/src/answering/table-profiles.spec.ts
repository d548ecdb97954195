import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { OpenTabularDatabase } from '../databases/tabular-databases.js';
import { QueryError } from '../query/query-error.js';
import { type QueryRun, QueryRunner } from '../query/query-runner.js';
import { TableProfiles } from './table-profiles.js';
import { inAll } from '../../../../test/support/long.js';

const column = (name: string, type: 'integer' | 'text') => ({ name, originalName: name, type, nullable: false });

class CountedRunner extends QueryRunner {
  runs = 0;
  /** Whether it is too heavy to look through tables. */
  isBusy = false;

  override run(run: QueryRun) {
    this.runs += 1;
    if (this.isBusy && run.statements.length > 1)
      return Promise.reject(new QueryError('query_too_large', 'The query needs more memory than it may have.'));
    return super.run(run);
  }
}

describe('TableProfiles', () => {
  let folder: string;
  let runner: CountedRunner;
  let profiles: TableProfiles;
  const database = (more: Partial<OpenTabularDatabase> = {}): OpenTabularDatabase => ({
    uid: 'a',
    store: 'database',
    filename: 'cities.csv',
    path: join(folder, 'cities.duckdb'),
    contents: 'tables/a/1',
    sheets: [],
    tables: [
      {
        name: 'cities',
        sheet: null,
        rowCount: 3,
        range: 'A1:B4',
        firstRow: 2,
        contiguous: true,
        columns: [
          { name: 'city', originalName: 'city', type: 'text', nullable: false },
          { name: 'people', originalName: 'people', type: 'integer', nullable: false },
        ],
      } as OpenTabularDatabase['tables'][number],
    ],
    release: async () => {},
    ...more,
  });
  const look = (...databases: OpenTabularDatabase[]) => profiles.look({ asker: '1', databases });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'table-profiles-'));
    const instance = await DuckDBInstance.create(join(folder, 'cities.duckdb'));
    const connection = await instance.connect();
    await connection.run(
      `CREATE TABLE cities AS FROM (VALUES ('Oslo', 7), ('Bergen', 3), ('Oslo', 5)) t(city, people)`,
    );
    await connection.run(
      `CREATE TABLE people AS SELECT range AS "order", 'B-' || range AS bestellung, 'P' || (range % 3) AS project,
         range AS employee_no, 'Ann' AS name, 30 AS age FROM range(7)`,
    );
    connection.closeSync();
    instance.closeSync();
  });

  beforeEach(() => {
    runner = new CountedRunner();
    profiles = new TableProfiles(runner);
  });

  afterEach(() => runner.onModuleDestroy());

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('looks once at a database that does not change, whatever whoever asked made of it', async () => {
    const first = await look(database());
    expect(first.tables[0]).toMatchObject({
      sample: [
        ['Oslo', 7],
        ['Bergen', 3],
        ['Oslo', 5],
      ],
    });
    expect(first.tables[0]!.columns).toMatchObject([
      { name: 'city', values: ['Bergen', 'Oslo'], complete: true, unique: false },
      { name: 'people', span: [3, 7] },
    ]);
    const before = structuredClone(first);
    first.tables[0]!.columns[0]!.values = ['Rome'];
    first.tables[0]!.columns[1]!.unique = true;
    const { runs } = runner;

    const second = await look(database({ path: '/somewhere/else' }));
    expect(second.tables).toEqual(before.tables);
    expect(second.files).toEqual([{ path: '/somewhere/else', tables: [{ name: 'cities', alias: 'cities' }] }]);
    expect(runner.runs).toBe(runs);
  });

  it('sees which columns number the rows, and people of one name by their numbers', async () => {
    const people = {
      ...database().tables[0]!,
      name: 'people',
      rowCount: 7,
      columns: [
        column('order', 'integer'),
        column('bestellung', 'text'),
        column('project', 'text'),
        column('employee_no', 'integer'),
        column('name', 'text'),
        column('age', 'integer'),
      ],
    };
    const [seen] = (await look(database({ contents: 'tables/a/3', tables: [people] }))).tables;
    expect(seen?.columns.filter(({ numbers }) => numbers).map(({ name }) => name)).toEqual(['order', 'bestellung']);
    expect(seen?.persons).toBe(true);
  });

  inAll(
    'looks again at what was imported anew, called otherwise, put together for a question, or asked with another',
    async () => {
      await look(database());
      const { contents: _, ...nameless } = database();
      const others = [
        [database({ contents: 'tables/a/2' })],
        [database({ filename: 'people.csv' })],
        [nameless],
        [nameless],
        [database(), database({ uid: 'b', contents: 'tables/b/1' })],
      ];
      for (const databases of others) {
        const { runs } = runner;
        const { tables } = await look(...databases);
        expect(runner.runs).toBeGreaterThan(runs);
        expect(tables.map(({ alias }) => alias)).toEqual(
          databases.map((_one, at) => (at === 0 ? 'cities' : 'cities_2')),
        );
      }
    },
  );

  it('does not keep the little that was seen of a table while it was too heavy to look through', async () => {
    runner.isBusy = true;
    const { tables } = await look(database());
    expect(tables[0]!.sample).toHaveLength(3);
    expect(tables[0]!.columns[0]!.values).toEqual([]);
    runner.isBusy = false;
    expect((await look(database())).tables[0]!.columns[0]!.values).toEqual(['Bergen', 'Oslo']);
  });
});
