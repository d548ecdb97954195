import { Readable } from 'node:stream';
import { newId } from '@app/common';
import { FileStorage } from '@app/integrations';
import { Outbox } from '@app/queues';
import { ClaimLostError, WorkClaims, type Claim, type Param } from '@app/work';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { LooseFiles } from '@app/entitlements';
import type { ThumbnailName } from './thumbnail-path.js';
import { thumbnailWork, type ClaimedThumbnail } from './thumbnail-work.js';

/** Of one document: who wants more waits until these are drawn. */
const MAX_WAITING = 200;

export type StoredThumbnail =
  | { state: 'ready'; storageKey: string; sizeBytes: number; sha256: string }
  | { state: 'waiting' | 'none' };

/** Pictures of pages: asked for by whoever wants one, drawn by the indexer, gone with their document. */
@Injectable()
export class Thumbnails {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
    private readonly looseFiles: LooseFiles,
    private readonly outbox: Outbox,
    private readonly claims: WorkClaims,
  ) {}

  /** Null when nobody has asked for it yet, or its document is gone or in the trash. */
  async find({ uid, page, width }: ThumbnailName): Promise<StoredThumbnail | null> {
    const [row] = await this.dataSource.query<StoredThumbnail[]>(
      `SELECT t.state, t.storage_key AS "storageKey", t.size_bytes AS "sizeBytes", t.sha256 FROM document_thumbnails t
       JOIN documents d ON d.uid = t.document_uid AND d.deleted_at IS NULL
       WHERE t.document_uid = $1 AND t.page = $2 AND t.width = $3`,
      [uid, page, width],
    );
    return row ?? null;
  }

  /** Has them drawn, unless they are, or are waited for already. Whether the pages exist is found out by drawing. */
  async demand(names: readonly ThumbnailName[]): Promise<void> {
    if (names.length === 0) return;
    const receipts = await this.dataSource.transaction(async (tx) => {
      const rows = await tx.query<ThumbnailName[]>(
        `INSERT INTO document_thumbnails (document_uid, page, width)
         SELECT DISTINCT d.uid, w.page, w.width
         FROM unnest($1::uuid[], $2::int[], $3::int[]) AS w (uid, page, width) JOIN documents d USING (uid)
         WHERE d.deleted_at IS NULL AND $4 > (SELECT count(*) FROM document_thumbnails o
           WHERE o.document_uid = d.uid AND o.state = 'waiting' AND o.leased_until IS NULL)
         ORDER BY d.uid, w.page, w.width
         ON CONFLICT (document_uid, page, width) DO NOTHING
         RETURNING document_uid AS uid, page, width`,
        [names.map(({ uid }) => uid), names.map(({ page }) => page), names.map(({ width }) => width), MAX_WAITING],
      );
      const written = [];
      for (const { uid, page, width } of rows)
        written.push(await this.claims.notify(thumbnailWork, [uid, page, width], 0, tx));
      return written;
    });
    this.outbox.publishSoon(receipts);
  }

  /** Keeps the picture (WebP). @throws ClaimLostError when the document has gone or changed meanwhile; nothing is kept then */
  async finish(claim: Claim<ClaimedThumbnail>, image: Uint8Array): Promise<void> {
    const { uid, page, width } = claim.row;
    // No folder of the document's own, which would outlive it.
    const key = `thumbnails/${uid.slice(0, 2)}/${uid}-${page}-${width}-${newId()}`;
    await this.looseFiles.announce(key);
    try {
      const { sizeBytes, sha256 } = await this.storage.put(key, Readable.from([image]));
      const set = (param: Param) => `state = 'ready', storage_key = ${param(key)}, size_bytes = ${param(sizeBytes)},
        sha256 = ${param(sha256)}`;
      await this.dataSource.transaction(async (tx) => {
        await this.claims.finish(claim, { set }, tx);
        if (!(await this.looseFiles.adopt(key, tx))) throw new ClaimLostError(claim);
      });
    } catch (error) {
      // After any other error it may have been kept; a sweeper finds out.
      if (error instanceof ClaimLostError) await this.removeUnkept(key);
      throw error;
    }
  }

  private async removeUnkept(key: string): Promise<void> {
    await this.dataSource.transaction((tx) => this.looseFiles.release([key], tx));
    await this.looseFiles.remove([key]);
  }
}

/**
 * In the transaction that deletes the documents, or gives them other bytes: their pictures go too.
 * @returns keys of files that may be removed at once after commit; a sweeper removes them otherwise
 */
export async function forgetThumbnails(
  uids: readonly string[],
  looseFiles: LooseFiles,
  tx: EntityManager,
): Promise<string[]> {
  const [rows] = await tx.query<[{ storage_key: string | null }[], number]>(
    'DELETE FROM document_thumbnails WHERE document_uid = ANY($1::uuid[]) RETURNING storage_key',
    [uids],
  );
  const keys = rows.map((row) => row.storage_key).filter((key) => key !== null);
  if (keys.length > 0) await looseFiles.release(keys, tx);
  return keys;
}
