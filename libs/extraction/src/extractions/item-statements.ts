import type { EntityManager } from 'typeorm';
import type { ExtractionProgress } from './extraction-states.js';
import { writeEvents } from './write-events.js';

export interface WaitingItem {
  id: string;
  fence: number;
}

/** Of one person: what anybody has reason to ask for; more would be a flood of rows. */
const MOST_WAITING = 50_000;

export async function tooManyWaiting(tx: EntityManager, userId: number, further: number): Promise<boolean> {
  const [{ count }] = await tx.query<[{ count: number }]>(
    `SELECT count(*)::int AS count FROM (
       SELECT FROM extraction_items WHERE requested_by = $1 AND state = 'queued' LIMIT ${MOST_WAITING}) w`,
    [userId],
  );
  return count + further > MOST_WAITING;
}

export async function insertItems(
  tx: EntityManager,
  { extractionId, tableId, userId }: { extractionId: string; tableId: string; userId: number },
  documents: readonly { id: string; uid: string; filename: string }[],
): Promise<WaitingItem[]> {
  return tx.query<WaitingItem[]>(
    `INSERT INTO extraction_items (id, extraction_id, table_id, requested_by, document_uid, source_uid, filename)
     SELECT d.id, $1, $2, $3, d.uid, d.uid::text, d.filename
     FROM unnest($4::uuid[], $5::uuid[], $6::text[]) AS d (id, uid, filename) RETURNING id, fence`,
    [
      extractionId,
      tableId,
      userId,
      documents.map(({ id }) => id),
      documents.map(({ uid }) => uid),
      documents.map(({ filename }) => filename),
    ],
  );
}

/** Items first and then their extraction, as whoever ends an item. @returns the number of the event; null: it had ended */
export async function cancelItems(tx: EntityManager, extractionId: string): Promise<number | null> {
  await tx.query(
    `UPDATE extraction_items SET state = 'cancelled', fence = fence + 1, lease_owner = NULL, leased_until = NULL,
       next_attempt_at = NULL, last_error = '' WHERE extraction_id = $1 AND state IN ('queued', 'processing')`,
    [extractionId],
  );
  const [[ended]] = await tx.query<[(ExtractionProgress & { lastSeq: number })[], number]>(
    `UPDATE extractions SET state = 'cancelled', completed_at = clock_timestamp(), last_seq = last_seq + 1
     WHERE id = $1 AND state IN ('accepted', 'processing')
     RETURNING state, total, completed, failed, last_seq AS "lastSeq"`,
    [extractionId],
  );
  if (!ended) return null;
  const { lastSeq, ...payload } = ended;
  await writeEvents(tx, extractionId, lastSeq, [{ type: 'done', payload }]);
  return lastSeq;
}

/** Failed and cancelled ones wait anew; what was told as the end was none. */
export async function reopenItems(tx: EntityManager, extractionId: string): Promise<WaitingItem[]> {
  const [items] = await tx.query<[(WaitingItem & { wasFailed: boolean })[], number]>(
    `UPDATE extraction_items i SET state = 'queued', next_attempt_at = now(), attempts = 0, last_error = '',
       cells_filled = 0, cells_empty = 0
     FROM (SELECT id, state = 'failed' AS was_failed FROM extraction_items
       WHERE extraction_id = $1 AND state IN ('failed', 'cancelled') FOR NO KEY UPDATE) former
     WHERE i.id = former.id RETURNING i.id, i.fence, former.was_failed AS "wasFailed"`,
    [extractionId],
  );
  if (items.length === 0) return [];
  const failed = items.filter(({ wasFailed }) => wasFailed).length;
  await tx.query(
    `UPDATE extractions SET state = 'processing', completed_at = NULL, failed = failed - $2 WHERE id = $1`,
    [extractionId, failed],
  );
  await tx.query(`UPDATE extraction_events SET type = 'progress' WHERE extraction_id = $1 AND type = 'done'`, [
    extractionId,
  ]);
  return items.map(({ id, fence }) => ({ id, fence }));
}
