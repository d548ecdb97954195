import type { AppConfig } from '@app/config';
import { AppLogger } from '@app/observability';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createApp } from '../../apps/api/src/app.js';
import { IndexerModule } from '../../apps/indexer/src/indexer.module.js';
import { toIndexerSettings } from '../../apps/indexer/src/indexer-settings.js';
import { CHILD_ENTRY } from '../../apps/indexer/src/pipeline/child-entry.js';
import { IMPORT_ENTRY } from '../../apps/indexer/src/tabular/import-entry.js';
import { RunnerModule } from '../../apps/workflow-runner/src/runner.module.js';
import type { AppName } from './platform.js';

const settings = { abortOnError: false };

const starters: Record<AppName, (config: AppConfig) => Promise<INestApplicationContext>> = {
  async api(config) {
    const app = await createApp(config, new AppLogger('api', config.logging));
    return app.listen(0, '127.0.0.1').then(() => app);
  },
  indexer(config) {
    const entries = { childEntry: CHILD_ENTRY, importEntry: IMPORT_ENTRY };
    const module = IndexerModule.forRoot(config, toIndexerSettings(config, entries));
    return NestFactory.createApplicationContext(module, {
      ...settings,
      logger: new AppLogger('indexer', config.logging),
    });
  },
  'workflow-runner'(config) {
    const logger = new AppLogger('workflow-runner', config.logging);
    return NestFactory.createApplicationContext(RunnerModule.forRoot(config), { ...settings, logger });
  },
};

/** An app within the process of the test, once it is ready; an api listens on a free port. */
export const startHosted = (name: AppName, config: AppConfig): Promise<INestApplicationContext> =>
  starters[name](config);
