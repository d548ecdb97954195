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
import { IndexerModule } from './indexer.module.js';
import { toIndexerSettings } from './indexer-settings.js';
import { CHILD_ENTRY } from './pipeline/child-entry.js';
import { IMPORT_ENTRY } from './tabular/import-entry.js';

nameSourcesInStacks();
try {
  const config = loadConfig();
  const logger = new AppLogger('indexer', config.logging);
  for (const suspicion of findSuspicions()) logger.warn(suspicion);
  const endTracing = config.tracing.endpoint ? await startTracing('indexer', config.tracing) : undefined;
  const settings = toIndexerSettings(config, { childEntry: CHILD_ENTRY, importEntry: IMPORT_ENTRY });
  const app = await NestFactory.createApplicationContext(IndexerModule.forRoot(config, settings), {
    logger,
    abortOnError: false,
  });
  const registry = app.get(HealthRegistry);
  stopGracefully(app, { leave: () => registry.drain(), ...(endTracing && { closed: endTracing }) });
  const { port } = config.health;
  if (port > 0) await startHealthServer('indexer', port, registry);
  logger.log(port > 0 ? `Ready; probes and metrics on port ${port}.` : 'Ready.');
  watchEventLoop('indexer', config.health.hangSeconds);
  announceReady();
} catch (error) {
  process.stderr.write(`${explainFailedStart(error)}\n`);
  process.exit(1);
}
