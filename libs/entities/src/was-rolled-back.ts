import { QueryFailedError } from 'typeorm';

/** Postgres itself refused the statement: unlike after a lost connection, it is known that nothing was committed. */
export function wasRolledBack(error: unknown): boolean {
  return (
    error instanceof QueryFailedError && typeof (error.driverError as { severity?: unknown }).severity === 'string'
  );
}
