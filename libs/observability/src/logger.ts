import { currentContext } from '@app/common';
import type { AppConfig } from '@app/config';
import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger } from 'pino';
import { judge } from './expected-outcome.js';
import { redactFields, redactText } from './redaction.js';

/** Hundreds of lines at each start that say nothing new: Nest's account of its modules and routes. */
const CHATTER = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'WebSocketsController']);

const STDOUT = 1;
/** Lines that cannot be written wait up to here, then the new ones are lost. */
const MOST_WAITING_BYTES = 1024 * 1024;

/** Lines that nobody takes (a full disk, a closed terminal) are no reason to end: the next write tries them again. */
export function logDestination(fd = STDOUT): DestinationStream {
  const destination = pino.destination({ fd, sync: true, maxLength: MOST_WAITING_BYTES });
  destination.on('error', () => undefined);
  return destination;
}

/**
 * Structured logs, one JSON object a line, each with the request id, user and job at work; secrets are redacted.
 * Give it to Nest with `app.useLogger`, then use `new Logger(Name)` of @nestjs/common everywhere.
 */
export class AppLogger implements LoggerService {
  private readonly pino: Logger;

  constructor(app: string, logging: Pick<AppConfig['logging'], 'level'>, destination = logDestination()) {
    const options = {
      level: logging.level,
      base: { app, pid: process.pid },
      // The address of the client is for the audit log; here it would only be one more thing to erase.
      mixin: () => {
        const { requestId, userId, job, trace } = currentContext() ?? {};
        return { requestId, userId, job, traceId: trace?.split('-')[1] };
      },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label: string) => ({ level: label }) },
    };
    this.pino = pino(options, destination);
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.write(CHATTER.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  }

  /** What others failed at and the product expects becomes a warning of one line (`judge`). */
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest passes the context (the class that logs) as the last text, and a stack before it. */
  private write(
    level: 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal',
    message: unknown,
    rest: unknown[],
  ): void {
    const thrown = [message, ...rest].find((part): part is Error => part instanceof Error);
    const judged = level === 'error' && thrown ? judge(thrown) : { fault: thrown };
    // Without its stack: nothing is to be mended here.
    if ('line' in judged)
      return this.write('warn', judged.line, rest.filter((part) => typeof part === 'string').slice(-1));
    if (!this.pino.isLevelEnabled(level)) return;
    const texts = rest.filter((part): part is string => typeof part === 'string');
    const objects = rest.filter(
      (part): part is object => typeof part === 'object' && part !== null && !(part instanceof Error),
    );
    const error = judged.fault;
    const stack = error?.stack ?? (texts.length > 1 ? texts[0] : undefined);
    // Nest's logger takes one object or a text: an object's `message` is the text.
    const { message: told, ...fromMessage } = (
      typeof message === 'object' && message !== null && !(message instanceof Error) ? message : {}
    ) as Record<string, unknown>;
    const given = { ...Object.assign({}, ...objects), ...fromMessage } as Record<string, unknown>;
    const fields = {
      ...(redactFields(given) as Record<string, unknown>),
      ...(texts.length > 0 ? { context: texts.at(-1) } : {}),
      ...(stack ? { stack: redactText(stack) } : {}),
    };
    const line = [message, error?.message, told].find((text) => typeof text === 'string') ?? '';
    this.pino[level](fields, redactText(line));
  }
}
