import { AuditLog } from '@app/audit';
import { Clock, newTimeOrderedId, ValidationError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type CellRow, editedCell, findCells, putCells } from '../tables/cell-rows.js';
import { ColumnIndex } from '../tables/column-rules.js';
import { Complaints, type GivenValues, readValues, type ValueRules } from '../tables/given-values.js';
import { ReferenceKeys } from '../tables/reference-keys.js';
import { keepRowsCount } from '../tables/row-statements.js';
import { getTable } from '../tables/table-access.js';
import type { CellChange, RowAddition, RowRemoval } from '../tables/table-changes.js';
import { MAX_CHANGED } from '../tables/table-limits.js';
import type { RowRecord, TableRecord } from '../tables/table-record.js';
import { isEmptyValue, isSameValue, valueOf } from '../tables/values.js';
import { type DeskCall, DeskChanges, type DeskOutcome } from './desk-changes.js';
import { getRows } from './desk-rows.js';

export interface CellEdit {
  rowId: string;
  values: GivenValues;
}

export interface RowToAdd {
  values: GivenValues;
  filename: string;
}

export interface CellToVerify {
  rowId: string;
  column: string;
}

/** What is known of the cells of a row. */
export interface RowEvidence {
  row: RowRecord;
  cells: CellRow[];
}

/**
 * One table as an agent works on it (docs/contract/table-chat.md): row by row, with the rights that its person has at each
 * call, each call once, and all of it to be undone.
 */
