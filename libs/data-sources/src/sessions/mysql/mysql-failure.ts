import { certificateFailure, unreachable } from '../open-socket.js';
import { quoted, SourceFailure } from '../../shapes/source-failure.js';

interface DriverError {
  message: string;
  errno?: unknown;
  code?: unknown;
  sqlState?: unknown;
}

const REFUSES_US = new Set([1044, 1045, 1129, 1130, 1227, 1251, 1698, 1862, 3118, 3159, 4151]);
const OUT_OF_ORDER = new Set([1040, 1053, 1152, 1203, 1226, 1927, 2006, 2013]);
const TOO_SLOW = new Set([1205, 1317, 1969, 3024]);
/** Of a transaction that only reads, and of a server that does. */
const WRITES = new Set([1290, 1792, 1836]);

/** Whether the database itself said so: the connection goes on. */
export const isOfDatabase = (error: unknown): boolean =>
  typeof (error as DriverError).errno === 'number' &&
  typeof (error as DriverError).sqlState === 'string' &&
  (error as { fatal?: unknown }).fatal !== true;

export function toMysqlFailure(error: unknown, secret: string): SourceFailure {
  if (error instanceof SourceFailure) return error;
  const { errno, message, code } = error as DriverError;
  const say = (words: string) => new SourceFailure('source_unavailable', words, error);
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') return say('The database does not speak with encryption.');
  if (typeof code === 'string' && /^AUTH_|PLUGIN|SECURE_AUTH/.test(code))
    return say('The database asks for a way to sign in that is not safe here.');
  if (typeof errno !== 'number' || typeof (error as DriverError).sqlState !== 'string')
    return certificateFailure(error) ?? unreachable();
  if (REFUSES_US.has(errno)) return say('The database does not accept this user and password from here.');
  if (errno === 1049) return say('The database does not exist.');
  if (TOO_SLOW.has(errno)) return new SourceFailure('query_timeout', 'The database took too long to answer.', error);
  if (OUT_OF_ORDER.has(errno)) return say('The database is out of order, or has no room for us.');
  if (WRITES.has(errno)) return new SourceFailure('query_refused', 'Statements that change data may not run.', error);
  return new SourceFailure('query_failed', quoted(message, secret), error);
}
