import { ConfigurationError, loadConfig } from '@app/config';
import {
  AppLogger,
  HealthRegistry,
  Metrics,
  announceReady,
  startHealthServer,
  stopGracefully,
} from '@app/observability';
import { NestFactory } from '@nestjs/core';
import { RunnerModule } from './runner.module.js';

try {
  const config = loadConfig();
  const logger = new AppLogger('workflow-runner', config.logging);
  const app = await NestFactory.createApplicationContext(RunnerModule.forRoot(config), { logger });
  const registry = app.get(HealthRegistry);
  stopGracefully(app, () => registry.drain());
  if (config.health.port > 0) await startHealthServer(config.health.port, registry, new Metrics('workflow-runner'));
  announceReady();
} catch (error) {
  process.stderr.write(`${error instanceof ConfigurationError ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
}