@Injectable()
export class TableDesk {
  constructor(
    private readonly dataSource: DataSource,
    private readonly changes: DeskChanges,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws NotFoundError, ForbiddenError */
  async evidence(viewerId: number, tableId: string, rowIds: readonly string[]): Promise<RowEvidence[]> {
    await getTable(this.dataSource, viewerId, tableId, 'read');
    const rows = await getRows(this.dataSource, tableId, rowIds);
    const cells = Map.groupBy(await findCells(this.dataSource, [...rows.keys()], null), (cell) => cell.row_id);
    return [...rows.values()].map((row) => ({ row, cells: cells.get(row.id) ?? [] }));
  }

  /** Sets cells; their evidence goes, since it proves another value. @throws NotFoundError, ForbiddenError, ValidationError */
  edit(call: DeskCall, edits: readonly CellEdit[]): Promise<DeskOutcome> {
    return this.changes.carryOut(call, async (tx, table) => {
      const read = await this.reader(
        tx,
        table,
        edits.map(({ values }) => values),
      );
      const rows = await getRows(
        tx,
        table.id,
        edits.map(({ rowId }) => rowId),
      );
      const values = new Map<string, Record<string, unknown>>();
      const complaints = new Complaints();
      for (const edit of edits) {
        const given = readValues(read, edit.values, edit.rowId, complaints);
        values.set(edit.rowId, { ...values.get(edit.rowId), ...given });
      }
      if (!complaints.isEmpty) throw new ValidationError(complaints.fields);
      const changed = [...values].flatMap(([rowId, of]) =>
        Object.entries(of)
          .filter(([column, value]) => !isSameValue(valueOf(rows.get(rowId)!.data, column), value))
          .map(([column, after]) => ({ rowId, column, after })),
      );
      const entries = await this.entriesOf(tx, rows, changed);
      const ofRow = Map.groupBy(changed, ({ rowId }) => rowId);
      const data = [...ofRow].map(([id, cells]) => ({
        id,
        data: Object.fromEntries(cells.map(({ column, after }) => [column, after])),
      }));
      await tx.query(
        `UPDATE extracted_rows r SET data = r.data || n.data, updated_at = now()
         FROM jsonb_to_recordset($2::jsonb) AS n (id uuid, data jsonb) WHERE r.table_id = $1 AND r.id = n.id`,
        [table.id, JSON.stringify(data)],
      );
      const now = new Date(this.clock.now());
      await putCells(
        tx,
        changed.map(({ rowId, column, after }) =>
          editedCell({ row_id: rowId, column_name: column, table_id: table.id }, isEmptyValue(after), now),
        ),
      );
      const same = [...values.values()].reduce((sum, of) => sum + Object.keys(of).length, 0) - changed.length;
      return { entries, outcome: { changed_cells: changed.length, had_the_value_before: same } };
    });
  }

  /** @throws ForbiddenError, ValidationError; ConflictError `row_limit_reached` */
  add(call: DeskCall, rows: readonly RowToAdd[]): Promise<DeskOutcome> {
    return this.changes.carryOut(call, async (tx, table) => {
      const read = await this.reader(
        tx,
        table,
        rows.map(({ values }) => values),
      );
      const complaints = new Complaints();
      const added = rows.map(({ values, filename }, index) => {
        const id = newTimeOrderedId();
        return { id, data: readValues(read, values, `rows.${index}`, complaints), filename };
      });
      if (!complaints.isEmpty) throw new ValidationError(complaints.fields);
      await tx.query(
        `INSERT INTO extracted_rows (id, table_id, source_uid, data, filename)
         SELECT n.id, $1, n.id::text, n.data, n.filename
         FROM jsonb_to_recordset($2::jsonb) AS n (id uuid, data jsonb, filename text)`,
        [table.id, JSON.stringify(added)],
      );
      await keepRowsCount(tx, table.id, added.length);
      const entries = added.map(({ id, data }): RowAddition => ({ type: 'added', rowId: id, sourceUid: id, data }));
      return { entries, outcome: { added_rows: added.length, row_ids: added.map(({ id }) => id) } };
    });
  }

  /** @throws NotFoundError, ForbiddenError */
  delete(call: DeskCall, rowIds: readonly string[]): Promise<DeskOutcome> {
    return this.changes.carryOut(call, async (tx, table, actor) => {
      const rows = await getRows(tx, table.id, rowIds);
      const cells = await findCells(tx, [...rows.keys()], null);
      const cellsOf = Map.groupBy(cells, (cell) => cell.row_id);
      const entries = [...rows.values()].map((row): RowRemoval => ({
        type: 'row',
        row,
        cells: cellsOf.get(row.id) ?? [],
      }));
      await tx.query('DELETE FROM extracted_rows WHERE table_id = $1 AND id = ANY($2::uuid[])', [
        table.id,
        [...rows.keys()],
      ]);
      await keepRowsCount(tx, table.id, -rows.size);
      const target = `extracted_table:${table.id}`;
      await this.audit.record(
        { action: 'extracted_table.rows_deleted', actor, target, details: { rows: rows.size, turn: call.turnId } },
        tx,
      );
      return { entries, outcome: { deleted_rows: rows.size } };
    });
  }

  /** The person vouches for these values, or does no longer. @throws NotFoundError, ForbiddenError, ValidationError */
  verify(call: DeskCall, given: readonly CellToVerify[], isVerified: boolean): Promise<DeskOutcome> {
    return this.changes.carryOut(call, async (tx, table, actor) => {
      const columns = new ColumnIndex(table.columns);
      const asked = given.map(({ rowId, column }) => {
        const name = columns.find(column)?.name;
        if (name === undefined)
          throw new ValidationError({ [column.slice(0, 100)]: ['The table has no such column.'] });
        return { rowId, column: name };
      });
      const rows = await getRows(
        tx,
        table.id,
        asked.map(({ rowId }) => rowId),
      );
      const cells = asked.map((cell) => ({ ...cell, after: valueOf(rows.get(cell.rowId)!.data, cell.column) }));
      const entries = (await this.entriesOf(tx, rows, cells)).map((entry) => ({ ...entry, verified: isVerified }));
      const at = new Date(this.clock.now()).toISOString();
      await putCells(
        tx,
        entries.map(({ rowId, column, after, cell }) => {
          const place = { row_id: rowId, column_name: column, table_id: table.id };
          // A value that nobody extracted has no cell yet; to vouch for it is not to edit it.
          const known = cell ?? { ...editedCell(place, isEmptyValue(after), new Date()), edited_at: null };
          return { ...known, verified_by: isVerified ? actor.userId : null, verified_at: isVerified ? at : null };
        }),
      );
      return { entries, outcome: { [isVerified ? 'verified_cells' : 'unverified_cells']: entries.length } };
    });
  }

  /** What is there before cells change: each once. */
  private async entriesOf(
    tx: EntityManager,
    rows: ReadonlyMap<string, RowRecord>,
    cells: readonly { rowId: string; column: string; after: unknown }[],
  ): Promise<CellChange[]> {
    const former = await findCells(tx, [...new Set(cells.map(({ rowId }) => rowId))], null);
    const formerOf = new Map(former.map((cell) => [`${cell.row_id} ${cell.column_name}`, cell]));
    const entries = new Map<string, CellChange>();
    for (const { rowId, column, after } of cells) {
      const row = rows.get(rowId)!;
      const key = `${rowId} ${column}`;
      const before = valueOf(row.data, column);
      const { sourceUid } = row;
      entries.set(key, { type: 'cell', rowId, sourceUid, column, before, after, cell: formerOf.get(key) ?? null });
    }
    return [...entries.values()];
  }

  private async reader(tx: EntityManager, table: TableRecord, given: readonly GivenValues[]): Promise<ValueRules> {
    const columns = new ColumnIndex(table.columns);
    const names = new Set(given.slice(0, MAX_CHANGED).flatMap((values) => Object.keys(values)));
    const asked = [...names].flatMap((name) => columns.find(name) ?? []);
    return { columns, references: await ReferenceKeys.read(tx, table.ownerId, asked) };
  }
}
