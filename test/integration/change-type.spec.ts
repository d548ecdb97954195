import { changeTypeWhereSmall } from '../../libs/entities/src/migrations/change-type-where-small.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

describe('a column of another type', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await database.dataSource.query(`CREATE TABLE said AS SELECT '{"bb": 1, "a": null}'::jsonb AS words`);
  });
  afterAll(() => database.drop());

  const typeOf = async () => {
    const rows = await database.dataSource.query<{ type: string; text: string }[]>(
      'SELECT pg_typeof(words)::text AS type, words::text AS text FROM said',
    );
    return rows[0];
  };
  const change = (...most: number[]) => {
    const runner = database.dataSource.createQueryRunner();
    return changeTypeWhereSmall(runner, 'said', 'words', 'json', ...most).finally(() => runner.release());
  };

  it('is left as it is where the table is large, and keeps what it holds where it is small', async () => {
    const before = { type: 'jsonb', text: '{"a": null, "bb": 1}' };
    await change(100);
    expect(await typeOf()).toEqual(before);
    await change();
    expect(await typeOf()).toEqual({ ...before, type: 'json' });
    await change();
    expect(await typeOf()).toEqual({ ...before, type: 'json' });
  });
});
