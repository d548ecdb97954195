import { indexDocumentJob } from '@app/contracts';
import { eachExported, exportedArray, type ExportedFile, type OwnedData } from '@app/erasure';
import { FileStorage } from '@app/integrations';
import { Outbox } from '@app/queues';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { DOCUMENT_TRACES, type DocumentTrace } from './document-traces.js';

const BATCH = 20;
/** Rows that an export reads at once. */
const EXPORTED_PAGE = 5_000;

type Removed = { uid: string; storage_key: string; fence: number; attempt: number };

/** Documents with their files and index, batches, and shares in both directions. */
@Injectable()
export class OwnedDocuments implements OwnedData {
  readonly name = 'documents';
  readonly tables = [
    'documents',
    'document_thumbnails',
    'document_indexes',
    'chunk_sign_bits',
    'document_shares',
    'upload_batches',
  ];

  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
    private readonly outbox: Outbox,
    @Inject(DOCUMENT_TRACES) private readonly traces: readonly DocumentTrace[],
  ) {}

  async countFor(userId: number): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `SELECT (SELECT count(*) FROM documents WHERE owner_id = $1)::int
            + (SELECT count(*) FROM document_shares WHERE user_id = $1)::int
            + (SELECT count(*) FROM upload_batches WHERE owner_id = $1)::int AS count`,
      [userId],
    );
    return count;
  }

  /** Files go before their rows do: a crash in between leaves rows, which are found again. */
  async deleteSome(userId: number, tx: EntityManager): Promise<number> {
    const documents = await tx.query<Removed[]>(
      'SELECT uid, storage_key, fence, attempt FROM documents WHERE owner_id = $1 LIMIT $2 FOR UPDATE',
      [userId, BATCH],
    );
    if (documents.length === 0) return this.deleteRest(userId, tx);
    const uids = documents.map(({ uid }) => uid);
    const shares = await tx.query<{ user_id: number }[]>(
      'SELECT DISTINCT user_id FROM document_shares WHERE document_uid = ANY($1::uuid[])',
      [uids],
    );
    const receivers = shares.map(({ user_id }) => user_id);
    for (const trace of this.traces) await trace.forgetDocuments(uids, receivers, tx);
    // The release before counts jobs by `attempt`.
    const jobs = documents.flatMap(({ uid, fence, attempt }) =>
      [fence, attempt].map((count) => ({ key: [uid], fence: count })),
    );
    await this.outbox.withdraw(indexDocumentJob, jobs, tx);
    const thumbnails = await tx.query<{ storage_key: string }[]>(
      'SELECT storage_key FROM document_thumbnails WHERE document_uid = ANY($1::uuid[]) AND storage_key IS NOT NULL FOR UPDATE',
      [uids],
    );
    for (const { storage_key } of [...documents, ...thumbnails]) await this.storage.delete(storage_key);
    await tx.query('DELETE FROM documents WHERE uid = ANY($1::uuid[])', [uids]);
    return documents.length;
  }

  async *exportFor(userId: number): AsyncIterable<ExportedFile> {
    const read = (after: string | null) =>
      this.dataSource.query<{ cursor: string; filename: string; storage_key: string; row: unknown }[]>(
        `SELECT uid AS cursor, filename, storage_key,
           jsonb_build_object('uid', uid, 'filename', filename, 'folder', folder, 'tags', tags, 'size_bytes', size_bytes,
             'mime_type', mime_type, 'sha256', sha256, 'created_at', created_at, 'deleted_at', deleted_at) AS row
         FROM documents WHERE owner_id = $1 AND ($2::uuid IS NULL OR uid > $2) ORDER BY uid LIMIT ${EXPORTED_PAGE}`,
        [userId, after],
      );
    yield { path: 'documents/index.json', content: exportedArray(read) };
    for await (const { cursor: uid, filename, storage_key } of eachExported(read))
      yield {
        path: `documents/${uid}/${filename}`,
        content: async () => (await this.storage.open(storage_key)).stream,
      };
  }

  private async deleteRest(userId: number, tx: EntityManager): Promise<number> {
    const [, shares] = await tx.query<[unknown, number]>('DELETE FROM document_shares WHERE user_id = $1', [userId]);
    const [, batches] = await tx.query<[unknown, number]>('DELETE FROM upload_batches WHERE owner_id = $1', [userId]);
    return shares + batches;
  }
}
