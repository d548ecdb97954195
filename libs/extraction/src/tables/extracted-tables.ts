import { AuditLog } from '@app/audit';
import { ConflictError, ForbiddenError, newTimeOrderedId, ValidationError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { findWorkflowRole, lockActiveAccount } from '@app/access';
import type { TableColumn } from '../kit.js';
import { checkColumns, ColumnIndex } from './column-rules.js';
import { Complaints, readRows } from './given-values.js';
import { checkReferences, ReferenceKeys } from './reference-keys.js';
import { rewriteRows } from './rewrite-rows.js';
import { insertGivenRows, keepRowsCount, removeAllRows } from './row-statements.js';
import { changesRows, compareSchemas, warningOf } from './schema-change.js';
import { getTable, lockTable, type TableActor, type TableNeed } from './table-access.js';
import { MAX_ROWS, MAX_TABLES } from './table-limits.js';
import { mergeMetadata } from './table-metadata.js';
import { TABLE_COLUMNS, TABLE_SOURCES, tableRole, type TableRecord, visibleTableIds } from './table-record.js';

export interface NewTable {
  name: string;
  columns: TableColumn[];
  /** As they came; null: none. */
  rows: readonly unknown[] | null;
  metadata: Record<string, unknown>;
  workflowId: string | null;
}

export interface TableUpdate {
  name?: string | undefined;
  /** The whole list. */
  columns?: TableColumn[] | undefined;
  /** Joined with what is there. */
  metadata?: Record<string, unknown> | undefined;
  /** In place of every row; undefined leaves them. */
  rows?: readonly unknown[] | undefined;
}

export interface UpdatedTable {
  tableId: string;
  existingRows: number;
  columnsAdded: string[];
  columnsRemoved: string[];
  warning: string | null;
}

/** Extracted tables as wholes (docs/contract/extracted-tables.md). Every statement is scoped to its viewer. */
@Injectable()
export class ExtractedTables {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** Own and shared ones, newest first. */
  async list(viewerId: number, organizationName: string | null = null): Promise<TableRecord[]> {
    return this.dataSource.query<TableRecord[]>(
      `SELECT ${TABLE_COLUMNS}, ${tableRole('t', '$1')} AS role FROM ${TABLE_SOURCES}
       WHERE t.id IN ${visibleTableIds('$1')} AND ($2::text IS NULL OR coalesce(o.name, '') = $2) ORDER BY t.id DESC`,
      [viewerId, organizationName],
    );
  }

  /** @throws NotFoundError, ForbiddenError */
  async get(viewerId: number, tableId: string, need: TableNeed = 'read'): Promise<TableRecord> {
    return getTable(this.dataSource, viewerId, tableId, need);
  }

  /** In the order of the ids. @throws ForbiddenError when one of them is not shown to the viewer, or is none */
  async getAll(viewerId: number, ids: readonly string[]): Promise<TableRecord[]> {
    const tables = await this.dataSource.query<TableRecord[]>(
      `SELECT ${TABLE_COLUMNS}, ${tableRole('t', '$1')} AS role FROM ${TABLE_SOURCES}
       WHERE t.id = ANY($2::uuid[]) AND t.id IN ${visibleTableIds('$1')}`,
      [viewerId, ids],
    );
    const byId = new Map(tables.map((table) => [table.id, table]));
    return ids.map((id) => {
      const table = byId.get(id);
      if (!table)
        throw new ForbiddenError('One of these tables is neither yours nor shared with you.', {
          code: 'table_not_yours',
        });
      return table;
    });
  }

  /** @throws ValidationError also for a workflow that the actor does not see; ConflictError `table_limit_reached` */
  async create(actor: TableActor, table: NewTable): Promise<string> {
    const columns = checkColumns(table.columns);
    const metadata = mergeMetadata({}, table.metadata);
    const id = newTimeOrderedId();
    await this.dataSource.transaction(async (tx) => {
      if ((await lockActiveAccount(tx, actor.userId)) === null) throw new ForbiddenError();
      const [{ count }] = await tx.query<[{ count: number }]>(
        'SELECT count(*)::int AS count FROM extracted_tables WHERE owner_id = $1',
        [actor.userId],
      );
      if (count >= MAX_TABLES)
        throw new ConflictError(`You can have ${MAX_TABLES} tables at most.`, { code: 'table_limit_reached' });
      const { workflowId } = table;
      if (workflowId !== null && (await findWorkflowRole(tx, actor.userId, workflowId)) === null)
        throw new ValidationError({ workflow_id: ['There is no such workflow.'] });
      const checked = await checkReferences(tx, [actor.userId], columns, null);
      await tx.query(
        `INSERT INTO extracted_tables (id, owner_id, name, columns, metadata, workflow_id) VALUES ($1, $2, $3, $4, $5, $6)`,
        [id, actor.userId, table.name, JSON.stringify(checked), JSON.stringify(metadata), workflowId],
      );
      if (table.rows !== null)
        await this.addRows(tx, actor.userId, { id, ownerId: actor.userId, columns: checked }, table.rows);
      await this.record(tx, 'extracted_table.created', actor, id, { name: table.name });
    });
    return id;
  }

  /** @throws NotFoundError, ForbiddenError, ValidationError */
  async update(actor: TableActor, tableId: string, update: TableUpdate): Promise<UpdatedTable> {
    const given = update.columns && checkColumns(update.columns);
    return this.dataSource.transaction(async (tx) => {
      const table = await lockTable(tx, actor.userId, tableId, 'write');
      const columns = given ? await this.checkNewReferences(tx, actor, table, given) : table.columns;
      const change = compareSchemas(table.columns, columns);
      const metadata = mergeMetadata(table.metadata, update.metadata ?? {});
      await tx.query(
        'UPDATE extracted_tables SET name = $2, columns = $3, metadata = $4, updated_at = now() WHERE id = $1',
        [tableId, update.name ?? table.name, JSON.stringify(columns), JSON.stringify(metadata)],
      );
      let unread = 0;
      if (update.rows !== undefined) {
        await removeAllRows(tx, tableId);
        await this.addRows(tx, actor.userId, { ...table, columns }, update.rows);
      } else if (changesRows(change)) unread = await rewriteRows(tx, tableId, change);
      const { added, removed } = change;
      await this.record(tx, 'extracted_table.updated', actor, tableId, {
        columns_added: added,
        columns_removed: removed,
        ...(update.rows === undefined ? {} : { replaced_rows: table.rowsCount }),
      });
      return {
        tableId,
        existingRows: update.rows?.length ?? table.rowsCount,
        columnsAdded: added,
        columnsRemoved: removed,
        warning: warningOf(change, update.rows === undefined ? table.rowsCount : 0, unread),
      };
    });
  }

  /** For good, with its rows and all that is known of them. @throws NotFoundError, ForbiddenError */
  async delete(actor: TableActor, tableId: string): Promise<{ rows: number; highlights: number }> {
    return this.dataSource.transaction(async (tx) => {
      const { name } = await lockTable(tx, actor.userId, tableId, 'own');
      const deleted = await removeAllRows(tx, tableId);
      await tx.query('DELETE FROM extracted_tables WHERE id = $1', [tableId]);
      await this.record(tx, 'extracted_table.deleted', actor, tableId, { name });
      return deleted;
    });
  }

  /** Columns that are as they were need not be seen by whoever sends them along. */
  private async checkNewReferences(
    tx: EntityManager,
    actor: TableActor,
    table: TableRecord,
    columns: TableColumn[],
  ): Promise<TableColumn[]> {
    const known = new ColumnIndex(table.columns);
    const isKnown = ({ name, reference }: TableColumn) => {
      const former = known.find(name)?.reference;
      return former?.tableId === reference?.tableId && former?.column === reference?.column;
    };
    const fresh = columns.map((column) => (isKnown(column) ? { ...column, reference: null } : column));
    const own = { tableId: table.id, columns };
    const checked = await checkReferences(tx, [actor.userId, table.ownerId], fresh, own);
    return columns.map((column, index) => (isKnown(column) ? column : checked[index]!));
  }

  private async addRows(
    tx: EntityManager,
    writerId: number,
    table: Pick<TableRecord, 'id' | 'ownerId' | 'columns'>,
    given: readonly unknown[],
  ): Promise<void> {
    if (given.length > MAX_ROWS)
      throw new ValidationError({ rows: [`Ensure this field has no more than ${MAX_ROWS} elements.`] });
    const references = await ReferenceKeys.read(tx, table.ownerId, table.columns);
    const complaints = new Complaints();
    const rows = readRows({ columns: new ColumnIndex(table.columns), references }, given, complaints);
    if (!complaints.isEmpty) throw new ValidationError(complaints.fields);
    await insertGivenRows(tx, writerId, table.id, rows);
    await keepRowsCount(tx, table.id, 'count');
  }

  private record(
    tx: EntityManager,
    action: 'extracted_table.created' | 'extracted_table.updated' | 'extracted_table.deleted',
    actor: TableActor,
    tableId: string,
    details: Record<string, unknown>,
  ): Promise<void> {
    return this.audit.record({ action, actor, target: `extracted_table:${tableId}`, details }, tx);
  }
}
