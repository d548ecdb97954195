import { ConflictError, DomainError, NotFoundError } from '@app/common';
import { LiveBus } from '@app/live';
import { Outbox, type OutboxReceipt } from '@app/queues';
import { ClaimLostError, GiveUpError, TryAgainError, WorkClaims, type Claim, type Param } from '@app/work';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ExtractedValues, RowMode, TableColumn } from '../kit.js';
import { getTable, lockTableForWork } from '../tables/table-access.js';
import { rowModeOf } from '../tables/table-record.js';
import { isEmptyValue, valueOf } from '../tables/values.js';
import { writeExtracted, type WrittenRows } from '../tables/write-extracted.js';
import { findExtraction, type ExtractionRecord } from './extraction-records.js';
import { extractionWork, type ClaimedItem } from './extraction-work.js';
import type { WaitingItem } from './item-statements.js';
import { noteItemEnd } from './note-item-end.js';
import { tellOfChange } from './tell-of-change.js';

/** What is to be read from a document, as its table wants it at the beginning of the work. */
export interface ExtractionTask {
  extraction: ExtractionRecord;
  /** Those that are to be filled; none: there is nothing to do. */
  columns: TableColumn[];
  rowMode: RowMode;
}

/** One document of an extraction: what there is to do, and its end. */
@Injectable()
export class ExtractionTasks {
  constructor(
    private readonly dataSource: DataSource,
    private readonly claims: WorkClaims,
    private readonly outbox: Outbox,
    private readonly live: LiveBus,
  ) {}

  /** @throws GiveUpError; ClaimLostError when the table is gone */
  async open(claim: Claim<ClaimedItem>): Promise<ExtractionTask> {
    const { extractionId, tableId, requestedBy, sourceUid } = claim.row;
    const extraction = await findExtraction(this.dataSource, extractionId, tableId);
    if (!extraction) throw new ClaimLostError(claim);
    const table = await getTable(this.dataSource, requestedBy, tableId, 'write').catch((error: unknown) => {
      if (error instanceof NotFoundError) throw new ClaimLostError(claim);
      if (!(error instanceof DomainError)) throw error;
      throw new GiveUpError('Whoever asked for it may not write to the table any more.', error.code);
    });
    const asked = askedColumns(extraction, table.columns);
    if (asked.length === 0) throw new GiveUpError('The table has none of the columns any more.', 'columns_removed');
    if (extraction.state === 'accepted') await this.begin(extractionId);
    const rowMode = rowModeOf(table);
    const fills = extraction.mode === 'missing' && rowMode === 'document';
    return { extraction, columns: fills ? await this.emptyOf(tableId, sourceUid, asked) : asked, rowMode };
  }

  /**
   * Writes what was read, counts it and tells of it, in one transaction.
   * @throws ClaimLostError; GiveUpError; TryAgainError when the columns have changed meanwhile
   */
  async complete(claim: Claim<ClaimedItem>, task: ExtractionTask, rows: readonly ExtractedValues[]): Promise<void> {
    const { extractionId } = claim.row;
    const { seq, receipts } = await this.dataSource.transaction(async (tx) => {
      const { cellsFilled, cellsEmpty, rowIds } = await this.write(tx, claim, task, rows);
      const set = (param: Param) =>
        `state = 'completed', cells_filled = ${param(cellsFilled)}, cells_empty = ${param(cellsEmpty)}`;
      await this.claims.finish(claim, { set }, tx);
      const lastSeq = await noteItemEnd(tx, claim.row, { state: 'completed', rowIds });
      return { seq: lastSeq, receipts: await this.wakeNext(tx, claim.row) };
    });
    this.outbox.publishSoon(receipts);
    if (seq !== null) tellOfChange(this.live, extractionId, seq);
  }

