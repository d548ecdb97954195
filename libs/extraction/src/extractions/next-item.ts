import type { DataSource } from 'typeorm';

/** SQL over `i`: it waits, and may be taken up. Two extractions of one document into one table come one after the other. */
const READY = `i.state = 'queued' AND i.next_attempt_at <= now() AND (i.leased_until IS NULL OR i.leased_until <= now())
  AND NOT EXISTS (SELECT FROM extraction_items other
    WHERE other.table_id = i.table_id AND other.source_uid = i.source_uid AND other.state = 'processing')`;

/**
 * SQL: the item whose turn it is. That of the person for whom the fewest are in work, of several the one who was served
 * longest ago; of theirs the one that waits longest. People are walked in the index from one to the next, however many
 * items each has.
 */
const NEXT = `WITH RECURSIVE people AS (
    (SELECT requested_by FROM extraction_items WHERE state = 'queued' ORDER BY requested_by LIMIT 1)
    UNION ALL
    SELECT n.requested_by FROM people p CROSS JOIN LATERAL (
      SELECT requested_by FROM extraction_items WHERE state = 'queued' AND requested_by > p.requested_by
      ORDER BY requested_by LIMIT 1) n
  ), in_work AS (
    SELECT requested_by, count(*) AS items FROM extraction_items WHERE state = 'processing' GROUP BY requested_by
  )
  SELECT first.id FROM people p CROSS JOIN LATERAL (
    SELECT i.id FROM extraction_items i
    WHERE i.requested_by = p.requested_by AND ${READY} AND i.id <> ALL ($1::uuid[]) ORDER BY i.id LIMIT 1) first
  LEFT JOIN in_work USING (requested_by)
  ORDER BY coalesce(in_work.items, 0), (SELECT max(s.started_at) FROM extraction_items s
    WHERE s.requested_by = p.requested_by AND s.started_at IS NOT NULL) NULLS FIRST, first.id LIMIT 1`;

/** `next` of `extractionWork`. */
export async function findNextItem(db: DataSource, except: readonly (readonly string[])[]): Promise<string[] | null> {
  const [row] = await db.query<{ id: string }[]>(NEXT, [except.flat()]);
  return row ? [row.id] : null;
}
