import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDataSource, runMigrations } from '@app/entities';
import { Client } from 'pg';
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

const options = (url: string) => ({ url, poolSize: 10, statementTimeoutMs: 30_000 });

function at(database: string): string {
  const url = new URL(testServers().databaseUrl);
  url.pathname = `/${database}`;
  return url.toString();
}

async function ensureTemplate(admin: Client): Promise<string> {
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
export const createTestDatabase = (): Promise<TestDatabase> => createDatabase(ensureTemplate);

/** One that nothing was done to yet. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createDatabase(async () => 'template1');

/** An app that a test forgot would go on in its worker without its database, beside the files that come after. */
async function isDeserted(database: string, admin: Client): Promise<boolean> {
  return (await admin.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1', [database])).rowCount === 0;
}

async function createDatabase(template: (admin: Client) => Promise<string>): Promise<TestDatabase> {
  const admin = new Client(testServers().databaseUrl);
  await admin.connect();
  const name = `atrium_test_${randomBytes(6).toString('hex')}`;
  try {
    // A copy of its files takes a third of the processor that a log of its pages takes.
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${await template(admin)} STRATEGY file_copy`);
  } finally {
    await admin.end();
  }
  const dataSource = await createDataSource(options(at(name)), 'atrium-test').initialize();
  return {
    url: at(name),
    dataSource,
    async drop() {
      await dataSource.destroy();
      const client = new Client(testServers().databaseUrl);
      await client.connect();
      await until(() => isDeserted(name, client));
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await client.end();
    },
  };
}
