import { explainFailedStart } from '@app/common';
import { findSuspicions, loadConfig } from '@app/config';
import {
  announceReady,
  AppLogger,
  HealthRegistry,
  listening,
  nameSourcesInStacks,
  startHealthServer,
  startTracing,
  stopGracefully,
  watchEventLoop,
} from '@app/observability';
import { createApp } from './app.js';
import type { ApiAdapter } from './http/api-adapter.js';
import { RequestLog } from './http/request-log.js';
import { PagesListener } from './pages/pages-listener.js';
import { PublishedDocument } from './openapi/published-document.js';

nameSourcesInStacks();
try {
  const config = loadConfig();
  const logger = new AppLogger('api', config.logging);
  for (const suspicion of findSuspicions()) logger.warn(suspicion);
  if (!config.http.publicUrl && !config.http.corsLocalhost)
    logger.warn(
      'PUBLIC_URL is not set: addresses in answers (media, pages, SCIM, OAuth) follow the Host of each request, which callers can forge.',
    );
  const endTracing = config.tracing.endpoint ? await startTracing('api', config.tracing) : undefined;
  const app = await createApp(config, logger);
  if (config.http.describeAtStart) app.get(PublishedDocument).make();
  const adapter = app.getHttpAdapter() as ApiAdapter;
  const pages = app.get(PagesListener);
  stopGracefully(app, {
    leave: () => {
      app.get(HealthRegistry).drain();
      adapter.answers.leave();
    },
    delayMs: config.shutdown.delaySeconds * 1000,
    drain: (signal) => adapter.drain(signal, pages.leaving ? [pages.leaving] : []),
    drainMs: config.shutdown.drainSeconds * 1000,
    ...(endTracing && { closed: endTracing }),
  });
  if (config.health.port > 0) {
    app.get(RequestLog).measure();
    await startHealthServer('api', config.health.port, app.get(HealthRegistry));
  }
  const pagesPort = await listening(
    'ARTIFACT_PORT',
    config.artifacts.port,
    pages.listen(config.artifacts.port, config.http.host, adapter.answers),
  );
  await listening('API_PORT', config.http.port, app.listen(config.http.port, config.http.host));
  const { port } = app.getHttpServer().address() as { port: number };
  logger.log(`Ready on ${config.http.host}, port ${port}; pages on port ${pagesPort}.`);
  watchEventLoop('api', config.health.hangSeconds);
  announceReady({ port, pagesPort });
} catch (error) {
  process.stderr.write(`${explainFailedStart(error)}\n`);
  process.exit(1);
}
