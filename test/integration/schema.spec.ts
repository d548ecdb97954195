import { assertMigrated, runMigrations, schemaDrift } from '@app/entities';
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
    await assertMigrated(database.dataSource);
    await database.dataSource.undoLastMigration();
    await expect(assertMigrated(database.dataSource)).rejects.toThrow(
      `The database lacks 1 of the ${count} migrations of this release. Run "npm run migrate" first`,
    );
    for (let i = 1; i < count; i++) await database.dataSource.undoLastMigration();
    await database.dataSource.query('DROP TABLE migrations');
    await expect(assertMigrated(database.dataSource)).rejects.toThrow(`lacks ${count} of the ${count} migrations`);
    expect(await runMigrations(database.dataSource)).toHaveLength(count);
  });
});
