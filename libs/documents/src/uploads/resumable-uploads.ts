import { ConflictError, NotFoundError } from '@app/common';
import { StorageQuota } from '@app/entitlements';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** From its creation; a day's work on a slow line. */
export const EXPIRES_AFTER_SECONDS = 24 * 3600;
/** Of one user. */
const MAX_UNFINISHED = 1000;

export type UploadMetadata = Record<string, string | null>;

export interface Refusal {
  code: 'upload_rejected' | 'upload_blocked' | 'parse_error';
  reasons: string[];
}

export interface ResumableUpload {
  id: string;
  ownerId: number;
  /** Of the whole file, as announced. */
  sizeBytes: number;
  metadata: UploadMetadata;
  state: 'receiving' | 'stored' | 'refused';
  /** Null also when the document was purged since. */
  documentUid: string | null;
  refusal: Refusal | null;
  createdAt: Date;
  expiresAt: Date;
}

const COLUMNS = `id, owner_id AS "ownerId", size_bytes::float8 AS "sizeBytes", metadata, state,
  document_uid AS "documentUid", refusal, created_at AS "createdAt", expires_at AS "expiresAt"`;

/** Uploads by the tus protocol, as rows. A reservation of storage of the same id stands beside each unfinished one. */
@Injectable()
export class ResumableUploads {
  constructor(
    private readonly dataSource: DataSource,
    private readonly quota: StorageQuota,
  ) {}

  /** @throws StorageLimitExceededError; ConflictError `too_many_uploads`; then nothing is left */
  async create(upload: Pick<ResumableUpload, 'id' | 'ownerId' | 'sizeBytes' | 'metadata'>): Promise<void> {
    const { id, ownerId, sizeBytes, metadata } = upload;
    const reservation = await this.quota.reserve(ownerId, sizeBytes, { id, seconds: EXPIRES_AFTER_SECONDS });
    try {
      const rows = await this.dataSource.query<unknown[]>(
        `INSERT INTO resumable_uploads (id, owner_id, size_bytes, metadata, expires_at)
         SELECT $1, $2, $3, $4, now() + $5 * interval '1 second'
         WHERE $6 > (SELECT count(*) FROM resumable_uploads WHERE owner_id = $2 AND state = 'receiving')
         RETURNING id`,
        [id, ownerId, sizeBytes, JSON.stringify(metadata), EXPIRES_AFTER_SECONDS, MAX_UNFINISHED],
      );
      if (rows.length === 0)
        throw new ConflictError('Too many uploads are unfinished. Finish or delete some.', {
          code: 'too_many_uploads',
        });
    } catch (error) {
      await reservation.release();
      throw error;
    }
  }

  /** @throws NotFoundError for what is not the owner's, too */
  async getOwned(ownerId: number, id: string): Promise<ResumableUpload> {
    const upload = await this.find(id);
    if (upload?.ownerId !== ownerId) throw new NotFoundError('Upload not found.', { code: 'upload_not_found' });
    return upload;
  }

  async find(id: string): Promise<ResumableUpload | null> {
    const [row] = await this.dataSource.query<ResumableUpload[]>(
      `SELECT ${COLUMNS} FROM resumable_uploads WHERE id = $1 AND expires_at > now()`,
      [id],
    );
    return row ?? null;
  }

  /** In the transaction that makes the document. */
  async markStored(id: string, documentUid: string, tx: EntityManager): Promise<void> {
    await tx.query(`UPDATE resumable_uploads SET state = 'stored', document_uid = $2 WHERE id = $1`, [id, documentUid]);
  }

  async markRefused(id: string, refusal: Refusal): Promise<void> {
    await this.dataSource.query(`UPDATE resumable_uploads SET state = 'refused', refusal = $2 WHERE id = $1`, [
      id,
      JSON.stringify(refusal),
    ]);
  }

  /** The row and what was reserved for it; call it after its file is gone. */
  async remove(id: string): Promise<void> {
    await this.quota.reopen(id).release();
    await this.dataSource.query('DELETE FROM resumable_uploads WHERE id = $1', [id]);
  }

  /** Unfinished, at which nobody has been for a while: they may be waiting for their last step. */
  async listIdle(seconds: number, limit: number): Promise<ResumableUpload[]> {
    return this.dataSource.query<ResumableUpload[]>(
      `SELECT ${COLUMNS} FROM resumable_uploads
       WHERE state = 'receiving' AND expires_at > now() AND created_at < now() - $1 * interval '1 second'
         AND (locked_until IS NULL OR locked_until < now()) ORDER BY random() LIMIT $2`,
      [seconds, limit],
    );
  }

  async listExpired(limit: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM resumable_uploads
       WHERE expires_at < now() AND (locked_until IS NULL OR locked_until < now()) ORDER BY expires_at LIMIT $1`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Those of the ids that have a row. */
  async listKnown(ids: string[]): Promise<Set<string>> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      'SELECT id FROM resumable_uploads WHERE id = ANY($1::uuid[])',
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  }
}
