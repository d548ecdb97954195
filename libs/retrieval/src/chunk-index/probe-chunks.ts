import type { DataSource } from 'typeorm';

/** Fails when the index cannot be read: missing, or locked by a maintenance. */
export async function probeChunks(dataSource: DataSource): Promise<void> {
  await dataSource.query('SELECT 1 FROM chunks LIMIT 1');
}
