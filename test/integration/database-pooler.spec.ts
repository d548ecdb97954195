import { createDataSource, DatabaseModule } from '@app/entities';
import { Test } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { startRefusingPooler } from '../support/refusing-pooler.js';

const timeoutsOf = async (dataSource: DataSource) => {
  // Each of several connections, not the first alone.
  const rows = await Promise.all(
    [1, 2, 3].map(() =>
      dataSource.query<{ statement: string; idle: string }[]>(
        `SELECT current_setting('statement_timeout') AS statement, pg_sleep(0.05),
           current_setting('idle_in_transaction_session_timeout') AS idle`,
      ),
    ),
  );
  return rows.map(([row]) => [row!.statement, row!.idle]);
};

describe('a pooler that refuses startup parameters', () => {
  let database: TestDatabase;
  let pooler: Awaited<ReturnType<typeof startRefusingPooler>>;

  beforeAll(async () => {
    database = await createTestDatabase();
    pooler = await startRefusingPooler(database.url);
  });
  afterAll(async () => {
    await pooler.stop();
    await database.drop();
  });

  it('lets tools and apps in, and their statements still end in time', async () => {
    const tool = await createDataSource(
      { url: pooler.url, poolSize: 3, connectTimeoutMs: 120_000, statementTimeoutMs: 7000 },
      'test',
    ).initialize();
    for (const timeouts of await timeoutsOf(tool)) expect(timeouts).toEqual(['7s', '1min']);
    await tool.destroy();

    const config = testConfig(pooler.url, { DATABASE_STATEMENT_TIMEOUT_MS: '1500' });
    const app = await Test.createTestingModule({ imports: [DatabaseModule.forRoot(config, 'test')] }).compile();
    await app.init();
    const dataSource = app.get(DataSource);
    for (const timeouts of await timeoutsOf(dataSource)) expect(timeouts).toEqual(['1500ms', '1min']);
    await expect(dataSource.query('SELECT pg_sleep(5)')).rejects.toMatchObject({ code: '57014' });
    await app.close();
    expect(pooler.refused).toEqual([]);
  });

  it('would have refused what the driver sends by itself', async () => {
    const dataSource = new DataSource({ type: 'postgres', url: pooler.url, extra: { statement_timeout: 1000 } });
    await expect(dataSource.initialize()).rejects.toThrow('unsupported startup parameter: statement_timeout');
  });
});
