import type { EntityManager } from 'typeorm';
import type { ExtractionProgress } from './extraction-states.js';
import { writeEvents, type NewExtractionEvent } from './write-events.js';

export interface ItemEnd {
  state: 'completed' | 'failed';
  /** Rows that were written or changed, in their order. */
  rowIds: readonly string[];
}

const IS_OVER = '(e.completed + e.failed + 1 = e.total)';

/**
 * Counts an item that has ended, tells of it, and ends its extraction with the last one: in the transaction in which the
 * item ends, and behind its row. @returns the number of the last event; null: there is no extraction any more
 */
export async function noteItemEnd(
  tx: EntityManager,
  { extractionId, sourceUid }: { extractionId: string; sourceUid: string },
  { state, rowIds }: ItemEnd,
): Promise<number | null> {
  const counts = { completed: state === 'completed' ? 1 : 0, failed: state === 'failed' ? 1 : 0 };
  const [[extraction]] = await tx.query<[(ExtractionProgress & { lastSeq: number })[], number]>(
    `UPDATE extractions e SET completed = e.completed + $2, failed = e.failed + $3,
       state = CASE WHEN NOT ${IS_OVER} THEN 'processing' WHEN e.failed + $3 = 0 THEN 'completed'
         WHEN e.completed + $2 = 0 THEN 'failed' ELSE 'partial' END,
       completed_at = CASE WHEN ${IS_OVER} THEN clock_timestamp() END,
       last_seq = e.last_seq + $4 + CASE WHEN ${IS_OVER} THEN 1 ELSE 0 END
     WHERE e.id = $1 RETURNING e.state, e.total, e.completed, e.failed, e.last_seq AS "lastSeq"`,
    [extractionId, counts.completed, counts.failed, rowIds.length + 1],
  );
  // With its table or its account, the extraction is gone, and the item with it.
  if (!extraction) return null;
  const { lastSeq, ...progress } = extraction;
  const rows = rowIds.map((rowId): NewExtractionEvent => ({ type: 'row', payload: { rowId, sourceUid } }));
  await writeEvents(tx, extractionId, lastSeq, [
    ...rows,
    { type: 'progress', payload: progress },
    ...(progress.state === 'processing' ? [] : [{ type: 'done', payload: progress } as const]),
  ]);
  return lastSeq;
}
