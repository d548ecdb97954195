import { createRequire } from 'node:module';
import { inRoot } from './paths.mjs';

/** `pg` comes with the dependencies, which may not be installed yet when this file is loaded. */
const driver = () => createRequire(inRoot('package.json'))('pg');

async function withClient(url, work) {
  const client = new (driver().Client)({ connectionString: url, connectionTimeoutMillis: 5000 });
  // A server that goes away between two statements must not end the supervisor.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Runs one statement on a connection of its own. */
export const query = (url, sql, values) => withClient(url, (client) => client.query(sql, values));

/** Why the database cannot be used, in words without the password; null when it answers. */
export async function connectionProblem(url) {
  try {
    await query(url, 'select 1');
    return null;
  } catch (error) {
    return error.message || error.code;
  }
}

/**
 * Creates the database that the address names, unless it is there.
 * @param {string} url
 * @param {string} maintenanceUrl another database of the same server
 */
export async function ensureDatabase(url, maintenanceUrl) {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  await withClient(maintenanceUrl, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  });
}
