import { Clock, NotFoundError, type Page, type PageRequest } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CELL_COLUMNS, CELL_SOURCES, type CellRecord, LOW_SCORE } from './cell-record.js';
import { type CellRow, editedCell, findCells, putCells } from './cell-rows.js';
import { ColumnIndex } from './column-rules.js';
import { type AddressedRows, getRows } from './extracted-rows.js';
import { getTable, lockTable, type TableActor } from './table-access.js';
import { isEmptyValue, valueOf } from './values.js';

export const REVIEW_STATUSES = ['unanchored', 'no_evidence', 'ambiguous', 'low_score'] as const;
export type ReviewStatus = (typeof REVIEW_STATUSES)[number];

/** Highlights of one answer where nothing narrows them. */
export const MAX_HIGHLIGHTS = 1_000;

export interface Highlights {
  /** What the source was called when it was read; '' where none is asked for. */
  filename: string;
  documentUid: string | null;
  cells: CellRecord[];
  /** There are more than are told. */
  isCut: boolean;
}

/** What is known of the values of a table. Every statement is scoped to its viewer. */
@Injectable()
export class ExtractedCells {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** Where values come from, in the order of rows; those that a person wrote come from nowhere. @throws NotFoundError, ForbiddenError */
  async highlights(
    viewerId: number,
    tableId: string,
    { sourceUid, column }: { sourceUid: string | null; column: string | null },
  ): Promise<Highlights> {
    const { columns } = await getTable(this.dataSource, viewerId, tableId, 'read');
    const name = column === null ? null : (new ColumnIndex(columns).find(column)?.name ?? column);
    const cells = await this.dataSource.query<CellRecord[]>(
      `SELECT ${CELL_COLUMNS} FROM ${CELL_SOURCES}
       WHERE c.table_id = $1 AND c.method <> 'person' AND ($2::text IS NULL OR r.source_uid = $2)
         AND ($3::text IS NULL OR c.column_name = $3)
       ORDER BY c.row_id, c.column_name LIMIT $4`,
      [tableId, sourceUid, name, MAX_HIGHLIGHTS + 1],
    );
    const [source] =
      sourceUid === null
        ? []
        : await this.dataSource.query<{ filename: string; documentUid: string | null }[]>(
            `SELECT r.filename, r.document_uid AS "documentUid" FROM extracted_rows r
             WHERE r.table_id = $1 AND r.source_uid = $2 ORDER BY r.position LIMIT 1`,
            [tableId, sourceUid],
          );
    return {
      filename: source?.filename ?? '',
      documentUid: source?.documentUid ?? null,
      cells: cells.slice(0, MAX_HIGHLIGHTS),
      isCut: cells.length > MAX_HIGHLIGHTS,
    };
  }

  /**
   * Values that somebody should look at, those with the least to say for them first; what was edited or verified is done.
   * @param status all kinds when null
   * @throws NotFoundError, ForbiddenError
   */
  async review(
    viewerId: number,
    tableId: string,
    { status, column }: { status: ReviewStatus | null; column: string | null },
    { page, pageSize }: PageRequest,
  ): Promise<Page<CellRecord>> {
    const { columns } = await getTable(this.dataSource, viewerId, tableId, 'read');
    const name = column === null ? null : (new ColumnIndex(columns).find(column)?.name ?? column);
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT count(*)::int AS count FROM extracted_cells c WHERE ${NEEDS_REVIEW}`,
      [tableId, status, name],
    );
    const items = await this.dataSource.query<CellRecord[]>(
      `SELECT ${CELL_COLUMNS} FROM ${CELL_SOURCES} WHERE ${NEEDS_REVIEW}
       ORDER BY c.score, c.row_id, c.column_name LIMIT $4 OFFSET $5`,
      [tableId, status, name, pageSize, (page - 1) * pageSize],
    );
    return { count, items };
  }

  /**
   * Somebody vouches for a value, or does no longer. It counts for all rows of the source, or for one of them.
   * @throws NotFoundError also for a column that there is not; ForbiddenError
   */
  async verify(
    actor: TableActor,
    tableId: string,
    { column, ...at }: AddressedRows & { column: string },
    isVerified: boolean,
  ): Promise<CellRecord> {
    return this.dataSource.transaction(async (tx) => {
      const { columns } = await lockTable(tx, actor.userId, tableId, 'write');
      const name = new ColumnIndex(columns).find(column)?.name;
      if (name === undefined) throw new NotFoundError('The table has no such column.', { code: 'column_not_found' });
      const rows = await getRows(tx, tableId, at);
      const ids = rows.map(({ id }) => id);
      const known = new Map((await findCells(tx, ids, [name])).map((cell) => [cell.row_id, cell]));
      const now = new Date(this.clock.now());
      const cells = rows.map(({ id, data }): CellRow => {
        const place = { row_id: id, column_name: name, table_id: tableId };
        // A value that nobody extracted has no cell yet; to vouch for it is not to edit it.
        const cell = known.get(id) ?? {
          ...editedCell(place, isEmptyValue(valueOf(data, name)), now),
          edited_at: null,
        };
        return {
          ...cell,
          verified_by: isVerified ? actor.userId : null,
          verified_at: isVerified ? now.toISOString() : null,
        };
      });
      await putCells(tx, cells);
      const [cell] = await tx.query<[CellRecord]>(
        `SELECT ${CELL_COLUMNS} FROM ${CELL_SOURCES} WHERE c.row_id = $1 AND c.column_name = $2`,
        [ids[0], name],
      );
      return cell;
    });
  }
}

const NEEDS_REVIEW = `c.table_id = $1 AND c.edited_at IS NULL AND c.verified_at IS NULL AND c.method <> 'person'
  AND ($3::text IS NULL OR c.column_name = $3)
  AND CASE coalesce($2::text, 'any') WHEN 'ambiguous' THEN c.ambiguous
    WHEN 'low_score' THEN c.status = 'anchored' AND c.score < ${LOW_SCORE}
    WHEN 'any' THEN c.status <> 'anchored' OR c.ambiguous OR c.score < ${LOW_SCORE} ELSE c.status = $2 END`;
