import { visibleDocument } from '@app/access';
import type { DataSource, EntityManager } from 'typeorm';

type Database = DataSource | EntityManager;

/** Those that are documents or table files, whoever's. */
export async function documentsAmong(db: Database, uids: readonly string[]): Promise<Set<string>> {
  if (uids.length === 0) return new Set();
  const rows = await db.query<{ uid: string }[]>(
    `SELECT d.uid FROM documents d WHERE d.uid = ANY ($1::uuid[])
     UNION ALL SELECT f.uid FROM tabular_files f WHERE f.uid = ANY ($1::uuid[])`,
    [uids],
  );
  return new Set(rows.map(({ uid }) => uid));
}

/** Those that the viewer may read now. */
export async function readableAmong(db: Database, userId: number, uids: readonly string[]): Promise<Set<string>> {
  if (uids.length === 0) return new Set();
  const rows = await db.query<{ uid: string }[]>(
    `SELECT d.uid FROM documents d WHERE d.uid = ANY ($2::uuid[]) AND ${visibleDocument('d', '$1')}
     UNION ALL SELECT f.uid FROM tabular_files f WHERE f.uid = ANY ($2::uuid[]) AND f.owner_id = $1`,
    [userId, uids],
  );
  return new Set(rows.map(({ uid }) => uid));
}
