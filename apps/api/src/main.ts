import { ConfigurationError, loadConfig } from '@app/config';
import {
  announceReady,
  AppLogger,
  HealthRegistry,
  Metrics,
  startHealthServer,
  stopGracefully,
} from '@app/observability';
import { createApp } from './app.js';
import { RequestLog } from './http/request-log.js';

try {
  const config = loadConfig();
  const app = await createApp(config, new AppLogger('api', config.logging));
  stopGracefully(app, () => app.get(HealthRegistry).drain());
  if (config.health.port > 0) {
    const metrics = new Metrics('api');
    app.get(RequestLog).measure(metrics);
    await startHealthServer(config.health.port, app.get(HealthRegistry), metrics);
  }
  await app.listen(config.http.port, config.http.host);
  const { port } = app.getHttpServer().address() as { port: number };
  announceReady({ port });
} catch (error) {
  process.stderr.write(`${error instanceof ConfigurationError ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
}
