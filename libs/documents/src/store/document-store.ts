import { currentOrigin, nameKey, newId } from '@app/common';
import { FileStorage } from '@app/integrations';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { FileKind } from '../files/index.js';
import { IndexingRequests, type Delivery } from '../indexing/indexing-requests.js';
import { documentColumns, findDocumentByUid, type DocumentRecord } from '../state/document-columns.js';
import { QUEUE_CLASSES, STATUS_TEXTS, type QueueClass } from '../state/document.states.js';
import { LooseFiles } from '@app/entitlements';
import { documentMediaPath, documentStorageKey } from './media-path.js';

export interface NewDocument {
  /** For a caller that has to know its document again; a new one when absent. */
  uid?: string;
  ownerId: number;
  /** Normalised by `normalizeFolder`. */
  folder: string;
  /** Sanitised by `sanitizeFilename`. */
  filename: string;
  /** A file of this machine with the inspected bytes; it is copied, not moved. */
  sourcePath: string;
  kind: FileKind;
  mimeType: string;
  ocr: boolean;
  /** Tesseract codes, the likeliest first; all that are offered when absent or empty. */
  ocrLanguages?: string[];
  /** False: kept, but not indexed. */
  train: boolean;
  externalDriveItemId: string | null;
  /** Who waits for it; somebody, unless told. */
  queueClass?: QueueClass;
}

export interface AddedDocument {
  document: DocumentRecord;
  /** Null when nothing had to be queued. */
  delivery: Delivery | null;
}

/** Brings files into the semantic-search store. */
@Injectable()
export class DocumentStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
    private readonly looseFiles: LooseFiles,
    private readonly requests: IndexingRequests,
  ) {}

  /**
   * Keeps the file, then its row together with the request for indexing, then adds the job. Whatever stops it in
   * between leaves nothing that a client can see; a sweeper removes the file.
   * @param alongside what stands or falls with the row: it runs in its transaction
   */
  async add(
    upload: NewDocument,
    alongside: (document: DocumentRecord, tx: EntityManager) => Promise<void> = async () => {},
  ): Promise<AddedDocument> {
    const uid = upload.uid ?? newId();
    const storageKey = documentStorageKey(uid);
    await this.looseFiles.announce(storageKey);
    const stored = await this.storage.put(storageKey, { path: upload.sourcePath });
    const { document, receipts } = await this.dataSource.transaction(async (tx) => {
      if (!(await this.looseFiles.adopt(storageKey, tx)))
        throw new Error('The upload took so long that its file was removed.');
      const document = await insertDocument(tx, { ...upload, ...stored, uid, storageKey });
      await alongside(document, tx);
      return { document, receipts: upload.train ? [await this.requests.enqueue(document, tx)] : [] };
    });
    if (receipts.length === 0) return { document, delivery: null };
    const delivery = await this.requests.publish(receipts);
    return { document: (await findDocumentByUid(this.dataSource, uid)) ?? document, delivery };
  }

  /**
   * The document that was already imported from an external drive under this id: the viewer's own, or somebody
   * else's with the same bytes. The id alone proves nothing, so that nobody gains a document by guessing ids.
   */
  async findImported(viewerId: number, externalDriveItemId: string, sha256: string): Promise<DocumentRecord | null> {
    return findImport(this.dataSource, { ownerId: viewerId, externalDriveItemId, sha256, uid: null });
  }

  /**
   * The same for a document that is being added, in its transaction. Those who add the same item wait for each other
   * until they commit, so that one of them finds none.
   */
  async findOtherImport(
    { ownerId, externalDriveItemId, sha256, uid }: DocumentRecord,
    tx: EntityManager,
  ): Promise<DocumentRecord | null> {
    if (externalDriveItemId === null) return null;
    await tx.query(`SELECT pg_advisory_xact_lock(hashtext('external_drive_item'), hashtext($1))`, [
      externalDriveItemId,
    ]);
    return findImport(tx, { ownerId, externalDriveItemId, sha256, uid });
  }

  /** Shows the document, if it is still there, to one more user, who may have asked for that. */
  async share(document: DocumentRecord, userId: number): Promise<void> {
    if (document.ownerId === userId) return;
    await this.dataSource.query(
      `WITH shared AS (
         INSERT INTO document_shares (document_uid, user_id)
         SELECT uid, $2 FROM documents WHERE uid = $1 AND deleted_at IS NULL FOR KEY SHARE
         ON CONFLICT DO NOTHING RETURNING document_uid)
       UPDATE access_requests r SET status = 'approved', updated_at = now() FROM shared s
       WHERE r.document_uid = s.document_uid AND r.user_id = $2 AND r.status = 'pending'`,
      [document.uid, userId],
    );
  }
}

interface WantedImport {
  ownerId: number;
  externalDriveItemId: string;
  sha256: string;
  /** The one that does not count. */
  uid: string | null;
}

async function findImport(
  db: DataSource | EntityManager,
  { ownerId, externalDriveItemId, sha256, uid }: WantedImport,
): Promise<DocumentRecord | null> {
  const [row] = await db.query<DocumentRecord[]>(
    `SELECT ${documentColumns('d')} FROM documents d
     WHERE d.external_drive_item_id = $1 AND d.deleted_at IS NULL AND (d.owner_id = $2 OR d.sha256 = $3)
       AND d.uid IS DISTINCT FROM $4::uuid
     ORDER BY d.owner_id = $2 DESC, d.created_at LIMIT 1`,
    [externalDriveItemId, ownerId, sha256, uid],
  );
  return row ?? null;
}

type DocumentRow = NewDocument & { uid: string; storageKey: string; sizeBytes: number; sha256: string };

async function insertDocument(tx: EntityManager, row: DocumentRow): Promise<DocumentRecord> {
  const state = row.train ? 'pending_publish' : 'untrained';
  const values = {
    uid: row.uid,
    owner_id: row.ownerId,
    folder: row.folder,
    filename: row.filename,
    name_key: nameKey(row.filename),
    path: documentMediaPath(row.uid, row.filename),
    kind: row.kind,
    mime_type: row.mimeType,
    size_bytes: row.sizeBytes,
    sha256: row.sha256,
    storage_key: row.storageKey,
    processing_state: state,
    status: STATUS_TEXTS[state],
    ocr: row.ocr,
    queue_class: QUEUE_CLASSES[row.queueClass ?? 'interactive'],
    ocr_languages: row.ocrLanguages ?? [],
    train_after_upload: row.train,
    from_dms: row.externalDriveItemId !== null,
    external_drive_item_id: row.externalDriveItemId,
    correlation_id: currentOrigin(),
  };
  const [document] = await tx.query<[DocumentRecord]>(
    `INSERT INTO documents AS d (${Object.keys(values).join(', ')}, rung_at)
     VALUES (${Object.keys(values).map((_, index) => `$${index + 1}`)}, now()) RETURNING ${documentColumns('d')}`,
    Object.values(values),
  );
  return document;
}
