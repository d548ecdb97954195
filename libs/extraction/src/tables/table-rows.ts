import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CELL_COLUMNS, CELL_SOURCES, type CellRecord } from './cell-record.js';
import { ROW_COLUMNS, type RowRecord, visibleTableIds } from './table-record.js';

export const ROW_STATUSES = ['anchored', 'unanchored', 'no_evidence', 'ambiguous', 'edited', 'verified'] as const;
export type RowStatus = (typeof ROW_STATUSES)[number];

export interface RowFilter {
  /** Part of any value of the row, or of its file name. */
  query?: string | undefined;
  /** Rows with a cell like that. */
  status?: RowStatus | undefined;
}

const BATCH = 1_000;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Rows in their order. A viewer who is shown the table no longer is given none from then on. */
@Injectable()
export class TableRows {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * @param after the row before the first one; null: from the beginning
   * @returns at most `limit`
   */
  async page(
    viewerId: number,
    tableId: string,
    filter: RowFilter,
    after: string | null,
    limit: number,
  ): Promise<RowRecord[]> {
    const pattern = filter.query === undefined ? null : `%${filter.query.replace(/[\\%_]/g, '\\$&')}%`;
    return this.dataSource.query<RowRecord[]>(
      `SELECT ${ROW_COLUMNS} FROM extracted_rows r WHERE r.table_id = $1 AND (SELECT $1::uuid IN ${visibleTableIds('$6')}) AND r.id > $2
         AND ($3::text IS NULL OR r.filename ILIKE $3 OR EXISTS (
           SELECT FROM jsonb_each_text(r.data) AS v (key, value) WHERE v.value ILIKE $3))
         AND ($4::text IS NULL OR EXISTS (SELECT FROM extracted_cells c WHERE c.row_id = r.id AND CASE $4
           WHEN 'edited' THEN c.edited_at IS NOT NULL WHEN 'verified' THEN c.verified_at IS NOT NULL
           WHEN 'ambiguous' THEN c.ambiguous ELSE c.status = $4 AND c.edited_at IS NULL END))
       ORDER BY r.id LIMIT $5`,
      [tableId, after ?? BEFORE_ALL, pattern, filter.status ?? null, limit, viewerId],
    );
  }

  /** All of them, however many, some at a time. */
  async *batches(
    viewerId: number,
    tableId: string,
    filter: RowFilter = {},
    first: string | null = null,
  ): AsyncGenerator<RowRecord[], void> {
    for (let after = first; ;) {
      const rows: RowRecord[] = await this.page(viewerId, tableId, filter, after, BATCH);
      if (rows.length > 0) yield rows;
      if (rows.length < BATCH) return;
      after = rows.at(-1)!.id;
    }
  }

  /** What is known of their cells, row by row in their order. */
  async cellsOf(viewerId: number, rows: readonly RowRecord[]): Promise<CellRecord[]> {
    return this.dataSource.query<CellRecord[]>(
      `SELECT ${CELL_COLUMNS} FROM ${CELL_SOURCES} WHERE c.row_id = ANY($1::uuid[])
         AND c.table_id IN ${visibleTableIds('$2')} ORDER BY c.row_id, c.column_name`,
      [rows.map(({ id }) => id), viewerId],
    );
  }

  async countCells(viewerId: number, tableId: string): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM extracted_cells c WHERE c.table_id = $1 AND c.table_id IN ${visibleTableIds('$2')}`,
      [tableId, viewerId],
    );
    return count;
  }
}
