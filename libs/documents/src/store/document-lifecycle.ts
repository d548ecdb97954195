import { ConflictError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { IndexingRequests, type Delivery } from '../indexing/indexing-requests.js';
import { documentColumns, findDocumentByUid, type DocumentRecord } from '../state/document-columns.js';
import { DOCUMENT_TRANSITIONS, STATUS_TEXTS } from '../state/document.states.js';
import { keepIndex } from '../state/keep-index.js';
import { lockedInOrder, transition } from '../state/transition.js';
import { forgetThumbnails } from '../thumbnails/thumbnails.js';
import { LooseFiles } from '@app/entitlements';
import { retriedTransaction } from '@app/entities';
import { REQUEST_AFRESH } from './request-afresh.js';

const AGAIN_CANCELLED = `${STATUS_TEXTS.completed} Indexing again was cancelled.`;

/** What happens to a document after its upload. Who may ask for it is decided before (`@app/access`). */
@Injectable()
export class DocumentLifecycle {
  constructor(
    private readonly dataSource: DataSource,
    private readonly requests: IndexingRequests,
    private readonly looseFiles: LooseFiles,
  ) {}

  /** @param folder normalised by `normalizeFolder`. @returns null when the document is gone. */
  async move(uid: string, folder: string): Promise<DocumentRecord | null> {
    const [[row]] = await this.dataSource.query<[DocumentRecord[], number]>(
      `UPDATE documents d SET folder = $2, updated_at = now() WHERE d.uid = $1 AND d.deleted_at IS NULL
       RETURNING ${documentColumns('d')}`,
      [uid, folder],
    );
    return row ?? null;
  }

  /**
   * Indexes again what is at rest. The old index answers until the new one is swapped in.
   * @param recognition what is to hold for its pictures from now on
   * @throws ConflictError
   */
  async reindex(
    uid: string,
    recognition: { ocr?: boolean; ocrLanguages?: string[] } = {},
  ): Promise<{ document: DocumentRecord; delivery: Delivery } | null> {
    const found = await this.dataSource.transaction(async (tx) => {
      const [moved] = await transition(tx, [uid], 'reindex', REQUEST_AFRESH);
      const row = moved && (await setRecognition(tx, moved, recognition));
      return row ? { row, receipt: await this.requests.enqueue(row, tx) } : null;
    });
    if (!found) return this.refuseByState(uid, 'not_retryable', 'The document is being worked on already.');
    const delivery = await this.requests.publish([found.receipt]);
    return { document: (await findDocumentByUid(this.dataSource, uid)) ?? found.row, delivery };
  }

  /**
   * Indexes a document that is at rest again, with text recognised from its pictures from now on.
   * @returns false when it is being worked on, or that is done for it already
   */
  async recognise(uid: string): Promise<boolean> {
    const receipts = await this.dataSource.transaction(async (tx) => {
      const [, count] = await tx.query<[unknown, number]>(
        `UPDATE documents SET ocr = true WHERE uid = $1 AND NOT ocr AND deleted_at IS NULL
           AND processing_state = ANY ($2::text[])`,
        [uid, DOCUMENT_TRANSITIONS.reindex.from],
      );
      const rows = count === 0 ? [] : await transition(tx, [uid], 'reindex', REQUEST_AFRESH);
      return Promise.all(rows.map((row) => this.requests.enqueue(row, tx)));
    });
    if (receipts.length > 0) await this.requests.publish(receipts);
    return receipts.length > 0;
  }

  /**
   * Ends what is under way or waiting; a worker that is at it writes nothing more. A document whose previous index
   * answers is `completed` again. @throws ConflictError
   */
  async cancel(uid: string): Promise<DocumentRecord | null> {
    const kept = await this.dataSource.transaction((tx) => keepIndex(tx, uid, { status: AGAIN_CANCELLED }));
    if (kept) return kept;
    const [row] = await transition(this.dataSource, [uid], 'cancel', {
      set: { lastError: 'Indexing was cancelled.', status: 'Cancelled.' },
      increment: ['fence'],
    });
    return row ?? this.refuseByState(uid, 'not_cancellable', 'The document is not being worked on.');
  }

  /** Puts the owner's documents that are there into the trash. @returns those that this call trashed. */
  async trash(ownerId: number, uids: string[], retentionDays: number): Promise<DocumentRecord[]> {
    return retriedTransaction(this.dataSource, (tx) => trashDocuments(tx, ownerId, uids, retentionDays));
  }

  /** Takes the owner's document out of the trash; it is indexed again unless it never was to be. */
  async restore(ownerId: number, uid: string): Promise<DocumentRecord | null> {
    const restored = await this.dataSource.transaction(async (tx) => {
      const locked = await tx.query<unknown[]>(
        'SELECT 1 FROM documents WHERE uid = $1 AND owner_id = $2 AND deleted_at IS NOT NULL FOR NO KEY UPDATE',
        [uid, ownerId],
      );
      if (locked.length === 0) return null;
      const [row] = await transition(tx, [uid], 'restore', {
        ...REQUEST_AFRESH,
        inTrash: true,
        clear: [...REQUEST_AFRESH.clear, 'deletedAt', 'purgeAt'],
      });
      if (row) return { row, receipts: [await this.requests.enqueue(row, tx)] };
      return { row: await takeOutOfTrash(tx, uid), receipts: [] };
    });
    if (restored) await this.requests.publish(restored.receipts);
    return restored?.row ?? null;
  }

  /** Removes rows, index and files for good. @returns the uids that this call removed. */
  async purge(uids: string[], ownerId: number): Promise<string[]> {
    return this.remove('uid = ANY($1::uuid[]) AND owner_id = $2', [uids, ownerId]);
  }

  /** Empties the trash of what has been there long enough. For workers. @returns how many documents went. */
  async purgeDue(limit: number): Promise<number> {
    const due = 'SELECT uid FROM documents WHERE purge_at <= now() ORDER BY purge_at LIMIT $1 FOR UPDATE SKIP LOCKED';
    return (await this.remove(`uid IN (${due})`, [limit])).length;
  }

  private async remove(condition: string, values: unknown[]): Promise<string[]> {
    const { uids, keys } = await this.dataSource.transaction(async (tx) => {
      const rows = await tx.query<{ uid: string; storage_key: string }[]>(
        `SELECT uid, storage_key FROM documents WHERE ${condition} ORDER BY uid FOR UPDATE`,
        values,
      );
      const uids = rows.map((row) => row.uid);
      const keys = rows.map((row) => row.storage_key);
      await this.looseFiles.release(keys, tx);
      keys.push(...(await forgetThumbnails(uids, this.looseFiles, tx)));
      // A document that was renamed since has links under its old path.
      await tx.query(
        `DELETE FROM permanent_links l USING documents d WHERE d.uid = ANY($1::uuid[]) AND l.owner_id = d.owner_id
           AND starts_with(l.media_path, '/media/documents/' || d.uid || '/')`,
        [uids],
      );
      await tx.query('DELETE FROM documents WHERE uid = ANY($1::uuid[])', [uids]);
      return { uids, keys };
    });
    await this.looseFiles.remove(keys);
    return uids;
  }

  private async refuseByState(uid: string, code: string, message: string): Promise<null> {
    const [row] = await this.dataSource.query<{ processing_state: string }[]>(
      'SELECT processing_state FROM documents WHERE uid = $1 AND deleted_at IS NULL',
      [uid],
    );
    if (!row) return null;
    throw new ConflictError(message, { code, extra: { processing_state: row.processing_state } });
  }
}

async function setRecognition(
  tx: EntityManager,
  document: DocumentRecord,
  { ocr = document.ocr, ocrLanguages = document.ocrLanguages }: { ocr?: boolean; ocrLanguages?: string[] },
): Promise<DocumentRecord> {
  await tx.query('UPDATE documents SET ocr = $2, ocr_languages = $3 WHERE uid = $1', [document.uid, ocr, ocrLanguages]);
  return { ...document, ocr, ocrLanguages };
}

/** In the caller's transaction, as `DocumentLifecycle.trash`. Work under way on them writes nothing more. */
export async function trashDocuments(
  tx: EntityManager,
  ownerId: number,
  uids: readonly string[],
  retentionDays: number,
): Promise<DocumentRecord[]> {
  const [rows] = await tx.query<[DocumentRecord[], number]>(
    `UPDATE documents d SET deleted_at = now(), purge_at = now() + $3 * interval '1 day', updated_at = now()
     WHERE d.uid IN ${lockedInOrder('$1')} AND d.owner_id = $2 AND d.deleted_at IS NULL
     RETURNING ${documentColumns('d')}`,
    [uids, ownerId, retentionDays],
  );
  const trashed = rows.map((row) => row.uid);
  const withdrawn = await transition(tx, trashed, 'withdraw', { inTrash: true, increment: ['fence'] });
  const byUid = new Map(withdrawn.map((row) => [row.uid, row]));
  return rows.map((row) => byUid.get(row.uid) ?? row);
}

async function takeOutOfTrash(tx: EntityManager, uid: string): Promise<DocumentRecord> {
  const [[row]] = await tx.query<[[DocumentRecord], number]>(
    `UPDATE documents d SET deleted_at = NULL, purge_at = NULL, status = $2, updated_at = now() WHERE d.uid = $1
     RETURNING ${documentColumns('d')}`,
    [uid, STATUS_TEXTS.untrained],
  );
  return row;
}
