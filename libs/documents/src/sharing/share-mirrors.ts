import type { OutboxReceipt } from '@app/queues';
import { WorkClaims, type Claim } from '@app/work';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { StoredSource } from '../sources/source-secret.js';
import { mirrorWork, type ClaimedMirror } from './mirror-work.js';

/**
 * What shares are to be in the drives that their documents come from. Triggers on `document_shares` write it, in the
 * transaction of the share; here it is worked off, one worker at a time for each share, until the drive agrees.
 */
@Injectable()
export class ShareMirrors {
  constructor(
    private readonly dataSource: DataSource,
    private readonly claims: WorkClaims,
  ) {}

  /** In the transaction that changed the shares; hand the receipts to the outbox after commit. */
  async notify(uid: string, userIds: readonly number[], tx: EntityManager): Promise<OutboxReceipt[]> {
    if (userIds.length === 0) return [];
    const rows = await tx.query<{ id: number; fence: number }[]>(
      `SELECT id, fence FROM document_share_mirrors
       WHERE document_uid = $1 AND user_id = ANY($2::int[]) AND next_attempt_at IS NOT NULL`,
      [uid, userIds],
    );
    const receipts: OutboxReceipt[] = [];
    for (const { id, fence } of rows) receipts.push(await this.claims.notify(mirrorWork, [id], fence, tx));
    return receipts;
  }

  /** Null: the document did not come from a source that is there. */
  async findSource(sourceId: string | null): Promise<StoredSource | null> {
    const [source] = await this.dataSource.query<StoredSource[]>(
      'SELECT id, type, config, secret_sealed AS "secretSealed" FROM external_sources WHERE id = $1',
      [sourceId],
    );
    return source ?? null;
  }

  /** The drive has what was wanted; where something else is wanted by now, the work goes on. @throws ClaimLostError */
  async settle(claim: Claim<ClaimedMirror>, handle: string | null): Promise<void> {
    const { id, version } = claim.row;
    await this.dataSource.transaction(async (tx) => {
      await this.claims.finish(
        claim,
        {
          set: (param) => `grant_handle = ${param(handle)},
            attempted = w.attempted AND (w.wanted OR w.version > ${param(version)})`,
          nextAttempt: (param) => `CASE WHEN w.version > ${param(version)} THEN now() END`,
        },
        tx,
      );
      await tx.query('DELETE FROM document_share_mirrors WHERE id = $1 AND NOT wanted AND next_attempt_at IS NULL', [
        id,
      ]);
    });
  }
}
