import { documentsAmong } from '@app/access';
import { ConflictError, newTimeOrderedId, NotFoundError, type Page, type PageRequest } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { TableColumn } from '../kit.js';
import { type CellRow, dropCells, putCells } from './cell-rows.js';
import { keepRowsCount } from './row-statements.js';
import { getTable, lockTable } from './table-access.js';
import { KEPT_CHANGES } from './table-limits.js';
import type { RowRecord } from './table-record.js';
import { isSameValue, valueOf } from './values.js';

/** One cell that a person changed. */
export interface CellChange {
  type: 'cell';
  rowId: string;
  sourceUid: string;
  column: string;
  before: unknown;
  after: unknown;
  /** What was known of it before; null: nothing. */
  cell: CellRow | null;
  /** The value stayed: somebody vouched for it, or does no longer. */
  verified?: boolean;
}

/** One row that a person removed, as it was. */
export interface RowRemoval {
  type: 'row';
  row: RowRecord;
  cells: CellRow[];
}

/** One row that was written by hand. */
export interface RowAddition {
  type: 'added';
  rowId: string;
  sourceUid: string;
  data: Record<string, unknown>;
}

export type TableChangeEntry = CellChange | RowRemoval | RowAddition;

/** What one call, or one turn of table-chat, changed by hand. */
export interface TableChange {
  id: string;
  user: { id: number; username: string };
  turnId: string | null;
  entries: TableChangeEntry[];
  undoneAt: Date | null;
  createdAt: Date;
}

export type SkipReason = 'changed_since' | 'row_gone' | 'column_gone' | 'row_there';

export interface UndoneChange {
  restored: number;
  skipped: { sourceUid: string; rowId: string; column: string | null; reason: SkipReason }[];
}

const COLUMNS = `c.id, jsonb_build_object('id', u.id, 'username', u.username) AS user, c.turn_id AS "turnId",
  c.changes AS entries, c.undone_at AS "undoneAt", c.created_at AS "createdAt"`;

/** In the transaction of the change; the table is locked. @returns its id */
export async function keepChange(
  tx: EntityManager,
  userId: number,
  tableId: string,
  turnId: string | null,
  entries: readonly TableChangeEntry[],
): Promise<string> {
  const id = newTimeOrderedId();
  await tx.query(
    `INSERT INTO extracted_table_changes (id, table_id, user_id, turn_id, changes) VALUES ($1, $2, $3, $4, $5)`,
    [id, tableId, userId, turnId, JSON.stringify(entries)],
  );
  await tx.query(
    `DELETE FROM extracted_table_changes WHERE table_id = $1 AND id <= (
       SELECT id FROM extracted_table_changes WHERE table_id = $1 ORDER BY id DESC OFFSET ${KEPT_CHANGES} LIMIT 1)`,
    [tableId],
  );
  return id;
}

/** What was changed by hand, and how it is taken back. */
@Injectable()
export class TableChanges {
  constructor(private readonly dataSource: DataSource) {}

