import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { hostBackgroundJobs } from './background-jobs.js';
import { testConfig, testEnv } from './config.js';
import { createTestDatabase } from './database.js';
import type { AppName, Platform } from './platform.js';

export type HostedPlatform = Pick<Platform, 'database' | 'baseUrl' | 'env' | 'stop'>;

const settings = { abortOnError: false };

const starters: Record<AppName, (config: AppConfig) => Promise<INestApplicationContext>> = {
  async api(config) {
    const app = await createApp(config, new AppLogger('api', config.logging));
    return app.listen(0, '127.0.0.1').then(() => app);
  },
  indexer(config) {
    const entries = { workerName: 'hosted', childEntry: CHILD_ENTRY, importEntry: IMPORT_ENTRY };
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

/**
 * The apps within the process of the test: for tests that neither end one nor read its log. A process of its own
 * (platform.ts) takes three seconds of a processor before it is ready; here that code is loaded.
 */
export async function hostPlatform(
  names: AppName[] = ['api', 'indexer', 'workflow-runner'],
  overrides: Record<string, string> = {},
): Promise<HostedPlatform> {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'atrium-platform-'));
  const env = testEnv(database.url, {
    STORAGE_DIR: join(folder, 'files'),
    OUTBOX_DIR: join(folder, 'outbox'),
    RATE_LIMITS: 'false',
    LOG_REQUESTS: 'false',
    ...overrides,
  });
  const config = testConfig(database.url, env);
  const started = await Promise.allSettled([
    ...names.map((name) => starters[name](config)),
    ...(names.includes('workflow-runner') ? [] : [hostBackgroundJobs(config)]),
  ]);
  const apps = started.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const stop = async () => {
    await Promise.all(apps.map((app) => app.close()));
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  };
  const failed = started.find((outcome) => outcome.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  return { database, baseUrl: `http://127.0.0.1:${portOf(apps[names.indexOf('api')])}`, env, stop };
}

function portOf(api: INestApplicationContext | undefined): number {
  if (!api || !('getHttpServer' in api)) throw new Error('A platform that is hosted has an api.');
  const { getHttpServer } = api as { getHttpServer(): { address(): AddressInfo } };
  return getHttpServer.call(api).address().port;
}
