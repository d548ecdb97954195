import { DatabaseError } from 'pg';
import { certificateFailure, unreachable } from '../open-socket.js';
import { quoted, SourceFailure } from '../../shapes/source-failure.js';

/** The database cannot tell what a parameter is: the same statement may be tried with the types named. */
export const isAmbiguous = (error: unknown): boolean =>
  error instanceof SourceFailure &&
  error.cause instanceof DatabaseError &&
  ['42P18', '42P08', '42725'].includes(error.cause.code ?? '');

/** By the classes of SQLSTATE. */
export function toPostgresFailure(error: unknown, secret: string): SourceFailure {
  if (error instanceof SourceFailure) return error;
  const say = (message: string) => new SourceFailure('source_unavailable', message, error);
  if (!(error instanceof DatabaseError)) {
    const { message } = error as Error;
    if (/SSL/.test(message) && /support|response/.test(message))
      return say('The database does not speak with encryption.');
    return certificateFailure(error) ?? unreachable();
  }
  const { code = '', message } = error;
  if (code.startsWith('28')) return say('The database does not accept this user and password from here.');
  if (code === '3D000') return say('The database does not exist.');
  if (code === '57014') return new SourceFailure('query_timeout', 'The database took too long to answer.', error);
  if (/^(08|53|57|58|XX)/.test(code)) return say('The database is out of order, or has no room for us.');
  if (code === '25006' || (code === '0A000' && message.includes('data-modifying')))
    return new SourceFailure('query_refused', 'Statements that change data may not run.', error);
  return new SourceFailure('query_failed', quoted(message, secret), error);
}
