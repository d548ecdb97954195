import type { DataSource } from 'typeorm';

/** How many statements of this database wait for a lock. @param like what they say, as LIKE reads it */
export async function lockWaits(dataSource: DataSource, like = '%'): Promise<number> {
  const [row] = await dataSource.query<[{ waiting: number }]>(
    `SELECT count(*)::int AS waiting FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`,
    [like],
  );
  return row.waiting;
}
