import { PagesModule, PageViews, ViewerTokens } from '@app/artifacts';
import type { AppConfig } from '@app/config';
import { HealthRegistry } from '@app/observability';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { RateLimiter } from '../http/rate-limiter.js';
import { RequestLog } from '../http/request-log.js';
import { PageOrigin } from './page-origin.js';
import { PageRoutes } from './page-routes.js';
import { PagesListener } from './pages-listener.js';
import { RenderController } from './render.controller.js';

/**
 * Pages, on a listener of their own, and the routes that lead to it (docs/contract/artifacts.md#rendering). Global, for whoever
 * tells of addresses of pages.
 */
@Global()
@Module({})
export class PageRoutesModule {
  static forRoot({ artifacts, http, rateLimits }: AppConfig): DynamicModule {
    const embedders = { origins: http.corsOrigins, local: http.corsLocalhost };
    const { trustedProxies, bodySeconds } = http;
    const perMinute = rateLimits.perUser;
    return {
      module: PageRoutesModule,
      imports: [PagesModule],
      controllers: [RenderController],
      providers: [
        { provide: PageOrigin, useFactory: () => new PageOrigin(artifacts, http.publicUrl) },
        {
          provide: PageRoutes,
          inject: [PageViews, ViewerTokens, RateLimiter, RequestLog, HealthRegistry, PageOrigin],
          useFactory: (
            views: PageViews,
            tokens: ViewerTokens,
            limiter: RateLimiter,
            log: RequestLog,
            health: HealthRegistry,
            origin: PageOrigin,
          ) =>
            new PageRoutes(views, tokens, limiter, log, health, {
              origin,
              embedders,
              trustedProxies,
              perMinute,
              bodySeconds,
            }),
        },
        {
          provide: PagesListener,
          inject: [PageRoutes, PageOrigin],
          useFactory: (routes: PageRoutes, origin: PageOrigin) => new PagesListener(routes, origin, bodySeconds),
        },
      ],
      exports: [PageOrigin],
    };
  }
}
