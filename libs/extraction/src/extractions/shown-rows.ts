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
