import { explainFailedStart } from '@app/common';
import { findSuspicions, loadConfig } from '@app/config';
import {
  announceReady,
  AppLogger,
  HealthRegistry,
  listening,
  Metrics,
  startHealthServer,
  stopGracefully,
  watchEventLoop,
} from '@app/observability';
import { createApp } from './app.js';
import { RequestLog } from './http/request-log.js';

try {
  const config = loadConfig();
  const logger = new AppLogger('api', config.logging);
  for (const suspicion of findSuspicions()) logger.warn(suspicion);
  const app = await createApp(config, logger);
  stopGracefully(app, () => app.get(HealthRegistry).drain());
  if (config.health.port > 0) {
    const metrics = new Metrics('api');
    app.get(RequestLog).measure(metrics);
    await startHealthServer(config.health.port, app.get(HealthRegistry), metrics);
  }
  await listening('API_PORT', config.http.port, app.listen(config.http.port, config.http.host));
  const { port } = app.getHttpServer().address() as { port: number };
  logger.log(`Ready on ${config.http.host}, port ${port}.`);
  watchEventLoop('api', config.health.hangSeconds);
  announceReady({ port });
} catch (error) {
  process.stderr.write(`${explainFailedStart(error)}\n`);
  process.exit(1);
}
