import { mirrorShareJob } from '@app/contracts';
import { Outbox, type OutboxReceipt } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { StoredSource } from '../sources/source-secret.js';

/** Longer than one call to a drive may take. */
const LEASE_SECONDS = 120;
/** Seconds before each further try; the last one is repeated. */
const BACKOFF_SECONDS = [30, 120, 600, 3600, 21_600];
/** About a month of six hours each. */
const MAX_TRIES = 120;

/** A share of a document from an external drive, taken to be repeated there. */
export interface MirrorClaim {
  id: number;
  fence: number;
  /** What was wanted when it was taken; a later change makes it due again. */
  version: number;
  wanted: boolean;
  email: string;
  itemId: string;
  handle: string | null;
  /** Whether the drive was ever asked to share it: then a missing handle says nothing. */
  attempted: boolean;
  tries: number;
  source: StoredSource | null;
}

type ClaimRow = Omit<MirrorClaim, 'source'> & { sourceId: string | null };

/**
 * What shares are to be in the drives that their documents come from. Triggers on `document_shares` write it, in the
 * transaction of the share; here it is worked off, one worker at a time for each share, until the drive agrees.
 */
@Injectable()
export class ShareMirrors {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
  ) {}

  /** In the transaction that changed the shares; hand the receipts to the outbox after commit. */
  async ring(uid: string, userIds: readonly number[], tx: EntityManager): Promise<OutboxReceipt[]> {
    if (userIds.length === 0) return [];
    const rows = await tx.query<{ mirrorId: number; version: number }[]>(
      `SELECT id AS "mirrorId", version FROM document_share_mirrors
       WHERE document_uid = $1 AND user_id = ANY($2::int[]) AND due_at IS NOT NULL`,
      [uid, userIds],
    );
    const receipts: OutboxReceipt[] = [];
    for (const row of rows) receipts.push(await this.outbox.enqueue(mirrorShareJob, row, tx));
    return receipts;
  }

  /** Those that nobody is at. */
  async listDue(limit: number): Promise<number[]> {
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT id FROM document_share_mirrors
       WHERE due_at <= now() AND (lease_expires_at IS NULL OR lease_expires_at < now()) ORDER BY due_at LIMIT $1`,
      [limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Null when there is nothing to do, or somebody is at it. */
  async claim(id: number): Promise<MirrorClaim | null> {
    const [[row]] = await this.dataSource.query<[ClaimRow[], number]>(
      `UPDATE document_share_mirrors
       SET fence = fence + 1, tries = tries + 1, lease_expires_at = now() + $2 * interval '1 second',
           attempted = attempted OR wanted
       WHERE id = $1 AND due_at <= now() AND (lease_expires_at IS NULL OR lease_expires_at < now())
       RETURNING id, fence, version, wanted, email, item_id AS "itemId", grant_handle AS handle, attempted, tries,
         source_id AS "sourceId"`,
      [id, LEASE_SECONDS],
    );
    if (!row) return null;
    const { sourceId, ...claim } = row;
    const [source] = await this.dataSource.query<StoredSource[]>(
      'SELECT id, type, config, secret_sealed AS "secretSealed" FROM external_sources WHERE id = $1',
      [sourceId],
    );
    return { ...claim, source: source ?? null };
  }

  /** The drive has what was wanted. @returns whether something else is wanted by now */
  async settle({ id, fence, version }: MirrorClaim, handle: string | null): Promise<boolean> {
    return this.dataSource.transaction(async (tx) => {
      const [[row]] = await tx.query<[{ due: boolean }[], number]>(
        `UPDATE document_share_mirrors SET grant_handle = $4, tries = 0, lease_expires_at = NULL, last_error = '',
           attempted = attempted AND (wanted OR version > $3),
           due_at = CASE WHEN version > $3 THEN now() END
         WHERE id = $1 AND fence = $2 RETURNING due_at IS NOT NULL AS due`,
        [id, fence, version, handle],
      );
      await tx.query(
        'DELETE FROM document_share_mirrors WHERE id = $1 AND fence = $2 AND NOT wanted AND due_at IS NULL',
        [id, fence],
      );
      return row?.due ?? false;
    });
  }

  /**
   * The try went wrong; there is another one later.
   * @param afterSeconds what the drive asked for
   */
  async putOff({ id, fence, tries }: MirrorClaim, reason: string, afterSeconds: number | null): Promise<void> {
    const delay = afterSeconds ?? BACKOFF_SECONDS[Math.min(tries, BACKOFF_SECONDS.length) - 1];
    await this.dataSource.query(
      `UPDATE document_share_mirrors SET lease_expires_at = NULL, last_error = $3,
         due_at = CASE WHEN tries < $5 THEN now() + $4 * interval '1 second' END
       WHERE id = $1 AND fence = $2`,
      [id, fence, reason, delay, MAX_TRIES],
    );
  }
}
