import { ConflictError, inBatches, newTimeOrderedId } from '@app/common';
import { documentsAmong } from '@app/access';
import type { EntityManager } from 'typeorm';
import type { NewRow } from './given-values.js';
import { MAX_ROWS } from './table-limits.js';

/** Rows of one statement, and bytes of their values. */
const BATCH = 1_000;
const BATCH_BYTES = 4 * 1024 * 1024;
const UIDS_AT_ONCE = 10_000;
const REMOVED_AT_ONCE = 5_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const tooManyRows = (): ConflictError =>
  new ConflictError(`A table holds ${MAX_ROWS} rows at most.`, { code: 'row_limit_reached' });

/**
 * Adds rows in their order to a table that has none of these sources. Those whose source is a document that the writer sees
 * belong to it from then on.
 */
export async function insertGivenRows(
  tx: EntityManager,
  writerId: number,
  tableId: string,
  rows: readonly NewRow[],
): Promise<void> {
  const documents = await documentsOf(tx, writerId, rows);
  const positions = new Map<string, number>();
  let batch: string[] = [];
  let bytes = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    await tx.query(
      `INSERT INTO extracted_rows (id, table_id, source_uid, position, document_uid, data, filename)
       SELECT r.id, $1, r.source_uid, r.position, r.document_uid, r.data, r.filename FROM jsonb_to_recordset($2::jsonb)
         AS r (id uuid, source_uid text, position int, document_uid uuid, data jsonb, filename text)`,
      [tableId, `[${batch.join(',')}]`],
    );
    batch = [];
    bytes = 0;
  };
  for (const { sourceUid, filename, data } of rows) {
    const id = newTimeOrderedId();
    const source = sourceUid ?? id;
    const position = positions.get(source) ?? 0;
    positions.set(source, position + 1);
    const row = {
      id,
      source_uid: source,
      position,
      document_uid: documents.has(source) ? source : null,
      data,
      filename,
    };
    const text = JSON.stringify(row);
    batch.push(text);
    bytes += text.length;
    if (batch.length >= BATCH || bytes >= BATCH_BYTES) await flush();
  }
  await flush();
}

async function documentsOf(tx: EntityManager, writerId: number, rows: readonly NewRow[]): Promise<Set<string>> {
  const uids = [...new Set(rows.map(({ sourceUid }) => sourceUid))].filter((uid) => uid !== null && UUID.test(uid));
  const visible = new Set<string>();
  for (let at = 0; at < uids.length; at += UIDS_AT_ONCE)
    for (const { uid, isVisible } of await documentsAmong(tx, writerId, uids.slice(at, at + UIDS_AT_ONCE) as string[]))
      if (isVisible) visible.add(uid);
  return visible;
}

/** Removes all rows of a table with what is known of their cells, some thousands a statement. */
export async function removeAllRows(tx: EntityManager, tableId: string): Promise<{ rows: number; highlights: number }> {
  const highlights = await inBatches(REMOVED_AT_ONCE, async (batch) => {
    const [, count] = await tx.query<[unknown, number]>(
      `DELETE FROM extracted_cells WHERE ctid = ANY(ARRAY(SELECT ctid FROM extracted_cells WHERE table_id = $1 LIMIT $2))`,
      [tableId, batch],
    );
    return count;
  });
  const rows = await inBatches(REMOVED_AT_ONCE, async (batch) => {
    const [, count] = await tx.query<[unknown, number]>(
      `DELETE FROM extracted_rows WHERE ctid = ANY(ARRAY(SELECT ctid FROM extracted_rows WHERE table_id = $1 LIMIT $2))`,
      [tableId, batch],
    );
    return count;
  });
  return { rows, highlights };
}

/** After rows were added or removed, in the same transaction; the table is locked. @throws ConflictError `row_limit_reached` */
export async function keepRowsCount(tx: EntityManager, tableId: string, change: number | 'count'): Promise<number> {
  const [[row]] = await tx.query<[{ count: number }[], number]>(
    `UPDATE extracted_tables SET updated_at = now(), rows_count = CASE WHEN $2::int IS NULL
       THEN (SELECT count(*) FROM extracted_rows WHERE table_id = $1)::int ELSE rows_count + $2 END
     WHERE id = $1 RETURNING rows_count AS count`,
    [tableId, change === 'count' ? null : change],
  );
  const count = row?.count ?? 0;
  if (count > MAX_ROWS) throw tooManyRows();
  return count;
}
