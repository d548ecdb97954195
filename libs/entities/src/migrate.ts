import { StartupError } from '@app/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource, MigrationExecutor, QueryFailedError, type QueryRunner } from 'typeorm';
import { IDLE_IN_TRANSACTION_MS } from './data-source.js';
import { FUNCTIONS, FUNCTIONS_VERSION } from './functions/index.js';
import { migrations } from './migrations/index.js';

/** Any constant would do; it only has to be the same in every process that migrates this database. */
const MIGRATION_LOCK = 727_274;
const LOCK_POLL_MS = 200;
const DEFAULT_STATEMENT_TIMEOUT_MS = 30_000;

/** A migration that waits longer for a lock lets those pass that wait behind it, and tries again. */
const LOCK_TIMEOUT_MS = 5000;
const TRIES = 60;
/** Too long a wait, and one in a circle with those at work, who take the same tables in another order. */
const OF_LOCKS: readonly (string | undefined)[] = ['55P03', '40P01'];

/**
 * Applies what is missing, and puts the functions of this release in place of older ones. Processes that start at the
 * same time wait for each other on an advisory lock, so each migration runs once. All of it happens on one connection,
 * which must be Postgres' own: a pooler that lends connections for a transaction would lose the lock.
 * @param statementTimeoutMs becomes the default of this role in this database, so that it also holds where a pooler lends
 *   a connection that no app has set up
 * @returns the names of the migrations that this call applied.
 */
export async function runMigrations(
  dataSource: DataSource,
  statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS,
): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('SET statement_timeout = 0');
    await takeLock(runner);
    await runner.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
    const applied = await applyMissing(dataSource, runner);
    if ((await functionsVersion(dataSource)) < FUNCTIONS_VERSION) await replaceFunctions(dataSource);
    await setDefaultTimeouts(runner, statementTimeoutMs);
    return applied;
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    await runner.query(`SET lock_timeout = 0; SET statement_timeout = ${statementTimeoutMs}`);
    await runner.release();
  }
}

/** Each in its transaction. What was applied before a lock could not be had stays. */
async function applyMissing(dataSource: DataSource, runner: QueryRunner): Promise<string[]> {
  const known = new Set(await namesApplied(runner));
  for (let tries = 1; ; tries += 1) {
    try {
      const executor = new MigrationExecutor(dataSource, runner);
      executor.transaction = 'each';
      await executor.executePendingMigrations();
      const applied = new Set(await namesApplied(runner));
      return migrations.map(({ name }) => name).filter((name) => applied.has(name) && !known.has(name));
    } catch (error) {
      if (tries === TRIES || !OF_LOCKS.includes(codeOf(error))) throw error;
      await sleep(LOCK_POLL_MS);
    }
  }
}

async function namesApplied(runner: QueryRunner): Promise<string[]> {
  const [{ exists }] = (await runner.query(`SELECT to_regclass('migrations') IS NOT NULL AS exists`)) as [
    { exists: boolean },
  ];
  if (!exists) return [];
  const rows = (await runner.query('SELECT name FROM migrations ORDER BY id')) as { name: string }[];
  return rows.map(({ name }) => name);
}

const codeOf = (error: unknown) =>
  error instanceof QueryFailedError ? (error.driverError as { code?: string }).code : undefined;

/** A role that may not do this for itself keeps what its administrator gave it. */
async function setDefaultTimeouts(runner: QueryRunner, statementTimeoutMs: number): Promise<void> {
  const settings = {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  };
  for (const [name, value] of Object.entries(settings))
    await runner.query(`DO $$ BEGIN
      EXECUTE format('ALTER ROLE CURRENT_USER IN DATABASE %I SET ${name} = ${value}', current_database());
    EXCEPTION WHEN insufficient_privilege THEN NULL; END $$`);
}

/** In one transaction: they call each other. */
async function replaceFunctions(dataSource: DataSource): Promise<void> {
  await dataSource.transaction(async (tx) => {
    // Those that call others may come first.
    await tx.query('SET LOCAL check_function_bodies = off');
    for (const statement of Object.values(FUNCTIONS)) await tx.query(statement);
    await tx.query(
      `CREATE OR REPLACE FUNCTION functions_version() RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT ${FUNCTIONS_VERSION}'`,
    );
  });
}

/** Of the release whose functions the database has; 0: of one from before they had a version. */
async function functionsVersion(dataSource: DataSource): Promise<number> {
  const [{ exists }] = await dataSource.query<[{ exists: boolean }]>(
    `SELECT to_regproc('functions_version') IS NOT NULL AS exists`,
  );
  if (!exists) return 0;
  const [{ version }] = await dataSource.query<[{ version: number }]>('SELECT functions_version() AS version');
  return version;
}

/**
 * Asks again and again rather than waits inside Postgres: a statement that waits is older than an index which is made
 * concurrently, and that would wait for it in turn.
 */
async function takeLock(runner: QueryRunner): Promise<void> {
  for (;;) {
    const [{ taken }] = (await runner.query('SELECT pg_try_advisory_lock($1) AS taken', [MIGRATION_LOCK])) as [
      { taken: boolean },
    ];
    if (taken) return;
    await sleep(LOCK_POLL_MS);
  }
}

/**
 * A process that began on an older database would fail at every other statement. A newer one is fine: releases are
 * rolled out one process at a time.
 * @throws StartupError when migrations of this release are missing
 */
export async function assertMigrated(dataSource: DataSource): Promise<void> {
  const [{ exists }] = await dataSource.query<[{ exists: boolean }]>(
    `SELECT to_regclass('migrations') IS NOT NULL AS exists`,
  );
  const rows = exists ? await dataSource.query<{ name: string }[]>('SELECT name FROM migrations') : [];
  const applied = new Set(rows.map(({ name }) => name));
  const missing = migrations.filter(({ name }) => !applied.has(name));
  if (missing.length > 0)
    throw new StartupError(
      `The database lacks ${missing.length} of the ${migrations.length} migrations of this release. ` +
        'Run "npm run migrate" first, or the migrate image.',
    );
  if ((await functionsVersion(dataSource)) < FUNCTIONS_VERSION)
    throw new StartupError(
      'The functions of the database are those of an older release. Run "npm run migrate" first, or the migrate image.',
    );
}

/**
 * SQL that would make the database agree with the entities, and SQL that would take it back: empty when migrations and
 * entities say the same.
 */
export async function schemaDrift(dataSource: DataSource): Promise<{ up: string[]; down: string[] }> {
  const { upQueries, downQueries } = await dataSource.driver.createSchemaBuilder().log();
  return { up: upQueries.map(({ query }) => query), down: downQueries.map(({ query }) => query).toReversed() };
}

/**
 * The last migration that the database has, and the last one that this release needs: an older database does not serve it.
 */
export async function schemaVersions(dataSource: DataSource): Promise<{ present: string; needed: string }> {
  const [row] = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id DESC LIMIT 1');
  return { present: row?.name ?? '', needed: migrations.at(-1)!.name };
}
