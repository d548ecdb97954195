import { measureBacklog, type Backlog } from '@app/observability';
import type { DataSource } from 'typeorm';

/** @see measureWaiting */
export interface WaitingRows {
  /** How operators call it. */
  work: string;
  /** SQL: table with alias, and the condition under which a row waits for a worker. */
  from: string;
  where: string;
  /** SQL: since when it waits. */
  since: string;
}

interface Row {
  work: string;
  waiting: string;
  oldest: string | null;
}

/**
 * Tells Prometheus how many of these rows wait for a worker, and for how long the oldest has. The conditions should
 * have partial indexes: all of it is asked whenever Prometheus comes.
 * @param asker names the set; the next one of this name replaces it
 */
export function measureWaiting(dataSource: DataSource, asker: string, kinds: readonly WaitingRows[]): void {
  measureBacklog(asker, () => readWaiting(dataSource, kinds));
}

/** How many of these rows wait for a worker, and for how long the oldest has, by `work`. */
export async function readWaiting(
  dataSource: DataSource,
  kinds: readonly WaitingRows[],
): Promise<Record<string, Backlog>> {
  const sql = kinds
    .map(
      ({ work, from, where, since }) =>
        `SELECT '${work}' AS work, count(*) AS waiting, extract(epoch FROM now() - min(${since})) AS oldest
         FROM ${from} WHERE ${where}`,
    )
    .join(' UNION ALL ');
  const rows = await dataSource.query<Row[]>(sql);
  return Object.fromEntries(
    rows.map(({ work, waiting, oldest }): [string, Backlog] => {
      return [work, { waiting: Number(waiting), oldestSeconds: Math.max(0, Number(oldest ?? 0)) }];
    }),
  );
}
