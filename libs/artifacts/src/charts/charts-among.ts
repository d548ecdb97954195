import type { DataSource, EntityManager } from 'typeorm';
import { chartIsSeen } from '../sight/seen-on-boards.js';

/** Those of the ids that are charts. @param viewerId of whom it is asked whether they see them; 0 for nobody */
export async function chartsAmong(
  db: DataSource | EntityManager,
  viewerId: number,
  ids: readonly string[],
): Promise<{ uid: string; isSeen: boolean }[]> {
  if (ids.length === 0) return [];
  return db.query<{ uid: string; isSeen: boolean }[]>(
    `SELECT c.mgid AS uid, c.owner_id = $2 OR ${chartIsSeen('c', '$2')} AS "isSeen" FROM charts c
     WHERE c.mgid = ANY($1::uuid[])`,
    [ids, viewerId],
  );
}
