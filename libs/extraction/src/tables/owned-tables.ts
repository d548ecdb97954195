import {
  ErasureRegistry,
  exportedObject,
  exportedRow,
  type ExportedColumns,
  type ExportedFile,
  type OwnedData,
} from '@app/erasure';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Readable } from 'node:stream';
import { DataSource, type EntityManager } from 'typeorm';

const TABLES: ExportedColumns = {
  table: 'extracted_tables',
  exported: ['id', 'name', 'columns', 'metadata', 'workflow_id', 'rows_count', 'created_at', 'updated_at'],
  withheld: { owner_id: 'whose copy it is' },
};

const ROWS: ExportedColumns = {
  table: 'extracted_rows',
  exported: [
    'id',
    'source_uid',
    'position',
    'document_uid',
    'data',
    'filename',
    'created_at',
    'updated_at',
    'processed_at',
  ],
  withheld: { table_id: 'the file is of one table' },
};

const CELLS: ExportedColumns = {
  table: 'extracted_cells',
  exported: [
    'column_name',
    'status',
    'quote',
    'spans',
    'page_width',
    'page_height',
    'place',
    'score',
    'ambiguous',
    'method',
    'anchor',
    'reason',
    'model',
    'edited_at',
    'verified_at',
    'updated_at',
  ],
  withheld: {
    row_id: 'they stand in their row',
    table_id: 'the file is of one table',
    verified_by: 'another person, perhaps',
  },
};

const DATABASES: ExportedColumns = {
  table: 'extracted_table_databases',
  exported: ['id', 'name', 'created_at', 'updated_at'],
  withheld: { owner_id: 'whose copy it is' },
};

const CHANGES: ExportedColumns = {
  table: 'extracted_table_changes',
  exported: ['id', 'table_id', 'turn_id', 'undone_at', 'created_at'],
  withheld: {
    user_id: 'whose copy it is',
    changes: 'values of a table, which may be somebody else’s',
    calls: 'which calls of a turn were made already',
  },
};

/** What one call deletes, and what is read of rows at a time. */
const BATCH = 5_000;
const READ = 500;
/** One may hold what stood in thousands of cells. */
const CHANGES_READ = 20;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Extracted tables with their rows, databases of them, what was changed by hand, and access to others' tables. */
@Injectable()
export class OwnedTables implements OwnedData, OnModuleInit {
  readonly name = 'extracted_tables';
  readonly tables = [
    'extracted_tables',
    'extracted_rows',
    'extracted_cells',
    'extracted_table_grants',
    'extracted_table_databases',
    'extracted_table_database_members',
    'extracted_table_changes',
    'extractions',
    'extraction_items',
  ];
  readonly columns = [TABLES, ROWS, CELLS, DATABASES, CHANGES];

  constructor(
    private readonly dataSource: DataSource,
    private readonly registry: ErasureRegistry,
  ) {}

