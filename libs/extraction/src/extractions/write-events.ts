import type { EntityManager } from 'typeorm';
import type { ExtractionProgress } from './extraction-states.js';

/** What followers are told. Of a row its id is kept: it is shown as it is when somebody reads of it. */
export type NewExtractionEvent =
  | { type: 'row'; payload: { rowId: string; sourceUid: string } }
  | { type: 'progress' | 'done'; payload: ExtractionProgress };

/**
 * Appends events; `lastSeq` is that of the last of them. The caller holds the row of the extraction, which has counted
 * them, so that numbers have no gaps and come in the order of their commits.
 */
export async function writeEvents(
  tx: EntityManager,
  extractionId: string,
  lastSeq: number,
  events: readonly NewExtractionEvent[],
): Promise<void> {
  await tx.query(
    `INSERT INTO extraction_events (extraction_id, seq, type, payload)
     SELECT $1, $2 + e.at, e.item->>'type', e.item->'payload'
     FROM jsonb_array_elements($3::jsonb) WITH ORDINALITY AS e(item, at)`,
    [extractionId, lastSeq - events.length, JSON.stringify(events)],
  );
}
