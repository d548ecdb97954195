import { AuditLog } from '@app/audit';
import { Clock, NotFoundError, ValidationError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { editedCell, findCells, putCells } from './cell-rows.js';
import { ColumnIndex } from './column-rules.js';
import { Complaints, type GivenValues, readValues } from './given-values.js';
import { ReferenceKeys } from './reference-keys.js';
import { keepRowsCount } from './row-statements.js';
import { lockTable, type TableActor } from './table-access.js';
import { type CellChange, keepChange, type RowRemoval } from './table-changes.js';
import { MAX_CHANGED } from './table-limits.js';
import { ROW_COLUMNS, type RowRecord, type TableRecord } from './table-record.js';
import { isEmptyValue, valueOf } from './values.js';

export interface EditedRows {
  /** In their order. */
  rows: RowRecord[];
  /** With which it is undone; null: too much was changed at once. */
  changeId: string | null;
}

/** Rows of a source: all of them, or one. */
export interface AddressedRows {
  sourceUid: string;
  rowId: string | null;
}

export interface ChangeOptions {
  /** The turn of table-chat that asks for it. */
  turnId?: string | null;
}

const rowNotFound = () => new NotFoundError('The table has no row of this source.', { code: 'row_not_found' });

/** Rows as people change them. Every statement is scoped to its viewer. */
@Injectable()
export class ExtractedRows {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Sets cells of all rows of a source, or of one of them. Their evidence goes: it proves another value.
   * @throws NotFoundError, ForbiddenError, ValidationError naming each value that is refused
   */
  async edit(
    actor: TableActor,
    tableId: string,
    at: AddressedRows,
    given: GivenValues,
    { turnId = null }: ChangeOptions = {},
  ): Promise<EditedRows> {
    return this.dataSource.transaction(async (tx) => {
      const table = await lockTable(tx, actor.userId, tableId, 'write');
      const values = await this.read(tx, table, given);
      const names = Object.keys(values);
      const rows = await getRows(tx, tableId, at);
      const ids = rows.map(({ id }) => id);
      const isKept = rows.length * names.length <= MAX_CHANGED;
      const former = isKept ? await findCells(tx, ids, names) : [];
      const formerOf = new Map(former.map((cell) => [`${cell.row_id} ${cell.column_name}`, cell]));
      const now = new Date(this.clock.now());
      await tx.query(
        `UPDATE extracted_rows SET data = data || $3::jsonb, updated_at = now() WHERE table_id = $1 AND id = ANY($2::uuid[])`,
        [tableId, ids, JSON.stringify(values)],
      );
      const cells = ids.flatMap((id) =>
        names.map((name) =>
          editedCell({ row_id: id, column_name: name, table_id: tableId }, isEmptyValue(values[name]), now),
        ),
      );
      await putCells(tx, cells);
      await tx.query('UPDATE extracted_tables SET updated_at = now() WHERE id = $1', [tableId]);
      const changes = isKept
        ? rows.flatMap(({ id, data }) =>
            names.map((name): CellChange => ({
              type: 'cell',
              rowId: id,
              sourceUid: at.sourceUid,
              column: name,
              before: valueOf(data, name),
              after: values[name] ?? null,
              cell: formerOf.get(`${id} ${name}`) ?? null,
            })),
          )
        : null;
      const changeId = changes === null ? null : await keepChange(tx, actor.userId, tableId, turnId, changes);
      return { rows: await getRows(tx, tableId, at), changeId };
    });
  }

  /** All rows of a source, or one of them. @throws NotFoundError, ForbiddenError */
  async delete(
    actor: TableActor,
    tableId: string,
    at: AddressedRows,
    { turnId = null }: ChangeOptions = {},
  ): Promise<{ deletedRows: number; changeId: string | null }> {
    return this.dataSource.transaction(async (tx) => {
      await lockTable(tx, actor.userId, tableId, 'write');
      const rows = await getRows(tx, tableId, at);
      const ids = rows.map(({ id }) => id);
      const cells = rows.length <= MAX_CHANGED / 10 ? await findCells(tx, ids, null) : [];
      const isKept = rows.length <= MAX_CHANGED / 10 && cells.length <= MAX_CHANGED;
      const cellsOf = Map.groupBy(cells, (cell) => cell.row_id);
      const removals = rows.map((row): RowRemoval => ({ type: 'row', row, cells: cellsOf.get(row.id) ?? [] }));
      await tx.query('DELETE FROM extracted_rows WHERE table_id = $1 AND id = ANY($2::uuid[])', [tableId, ids]);
      await keepRowsCount(tx, tableId, -rows.length);
      const changeId = isKept ? await keepChange(tx, actor.userId, tableId, turnId, removals) : null;
      const target = `extracted_table:${tableId}`;
      const details = { source_uid: at.sourceUid, rows: rows.length };
      await this.audit.record({ action: 'extracted_table.rows_deleted', actor, target, details }, tx);
      return { deletedRows: rows.length, changeId };
    });
  }

  private async read(tx: EntityManager, table: TableRecord, given: GivenValues): Promise<Record<string, unknown>> {
    const columns = new ColumnIndex(table.columns);
    const asked = Object.keys(given).flatMap((name) => columns.find(name) ?? []);
    const complaints = new Complaints();
    const references = await ReferenceKeys.read(tx, table.ownerId, asked);
    const values = readValues({ columns, references }, given, 'data', complaints);
    if (!complaints.isEmpty) throw new ValidationError(complaints.fields);
    if (Object.keys(values).length === 0) throw new ValidationError({ data: ['This dictionary may not be empty.'] });
    return values;
  }
}

/** In their order. @throws NotFoundError when there is none */
export async function getRows(
  tx: EntityManager,
  tableId: string,
  { sourceUid, rowId }: AddressedRows,
): Promise<RowRecord[]> {
  const rows = await findRows(tx, tableId, sourceUid);
  const addressed = rowId === null ? rows : rows.filter(({ id }) => id === rowId);
  if (addressed.length === 0) throw rowNotFound();
  return addressed;
}

export async function findRows(tx: EntityManager, tableId: string, sourceUid: string): Promise<RowRecord[]> {
  return tx.query<RowRecord[]>(
    `SELECT ${ROW_COLUMNS} FROM extracted_rows r WHERE r.table_id = $1 AND r.source_uid = $2 ORDER BY r.position`,
    [tableId, sourceUid],
  );
}
