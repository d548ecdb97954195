import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ROW_COLUMNS, type RowRecord } from './table-record.js';

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

/** Rows in their order, for viewers whose access was decided by whoever asks. */
@Injectable()
export class TableRows {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * @param after the row before the first one; null: from the beginning
   * @returns at most `limit`
   */
  async page(tableId: string, filter: RowFilter, after: string | null, limit: number): Promise<RowRecord[]> {
    const pattern = filter.query === undefined ? null : `%${filter.query.replace(/[\\%_]/g, '\\$&')}%`;
    return this.dataSource.query<RowRecord[]>(
      `SELECT ${ROW_COLUMNS} FROM extracted_rows r WHERE r.table_id = $1 AND r.id > $2
         AND ($3::text IS NULL OR r.filename ILIKE $3 OR EXISTS (
           SELECT FROM jsonb_each_text(r.data) AS v (key, value) WHERE v.value ILIKE $3))
         AND ($4::text IS NULL OR EXISTS (SELECT FROM extracted_cells c WHERE c.row_id = r.id AND CASE $4
           WHEN 'edited' THEN c.edited_at IS NOT NULL WHEN 'verified' THEN c.verified_at IS NOT NULL
           WHEN 'ambiguous' THEN c.ambiguous ELSE c.status = $4 AND c.edited_at IS NULL END))
       ORDER BY r.id LIMIT $5`,
      [tableId, after ?? BEFORE_ALL, pattern, filter.status ?? null, limit],
    );
  }

  /** All of them, however many, some at a time. */
  async *batches(tableId: string, filter: RowFilter = {}): AsyncGenerator<RowRecord[]> {
    for (let after: string | null = null; ;) {
      const rows: RowRecord[] = await this.page(tableId, filter, after, BATCH);
      if (rows.length > 0) yield rows;
      if (rows.length < BATCH) return;
      after = rows.at(-1)!.id;
    }
  }
}
