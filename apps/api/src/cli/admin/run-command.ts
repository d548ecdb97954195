import { DomainError, explainFailedStart } from '@app/common';
import type { AppConfig } from '@app/config';
import { AppLogger } from '@app/observability';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommanderError } from 'commander';
import { AdministrationModule } from '../../administration/administration.module.js';
import { type Open, ShownFailure, type Terminal } from './command-parts.js';
import { buildCommands } from './commands.js';

/** What commands stand on. */
export function openAdministration(config: AppConfig): Promise<INestApplicationContext> {
  const logger = new AppLogger('admin', { ...config.logging, level: 'fatal' });
  return NestFactory.createApplicationContext(AdministrationModule.forRoot(config), { logger, abortOnError: false });
}

/** One line for what a person did wrong; the rest is a fault of ours. */
function explain(error: unknown): string {
  if (error instanceof DomainError) return error.message;
  const { code } = error as { code?: string };
  if (code === 'ECONNREFUSED') return 'The database cannot be reached. Is the platform running?';
  return explainFailedStart(error);
}

/** One command, whoever gives it; resolves to the exit code. */
export async function runCommand(args: readonly string[], open: Open, terminal: Terminal): Promise<number> {
  try {
    await buildCommands(open, terminal).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // It has said so itself.
    if (error instanceof CommanderError) return error.exitCode;
    if (!(error instanceof ShownFailure)) terminal.err(`${explain(error)}\n`);
    return 1;
  }
}
