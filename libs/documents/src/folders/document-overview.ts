import type { DataSource } from 'typeorm';

export interface DocumentOverview {
  /** Up to `LOOKED_AT`. */
  count: number;
  isMore: boolean;
  /** Those with most of the documents. */
  folders: string[];
}

const LOOKED_AT = 500;
const FOLDERS = 4;

/** What documents somebody has of their own, in a few words: of the newest of them, so that it takes no time. */
export async function documentOverview(db: DataSource, ownerId: number): Promise<DocumentOverview> {
  const rows = await db.query<{ folder: string; count: number }[]>(
    `SELECT n.folder, count(*)::int AS count FROM (
       SELECT folder FROM documents WHERE owner_id = $1 AND deleted_at IS NULL ORDER BY created_at DESC LIMIT ${LOOKED_AT + 1}) n
     GROUP BY n.folder ORDER BY count(*) DESC, n.folder`,
    [ownerId],
  );
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  const folders = rows.map(({ folder }) => folder).filter((folder) => folder !== '');
  return { count: Math.min(count, LOOKED_AT), isMore: count > LOOKED_AT, folders: folders.slice(0, FOLDERS) };
}
