import { ForbiddenError, NotFoundError } from '@app/common';
import type { DataSource, EntityManager } from 'typeorm';
import { TABLE_COLUMNS, TABLE_SOURCES, tableRole, type TableRecord, type TableRole } from './table-record.js';

/** Everybody with access reads, the owner and editors write, the owner alone deletes and shares. */
export type TableNeed = 'read' | 'write' | 'own';

const ALLOWED: Record<TableNeed, readonly TableRole[]> = {
  read: ['owner', 'editor', 'viewer'],
  write: ['owner', 'editor'],
  own: ['owner'],
};

/** Who is shown a table; as `Actor` for the audit log. */
export interface TableActor {
  userId: number;
  username: string;
}

/**
 * Other than elsewhere, a table that is there but not the viewer's is a 403: so has the contract it
 * (docs/contract/extracted-tables.md#who-may-do-what). Ids cannot be guessed.
 * @throws ForbiddenError
 */
export function decideTableAccess(role: TableRole | null, need: TableNeed): asserts role is TableRole {
  if (role === null)
    throw new ForbiddenError('This table is neither yours nor shared with you.', { code: 'table_not_yours' });
  if (ALLOWED[need].includes(role)) return;
  if (need === 'own') throw new ForbiddenError('Only the owner of the table can do this.', { code: 'not_table_owner' });
  throw new ForbiddenError('You may read this table, but not change it.', { code: 'table_read_only' });
}

export const tableNotFound = (): NotFoundError => new NotFoundError('Table not found.', { code: 'table_not_found' });

/** @throws NotFoundError, ForbiddenError */
export async function getTable(
  db: DataSource | EntityManager,
  viewerId: number,
  tableId: string,
  need: TableNeed,
): Promise<TableRecord> {
  const [found] = await db.query<(Omit<TableRecord, 'role'> & { role: TableRole | null })[]>(
    `SELECT ${TABLE_COLUMNS}, ${tableRole('t', '$1')} AS role FROM ${TABLE_SOURCES} WHERE t.id = $2`,
    [viewerId, tableId],
  );
  if (!found) throw tableNotFound();
  const { role } = found;
  decideTableAccess(role, need);
  return { ...found, role };
}

/**
 * The table at the moment of writing, locked until the transaction ends: whoever writes rows, changes columns or takes
 * access away does so one after the other. Call it first. A deactivated account writes no more, though its request has begun before.
 * @throws NotFoundError, ForbiddenError
 */
export async function lockTable(
  tx: EntityManager,
  userId: number,
  tableId: string,
  need: TableNeed,
): Promise<TableRecord> {
  await lockRow(tx, tableId);
  // A statement of its own: it has to see what was committed while the lock was waited for.
  const table = await getTable(tx, userId, tableId, need);
  const active = await tx.query<unknown[]>('SELECT FROM users WHERE id = $1 AND is_active', [userId]);
  if (active.length === 0) throw new ForbiddenError();
  return table;
}

/** The same for work that was asked for by somebody with access. @throws NotFoundError for one that is deleted */
export async function lockTableForWork(
  tx: EntityManager,
  tableId: string,
): Promise<Pick<TableRecord, 'id' | 'ownerId' | 'columns' | 'rowsCount' | 'metadata'>> {
  await lockRow(tx, tableId);
  const [table] = await tx.query<Pick<TableRecord, 'id' | 'ownerId' | 'columns' | 'rowsCount' | 'metadata'>[]>(
    `SELECT id, owner_id AS "ownerId", columns, rows_count AS "rowsCount", metadata FROM extracted_tables WHERE id = $1`,
    [tableId],
  );
  if (!table) throw tableNotFound();
  return table;
}

async function lockRow(tx: EntityManager, tableId: string): Promise<void> {
  const rows = await tx.query<unknown[]>('SELECT FROM extracted_tables WHERE id = $1 FOR NO KEY UPDATE', [tableId]);
  if (rows.length === 0) throw tableNotFound();
}
