import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDataSource, runMigrations } from '@app/entities';
import { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { testServers } from './servers.js';
import { until } from './until.js';

export interface TestDatabase {
  url: string;
  dataSource: DataSource;
  /** Closes the connections and drops the database. */
  drop(): Promise<void>;
}

const SCHEMA = ['migrations', 'functions'].map((name) => join(__dirname, '../../libs/entities/dist', name));

/** Held while the template is made, so that test files running side by side make it once. */
const TEMPLATE_LOCK = 727_275;

const options = (url: string) => ({ url, poolSize: 10, connectTimeoutMs: 120_000, statementTimeoutMs: 30_000 });

function at(database: string): string {
  const url = new URL(testServers().databaseUrl);
  url.pathname = `/${database}`;
  return url.toString();
}

async function ensureTemplate(admin: Pool): Promise<string> {
  // Their whole files: a migration may keep its statements beside its methods.
  const shape = createHash('sha256');
  for (const folder of SCHEMA)
    for (const name of (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.js')).toSorted())
      shape.update(await readFile(join(folder, name)));
  const template = `atrium_template_${shape.digest('hex').slice(0, 12)}`;
  await admin.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    const known = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate', [template]);
    if (known.rowCount === 0) {
      await admin.query(`DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
      await admin.query(`CREATE DATABASE ${template}`);
      const dataSource = await createDataSource(options(at(template)), 'atrium-test').initialize();
      await runMigrations(dataSource);
      await dataSource.destroy();
      await admin.query(`ALTER DATABASE ${template} WITH is_template true`);
    }
  } finally {
    await admin.query('SELECT pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
  return template;
}

/** A migrated database of the test's own, cloned from a template: some tens of milliseconds. */
export const createTestDatabase = (): Promise<TestDatabase> => createDatabase('migrated');

/** One that nothing was done to yet. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createDatabase('empty');

/** An app that a test forgot would go on in its worker without its database, beside the files that come after. */
async function isDeserted(database: string, admin: Pool): Promise<boolean> {
  return (await admin.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1', [database])).rowCount === 0;
}

interface TestServer {
  /** One connection, so that what is locked on it stays so. */
  admin: Pool;
  templates: Map<string, Promise<string>>;
}

/** Beside what else the files of one worker share (`jest/runtime.mjs`). */
const ofWorker = globalThis as { atriumTestServer?: TestServer };

/** A connection takes 30 ms of a processor, and finding the template as long: once for each worker. */
function testServer(): TestServer {
  ofWorker.atriumTestServer ??= {
    admin: new Pool({
      connectionString: testServers().databaseUrl,
      max: 1,
      idleTimeoutMillis: 0,
      allowExitOnIdle: true,
    }),
    templates: new Map(),
  };
  return ofWorker.atriumTestServer;
}

async function createDatabase(kind: 'migrated' | 'empty'): Promise<TestDatabase> {
  const { admin, templates } = testServer();
  const name = `atrium_test_${randomBytes(6).toString('hex')}`;
  const template = templates.get(kind) ?? (kind === 'empty' ? Promise.resolve('template1') : ensureTemplate(admin));
  templates.set(kind, template);
  // A copy of its files takes a third of the processor that a log of its pages takes.
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${await template} STRATEGY file_copy`);
  const dataSource = await createDataSource(options(at(name)), 'atrium-test').initialize();
  return {
    url: at(name),
    dataSource,
    async drop() {
      await dataSource.destroy();
      await until(() => isDeserted(name, admin));
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}
