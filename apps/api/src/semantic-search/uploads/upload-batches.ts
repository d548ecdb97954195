import { newId, NotFoundError } from '@app/common';
import type { DocumentState } from '@app/documents';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export type BatchState = 'accepted' | 'processing' | 'completed' | 'partial' | 'failed';

export interface BatchItem {
  position: number;
  filename: string;
  state: DocumentState;
  lastError: string;
  /** It never became a document. */
  refused: boolean;
  queuedAt: Date | null;
  completedAt: Date | null;
  /** When the item last changed. */
  changedAt: Date;
}

export interface BatchProgress {
  batchId: string;
  sourceType: string;
  createdAt: Date;
  /** When the last item ended; null while one has not. */
  completedAt: Date | null;
  state: BatchState;
  completed: number;
  failed: number;
  items: BatchItem[];
}

const WAITING: readonly DocumentState[] = ['stored', 'pending_publish'];
const SUCCEEDED: readonly DocumentState[] = ['completed', 'untrained'];
const FAILED: readonly DocumentState[] = ['failed', 'publish_failed'];

/** Uploads of several files. The state of a batch is never stored: it follows from its documents. */
@Injectable()
export class UploadBatches {
  constructor(private readonly dataSource: DataSource) {}

  async create(ownerId: number): Promise<string> {
    const batchId = newId();
    await this.dataSource.query('INSERT INTO upload_batches (batch_id, owner_id) VALUES ($1, $2)', [batchId, ownerId]);
    return batchId;
  }

  /** One file: the document that it became, or why it became none. */
  async addItem(
    batchId: string,
    item: { position: number; filename: string; documentUid: string | null; refusal: string },
  ): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO upload_batch_items (batch_id, position, filename, document_uid, refusal) VALUES ($1, $2, $3, $4, $5)`,
      [batchId, item.position, item.filename, item.documentUid, item.refusal],
    );
  }

  /** @throws NotFoundError for a batch that is not the viewer's */
  async getProgress(ownerId: number, batchId: string): Promise<BatchProgress> {
    const [batch] = await this.dataSource.query<Pick<BatchProgress, 'batchId' | 'sourceType' | 'createdAt'>[]>(
      `SELECT batch_id AS "batchId", source_type AS "sourceType", created_at AS "createdAt" FROM upload_batches
       WHERE batch_id = $1 AND owner_id = $2`,
      [batchId, ownerId],
    );
    if (!batch) throw new NotFoundError('Batch not found.', { code: 'batch_not_found' });
    const items = await this.dataSource.query<BatchItem[]>(
      `SELECT i.position, i.filename, d.queued_at AS "queuedAt", d.completed_at AS "completedAt",
         coalesce(d.updated_at, b.created_at) AS "changedAt", i.refusal <> '' AS refused,
         CASE WHEN d.uid IS NULL OR d.deleted_at IS NOT NULL THEN 'failed' ELSE d.processing_state END AS state,
         CASE WHEN i.refusal <> '' THEN i.refusal WHEN d.uid IS NULL OR d.deleted_at IS NOT NULL
           THEN 'The document was deleted.' ELSE d.last_error END AS "lastError"
       FROM upload_batch_items i JOIN upload_batches b USING (batch_id) LEFT JOIN documents d ON d.uid = i.document_uid
       WHERE i.batch_id = $1 ORDER BY i.position`,
      [batchId],
    );
    return { ...batch, items, ...summarize(items) };
  }
}

/** Document 3, B5: how the state of a batch follows from its items. */
export function summarize(
  items: readonly BatchItem[],
): Pick<BatchProgress, 'state' | 'completed' | 'failed' | 'completedAt'> {
  const completed = items.filter(({ state }) => SUCCEEDED.includes(state)).length;
  const failed = items.filter(({ state }) => FAILED.includes(state)).length;
  if (completed + failed < items.length) {
    const begun = items.some(({ state, refused }) => !WAITING.includes(state) && !refused);
    return { state: begun ? 'processing' : 'accepted', completed, failed, completedAt: null };
  }
  const last = Math.max(...items.map(({ changedAt }) => changedAt.getTime()));
  const state = failed === 0 ? 'completed' : completed === 0 ? 'failed' : 'partial';
  return { state, completed, failed, completedAt: new Date(last) };
}
