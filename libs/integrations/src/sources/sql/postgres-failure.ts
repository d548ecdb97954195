import { cutText } from '@app/common';
import { DatabaseError } from 'pg';
import { toSourceError } from '../egress-failure.js';
import { SourceError } from '../source-error.js';

const WORDS = 200;

/** By the classes of SQLSTATE. What the database says of a query is shown: its writer needs it. */
export function toPostgresFailure(failure: unknown): SourceError {
  const error = toSourceError(failure);
  if (error instanceof SourceError) return error;
  const cause = error;
  if (!(error instanceof DatabaseError))
    return new SourceError('unavailable', 'The database cannot be reached, or its certificate cannot be trusted.', {
      cause,
    });
  const code = error.code ?? '';
  if (code.startsWith('28'))
    return new SourceError('auth', 'The database does not accept user and password.', { cause });
  if (code === '3D000') return new SourceError('auth', 'The database does not exist.', { cause });
  if (code === '57014') return new SourceError('refused', 'The database took too long to answer.', { cause });
  if (code === '42P01') return new SourceError('not_found', 'The table does not exist.', { cause });
  if (/^(08|53|57|58|XX)/.test(code)) return new SourceError('unavailable', 'The database is out of order.', { cause });
  return new SourceError('refused', `The database refuses: ${cutText(error.message, WORDS)}.`, { cause });
}
