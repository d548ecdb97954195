import { NotFoundError } from '@app/common';
import type { DataSource, EntityManager } from 'typeorm';
import { ROW_COLUMNS, type RowRecord } from '../tables/table-record.js';

/** Rows of the table by their ids, in their order. @throws NotFoundError `row_not_found` naming those that it has not */
export async function getRows(
  db: DataSource | EntityManager,
  tableId: string,
  ids: readonly string[],
): Promise<Map<string, RowRecord>> {
  const rows = await db.query<RowRecord[]>(
    `SELECT ${ROW_COLUMNS} FROM extracted_rows r WHERE r.table_id = $1 AND r.id = ANY($2::uuid[]) ORDER BY r.id`,
    [tableId, ids],
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length === 0) return found;
  throw new NotFoundError(`The table has no row ${missing.slice(0, 5).join(', ')}.`, { code: 'row_not_found' });
}
