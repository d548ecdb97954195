import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { dataSourceOptions } from './data-source.js';

/** Gives an app its `DataSource`. Waits for a database that is still starting. */
@Module({})
export class DatabaseModule {
  static forRoot(config: AppConfig, applicationName: string): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRoot({
          ...dataSourceOptions(config.database, applicationName),
          retryAttempts: 20,
          retryDelay: 500,
        }),
      ],
    };
  }
}
