import { createHash } from 'node:crypto';
import { assertMigrated, FUNCTIONS, FUNCTIONS_VERSION, runMigrations, schemaDrift } from '@app/entities';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { inAll } from '../support/long.js';
import { lockWaits } from '../support/lock-waits.js';
import { until } from '../support/until.js';

describe('schema', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  /** With what they are made of. */
  const functions = () =>
    database.dataSource.query<{ name: string; source: string }[]>(
      `SELECT p.proname AS name, pg_get_functiondef(p.oid) AS source FROM pg_proc p
       WHERE p.pronamespace = 'public'::regnamespace
         AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e') ORDER BY 1`,
    );

  it('is the same in the migrations and in the entities', async () => {
    expect(await schemaDrift(database.dataSource)).toEqual({ up: [], down: [] });
  });

  describe('of functions', () => {
    it('has each in a file', async () => {
      const names = (await functions()).map(({ name }) => name);
      expect(names).toEqual([...Object.keys(FUNCTIONS), 'functions_version'].toSorted());
    });

    it('has a version that rises with each change', () => {
      const digest = createHash('sha256').update(JSON.stringify(FUNCTIONS)).digest('hex').slice(0, 12);
      expect({ version: FUNCTIONS_VERSION, digest }).toEqual({ version: 12, digest: 'd347bc3636bf' });
    });

    it('takes those of this release instead of older ones, never of newer ones', async () => {
      const own = await functions();
      const replace = (version: number) =>
        database.dataSource.query(`
          CREATE OR REPLACE FUNCTION workflow_ring(p_message jsonb, p_delay_seconds double precision) RETURNS bigint
            LANGUAGE sql AS 'SELECT 0::bigint';
          CREATE OR REPLACE FUNCTION functions_version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT ${version}'`);
      await replace(FUNCTIONS_VERSION - 1);
      await expect(assertMigrated(database.dataSource)).rejects.toThrow('those of an older release');
      await Promise.all([runMigrations(database.dataSource), runMigrations(database.dataSource)]);
      await assertMigrated(database.dataSource);
      expect(await functions()).toEqual(own);
      await replace(FUNCTIONS_VERSION + 1);
      await runMigrations(database.dataSource);
      await assertMigrated(database.dataSource);
      expect(await functions()).not.toEqual(own);
      await replace(0);
      await runMigrations(database.dataSource);
      expect(await functions()).toEqual(own);
    });
  });

  inAll('can be taken back to the baseline and applied again', async () => {
    const { dataSource } = database;
    const later = dataSource.migrations.length - 1;
    await assertMigrated(dataSource);
    for (let i = 0; i < later; i++) await dataSource.undoLastMigration();
    await expect(dataSource.undoLastMigration()).rejects.toThrow('The baseline is not taken back');
    if (later > 0)
      await expect(assertMigrated(dataSource)).rejects.toThrow(
        `The database lacks ${later} of the ${later + 1} migrations of this release. Run "npm run migrate" first`,
      );
    expect(await runMigrations(dataSource)).toHaveLength(later);
    await assertMigrated(dataSource);
    expect((await schemaDrift(dataSource)).up).toEqual([]);
  });

  inAll('is migrated although those at work take the tables in another order', async () => {
    const { dataSource } = database;
    // It writes several tables anew.
    const names = dataSource.migrations.map(({ name }) => name);
    const undone = names.slice(names.indexOf('OrderOfMembers1766000005700'));
    for (let i = 0; i < undone.length; i++) await dataSource.undoLastMigration();
    const [worker, other] = [dataSource.createQueryRunner(), dataSource.createQueryRunner()];
    await worker.startTransaction();
    // The one that is ended for it is the migration.
    await worker.query(`SET LOCAL deadlock_timeout = '1min'; LOCK TABLE workflow_outputs IN SHARE MODE`);
    await other.startTransaction();
    await other.query('LOCK TABLE workflow_schedules IN SHARE MODE');
    const waits = (query: string) => until(async () => (await lockWaits(dataSource, `${query}%`)) > 0);
    const migrated = runMigrations(dataSource);
    await waits('ALTER TABLE workflow_schedules');
    const read = worker.query('SELECT count(*) FROM workflow_revisions');
    await waits('SELECT count(*) FROM workflow_revisions');
    await other.rollbackTransaction();
    await read;
    await worker.rollbackTransaction();
    expect(await migrated).toEqual(undone);
    await Promise.all([worker.release(), other.release()]);
  });
});
