import type { DataSource } from 'typeorm';

/**
 * How many documents will be claimed before these, this one included: 1 is next. Of those that are queued; the others
 * are missing. Whose the documents before it are is not told.
 */
export async function findQueuePositions(
  dataSource: DataSource,
  uids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (uids.length === 0) return new Map();
  const rows = await dataSource.query<{ uid: string; position: number }[]>(
    `SELECT uid, position FROM (
       SELECT uid, row_number() OVER (ORDER BY queued_at, uid)::int AS position FROM documents
       WHERE processing_state = 'queued' AND deleted_at IS NULL) AS queue
     WHERE uid = ANY ($1::uuid[])`,
    [uids],
  );
  return new Map(rows.map(({ uid, position }) => [uid, position]));
}
