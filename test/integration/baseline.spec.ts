import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { assertMigrated, createDataSource, runMigrations } from '@app/entities';
import { MigrationExecutor } from 'typeorm';
import { FORMER_MIGRATIONS } from '../../libs/entities/src/migrations/baseline/index.js';
import { catalogDigests } from '../support/catalog.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { lockWaits } from '../support/lock-waits.js';
import { until } from '../support/until.js';
import { inAll } from '../support/long.js';

const MIGRATE = join(__dirname, '../../libs/entities/dist/cli/migrate.js');
const BASELINE = 'Baseline1766000001600';

/** Of the database that the 68 migrations made: Postgres 18, taken at commit 80ef4bdf. */
const FORMER_SCHEMA = {
  extensions: '3 92c3b54c2e5a',
  relations: '409 731b7195f2f4',
  columns: '994 fe39b9b14c2c',
  constraints: '297 78aa57625e46',
  indexes: '307 1803e4c8fea3',
  triggers: '28 c58002b7bb99',
  sequences: '20 043669df84c2',
  comments: '0 4f53cda18c2b',
};

describe('the baseline of migrations', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createEmptyDatabase();
  });
  afterEach(() => database.drop());

  const sql = <Row>(text: string, parameters: unknown[] = []) => database.dataSource.query<Row[]>(text, parameters);
  const names = async () =>
    (await sql<{ name: string }>('SELECT name FROM migrations ORDER BY id')).map(({ name }) => name);
  const all = () => database.dataSource.migrations.map(({ name }) => name);
  /** Without those that come after it. */
  async function applyBaseline(): Promise<void> {
    const runner = database.dataSource.createQueryRunner();
    const executor = new MigrationExecutor(database.dataSource, runner);
    const [baseline] = await executor.getPendingMigrations();
    await runner.startTransaction();
    await executor.executeMigration(baseline!);
    await runner.commitTransaction();
    await runner.release();
  }

  it('makes the schema that the former migrations made, and the one row', async () => {
    await applyBaseline();
    expect(await catalogDigests(database.dataSource)).toEqual(FORMER_SCHEMA);
    expect(await sql('SELECT id, name FROM roles')).toEqual([{ id: 1, name: 'General' }]);
  });

  it('leaves the names of the former ones, which an api of the release before asks for', async () => {
    expect(await runMigrations(database.dataSource)).toEqual(all());
    expect(await names()).toEqual([...FORMER_MIGRATIONS, ...all()]);
  });

  describe('over a database of the former migrations', () => {
    beforeEach(async () => {
      await applyBaseline();
      await sql('DELETE FROM migrations WHERE name = $1', [BASELINE]);
      await sql(`INSERT INTO roles (name) VALUES ('Kept')`);
    });

    it('is a mark: nothing is run again', async () => {
      await applyBaseline();
      expect(await names()).toEqual([...FORMER_MIGRATIONS, BASELINE]);
      expect(await catalogDigests(database.dataSource)).toEqual(FORMER_SCHEMA);
      expect(await sql('SELECT name FROM roles ORDER BY id')).toEqual([{ name: 'General' }, { name: 'Kept' }]);
      await runMigrations(database.dataSource);
      await assertMigrated(database.dataSource);
    });

    it('is refused where some of them are missing, and says what to do', async () => {
      await sql('DELETE FROM migrations WHERE name = ANY($1)', [FORMER_MIGRATIONS.slice(-2)]);
      const before = await names();
      await expect(runMigrations(database.dataSource)).rejects.toThrow(
        'The database lacks 2 of the 68 migrations that the baseline of this release stands for (the first is ' +
          'WorkColumnsOfMessages1766000001500). Bring it up to date with an older release first: "npm run migrate" of commit 80ef4bdf',
      );
      expect(await names()).toEqual(before);
    });
  });

  it('is applied once where several processes start together', async () => {
    const other = await createDataSource(
      { url: database.url, poolSize: 3, connectTimeoutMs: 120_000, statementTimeoutMs: 30_000 },
      'other',
    ).initialize();
    const applied = await Promise.all([runMigrations(database.dataSource), runMigrations(other)]);
    await other.destroy();
    expect(applied.flat()).toEqual(all());
    await assertMigrated(database.dataSource);
  });

  inAll('leaves nothing behind of a process that is killed in the middle, and the next one makes it', async () => {
    const blocker = database.dataSource.createQueryRunner();
    await blocker.startTransaction();
    // Whoever makes a table of this name waits for whether this one stays.
    await blocker.query('CREATE TABLE workflow_runs ()');
    const child = spawn(process.execPath, [MIGRATE], {
      env: { PATH: process.env.PATH, DATABASE_URL: database.url },
      stdio: 'ignore',
    });
    await until(async () => (await lockWaits(database.dataSource, 'CREATE TABLE workflow_runs%')) > 0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await blocker.rollbackTransaction();
    await blocker.release();
    expect(await runMigrations(database.dataSource)).toEqual(all());
    await assertMigrated(database.dataSource);
  });
});
