import type { AppConfig } from '@app/config';
import type { Client, QueryResult } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { DeadlineClient } from './deadline-client.js';
import { entities } from './entity-list.js';
import { migrations } from './migrations/index.js';
import { SnakeNamingStrategy } from './naming/snake-naming.strategy.js';

/** A transaction that waits longer for its client is a lock held by a dead process. */
export const IDLE_IN_TRANSACTION_MS = 60_000;

type Database = Pick<AppConfig['database'], 'url' | 'poolSize' | 'connectTimeoutMs' | 'statementTimeoutMs'>;

/** The options of the one Postgres database; `applicationName` shows in pg_stat_activity. */
export function dataSourceOptions(database: Database, applicationName: string): DataSourceOptions {
  return {
    type: 'postgres',
    url: database.url,
    applicationName,
    entities,
    migrations,
    migrationsTransactionMode: 'each',
    namingStrategy: new SnakeNamingStrategy(),
    uuidExtension: 'pgcrypto',
    installExtensions: false,
    poolSize: database.poolSize,
    extra: {
      connectionTimeoutMillis: database.connectTimeoutMs,
      keepAlive: true,
      onConnect: (client: Client) => prepare(client, database.statementTimeoutMs),
    },
  };
}

/**
 * Before anybody uses the connection. The driver would send them as startup parameters, and poolers such as PgBouncer
 * refuse connections with parameters that they do not know.
 */
async function prepare(client: Client, statementTimeoutMs: number): Promise<void> {
  const results = (await client.query(
    `SET statement_timeout = ${statementTimeoutMs};
     SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS};
     SELECT pg_backend_pid() AS pid`,
  )) as unknown as QueryResult<{ pid: number }>[];
  if (client instanceof DeadlineClient) client.noteServer(results.at(-1)!.rows[0]!.pid);
}

export function createDataSource(database: Database, applicationName: string): DataSource {
  return new DataSource(dataSourceOptions(database, applicationName));
}
