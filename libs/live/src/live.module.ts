import type { AppConfig } from '@app/config';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { LiveBus } from './live-bus.js';

@Global()
@Module({})
export class LiveModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: LiveModule,
      providers: [{ provide: LiveBus, useFactory: () => new LiveBus(config.redis.url, config.redis.keyPrefix) }],
      exports: [LiveBus],
    };
  }
}
