import { InvalidRequestError } from '@app/common';

/** `query_refused`: no statement that may run. `query_failed`: it does not work. `query_too_large`: it needs too much memory. */
export type QueryErrorCode = 'query_refused' | 'query_failed' | 'query_too_large';

/** A statement that cannot be answered as it stands; another one for the same question may be. */
export class QueryError extends InvalidRequestError {
  declare readonly code: QueryErrorCode;

  constructor(code: QueryErrorCode, message: string) {
    super(message, { code });
  }
}