  onModuleInit(): void {
    this.registry.register(this);
  }

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT (SELECT count(*) FROM extracted_tables WHERE owner_id = $1)::int
         + (SELECT count(*) FROM extracted_table_databases WHERE owner_id = $1)::int
         + (SELECT count(*) FROM extracted_table_grants WHERE user_id = $1)::int
         + (SELECT count(*) FROM extracted_table_changes WHERE user_id = $1)::int AS count`,
      [userId],
    );
    return count;
  }

  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const portions = [
      () =>
        tx.query<[unknown, number]>(
          `DELETE FROM extracted_cells WHERE ctid = ANY(ARRAY(SELECT c.ctid FROM extracted_cells c
             JOIN extracted_tables t ON t.id = c.table_id WHERE t.owner_id = $1 LIMIT ${BATCH}))`,
          [userId],
        ),
      () =>
        tx.query<[unknown, number]>(
          `DELETE FROM extracted_rows WHERE ctid = ANY(ARRAY(SELECT r.ctid FROM extracted_rows r
             JOIN extracted_tables t ON t.id = r.table_id WHERE t.owner_id = $1 LIMIT ${BATCH}))`,
          [userId],
        ),
      () => tx.query<[unknown, number]>('DELETE FROM extracted_tables WHERE owner_id = $1', [userId]),
      () => tx.query<[unknown, number]>('DELETE FROM extracted_table_databases WHERE owner_id = $1', [userId]),
      () => tx.query<[unknown, number]>('DELETE FROM extracted_table_grants WHERE user_id = $1', [userId]),
      () =>
        tx.query<[unknown, number]>(
          `DELETE FROM extracted_table_changes WHERE ctid = ANY(ARRAY(
             SELECT ctid FROM extracted_table_changes WHERE user_id = $1 LIMIT ${BATCH}))`,
          [userId],
        ),
      () => tx.query<[unknown, number]>('DELETE FROM extractions WHERE requested_by = $1', [userId]),
      () =>
        tx.query<[unknown, number]>(
          `UPDATE extracted_cells SET verified_by = NULL WHERE ctid = ANY(ARRAY(
             SELECT ctid FROM extracted_cells WHERE verified_by = $1 LIMIT ${BATCH}))`,
          [userId],
        ),
    ];
    for (const portion of portions) {
      const [, count] = await portion();
      if (count > 0) return count;
    }
    return 0;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const tables = await this.dataSource.query<{ id: string; row: unknown }[]>(
      `SELECT t.id, ${exportedRow(TABLES, 't')} AS row FROM extracted_tables t WHERE t.owner_id = $1 ORDER BY t.id`,
      [userId],
    );
    const databases = await this.dataSource.query<{ row: unknown }[]>(
      `SELECT ${exportedRow(DATABASES, 'd')} || jsonb_build_object('table_ids', ARRAY(
         SELECT m.table_id FROM extracted_table_database_members m WHERE m.database_id = d.id ORDER BY m.position)) AS row
       FROM extracted_table_databases d WHERE d.owner_id = $1 ORDER BY d.id`,
      [userId],
    );
    const [first] = await this.changesOf(userId, null, 1);
    if (tables.length + databases.length === 0 && !first) return;
    const index = { tables: tables.map(({ row }) => row), databases: databases.map(({ row }) => row) };
    const changes = (after: string | null) => this.changesOf(userId, after, CHANGES_READ);
    yield { path: 'extracted-tables/index.json', content: exportedObject(index, { changes }) };
    for (const { id } of tables)
      yield {
        path: `extracted-tables/${id}.jsonl`,
        content: () => Promise.resolve(Readable.from(this.rowsOf(id))),
      };
  }

  private changesOf(userId: number, after: string | null, limit: number): Promise<{ cursor: string; row: unknown }[]> {
    return this.dataSource.query<{ cursor: string; row: unknown }[]>(
      `SELECT c.id::text AS cursor, ${exportedRow(CHANGES, 'c')} AS row FROM extracted_table_changes c
       WHERE c.user_id = $1 AND ($2::text IS NULL OR c.id > $2::uuid) ORDER BY c.id LIMIT $3`,
      [userId, after, limit],
    );
  }

  /** A line of JSON for each row, with what is known of its cells. */
  private async *rowsOf(tableId: string): AsyncGenerator<string> {
    for (let after = BEFORE_ALL; ;) {
      const rows: { id: string; row: unknown }[] = await this.dataSource.query<{ id: string; row: unknown }[]>(
        `SELECT r.id, ${exportedRow(ROWS, 'r')} || jsonb_build_object('cells', ARRAY(
           SELECT ${exportedRow(CELLS, 'c')} FROM extracted_cells c WHERE c.row_id = r.id ORDER BY c.column_name)) AS row
         FROM extracted_rows r WHERE r.table_id = $1 AND r.id > $2 ORDER BY r.id LIMIT ${READ}`,
        [tableId, after],
      );
      for (const { row } of rows) yield `${JSON.stringify(row)}\n`;
      if (rows.length < READ) return;
      after = rows.at(-1)!.id;
    }
  }
}
