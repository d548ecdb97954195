import type { AppConfig } from '@app/config';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { LiveBus } from './live-bus.js';
import { LiveEventLog } from './live-event-log.js';
import { LivePresence } from './live-presence.js';
import { LiveRedis } from './live-redis.js';

@Global()
@Module({})
export class LiveModule {
  static forRoot(config: AppConfig): DynamicModule {
    return {
      module: LiveModule,
      providers: [
        { provide: LiveRedis, useFactory: () => new LiveRedis(config.redis.url, config.redis.keyPrefix) },
        LiveEventLog,
        LivePresence,
        LiveBus,
      ],
      exports: [LiveBus, LiveEventLog, LivePresence],
    };
  }
}
