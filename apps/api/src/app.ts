import type { AppConfig } from '@app/config';
import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AppModule } from './app.module.js';
import { ApiAdapter } from './http/api-adapter.js';
import { requestContext, wellFormedPath } from './http/conventions.middleware.js';
import { keepPublicUrl } from './http/public-address.js';
import { RequestLog } from './http/request-log.js';
import { RouteCatalog } from './http/route-catalog.js';
import { corsOptions, referenceHeaders, securityHeaders } from './http/security.js';
import { endStalledBodies } from './http/slow-bodies.js';
import { ParamWsAdapter } from './live/param-ws.adapter.js';
import { buildDocument } from './openapi/document.js';
import { PublishedDocument } from './openapi/published-document.js';

/** How long a connection may stay idle; longer than the 60 seconds of common load balancers. */
const KEEP_ALIVE_MS = 65_000;
/** A client that dribbles its headers or its body is cut off. */
const HEADERS_MS = 20_000;
const REQUEST_MS = 15 * 60_000;

/** The whole api, ready to listen: `main.ts` and the tests start the same one. */
export async function createApp(config: AppConfig, logger: LoggerService): Promise<NestExpressApplication> {
  const adapter = new ApiAdapter();
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(config), adapter, {
    logger,
    // Bodies are read by a guard, after the caller is known (see RequestBodyGuard).
    bodyParser: false,
    routeResolutionStrategy: 'specificity',
    routeConflictPolicy: { duplicate: 'error' },
    abortOnError: false,
  });
  app.set('trust proxy', config.http.trustedProxies);
  app.set('query parser', 'simple');
  app.disable('etag');
  adapter.answers.keep(app);
  keepPublicUrl(app, config.http.publicUrl);
  app.useWebSocketAdapter(new ParamWsAdapter(app));
  app.useSecurityHeaders(securityHeaders(config.http));
  const catalog = app.get(RouteCatalog);
  app.use(requestContext(app.get(RequestLog), adapter.answers));
  if (config.http.corsOrigins.length > 0 || config.http.corsLocalhost) app.enableCors(corsOptions(config.http));
  app.use(endStalledBodies(app, config.http.bodySeconds));
  app.use(wellFormedPath(catalog));
  app.use('/docs', referenceHeaders);

  const published = app.get(PublishedDocument);
  published.describeWith(() => buildDocument(app, config.http.publicUrl));
  // Whoever opens the api's address in a browser wants to know what it is.
  adapter.get('/', (_request: Request, response: Response) => response.redirect('docs/'));
  SwaggerModule.setup('docs', app, () => published.parsed(), { customSiteTitle: 'Atrium', raw: false });

  await app.init();
  const server = app.getHttpServer();
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  return app;
}
