import { isUuid } from '@app/common';
import { findDocumentUidInPath } from '@app/documents';
import {
  ExtractionFollowers,
  Extractions,
  getTable,
  listRowsOfSources,
  type ExtractionRecord,
  type RowRecord,
  type TableColumn,
} from '@app/extraction';
import { type ExtractorPort, type TableResult, ToolError, type Viewer } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { asToolError } from './as-tool-error.js';

interface WantedRows {
  tableId: string;
  documentUids: readonly string[];
  limit: number;
  idempotencyKey: string;
}

/** The extracted tables of the viewer, filled from documents before their rows are given. */
@Injectable()
export class ExtractedRowsOfDocuments implements ExtractorPort {
  constructor(
    private readonly dataSource: DataSource,
    private readonly extractions: Extractions,
    private readonly followers: ExtractionFollowers,
  ) {}

  rows(viewer: Viewer, wanted: WantedRows, signal: AbortSignal): Promise<TableResult> {
    return asToolError(this.extractAndRead(viewer, wanted, signal));
  }

  private async extractAndRead({ userId }: Viewer, wanted: WantedRows, signal: AbortSignal): Promise<TableResult> {
    const { documentUids, limit, idempotencyKey } = wanted;
    const tableId = wanted.tableId.toLowerCase();
    if (!isUuid(tableId)) throw new ToolError('table_not_found', 'There is no such table.', false);
    const uids = [...new Set(documentUids.map(uidOf))];
    if (uids.length > 0) await this.extract(userId, tableId, uids, idempotencyKey, signal);
    const { columns } = await getTable(this.dataSource, userId, tableId, 'read');
    const rows = await listRowsOfSources(this.dataSource, tableId, uids.length > 0 ? uids : null, limit + 1);
    return toTableResult(columns, rows, limit);
  }

  /** Whoever comes back under the same key, after another try of the node, goes on waiting for the same extraction. */
  private async extract(
    userId: number,
    tableId: string,
    documentUids: readonly string[],
    requestKey: string,
    signal: AbortSignal,
  ): Promise<void> {
    const asked = { documentUids, columns: null, mode: 'missing' as const, overwriteEdited: false, ocr: null };
    const { id } = await this.extractions.request(userId, tableId, { ...asked, requestKey });
    for await (const _told of this.followers.follow(id, 0, signal)) signal.throwIfAborted();
    signal.throwIfAborted();
    this.requireRows(await this.extractions.get(userId, tableId, id));
  }

  private requireRows({
    state,
    items,
  }: Pick<ExtractionRecord, 'state'> & { items: readonly { lastError: string }[] }): void {
    if (state === 'cancelled') throw new ToolError('extraction_cancelled', 'The extraction was cancelled.', false);
    if (state !== 'failed') return;
    const reason = items.find(({ lastError }) => lastError !== '')?.lastError ?? '';
    throw new ToolError('extraction_failed', `None of the documents could be extracted. ${reason}`.trim(), false);
  }
}

/** Files are named by their uid or by their path. */
function uidOf(name: string): string {
  const uid = findDocumentUidInPath(name.split('?')[0]!) ?? name;
  if (!isUuid(uid))
    throw new ToolError('document_not_found', 'There is no such document, or you may not read it.', false);
  return uid.toLowerCase();
}

/** Each row with what it was read from before its values. */
function toTableResult(columns: readonly TableColumn[], rows: readonly RowRecord[], limit: number): TableResult {
  return {
    columns: [
      { name: 'source_uid', type: 'string' },
      { name: 'filename', type: 'string' },
      ...columns.map(({ name, format, outputType }) => ({ name, type: format ?? outputType })),
    ],
    rows: rows
      .slice(0, limit)
      .map(({ sourceUid, filename, data }) => [
        sourceUid,
        filename,
        ...columns.map(({ name }) => (Object.hasOwn(data, name) ? data[name] : null)),
      ]),
    truncated: rows.length > limit,
  };
}
