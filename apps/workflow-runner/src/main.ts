import { explainFailedStart } from '@app/common';
import { findSuspicions, loadConfig } from '@app/config';
import {
  AppLogger,
  HealthRegistry,
  announceReady,
  nameSourcesInStacks,
  startHealthServer,
  startTracing,
  stopGracefully,
  watchEventLoop,
} from '@app/observability';
import { NestFactory } from '@nestjs/core';
import { RunnerModule } from './runner.module.js';

nameSourcesInStacks();
try {
  const config = loadConfig();
  const logger = new AppLogger('workflow-runner', config.logging);
  for (const suspicion of findSuspicions()) logger.warn(suspicion);
  const endTracing = config.tracing.endpoint ? await startTracing('workflow-runner', config.tracing) : undefined;
  const app = await NestFactory.createApplicationContext(RunnerModule.forRoot(config), { logger, abortOnError: false });
  const registry = app.get(HealthRegistry);
  stopGracefully(app, { leave: () => registry.drain(), ...(endTracing && { closed: endTracing }) });
  const { port } = config.health;
  if (port > 0) await startHealthServer('workflow-runner', port, registry);
  logger.log(port > 0 ? `Ready; probes and metrics on port ${port}.` : 'Ready.');
  watchEventLoop('workflow-runner', config.health.hangSeconds);
  announceReady();
} catch (error) {
  process.stderr.write(`${explainFailedStart(error)}\n`);
  process.exit(1);
}