  /** Writes what was read until the work could not go on; the work itself has not ended. @throws as `complete` */
  async keep(claim: Claim<ClaimedItem>, task: ExtractionTask, rows: readonly ExtractedValues[]): Promise<void> {
    if (rows.length === 0) return;
    // What a broken try did not see is not known to be gone.
    const gentle = { ...task, extraction: { ...task.extraction, mode: 'missing' as const } };
    await this.dataSource.transaction((tx) => this.write(tx, claim, gentle, rows));
  }

  private async begin(extractionId: string): Promise<void> {
    await this.dataSource.query(`UPDATE extractions SET state = 'processing' WHERE id = $1 AND state = 'accepted'`, [
      extractionId,
    ]);
  }

  /** The table first, then the item, then its extraction: as whoever deletes a table or cancels. */
  private async write(
    tx: EntityManager,
    claim: Claim<ClaimedItem>,
    { extraction, columns }: ExtractionTask,
    rows: readonly ExtractedValues[],
  ): Promise<WrittenRows> {
    const { tableId, sourceUid, documentUid, filename } = claim.row;
    const { mode, overwriteEdited } = extraction;
    try {
      const table = await lockTableForWork(tx, tableId);
      await this.claims.hold(claim, tx);
      if (haveChanged(columns, table.columns))
        throw new TryAgainError('The columns of the table have changed.', { afterSeconds: 0, isTry: false });
      const names = columns.map(({ name }) => name);
      return await writeExtracted(tx, {
        tableId,
        sourceUid,
        documentUid,
        filename,
        rows,
        mode,
        overwriteEdited,
        columns: names,
      });
    } catch (error) {
      if (error instanceof NotFoundError) throw new ClaimLostError(claim);
      if (error instanceof ConflictError) throw new GiveUpError(error.message, error.code);
      throw error;
    }
  }

  /** Another extraction of the document into the table that has waited for this one. */
  private async wakeNext(tx: EntityManager, { id, tableId, sourceUid }: ClaimedItem): Promise<OutboxReceipt[]> {
    const waiting = await tx.query<WaitingItem[]>(
      `SELECT id, fence FROM extraction_items
       WHERE table_id = $1 AND source_uid = $2 AND state = 'queued' AND next_attempt_at <= now() AND id <> $3
       ORDER BY id LIMIT 1`,
      [tableId, sourceUid, id],
    );
    const rows = waiting.map(({ id: next, fence }) => ({ key: [next], fence }));
    return this.claims.notifyAll(extractionWork, rows, tx);
  }

  /** Of columns of a document that is one row. */
  private async emptyOf(tableId: string, sourceUid: string, columns: TableColumn[]): Promise<TableColumn[]> {
    const rows = await this.dataSource.query<{ data: Record<string, unknown> }[]>(
      'SELECT data FROM extracted_rows WHERE table_id = $1 AND source_uid = $2',
      [tableId, sourceUid],
    );
    if (rows.length === 0) return columns;
    return columns.filter(({ name }) => rows.some(({ data }) => isEmptyValue(valueOf(data, name))));
  }
}

function askedColumns({ columns: names }: ExtractionRecord, columns: readonly TableColumn[]): TableColumn[] {
  return columns.filter(({ name }) => names === null || names.includes(name));
}

/** Whether a column is read in another way by now, or all are gone; of some that are gone nothing is written. */
function haveChanged(read: readonly TableColumn[], now: readonly TableColumn[]): boolean {
  const current = new Map(now.map((column) => [column.name, JSON.stringify(inOrder(column))]));
  if (read.length > 0 && read.every(({ name }) => !current.has(name))) return true;
  return read.some(
    (column) => (current.get(column.name) ?? JSON.stringify(inOrder(column))) !== JSON.stringify(inOrder(column)),
  );
}

const inOrder = ({ name, instruction, outputType, format, required, enum: choices, reference }: TableColumn) => [
  name,
  instruction,
  outputType,
  format,
  required,
  choices,
  reference && [reference.tableId, reference.column],
];
