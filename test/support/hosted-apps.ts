import type { AppConfig } from '@app/config';
import { AppLogger } from '@app/observability';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createApp } from '../../apps/api/src/app.js';
import type { ApiAdapter } from '../../apps/api/src/http/api-adapter.js';
import { PagesListener } from '../../apps/api/src/pages/pages-listener.js';
import { IndexerModule } from '../../apps/indexer/src/indexer.module.js';
import { toIndexerSettings } from '../../apps/indexer/src/indexer-settings.js';
import { CHILD_ENTRY } from '../../apps/indexer/src/pipeline/child-entry.js';
import { IMPORT_ENTRY } from '../../apps/indexer/src/tabular/import-entry.js';
import { RunnerModule } from '../../apps/workflow-runner/src/runner.module.js';
import type { AppName } from './platform.js';

const settings = { abortOnError: false };

/** Errors stand in the output of the test, too. */
const isSeen = (line: string) => /^\{"level":"(error|fatal)"/.test(line);

const starters: Record<AppName, (config: AppConfig, logger: AppLogger) => Promise<INestApplicationContext>> = {
  async api(config, logger) {
    const app = await createApp(config, logger);
    await app.listen(config.http.port, '127.0.0.1');
    await app.get(PagesListener).listen(0, '127.0.0.1', (app.getHttpAdapter() as ApiAdapter).answers);
    return app;
  },
  indexer(config, logger) {
    const entries = { childEntry: CHILD_ENTRY, importEntry: IMPORT_ENTRY };
    const module = IndexerModule.forRoot(config, toIndexerSettings(config, entries));
    return NestFactory.createApplicationContext(module, { ...settings, logger });
  },
  'workflow-runner'(config, logger) {
    return NestFactory.createApplicationContext(RunnerModule.forRoot(config), { ...settings, logger });
  },
};

/**
 * An app within the process of the test, once it is ready; an api listens on a free port, unless `API_PORT` names one.
 * @param log is given each line. Nest has one logger for the whole process, that of the app which was started last: what
 *   counts then are its level and its `log`
 */
export function startHosted(
  name: AppName,
  config: AppConfig,
  log: (line: string) => void = () => undefined,
): Promise<INestApplicationContext> {
  const write = (line: string) => {
    log(line);
    if (isSeen(line)) process.stdout.write(line);
  };
  return starters[name](config, new AppLogger(name, config.logging, { write }));
}
