import type { AppConfig } from '@app/config';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { entities } from './entity-list.js';
import { migrations } from './migrations/index.js';
import { SnakeNamingStrategy } from './naming/snake-naming.strategy.js';

/** The options of the one Postgres database; `applicationName` shows in pg_stat_activity. */
export function dataSourceOptions(database: AppConfig['database'], applicationName: string): DataSourceOptions {
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
      statement_timeout: database.statementTimeoutMs,
      connectionTimeoutMillis: 5000,
      // A transaction that waits for its client is a lock held by a dead process.
      idle_in_transaction_session_timeout: 60_000,
      keepAlive: true,
    },
  };
}

export function createDataSource(database: AppConfig['database'], applicationName: string): DataSource {
  return new DataSource(dataSourceOptions(database, applicationName));
}
