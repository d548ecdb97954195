import type { DataSource, EntityManager } from 'typeorm';
import type { ExtractionMode, ExtractionState, ItemState } from './extraction-states.js';

export interface ExtractionItemRecord {
  sourceUid: string;
  filename: string;
  state: ItemState;
  /** A sentence for people; '' unless the last try went wrong. */
  lastError: string;
  cellsFilled: number;
  cellsEmpty: number;
}

export interface ExtractionRecord {
  id: string;
  tableId: string;
  requestedBy: number;
  /** Names; null: all. */
  columns: string[] | null;
  mode: ExtractionMode;
  overwriteEdited: boolean;
  /** Null: as the document was read. */
  ocr: boolean | null;
  state: ExtractionState;
  total: number;
  completed: number;
  failed: number;
  lastSeq: number;
  createdAt: Date;
  completedAt: Date | null;
}

const COLUMNS = `e.id, e.table_id AS "tableId", e.requested_by AS "requestedBy", e.columns, e.mode,
  e.overwrite_edited AS "overwriteEdited", e.ocr, e.state, e.total, e.completed, e.failed, e.last_seq AS "lastSeq",
  e.created_at AS "createdAt", e.completed_at AS "completedAt"`;

/** Whoever asks: for code that has decided access, and for workers. @param tableId null: whichever table's it is */
export async function findExtraction(
  db: DataSource | EntityManager,
  id: string,
  tableId: string | null,
): Promise<ExtractionRecord | null> {
  const [row] = await db.query<ExtractionRecord[]>(
    `SELECT ${COLUMNS} FROM extractions e WHERE e.id = $1 AND ($2::uuid IS NULL OR e.table_id = $2)`,
    [id, tableId],
  );
  return row ?? null;
}

/** That which was asked for under the key before. */
export async function findRequested(
  db: DataSource | EntityManager,
  userId: number,
  requestKey: string,
): Promise<ExtractionRecord | null> {
  const [row] = await db.query<ExtractionRecord[]>(
    `SELECT ${COLUMNS} FROM extractions e WHERE e.requested_by = $1 AND e.request_key = $2`,
    [userId, requestKey],
  );
  return row ?? null;
}

/** Those of a table, newest first. */
export async function listExtractions(
  db: DataSource,
  tableId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ count: number; items: ExtractionRecord[] }> {
  const [{ count }] = await db.query<[{ count: number }]>(
    'SELECT count(*)::int AS count FROM extractions WHERE table_id = $1',
    [tableId],
  );
  const items = await db.query<ExtractionRecord[]>(
    `SELECT ${COLUMNS} FROM extractions e WHERE e.table_id = $1 ORDER BY e.id DESC LIMIT $2 OFFSET $3`,
    [tableId, limit, offset],
  );
  return { count, items };
}

/** The documents of each of the extractions, in the order in which they were named. */
export async function listItems(
  db: DataSource,
  extractionIds: readonly string[],
): Promise<Map<string, ExtractionItemRecord[]>> {
  const rows = await db.query<(ExtractionItemRecord & { extractionId: string })[]>(
    `SELECT i.extraction_id AS "extractionId", i.source_uid AS "sourceUid", i.filename, i.state,
       i.last_error AS "lastError", i.cells_filled AS "cellsFilled", i.cells_empty AS "cellsEmpty"
     FROM extraction_items i WHERE i.extraction_id = ANY ($1::uuid[]) ORDER BY i.id`,
    [extractionIds],
  );
  const found = Map.groupBy(rows, ({ extractionId }) => extractionId);
  return new Map([...found].map(([id, items]) => [id, items.map(({ extractionId: _id, ...item }) => item)]));
}
