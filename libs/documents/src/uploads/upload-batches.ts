import { derivedId, newTimeOrderedId, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { DocumentState } from '../state/document.states.js';

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

/** What an earlier try of the same request has written down of an item. */
export interface KnownBatchItem {
  filename: string;
  /** Null for a file that was refused, and after the document was purged. */
  documentUid: string | null;
  refused: boolean;
  /** Of the document; null without one. */
  state: DocumentState | null;
}

export interface OpenBatch {
  batchId: string;
  /** By position. */
  known: ReadonlyMap<number, KnownBatchItem>;
}

const REPEATED_REQUESTS = '6c0d8b52-8d0e-4f0b-9a55-3f1f7f0f9f0e';
/** As long as answers to an Idempotency-Key are kept. */
const REPEATED_WITHIN_HOURS = 24;

const WAITING: readonly DocumentState[] = ['stored', 'pending_publish'];
const SUCCEEDED: readonly DocumentState[] = ['completed', 'untrained'];
const FAILED: readonly DocumentState[] = ['failed', 'publish_failed'];

/** Uploads of several files. The state of a batch is never stored: it follows from its documents. */
@Injectable()
export class UploadBatches {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * @param request what tells this request from all others of the owner, so that its repetition goes on with the batch
   *   of a try that was broken off; null for one that is never repeated
   */
  async open(ownerId: number, request: string | null): Promise<OpenBatch> {
    if (request !== null) {
      const batchId = derivedId(REPEATED_REQUESTS, `${ownerId}:${request}`);
      if (await this.create(ownerId, batchId)) return { batchId, known: new Map() };
      const known = await this.findItems(ownerId, batchId);
      if (known !== null) return { batchId, known };
    }
    const batchId = newTimeOrderedId();
    await this.create(ownerId, batchId);
    return { batchId, known: new Map() };
  }

  private async create(ownerId: number, batchId: string): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      'INSERT INTO upload_batches (batch_id, owner_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1',
      [batchId, ownerId],
    );
    return rows.length > 0;
  }

  /** Null for a batch from so long ago that a request with the same key is another one. */
  private async findItems(ownerId: number, batchId: string): Promise<Map<number, KnownBatchItem> | null> {
    const batches = await this.dataSource.query<unknown[]>(
      `SELECT FROM upload_batches WHERE batch_id = $1 AND owner_id = $2 AND created_at > now() - make_interval(hours => $3)`,
      [batchId, ownerId, REPEATED_WITHIN_HOURS],
    );
    if (batches.length === 0) return null;
    const items = await this.dataSource.query<(KnownBatchItem & { position: number })[]>(
      `SELECT i.position, i.filename, i.document_uid AS "documentUid", i.refusal <> '' AS refused,
         d.processing_state AS state
       FROM upload_batch_items i LEFT JOIN documents d ON d.uid = i.document_uid WHERE i.batch_id = $1`,
      [batchId],
    );
    return new Map(items.map(({ position, ...item }) => [position, item]));
  }

  /**
   * One file: the document that it became, or why it became none. Once for each position.
   * @param db the transaction that makes the document
   */
  async addItem(
    batchId: string,
    item: { position: number; filename: string; documentUid: string | null; refusal: string },
    db: Pick<EntityManager, 'query'> = this.dataSource,
  ): Promise<void> {
    await db.query(
      `INSERT INTO upload_batch_items (batch_id, position, filename, document_uid, refusal) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (batch_id, position) DO UPDATE
         SET filename = excluded.filename, document_uid = excluded.document_uid, refusal = excluded.refusal`,
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

/** docs/contract/documents.md#batches: how the state of a batch follows from its items. */
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
