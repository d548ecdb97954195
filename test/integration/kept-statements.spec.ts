import { DatabaseModule } from '@app/entities';
import { Test, type TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { startRefusingPooler } from '../support/refusing-pooler.js';

describe('statements that a connection keeps', () => {
  let database: TestDatabase;
  let app: TestingModule;
  let dataSource: DataSource;

  const start = async (url: string) => {
    const config = testConfig(url, { DATABASE_POOL_SIZE: '2' });
    app = await Test.createTestingModule({ imports: [DatabaseModule.forRoot(config, 'test')] }).compile();
    await app.init();
    dataSource = app.get(DataSource);
  };
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(() => start(database.url));
  afterEach(() => app.close());
  afterAll(() => database.drop());

  /** All on one connection. */
  async function withOne<T>(
    use: (query: <R>(text: string, values?: unknown[]) => Promise<R>) => Promise<T>,
  ): Promise<T> {
    const runner = dataSource.createQueryRunner();
    try {
      return await use((text, values) => runner.query(text, values));
    } finally {
      await runner.release();
    }
  }
  const KEPT = 'SELECT statement FROM pg_prepared_statements ORDER BY prepare_time';

  it('are those that say so, read once', async () => {
    await withOne(async (query) => {
      for (const n of [1, 2, 3]) {
        expect(await query('/* kept */ SELECT $1::integer AS n', [n])).toEqual([{ n }]);
        expect(await query('SELECT $1::integer + 1 AS n', [n])).toEqual([{ n: n + 1 }]);
      }
      expect(await query(KEPT)).toEqual([{ statement: '/* kept */ SELECT $1::integer AS n' }]);
    });
  });

  it('are read anew when they are gone, or when a release changed what they ask', async () => {
    await withOne(async (query) => {
      await query('CREATE FUNCTION pg_temp.answer(integer) RETURNS TABLE (a integer) LANGUAGE sql AS $$ SELECT $1 $$');
      const ask = () => query('/* kept */ SELECT * FROM pg_temp.answer($1)', [1]);
      expect(await ask()).toEqual([{ a: 1 }]);
      await query('DEALLOCATE ALL');
      await expect(ask()).rejects.toMatchObject({ code: '26000' });
      expect(await ask()).toEqual([{ a: 1 }]);
      await query(`DROP FUNCTION pg_temp.answer(integer);
        CREATE FUNCTION pg_temp.answer(integer) RETURNS TABLE (a integer, b integer) LANGUAGE sql AS $$ SELECT $1, 2 $$`);
      await expect(ask()).rejects.toMatchObject({ code: '0A000' });
      expect(await ask()).toEqual([{ a: 1, b: 2 }]);
    });
  });

  it('tell each time what is wrong with them', async () => {
    await withOne(async (query) => {
      for (let n = 0; n < 3; n++)
        await expect(query('/* kept */ SELECT * FROM no_such_table WHERE a = $1', [1])).rejects.toMatchObject({
          code: '42P01',
        });
    });
  });

  it('are none where a pooler lends the session to others', async () => {
    await app.close();
    const pooler = await startRefusingPooler(database.url);
    await start(pooler.url);
    await withOne(async (query) => {
      for (const n of [1, 2]) expect(await query('/* kept */ SELECT $1::integer AS n', [n])).toEqual([{ n }]);
      expect(await query(KEPT)).toEqual([]);
    });
    await app.close();
    await pooler.stop();
    await start(database.url);
  });
});