  /** Newest first. @throws NotFoundError, ForbiddenError */
  async list(
    viewerId: number,
    tableId: string,
    { page, pageSize }: PageRequest,
    turnId: string | null = null,
  ): Promise<Page<TableChange>> {
    await getTable(this.dataSource, viewerId, tableId, 'read');
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM extracted_table_changes
       WHERE table_id = $1 AND ($2::uuid IS NULL OR turn_id = $2)`,
      [tableId, turnId],
    );
    const items = await this.dataSource.query<TableChange[]>(
      `SELECT ${COLUMNS} FROM extracted_table_changes c JOIN users u ON u.id = c.user_id
       WHERE c.table_id = $1 AND ($2::uuid IS NULL OR c.turn_id = $2) ORDER BY c.id DESC LIMIT $3 OFFSET $4`,
      [tableId, turnId, pageSize, (page - 1) * pageSize],
    );
    return { count, items };
  }

  /**
   * Puts back what was there, with its evidence. What was changed again since stays, and is told of.
   * @throws NotFoundError, ForbiddenError; ConflictError `change_undone` the second time
   */
  async undo(userId: number, tableId: string, changeId: string): Promise<UndoneChange> {
    return this.dataSource.transaction(async (tx) => {
      const { columns } = await lockTable(tx, userId, tableId, 'write');
      const [change] = await tx.query<{ entries: TableChangeEntry[]; undoneAt: Date | null }[]>(
        `SELECT changes AS entries, undone_at AS "undoneAt" FROM extracted_table_changes WHERE id = $1 AND table_id = $2`,
        [changeId, tableId],
      );
      if (!change) throw new NotFoundError('There is no such change.', { code: 'change_not_found' });
      if (change.undoneAt) throw new ConflictError('This change has been undone already.', { code: 'change_undone' });
      const outcome: UndoneChange = { restored: 0, skipped: [] };
      // The last one first: a turn may have changed the same cell twice.
      const entries = change.entries.toReversed();
      await this.restoreRows(
        tx,
        userId,
        tableId,
        entries.filter((entry) => entry.type === 'row'),
        columns,
        outcome,
      );
      await this.restoreCells(
        tx,
        tableId,
        entries.filter((entry) => entry.type === 'cell'),
        columns,
        outcome,
      );
      const added = entries.filter((entry) => entry.type === 'added');
      await this.removeAdded(tx, tableId, added, columns, outcome);
      await tx.query('UPDATE extracted_table_changes SET undone_at = now() WHERE id = $1', [changeId]);
      await keepRowsCount(tx, tableId, 'count');
      return outcome;
    });
  }

  private async restoreCells(
    tx: EntityManager,
    tableId: string,
    entries: readonly CellChange[],
    columns: readonly TableColumn[],
    outcome: UndoneChange,
  ): Promise<void> {
    const rows = await tx.query<{ id: string; data: Record<string, unknown> }[]>(
      'SELECT id, data FROM extracted_rows WHERE table_id = $1 AND id = ANY($2::uuid[])',
      [tableId, [...new Set(entries.map(({ rowId }) => rowId))]],
    );
    const now = new Map(rows.map(({ id, data }) => [id, data]));
    const changed = new Map<string, Map<string, unknown>>();
    const formerly: CellChange[] = [];
    for (const entry of entries) {
      const { rowId, sourceUid, column, before, after } = entry;
      const data = now.get(rowId);
      const value = changed.get(rowId)?.has(column) ? changed.get(rowId)!.get(column) : data && valueOf(data, column);
      const reason = !data
        ? 'row_gone'
        : !columns.some(({ name }) => name === column)
          ? 'column_gone'
          : !isSameValue(value, after)
            ? 'changed_since'
            : null;
      if (reason !== null) {
        outcome.skipped.push({ sourceUid, rowId, column, reason });
        continue;
      }
      changed.set(rowId, (changed.get(rowId) ?? new Map<string, unknown>()).set(column, before));
      formerly.push(entry);
      outcome.restored += 1;
    }
    const values = [...changed].map(([id, of]) => ({ id, data: Object.fromEntries(of) }));
    await tx.query(
      `UPDATE extracted_rows r SET data = r.data || n.data, updated_at = now()
       FROM jsonb_to_recordset($2::jsonb) AS n (id uuid, data jsonb) WHERE r.table_id = $1 AND r.id = n.id`,
      [tableId, JSON.stringify(values)],
    );
    for (const [column, of] of Map.groupBy(formerly, (entry) => entry.column))
      await dropCells(
        tx,
        of.map(({ rowId }) => rowId),
        [column],
      );
    // Of a cell that was changed twice the oldest state is the last.
    const cells = new Map(formerly.map((entry) => [`${entry.rowId} ${entry.column}`, entry.cell]));
    await putCells(
      tx,
      [...cells.values()].filter((cell) => cell !== null),
    );
  }

  /** Rows that were written go, as long as they are what was written. */
  private async removeAdded(
    tx: EntityManager,
    tableId: string,
    entries: readonly RowAddition[],
    columns: readonly TableColumn[],
    outcome: UndoneChange,
  ): Promise<void> {
    if (entries.length === 0) return;
    const rows = await tx.query<{ id: string; data: Record<string, unknown> }[]>(
      'SELECT id, data FROM extracted_rows WHERE table_id = $1 AND id = ANY($2::uuid[])',
      [tableId, entries.map(({ rowId }) => rowId)],
    );
    const there = new Map(rows.map(({ id, data }) => [id, data]));
    const gone: string[] = [];
    for (const { rowId, sourceUid, data } of entries) {
      const now = there.get(rowId);
      const isSame = now && columns.every(({ name }) => isSameValue(valueOf(now, name), valueOf(data, name)));
      if (isSame) gone.push(rowId);
      else outcome.skipped.push({ sourceUid, rowId, column: null, reason: now ? 'changed_since' : 'row_gone' });
    }
    await tx.query('DELETE FROM extracted_rows WHERE table_id = $1 AND id = ANY($2::uuid[])', [tableId, gone]);
    outcome.restored += gone.length;
  }

  private async restoreRows(
    tx: EntityManager,
    userId: number,
    tableId: string,
    entries: readonly RowRemoval[],
    columns: readonly TableColumn[],
    outcome: UndoneChange,
  ): Promise<void> {
    const names = columns.map(({ name }) => name);
    const uids = entries.flatMap(({ row }) => row.documentUid ?? []);
    const documents = await documentsAmong(tx, userId, uids);
    const isThere = new Set(documents.map(({ uid }) => uid));
    for (const { row, cells } of entries) {
      const documentUid = row.documentUid !== null && isThere.has(row.documentUid) ? row.documentUid : null;
      const data = Object.fromEntries(Object.entries(row.data).filter(([name]) => names.includes(name)));
      const [added] = await tx.query<{ id: string }[]>(
        `INSERT INTO extracted_rows (id, table_id, source_uid, position, document_uid, data, filename, created_at, processed_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING id`,
        [
          row.id,
          tableId,
          row.sourceUid,
          row.position,
          documentUid,
          JSON.stringify(data),
          row.filename,
          row.createdAt,
          row.processedAt,
        ],
      );
      if (!added) {
        outcome.skipped.push({ sourceUid: row.sourceUid, rowId: row.id, column: null, reason: 'row_there' });
        continue;
      }
      await putCells(
        tx,
        cells.filter(({ column_name: name }) => names.includes(name)),
      );
      outcome.restored += 1;
    }
  }
}
