import { DomainError, explainFailedStart } from '@app/common';
import { loadConfig } from '@app/config';
import { AppLogger } from '@app/observability';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AdministrationModule } from '../administration/administration.module.js';
import { buildCommands } from './admin/commands.js';

let app: INestApplicationContext | undefined;

const open = async () => {
  const config = loadConfig();
  const logger = new AppLogger('admin', { ...config.logging, level: 'fatal' });
  app ??= await NestFactory.createApplicationContext(AdministrationModule.forRoot(config), {
    logger,
    abortOnError: false,
  });
  return app;
};

/** One line for what a person did wrong; the rest is a fault of ours. */
function explain(error: unknown): string {
  if (error instanceof DomainError) return error.message;
  const { code } = error as { code?: string };
  if (code === 'ECONNREFUSED') return 'The database cannot be reached. Is the platform running?';
  return explainFailedStart(error);
}

try {
  await buildCommands(open).parseAsync();
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
} finally {
  await app?.close();
}
// Connections that are still being tried would keep the process.
process.exit();
