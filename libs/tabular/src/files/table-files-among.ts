import type { DataSource, EntityManager } from 'typeorm';

/** Which of the uids are table files, and which of these are the user's. */
export async function tableFilesAmong(
  db: DataSource | EntityManager,
  userId: number,
  uids: readonly string[],
): Promise<{ uid: string; isOwn: boolean }[]> {
  if (uids.length === 0) return [];
  return db.query<{ uid: string; isOwn: boolean }[]>(
    `SELECT f.uid, f.owner_id = $1 AS "isOwn" FROM tabular_files f WHERE f.uid = ANY ($2::uuid[])`,
    [userId, uids],
  );
}
