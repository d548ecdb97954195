import { runMigrations, schemaDrift } from '@app/entities';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

describe('schema', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('is the same in the migrations and in the entities', async () => {
    expect(await schemaDrift(database.dataSource)).toEqual([]);
  });

  it('is migrated once when several processes start together', async () => {
    const applied = await Promise.all([runMigrations(database.dataSource), runMigrations(database.dataSource)]);
    expect(applied).toEqual([[], []]);
  });

  it('can be taken back and applied again', async () => {
    const count = database.dataSource.migrations.length;
    for (let i = 0; i < count; i++) await database.dataSource.undoLastMigration();
    expect(await runMigrations(database.dataSource)).toHaveLength(count);
  });
});
