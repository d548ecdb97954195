import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { dataSourceOptions } from './data-source.js';
import { DeadlineClient } from './deadline-client.js';

/** So much later than Postgres cancels a statement, an app believes that Postgres is gone. */
const SILENCE_MS = 2000;

/** Gives an app its `DataSource`. Waits for a database that is still starting. */
@Module({})
export class DatabaseModule {
  static forRoot(config: AppConfig, applicationName: string): DynamicModule {
    const options = dataSourceOptions(config.database, applicationName);
    const query_timeout = config.database.statementTimeoutMs + SILENCE_MS;
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRoot({
          ...options,
          extra: { ...(options.extra as object), Client: DeadlineClient, query_timeout },
          retryAttempts: 20,
          retryDelay: 500,
        }),
      ],
    };
  }
}
