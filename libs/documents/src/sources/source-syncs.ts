import { Outbox } from '@app/queues';
import { WorkClaims } from '@app/work';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { sourceWork } from './source-work.js';

const BATCH = 100;

/** Asks for syncs of external sources; the indexer does them. */
@Injectable()
export class SourceSyncs {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly claims: WorkClaims,
  ) {}

  /**
   * Begins a sync unless one is under way, then that one goes on. Who may ask is decided before.
   * @returns false when there is no such source
   */
  async request(sourceId: string): Promise<boolean> {
    const receipt = await this.dataSource.transaction(async (tx) => {
      const [[begun]] = await tx.query<[{ fence: number }[], number]>(
        `UPDATE external_sources SET state = 'syncing', next_attempt_at = now(), run = run + 1, is_full_run = cursor IS NULL,
           page_cursor = NULL, batch_id = NULL, last_error = '', attempts = 0, added = 0, updated = 0, removed = 0, failed = 0,
           next_sync_at = now() + schedule_minutes * interval '1 minute', updated_at = now()
         WHERE id = $1 AND state <> 'syncing' RETURNING fence`,
        [sourceId],
      );
      return begun ? this.claims.notify(sourceWork, [sourceId], begun.fence, tx) : null;
    });
    if (receipt) this.outbox.publishSoon([receipt]);
    if (receipt) return true;
    const known = await this.dataSource.query<unknown[]>('SELECT FROM external_sources WHERE id = $1', [sourceId]);
    return known.length > 0;
  }

  /** Sources whose next sync is due. For workers: nothing here asks who is looking. */
  listDue(): Promise<{ id: string; ownerId: number }[]> {
    return this.dataSource.query<{ id: string; ownerId: number }[]>(
      `SELECT w.id, w.owner_id AS "ownerId" FROM external_sources w WHERE w.next_sync_at <= now() AND w.state <> 'syncing'
         AND ${sourceWork.when} ORDER BY w.next_sync_at LIMIT ${BATCH}`,
    );
  }

  /** Until the next time of its schedule. @param reason for the owner */
  async passOver(sourceId: string, reason: string): Promise<void> {
    await this.dataSource.query(
      `UPDATE external_sources SET next_sync_at = now() + schedule_minutes * interval '1 minute', last_error = $2, updated_at = now()
       WHERE id = $1 AND state <> 'syncing'`,
      [sourceId, reason],
    );
  }
}
