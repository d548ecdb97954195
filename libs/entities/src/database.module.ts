import type { AppConfig } from '@app/config';
import { measureNow } from '@app/observability';
import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { dataSourceOptions } from './data-source.js';
import { DataSource } from 'typeorm';
import { DeadlineClient } from './deadline-client.js';
import { assertMigrated } from './migrate.js';
import type { Pool } from 'pg';
import { reachable } from './reachable.js';

/** So much later than Postgres cancels a statement, an app believes that Postgres is gone. */
const SILENCE_MS = 2000;

/** Gives an app its `DataSource`. Waits for a database that is still starting, and refuses one that is not migrated. */
@Module({})
export class DatabaseModule implements OnModuleInit {
  constructor(private readonly dataSource: DataSource) {}

  static forRoot(config: AppConfig, applicationName: string): DynamicModule {
    const options = dataSourceOptions(config.database, applicationName);
    const query_timeout = config.database.statementTimeoutMs + SILENCE_MS;
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({
            ...options,
            extra: { ...(options.extra as object), Client: DeadlineClient, query_timeout },
            retryAttempts: 20,
            retryDelay: 500,
          }),
          dataSourceFactory: async (given) => reachable(new DataSource(given!).initialize()),
        }),
      ],
    };
  }

  async onModuleInit(): Promise<void> {
    await assertMigrated(this.dataSource);
    const { master: pool } = this.dataSource.driver as unknown as { master: Pool };
    measureNow(
      'atrium_database_connections',
      'Connections of the pool to Postgres, and who waits for one.',
      'state',
      () => ({
        idle: pool.idleCount,
        used: pool.totalCount - pool.idleCount,
        waiting: pool.waitingCount,
      }),
    );
  }
}
