import { cutText, OutsideFault } from '@app/common';

/**
 * - `query_refused`: no statement that may run
 * - `query_failed`: the database's own words on one that does not work
 * - `query_too_large`: its rows are larger than may be held
 * - `query_timeout`: it took too long
 * - `source_busy`: the owner has as many statements at work as they may
 * - `source_unavailable`: the database cannot be reached, or does not let us in
 */
export type SourceFailureCode =
  | 'query_refused'
  | 'query_failed'
  | 'query_too_large'
  | 'query_timeout'
  | 'source_busy'
  | 'source_unavailable';

/** A source did not do what was asked. Its text is a sentence for the owner: no secret, no address that a name led to. */
export class SourceFailure extends OutsideFault {
  constructor(
    readonly code: SourceFailureCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'SourceFailure';
  }
}

const WORDS = 300;
const SHORTEST_SECRET = 4;

/**
 * What a database says of a statement, which its writer needs: in one line, without the secret, and without from where we
 * called, which MySQL writes behind the user.
 */
export function quoted(message: string, secret: string): string {
  const text = message
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/'[^']*'@'[^']*'/g, 'this user')
    .trim();
  const safe = secret.length < SHORTEST_SECRET ? text : text.replaceAll(secret, '***');
  return safe.length <= WORDS ? safe : `${cutText(safe, WORDS)}…`;
}
