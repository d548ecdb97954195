import { newId } from '@app/common';
import type { StoredSource } from '@app/documents';
import type { DataSource, EntityManager } from 'typeorm';

/** The source was deleted or changed, its sync taken over: its worker must write nothing more. */
export class SourceClaimLostError extends Error {
  constructor(sourceId: string) {
    super(`The claim on source ${sourceId} is lost.`);
    this.name = 'SourceClaimLostError';
  }
}

/** Who follows a batch gets all of its items at once: a large sync shows in several, one after the other. */
const MAX_BATCH = 2000;

export interface ClaimedSource extends StoredSource {
  ownerId: number;
  folder: string;
  ocr: boolean;
  cursor: string | null;
  pageCursor: string | null;
  run: number;
  isFullRun: boolean;
  batchId: string | null;
  fence: number;
  /** Claims since the sync last got on, this one included. */
  tries: number;
}

export const CLAIMED_COLUMNS = `s.id, s.owner_id AS "ownerId", s.type, s.config, s.secret_sealed AS "secretSealed", s.folder,
  s.ocr, s.cursor, s.page_cursor AS "pageCursor", s.run, s.is_full_run AS "isFullRun", s.batch_id AS "batchId", s.fence,
  s.tries`;

/** What happened to one item, counted on the source. */
export type Outcome = 'added' | 'updated' | 'removed' | 'failed';

/**
 * The right to sync one source. Every write is in a transaction whose statement on the source carries the fence of the
 * claim, so that a worker who was thought dead and comes back changes nothing (docs/contract/reliability.md#jobs).
 */
export class SourceClaim {
  private batchId: string;
  private run: number;
  private isFull: boolean;

  constructor(
    private readonly dataSource: DataSource,
    readonly source: ClaimedSource,
    private readonly leaseSeconds: number,
  ) {
    this.batchId = source.batchId ?? newId();
    this.run = source.run;
    this.isFull = source.isFullRun;
  }

  /** Marks what this sync has seen. */
  get currentRun(): number {
    return this.run;
  }

  /** Whether what this sync does not see is gone. */
  get isFullRun(): boolean {
    return this.isFull;
  }

  /** Keeps the lease. @throws SourceClaimLostError */
  async renew(): Promise<void> {
    await this.write(this.dataSource);
  }

  /** In a transaction that changes what belongs to the source. @throws SourceClaimLostError */
  async hold(tx: EntityManager): Promise<void> {
    await this.write(tx);
  }

  /** Counts what one item became, in the transaction that makes it so. @throws SourceClaimLostError */
  async count(tx: EntityManager, outcome: Outcome, by = 1): Promise<void> {
    await this.write(tx, `tries = 0, ${outcome} = ${outcome} + $4`, [by]);
  }

  /** Shows an item in the sync's batch. In a transaction that also `count`s. */
  async addToBatch(
    tx: EntityManager,
    sourceType: string,
    item: { filename: string; documentUid: string | null; refusal: string },
  ): Promise<void> {
    await tx.query(
      'INSERT INTO upload_batches (batch_id, owner_id, source_type) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [this.batchId, this.source.ownerId, sourceType],
    );
    await this.write(tx, 'batch_id = $4', [this.batchId]);
    const [{ position }] = await tx.query<[{ position: number }]>(
      `INSERT INTO upload_batch_items (batch_id, position, filename, document_uid, refusal)
       SELECT $1, coalesce(max(position) + 1, 0), $2, $3, $4 FROM upload_batch_items WHERE batch_id = $1
       RETURNING position`,
      [this.batchId, item.filename, item.documentUid, item.refusal],
    );
    if (position + 1 >= MAX_BATCH) this.batchId = newId();
  }

  /** The next worker goes on here. @throws SourceClaimLostError */
  async checkpoint(pageCursor: string | null): Promise<void> {
    await this.write(this.dataSource, 'tries = 0, page_cursor = $4', [pageCursor]);
  }

  /** From here on everything is listed once more, as a sync of its own. @throws SourceClaimLostError */
  async startOver(): Promise<void> {
    const everything = 'cursor = NULL, page_cursor = NULL, is_full_run = true, run = $4';
    await this.write(this.dataSource, everything, [this.run + 1]);
    this.run += 1;
    this.isFull = true;
  }

  /** @param cursor where the next sync begins. @throws SourceClaimLostError */
  async finish(cursor: string | null): Promise<void> {
    const done = `state = 'ok', last_error = '', last_synced_at = now(), cursor = $3`;
    await this.end(this.dataSource, `${done}, page_cursor = NULL, resume_at = NULL`, [cursor]);
  }

  /** The sync has failed. @param reason a sentence for the owner. @throws SourceClaimLostError */
  async fail(reason: string): Promise<void> {
    const failed = `state = 'error', last_error = $3, page_cursor = NULL, resume_at = NULL`;
    await this.end(this.dataSource, failed, [reason]);
  }

  /**
   * Gives the sync to the next worker, who may take it after so many seconds. `reason`: '' when nothing went wrong, and
   * then the try is not counted.
   * @throws SourceClaimLostError
   */
  async release(tx: EntityManager, seconds: number, reason: string): Promise<void> {
    const later = `last_error = $3, resume_at = now() + $4 * interval '1 second', tries = tries - $5`;
    await this.end(tx, later, [reason, seconds, reason === '' ? 1 : 0]);
  }

  /** Values from $4 on. */
  private async write(db: DataSource | EntityManager, assignments = '', values: unknown[] = []): Promise<void> {
    const lease = `lease_expires_at = now() + $3 * interval '1 second'`;
    await this.update(db, assignments === '' ? lease : `${lease}, ${assignments}`, [this.leaseSeconds, ...values]);
  }

  /** Without the lease from then on. Values from $3 on. */
  private async end(db: DataSource | EntityManager, assignments: string, values: unknown[]): Promise<void> {
    await this.update(db, `leased_by = NULL, lease_expires_at = NULL, ${assignments}`, values);
  }

  private async update(db: DataSource | EntityManager, assignments: string, values: unknown[]): Promise<void> {
    const [, count] = await db.query<[unknown[], number]>(
      `UPDATE external_sources SET updated_at = now(), ${assignments}
       WHERE id = $1 AND fence = $2 AND state = 'syncing'`,
      [this.source.id, this.source.fence, ...values],
    );
    if (count === 0) throw new SourceClaimLostError(this.source.id);
  }
}
