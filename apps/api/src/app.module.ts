import type { AppConfig } from '@app/config';
import { DatabaseModule } from '@app/entities';
import { type DynamicModule, Module } from '@nestjs/common';

/** The api: what every route stands on, then one module per domain. */
@Module({})
export class AppModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forRoot(config, 'atrium-api'),
        // One line per domain:
      ],
    };
  }
}
