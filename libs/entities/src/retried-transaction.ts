import { QueryFailedError, type DataSource, type EntityManager } from 'typeorm';

const ATTEMPTS = 5;
/** Deadlock, and a row that was there when it was read and is gone when it is pointed to. */
const TRY_AGAIN = new Set(['40P01', '23503']);

/**
 * A transaction that begins anew when it met another one in the wrong order: workers take rows as they come. `work` must
 * have no effects but its statements.
 */
export async function retriedTransaction<T>(
  dataSource: DataSource,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await dataSource.transaction(work);
    } catch (error) {
      const code = error instanceof QueryFailedError ? (error.driverError as { code?: string }).code : undefined;
      if (attempt === ATTEMPTS || !TRY_AGAIN.has(code ?? '')) throw error;
    }
  }
}
