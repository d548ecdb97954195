import type { EntityManager } from 'typeorm';
import { coerceValue } from '../coercion/coerce-value.js';
import type { SchemaChange } from './schema-change.js';
import { isSameValue } from './values.js';

const BATCH = 2_000;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

interface StoredRow {
  id: string;
  data: Record<string, unknown>;
}

/**
 * Has the rows of a locked table follow its columns: values of removed ones go with their evidence, others are read anew
 * where their type is another. @returns how many values stayed as they were since they cannot be read
 */
export async function rewriteRows(tx: EntityManager, tableId: string, change: SchemaChange): Promise<number> {
  let unread = 0;
  for (let after = BEFORE_ALL; ;) {
    const rows: StoredRow[] = await tx.query<StoredRow[]>(
      `SELECT id, data FROM extracted_rows WHERE table_id = $1 AND id > $2 ORDER BY id LIMIT ${BATCH}`,
      [tableId, after],
    );
    const changed: StoredRow[] = [];
    for (const row of rows) {
      const rewritten = rewrite(row.data, change);
      unread += rewritten.unread;
      if (rewritten.data !== null) changed.push({ id: row.id, data: rewritten.data });
    }
    if (changed.length > 0)
      await tx.query(
        `UPDATE extracted_rows r SET data = n.data, updated_at = now()
         FROM jsonb_to_recordset($2::jsonb) AS n (id uuid, data jsonb) WHERE r.id = n.id AND r.table_id = $1`,
        [tableId, JSON.stringify(changed)],
      );
    if (rows.length < BATCH) break;
    after = rows.at(-1)!.id;
  }
  if (change.removed.length > 0)
    await tx.query('DELETE FROM extracted_cells WHERE table_id = $1 AND column_name = ANY($2::text[])', [
      tableId,
      change.removed,
    ]);
  for (const [name, former] of change.renamed)
    await tx.query('UPDATE extracted_cells SET column_name = $3 WHERE table_id = $1 AND column_name = $2', [
      tableId,
      former,
      name,
    ]);
  return unread;
}

/** Null data: it stays as it is. */
function rewrite(
  data: Record<string, unknown>,
  { removed, renamed, retyped }: SchemaChange,
): { data: Record<string, unknown> | null; unread: number } {
  const values = new Map(Object.entries(data));
  let isChanged = false;
  let unread = 0;
  for (const name of removed) isChanged = values.delete(name) || isChanged;
  for (const [name, former] of renamed) {
    if (!values.has(former)) continue;
    values.set(name, values.get(former));
    values.delete(former);
    isChanged = true;
  }
  for (const column of retyped) {
    const value = values.get(column.name) ?? null;
    if (value === null) continue;
    const read = coerceValue(column, value);
    if ('problem' in read) unread += 1;
    else if (!isSameValue(read.value, value)) {
      values.set(column.name, read.value);
      isChanged = true;
    }
  }
  return { data: isChanged ? Object.fromEntries(values) : null, unread };
}
