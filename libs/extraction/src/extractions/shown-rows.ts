import type { DataSource } from 'typeorm';
import { ROW_COLUMNS, type RowRecord } from '../tables/table-record.js';

/** Rows by id as they are now; for code that has decided access to their table. Those that are gone are missing. */
export async function findRowsById(db: DataSource, ids: readonly string[]): Promise<Map<string, RowRecord>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<RowRecord[]>(
    `SELECT ${ROW_COLUMNS} FROM extracted_rows r WHERE r.id = ANY ($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Rows of a table, those of the sources named or all, in the order of sources that are named and of their rows; for code
 * that has decided access.
 */
export async function listRowsOfSources(
  db: DataSource,
  tableId: string,
  sourceUids: readonly string[] | null,
  limit: number,
): Promise<RowRecord[]> {
  return db.query<RowRecord[]>(
    `SELECT ${ROW_COLUMNS} FROM extracted_rows r WHERE r.table_id = $1 AND ($2::text[] IS NULL OR r.source_uid = ANY ($2))
     ORDER BY array_position($2::text[], r.source_uid), r.id LIMIT $3`,
    [tableId, sourceUids, limit],
  );
}
