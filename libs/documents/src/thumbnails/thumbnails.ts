import { Readable } from 'node:stream';
import { newId } from '@app/common';
import { drawThumbnailJob } from '@app/contracts';
import { FileStorage } from '@app/integrations';
import { Outbox } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { LooseFiles } from '../store/loose-files.js';
import type { ThumbnailName } from './thumbnail-path.js';

/** Longer than drawing may take: a lease is not renewed. */
const LEASE_SECONDS = 120;
const MAX_TRIES = 3;
/** When a bell may have been lost. */
const RING_AGAIN_SECONDS = 30;
/** Of one document: who wants more waits until these are drawn. */
const MAX_WAITING = 200;

export type StoredThumbnail =
  { state: 'ready'; storageKey: string; sizeBytes: number; sha256: string } | { state: 'waiting' | 'none' };

export interface ThumbnailClaim extends ThumbnailName {
  claim: string;
  tries: number;
  kind: string;
  storageKey: string;
}

/** Pictures of pages: asked for by whoever wants one, drawn by the indexer, gone with their document. */
@Injectable()
export class Thumbnails {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storage: FileStorage,
    private readonly looseFiles: LooseFiles,
    private readonly outbox: Outbox,
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
        `INSERT INTO document_thumbnails AS t (document_uid, page, width)
         SELECT DISTINCT d.uid, w.page, w.width
         FROM unnest($1::uuid[], $2::int[], $3::int[]) AS w (uid, page, width) JOIN documents d USING (uid)
         WHERE d.deleted_at IS NULL AND $4 > (SELECT count(*) FROM document_thumbnails o
           WHERE o.document_uid = d.uid AND o.state = 'waiting' AND o.lease_expires_at IS NULL)
         ORDER BY d.uid, w.page, w.width
         ON CONFLICT (document_uid, page, width) DO UPDATE SET rung_at = now()
         WHERE t.state = 'waiting' AND t.rung_at < now() - $5 * interval '1 second'
         RETURNING document_uid AS uid, page, width`,
        [
          names.map(({ uid }) => uid),
          names.map(({ page }) => page),
          names.map(({ width }) => width),
          MAX_WAITING,
          RING_AGAIN_SECONDS,
        ],
      );
      const written = [];
      for (const row of rows) written.push(await this.outbox.enqueue(drawThumbnailJob, row, tx));
      return written;
    });
    this.outbox.publishSoon(receipts);
  }

  /** Takes it to be drawn, or null when there is nothing to do, or somebody is at it. */
  async claim({ uid, page, width }: ThumbnailName): Promise<ThumbnailClaim | null> {
    const [[row]] = await this.dataSource.query<
      [Pick<ThumbnailClaim, 'tries' | 'claim' | 'kind' | 'storageKey'>[], number]
    >(
      `UPDATE document_thumbnails t
       SET claim = $4, tries = tries + 1, lease_expires_at = now() + $5 * interval '1 second'
       FROM documents d
       WHERE d.uid = t.document_uid AND d.deleted_at IS NULL AND t.document_uid = $1 AND t.page = $2 AND t.width = $3
         AND t.state = 'waiting' AND (t.lease_expires_at IS NULL OR t.lease_expires_at < now())
       RETURNING t.claim, t.tries, d.kind, d.storage_key AS "storageKey"`,
      [uid, page, width, newId(), LEASE_SECONDS],
    );
    return row ? { uid, page, width, ...row } : null;
  }

  /** Keeps the picture (WebP). @returns false when the document has gone or changed meanwhile; then nothing is kept. */
  async finish(claim: ThumbnailClaim, image: Uint8Array): Promise<boolean> {
    const { uid, page, width } = claim;
    // No folder of the document's own, which would outlive it.
    const key = `thumbnails/${uid.slice(0, 2)}/${uid}-${page}-${width}-${claim.claim}`;
    await this.looseFiles.announce(key);
    const { sizeBytes, sha256 } = await this.storage.put(key, Readable.from([image]));
    const kept = await this.dataSource.transaction(async (tx) => {
      const [, count] = await tx.query<[unknown, number]>(
        `UPDATE document_thumbnails SET state = 'ready', storage_key = $5, size_bytes = $6, sha256 = $7,
           claim = NULL, lease_expires_at = NULL
         WHERE document_uid = $1 AND page = $2 AND width = $3 AND claim = $4`,
        [uid, page, width, claim.claim, key, sizeBytes, sha256],
      );
      if (count === 1) return this.looseFiles.adopt(key, tx);
      await this.looseFiles.release([key], tx);
      return false;
    });
    if (!kept) await this.looseFiles.remove([key]);
    return kept;
  }

  /** It cannot be drawn: ever, when `permanent` or tried too often, else now. */
  async fail(claim: ThumbnailClaim, permanent: boolean): Promise<void> {
    const { uid, page, width } = claim;
    const spent = permanent || claim.tries >= MAX_TRIES;
    await this.dataSource.transaction(async (tx) => {
      const [, count] = await tx.query<[unknown, number]>(
        `UPDATE document_thumbnails SET state = $5, claim = NULL, lease_expires_at = NULL, rung_at = now()
         WHERE document_uid = $1 AND page = $2 AND width = $3 AND claim = $4`,
        [uid, page, width, claim.claim, spent ? 'none' : 'waiting'],
      );
      // The relay delivers it a moment later.
      if (count === 1 && !spent) await this.outbox.enqueue(drawThumbnailJob, { uid, page, width }, tx);
    });
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
