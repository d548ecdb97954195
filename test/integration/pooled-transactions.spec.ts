import { spawn, type ChildProcess, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDataSource, DatabaseModule, runMigrations } from '@app/entities';
import { EntitlementsModule, StorageQuota } from '@app/entitlements';
import { LiveModule } from '@app/live';
import { Test } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { testConfig } from '../support/config.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { createUserRow } from '../support/documents.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/until.js';

/** The one of Debian's package `pgbouncer`. */
const isThere = spawnSync('pgbouncer', ['--version']).status === 0;
const NAME = `PgBouncer in transaction mode${isThere ? '' : ' (skipped: no pgbouncer on this machine, Debian package pgbouncer)'}`;

/** PgBouncer with the pooling that lends a connection for one transaction. */
async function startPooler(databaseUrl: string) {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'atrium-pgbouncer-'));
  const listen = await freePort();
  const users = join(folder, 'users.txt');
  await writeFile(users, `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = 3
`,
  );
  // It refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) spawnSync('chown', ['-R', 'nobody', folder]);
  const child: ChildProcess = spawn('pgbouncer', [...(isRoot ? ['-u', 'nobody'] : []), join(folder, 'pgbouncer.ini')], {
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(listen) }).toString();
  await until(async () => {
    const probe = createDataSource({ url, poolSize: 1, connectTimeoutMs: 120_000, statementTimeoutMs: 5000 }, 'probe');
    try {
      await probe.initialize();
      await probe.destroy();
      return true;
    } catch {
      return false;
    }
  });
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

(isThere ? describe : describe.skip)(NAME, () => {
  let database: TestDatabase;
  let pooler: Awaited<ReturnType<typeof startPooler>>;

  beforeAll(async () => {
    database = await createTestDatabase();
    // As `npm run migrate` does by DATABASE_DIRECT_URL.
    await runMigrations(database.dataSource, 1500);
    pooler = await startPooler(database.url);
  });
  afterAll(async () => {
    await pooler?.stop();
    await database.drop();
  });

  it('serves an app, whose statements end in time on every connection that is lent', async () => {
    const config = testConfig(pooler.url, { DATABASE_STATEMENT_TIMEOUT_MS: '1500', STORAGE_QUOTA_BYTES: '10' });
    const app = await Test.createTestingModule({
      imports: [DatabaseModule.forRoot(config, 'test'), LiveModule.forRoot(config), EntitlementsModule.forRoot(config)],
    }).compile();
    await app.init();
    const dataSource = app.get(DataSource);
    const timeouts = await Promise.all(
      Array.from({ length: 12 }, () =>
        dataSource.query<{ timeout: string }[]>(
          `SELECT current_setting('statement_timeout') AS timeout FROM pg_sleep(0.02)`,
        ),
      ),
    );
    expect(new Set(timeouts.map(([row]) => row!.timeout))).toEqual(new Set(['1500ms']));
    await expect(dataSource.query('SELECT pg_sleep(5)')).rejects.toMatchObject({ code: '57014' });

    const ownerId = await createUserRow(database);
    const quota = app.get(StorageQuota);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => quota.reserve(ownerId, 3)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    await app.close();
  });

  it('gives every connection the timeouts that migrating left with the role', async () => {
    // As the pooler opens them: nobody has set anything up.
    const bare = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    const rows = await bare.query<{ statement: string; idle: string }[]>(
      `SELECT current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle`,
    );
    expect(rows).toEqual([{ statement: '1500ms', idle: '1min' }]);
    await bare.destroy();
  });
});
