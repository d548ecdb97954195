import { nameKey, newId } from '@app/common';
import { FileStorage } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { IndexingRequests } from '../indexing/indexing-requests.js';
import { findDocumentByUid, type DocumentRecord } from '../state/document-columns.js';
import { QUEUE_CLASSES } from '../state/document.states.js';
import { transition } from '../state/transition.js';
import { forgetThumbnails } from '../thumbnails/thumbnails.js';
import { DerivedTexts } from './derived-texts.port.js';
import type { NewDocument } from './document-store.js';
import { LooseFiles } from '@app/entitlements';
import { REQUEST_AFRESH } from './request-afresh.js';
import { documentMediaPath, documentStorageKey } from './media-path.js';

export type NewContent = Pick<NewDocument, 'filename' | 'sourcePath' | 'kind' | 'mimeType'>;

/** Replacements come from sources, by the hundred. */
const AFRESH = { ...REQUEST_AFRESH, set: { ...REQUEST_AFRESH.set, queueClass: QUEUE_CLASSES.bulk } };

/**
 * New bytes for a document that is there: its uid stays, and with it folder, shares and what links to it. The old
 * index answers until the new one is swapped in; a worker that reads the old bytes writes nothing more.
 */
@Injectable()
export class DocumentReplacement {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
    private readonly looseFiles: LooseFiles,
    private readonly requests: IndexingRequests,
    private readonly derived: DerivedTexts,
  ) {}

  /**
   * @param alongside what stands or falls with the change: it runs in its transaction
   * @returns null when the document is gone or in the trash; then nothing has changed, and `alongside` did not run
   */
  async replace(
    uid: string,
    content: NewContent,
    alongside: (document: DocumentRecord, tx: EntityManager) => Promise<void> = async () => {},
  ): Promise<DocumentRecord | null> {
    const storageKey = `${documentStorageKey(uid)}-${newId()}`;
    await this.looseFiles.announce(storageKey);
    const stored = await this.storage.put(storageKey, { path: content.sourcePath });
    const replaced = await this.dataSource.transaction(async (tx) => {
      const [old] = await tx.query<{ storage_key: string }[]>(
        'SELECT storage_key FROM documents WHERE uid = $1 AND deleted_at IS NULL FOR NO KEY UPDATE',
        [uid],
      );
      if (!old) return null;
      if (!(await this.looseFiles.adopt(storageKey, tx)))
        throw new Error('The replacement took so long that its file was removed.');
      const { filename, kind, mimeType } = content;
      await tx.query(
        `UPDATE documents SET filename = $2, path = $3, kind = $4, mime_type = $5, size_bytes = $6, sha256 = $7,
           storage_key = $8, name_key = $9, doc_class = '', updated_at = now() WHERE uid = $1`,
        [
          uid,
          filename,
          documentMediaPath(uid, filename),
          kind,
          mimeType,
          stored.sizeBytes,
          stored.sha256,
          storageKey,
          nameKey(filename),
        ],
      );
      await this.derived.forget(uid, tx);
      await this.looseFiles.release([old.storage_key], tx);
      const oldKeys = [old.storage_key, ...(await forgetThumbnails([uid], this.looseFiles, tx))];
      const receipts = await this.requestIndexing(uid, tx);
      const document = await findDocumentByUid(tx, uid);
      if (document) await alongside(document, tx);
      return { document, receipts, oldKeys };
    });
    if (!replaced) {
      // Announced for later; nobody will adopt it.
      await this.dataSource.transaction((tx) => this.looseFiles.release([storageKey], tx));
      await this.looseFiles.remove([storageKey]);
      return null;
    }
    await this.looseFiles.remove(replaced.oldKeys);
    await this.requests.publish(replaced.receipts);
    return (await findDocumentByUid(this.dataSource, uid)) ?? replaced.document;
  }

  /** Nothing for a document that was never to be indexed. */
  private async requestIndexing(uid: string, tx: EntityManager) {
    const [row] = await tx.query<{ train_after_upload: boolean }[]>(
      'SELECT train_after_upload FROM documents WHERE uid = $1',
      [uid],
    );
    if (!row?.train_after_upload) return [];
    await transition(tx, [uid], 'withdraw', { increment: ['fence'] });
    const moved = [
      ...(await transition(tx, [uid], 'publish', AFRESH)),
      ...(await transition(tx, [uid], 'reindex', AFRESH)),
    ];
    return Promise.all(moved.map((document) => this.requests.enqueue(document, tx)));
  }
}
