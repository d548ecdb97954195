import { syncSourceJob } from '@app/contracts';
import { Outbox } from '@app/queues';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { IMPORTING_SETTINGS, type ImportingSettings } from './importing-settings.js';
import { CLAIMED_COLUMNS, SourceClaim, type ClaimedSource } from './source-claim.js';

/** Owners whose account is closed get nothing more. */
const OWNER_IS_ACTIVE = 'EXISTS (SELECT FROM users u WHERE u.id = s.owner_id AND u.is_active)';
const IS_FREE = '(s.lease_expires_at IS NULL OR s.lease_expires_at <= now())';
const BATCH = 100;

/** Who syncs which source. For workers: nothing here asks who is looking. */
@Injectable()
export class SourceClaims {
  constructor(
    @Inject(IMPORTING_SETTINGS) private readonly settings: ImportingSettings,
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
  ) {}

  /** Takes a source that is to be synced, or null when it is not, or not yet, or somebody else has it. */
  async claim(sourceId: string): Promise<SourceClaim | null> {
    const { workerName, leaseSeconds } = this.settings;
    const [[row]] = await this.dataSource.query<[ClaimedSource[], number]>(
      `UPDATE external_sources s SET fence = fence + 1, tries = tries + 1, leased_by = $2, updated_at = now(),
         lease_expires_at = now() + $3 * interval '1 second'
       WHERE s.id = $1 AND s.state = 'syncing' AND s.resume_at <= now() AND ${IS_FREE} AND ${OWNER_IS_ACTIVE}
       RETURNING ${CLAIMED_COLUMNS}`,
      [sourceId, workerName, leaseSeconds],
    );
    return row ? new SourceClaim(this.dataSource, row, leaseSeconds) : null;
  }

  /** Gives the sync back, to be gone on with after so many seconds. `reason`: why it has not got on, '' for no fault of its own. */
  async handBack(claim: SourceClaim, seconds: number, reason: string): Promise<void> {
    const { id: sourceId, fence } = claim.source;
    const receipt = await this.dataSource.transaction(async (tx) => {
      await claim.release(tx, seconds, reason);
      return this.outbox.enqueue(syncSourceJob, { sourceId, fence }, tx, { delayMs: seconds * 1000 });
    });
    if (seconds === 0) this.outbox.publishSoon([receipt]);
  }

  /** Syncs that nobody is at although their time has come. */
  async listWaiting(): Promise<{ sourceId: string; fence: number }[]> {
    return this.dataSource.query<{ sourceId: string; fence: number }[]>(
      `SELECT s.id AS "sourceId", s.fence FROM external_sources s
       WHERE s.state = 'syncing' AND s.resume_at <= now() - interval '3 seconds' AND ${IS_FREE} AND ${OWNER_IS_ACTIVE}
       ORDER BY s.resume_at LIMIT ${BATCH}`,
    );
  }

  /** Sources whose next sync is due. */
  async listDue(): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT s.id FROM external_sources s WHERE s.next_sync_at <= now() AND s.state <> 'syncing' AND ${OWNER_IS_ACTIVE}
       ORDER BY s.next_sync_at LIMIT ${BATCH}`,
    );
    return rows.map(({ id }) => id);
  }
}
