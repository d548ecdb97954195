import { isDue } from '@app/work';
import type { DataSource } from 'typeorm';

/**
 * SQL: the file whose turn it is: that of the owner for whom the fewest are in work, of several the one who was served
 * longest ago; of theirs the oldest.
 */
const NEXT = `WITH first AS (
    SELECT DISTINCT ON (f.owner_id) f.uid, f.owner_id, f.created_at FROM tabular_files f
    WHERE ${isDue('f')} AND f.uid <> ALL ($1::uuid[])
    ORDER BY f.owner_id, f.created_at, f.uid
  ), in_work AS (
    SELECT owner_id, count(*) AS files FROM tabular_files
    WHERE next_attempt_at IS NOT NULL AND leased_until > now() GROUP BY owner_id)
  SELECT first.uid FROM first LEFT JOIN in_work ON in_work.owner_id = first.owner_id
  ORDER BY coalesce(in_work.files, 0), (SELECT max(s.started_at) FROM tabular_files s
    WHERE s.owner_id = first.owner_id AND s.started_at IS NOT NULL) NULLS FIRST, first.created_at, first.uid LIMIT 1`;

/** `next` of `importWork`. */
export async function findNextImport(db: DataSource, except: readonly (readonly string[])[]): Promise<string[] | null> {
  const [row] = await db.query<{ uid: string }[]>(NEXT, [except.flat()]);
  return row ? [row.uid] : null;
}
