import { ConflictError, newId } from '@app/common';
import { FileStorage } from '@app/integrations';
import type { OutboxReceipt } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { tabularFileNotFound } from '../databases/tabular-databases.js';
import { ImportRequests } from '../importing/import-requests.js';
import { StoredFiles } from '../records/stored-files.port.js';
import {
  findTabularFileByUid,
  TABULAR_STATUS_TEXTS,
  tabularFileColumns,
  type TabularFileRecord,
  type TabularStore,
} from '../records/tabular-file-columns.js';
import { tabularMediaPath, tabularUploadKey } from './tabular-media-path.js';
import type { TabularOptions } from '../records/tabular-table.js';

export interface NewTabularFile extends TabularOptions {
  ownerId: number;
  store: TabularStore;
  /** Normalised. */
  folder: string;
  /** Sanitised. */
  filename: string;
  /** A file of this machine with the inspected bytes; it is copied, not moved. */
  sourcePath: string;
  kind: string;
  mimeType: string;
}

export interface RequestedImport {
  file: TabularFileRecord;
  /** The queue did not take the job; it is delivered later. */
  queuePending: boolean;
}

const LIST_BATCH = 200;
const LARGEST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The files of the database and the spreadsheet store. Every method is scoped to the owner and one store. */
@Injectable()
export class TabularFiles {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
    private readonly storedFiles: StoredFiles,
    private readonly requests: ImportRequests,
  ) {}

  /**
   * Keeps the upload, then its row together with the request for the import, then adds the job. Whatever stops it
   * in between leaves nothing that a client can see; a sweeper removes the file.
   * @param settle runs in the transaction that makes the row
   */
  async add(upload: NewTabularFile, settle?: (tx: EntityManager) => Promise<void>): Promise<RequestedImport> {
    const uid = newId();
    const storageKey = tabularUploadKey(uid);
    await this.storedFiles.announce(storageKey);
    const stored = await this.storage.put(storageKey, { path: upload.sourcePath });
    const receipt = await this.dataSource.transaction(async (tx) => {
      if (!(await this.storedFiles.adopt(storageKey, tx)))
        throw new Error('The upload took so long that its file was removed.');
      await settle?.(tx);
      await insertFile(tx, { ...upload, ...stored, uid, storageKey });
      return this.requests.enqueue({ uid, fence: 0 }, tx);
    });
    return this.publish(uid, receipt);
  }

  /** Newest first, in batches: the list has no pages, and the tables of a file can be wide. */
  async *batches(ownerId: number, store: TabularStore): AsyncGenerator<TabularFileRecord[]> {
    // Nothing is before infinity; a timestamp as text keeps its microseconds.
    let last = { uid: LARGEST_UUID, cursor: 'infinity' };
    for (;;) {
      const rows: (TabularFileRecord & { cursor: string })[] = await this.dataSource.query(
        `SELECT ${tabularFileColumns('f')}, f.created_at::text AS cursor FROM tabular_files f
         WHERE f.owner_id = $1 AND f.store = $2 AND (f.created_at, f.uid) < ($3::timestamptz, $4::uuid)
         ORDER BY f.created_at DESC, f.uid DESC LIMIT ${LIST_BATCH}`,
        [ownerId, store, last.cursor, last.uid],
      );
      if (rows.length > 0) yield rows;
      const next = rows.at(-1);
      if (!next || rows.length < LIST_BATCH) return;
      last = next;
    }
  }

  /** @throws NotFoundError */
  async get(ownerId: number, store: TabularStore, uid: string): Promise<TabularFileRecord> {
    const file = await findTabularFileByUid(this.dataSource, uid);
    if (file?.ownerId !== ownerId || file.store !== store) throw tabularFileNotFound();
    return file;
  }

  /** @param folder normalised. @throws NotFoundError */
  async move(ownerId: number, store: TabularStore, uid: string, folder: string): Promise<TabularFileRecord> {
    const [[row]] = await this.dataSource.query<[TabularFileRecord[], number]>(
      `UPDATE tabular_files f SET folder = $4, updated_at = now() WHERE f.uid = $3 AND f.owner_id = $1 AND f.store = $2
       RETURNING ${tabularFileColumns('f')}`,
      [ownerId, store, uid, folder],
    );
    if (!row) throw tabularFileNotFound();
    return row;
  }

  /**
   * Imports again what is at rest, with other options where some are given. The former database answers until the new
   * one is there.
   * @throws NotFoundError, ConflictError `not_retryable` with `processing_state`
   */
  async retry(
    ownerId: number,
    store: TabularStore,
    uid: string,
    options: Partial<TabularOptions>,
  ): Promise<RequestedImport> {
    const receipt = await this.dataSource.transaction(async (tx) => {
      const [[row]] = await tx.query<[{ fence: number }[], number]>(
        `UPDATE tabular_files f SET processing_state = 'pending_publish', status = $4, last_error = '', attempts = 0,
           next_attempt_at = now(), updated_at = now(),
           header_row = coalesce($5, header_row), delimiter = coalesce($6, delimiter), encoding = coalesce($7, encoding)
         WHERE f.uid = $3 AND f.owner_id = $1 AND f.store = $2 AND f.processing_state IN ('completed', 'failed')
         RETURNING f.fence`,
        [
          ownerId,
          store,
          uid,
          TABULAR_STATUS_TEXTS.pending_publish,
          options.headerRow ?? null,
          options.delimiter ?? null,
          options.encoding ?? null,
        ],
      );
      return row ? this.requests.enqueue({ uid, fence: row.fence }, tx) : null;
    });
    if (receipt) return this.publish(uid, receipt);
    const { processingState } = await this.get(ownerId, store, uid);
    throw new ConflictError('The file is being imported already.', {
      code: 'not_retryable',
      extra: { processing_state: processingState },
    });
  }

  private async publish(uid: string, receipt: OutboxReceipt): Promise<RequestedImport> {
    const { pending } = await this.requests.publish([receipt]);
    const file = await findTabularFileByUid(this.dataSource, uid);
    if (!file) throw tabularFileNotFound();
    return { file, queuePending: pending };
  }
}

type FileRow = NewTabularFile & { uid: string; storageKey: string; sizeBytes: number; sha256: string };

async function insertFile(tx: EntityManager, row: FileRow): Promise<void> {
  const values = {
    uid: row.uid,
    owner_id: row.ownerId,
    store: row.store,
    folder: row.folder,
    filename: row.filename,
    path: tabularMediaPath(row.uid, row.filename),
    kind: row.kind,
    mime_type: row.mimeType,
    size_bytes: row.sizeBytes,
    sha256: row.sha256,
    storage_key: row.storageKey,
    header_row: row.headerRow,
    delimiter: row.delimiter,
    encoding: row.encoding,
    processing_state: 'pending_publish',
    status: TABULAR_STATUS_TEXTS.pending_publish,
  };
  await tx.query(
    `INSERT INTO tabular_files (${Object.keys(values).join(', ')})
     VALUES (${Object.keys(values).map((_, index) => `$${index + 1}`)})`,
    Object.values(values),
  );
}
