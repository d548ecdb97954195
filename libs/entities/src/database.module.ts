import type { AppConfig } from '@app/config';
import { type DynamicModule, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { dataSourceOptions } from './data-source.js';
import { DataSource } from 'typeorm';
import { DeadlineClient } from './deadline-client.js';
import { assertMigrated } from './migrate.js';
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
  }
}
