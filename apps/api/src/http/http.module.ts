import { IdempotencyStore, SessionGuard, SignedInGuard, SlowCounters } from '@app/auth';
import type { AppConfig } from '@app/config';
import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { ThrottlerModule, ThrottlerStorage } from '@nestjs/throttler';
import { ApiExceptionFilter } from './exception.filter.js';
import { OpenCalls } from './open-calls.js';
import { PlanGuard } from './plan.guard.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { RateLimitStorage } from './rate-limit.storage.js';
import { RateLimiter } from './rate-limiter.js';
import { RequestBodyGuard } from './request-body.guard.js';
import { RequestLog } from './request-log.js';
import { RouteCatalog } from './route-catalog.js';
import { RouteRightsGuard } from './route-rights.guard.js';
import { SlowLimiter } from './slow-limiter.js';
import { ValidationPipe } from './validation.pipe.js';

/**
 * What every route stands on. The guards run in this order: who calls, how often, may they, does their plan have it, and only then the body.
 */
@Module({})
export class HttpModule {
  static forRoot(config: AppConfig): DynamicModule {
    const { rateLimits, http } = config;
    return {
      module: HttpModule,
      global: true,
      imports: [
        ThrottlerModule.forRootAsync({
          useFactory: () => ({
            throttlers: [{ ttl: 60_000, limit: rateLimits.perUser }],
            storage: new RateLimitStorage(config.redis),
          }),
        }),
      ],
      providers: [
        RouteCatalog,
        IdempotencyStore,
        SlowCounters,
        SlowLimiter,
        OpenCalls,
        { provide: RequestLog, useFactory: () => new RequestLog(config.logging) },
        {
          provide: RateLimiter,
          inject: [ThrottlerStorage],
          useFactory: (storage: RateLimitStorage) => new RateLimiter(storage, rateLimits),
        },
        { provide: APP_FILTER, useClass: ApiExceptionFilter },
        { provide: APP_PIPE, useClass: ValidationPipe },
        { provide: APP_GUARD, useClass: SessionGuard },
        {
          provide: APP_GUARD,
          inject: [RateLimiter],
          useFactory: (limiter: RateLimiter) => new RateLimitGuard(limiter, rateLimits),
        },
        { provide: APP_GUARD, useClass: SignedInGuard },
        { provide: APP_GUARD, useClass: RouteRightsGuard },
        { provide: APP_GUARD, useClass: PlanGuard },
        {
          provide: APP_GUARD,
          inject: [RateLimiter],
          useFactory: (limiter: RateLimiter) => new RequestBodyGuard(http, limiter),
        },
      ],
      exports: [RouteCatalog, RequestLog, IdempotencyStore, RateLimiter, SlowLimiter, OpenCalls],
    };
  }
}
