import { newTimeOrderedId } from '@app/common';
import { type Assignments, type Claim, WorkClaims } from '@app/work';
import type { EntityManager } from 'typeorm';
import type { ClaimedSource } from './source-work.js';

/** Who follows a batch gets all of its items at once: a large sync shows in several, one after the other. */
const MAX_BATCH = 2000;

/** What happened to one item, counted on the source. */
export type Outcome = 'added' | 'updated' | 'removed' | 'failed';

/**
 * The right to sync one source. Every write is in a transaction whose statement on the source carries the claim, so
 * that a worker who was thought dead and comes back changes nothing (docs/contract/reliability.md#jobs).
 */
export class SourceClaim {
  private batchId: string;
  private run: number;
  private isFull: boolean;

  constructor(
    private readonly claims: WorkClaims,
    private readonly claim: Claim<ClaimedSource>,
  ) {
    const { batchId, run, isFullRun } = claim.row;
    this.batchId = batchId ?? newTimeOrderedId();
    this.run = run;
    this.isFull = isFullRun;
  }

  get source(): ClaimedSource {
    return this.claim.row;
  }

  /** Marks what this sync has seen. */
  get currentRun(): number {
    return this.run;
  }

  /** Whether what this sync does not see is gone. */
  get isFullRun(): boolean {
    return this.isFull;
  }

  /** Keeps the lease; in a transaction that changes what belongs to the source, if there is one. @throws ClaimLostError */
  async hold(tx?: EntityManager): Promise<void> {
    await this.claims.hold(this.claim, tx);
  }

  /** Counts what one item became, in the transaction that makes it so. @throws ClaimLostError */
  async count(tx: EntityManager, outcome: Outcome, by = 1): Promise<void> {
    await this.getOn((param) => `${outcome} = w.${outcome} + ${param(by)}`, tx);
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
    await this.claims.hold(this.claim, tx, { set: (param) => `batch_id = ${param(this.batchId)}` });
    const [{ position }] = await tx.query<[{ position: number }]>(
      `INSERT INTO upload_batch_items (batch_id, position, filename, document_uid, refusal)
       SELECT $1, coalesce(max(position) + 1, 0), $2, $3, $4 FROM upload_batch_items WHERE batch_id = $1
       RETURNING position`,
      [this.batchId, item.filename, item.documentUid, item.refusal],
    );
    if (position + 1 >= MAX_BATCH) this.batchId = newTimeOrderedId();
  }

  /** The next worker goes on here. @throws ClaimLostError */
  async checkpoint(pageCursor: string | null): Promise<void> {
    await this.getOn((param) => `page_cursor = ${param(pageCursor)}`);
  }

  /** From here on everything is listed once more, as a sync of its own. @throws ClaimLostError */
  async startOver(): Promise<void> {
    const next = this.run + 1;
    await this.claims.hold(this.claim, undefined, {
      set: (param) => `cursor = NULL, page_cursor = NULL, is_full_run = true, run = ${param(next)}`,
    });
    this.run = next;
    this.isFull = true;
  }

  /** @param cursor where the next sync begins. @throws ClaimLostError */
  async finish(cursor: string | null): Promise<void> {
    await this.claims.finish(this.claim, {
      set: (param) => `state = 'ok', last_synced_at = now(), cursor = ${param(cursor)}, page_cursor = NULL,
        updated_at = now()`,
    });
  }

  /** Tries are counted anew from here. */
  private async getOn(set: Assignments, tx?: EntityManager): Promise<void> {
    await this.claims.hold(this.claim, tx, {
      set: (param) => `${set(param)}, updated_at = now()`,
      isProgress: true,
    });
  }
}
