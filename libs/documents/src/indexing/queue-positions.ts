import type { DataSource } from 'typeorm';
import { QUEUE } from './fair-queue.js';

/**
 * How many documents will be claimed before these, this one included: 1 is next. Of those that are queued; the others
 * are missing. Owners take turns, and what somebody waits for comes before bulk work, so that it may rise as well as
 * fall. Whose the documents before it are is not told.
 */
export async function findQueuePositions(
  dataSource: DataSource,
  uids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (uids.length === 0) return new Map();
  const rows = await dataSource.query<{ uid: string; position: number }[]>(
    `WITH ${QUEUE} SELECT uid, position FROM queue WHERE uid = ANY ($1::uuid[])`,
    [uids],
  );
  return new Map(rows.map(({ uid, position }) => [uid, position]));
}
