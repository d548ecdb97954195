import type { DataSource } from 'typeorm';

/** @throws when the database does not answer */
export async function pingDatabase(dataSource: DataSource): Promise<void> {
  await dataSource.query('SELECT 1');
}
