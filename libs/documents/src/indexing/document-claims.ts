import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DocumentRecord } from '../state/document-columns.js';
import { MAX_TRIES } from '../state/document.states.js';
import { transition } from '../state/transition.js';
import { DocumentClaim } from './document-claim.js';
import { IndexingRequests } from './indexing-requests.js';

/** Seconds before a failed try is repeated, times the tries so far. */
const RETRY_DELAY_SECONDS = 2;
/** Shorter than a lease, after which the sweeper rings for what waits. */
const OUTAGE_DELAY_SECONDS = 10;

/** Who works on which document (reliability C1). For workers: nothing here asks who is looking. */
@Injectable()
export class DocumentClaims {
  constructor(
    private readonly dataSource: DataSource,
    private readonly requests: IndexingRequests,
  ) {}

  /** Takes a queued document, or null when it is not to be worked on any more, or somebody else has it. */
  async claim(uid: string, worker: string, leaseSeconds: number): Promise<DocumentClaim | null> {
    const row = (await this.take(uid, worker, leaseSeconds)) ?? (await this.takeEarly(uid, worker, leaseSeconds));
    return row ? new DocumentClaim(this.dataSource, row, leaseSeconds) : null;
  }

  /** The file cannot be indexed: no further try would change that. `reason` is a sentence for its owner. */
  async fail(claim: DocumentClaim, reason: string): Promise<boolean> {
    const options = { fence: claim.fence, set: { lastError: reason }, increment: ['failedTries' as const] };
    return (await transition(this.dataSource, [claim.document.uid], 'fail', options)).length > 0;
  }

  /**
   * Ends a try that went wrong, by its own worker or by the sweeper that misses the worker: back to the queue, or
   * to `failed` when the tries are spent. Needs only the fence, so that of several who notice one acts.
   */
  async endTry(document: DocumentRecord, reason: string): Promise<'queued' | 'failed' | 'lost'> {
    const { uid, fence, failedTries } = document;
    const tries = failedTries + 1;
    if (tries >= MAX_TRIES) {
      const lastError = `${reason} Indexing was tried ${tries} times.`;
      const rows = await transition(this.dataSource, [uid], 'fail', { fence, set: { lastError, failedTries: tries } });
      return rows.length > 0 ? 'failed' : 'lost';
    }
    const again = { set: { lastError: reason, failedTries: tries }, delaySeconds: tries * RETRY_DELAY_SECONDS };
    return (await this.requeue(document, 'try_again', again)) ? 'queued' : 'lost';
  }

  /** A worker that stops gives its document to the next one; no try is spent. */
  async handBack(claim: DocumentClaim): Promise<boolean> {
    return this.requeue(claim.document, 'hand_back', { set: {}, delaySeconds: 0 });
  }

  /**
   * What every document needs is down: this one waits, however long that lasts, and no try is spent.
   * @param reason a sentence for its owner
   */
  async putOff(claim: DocumentClaim, reason: string): Promise<boolean> {
    const later = { set: { lastError: reason }, delaySeconds: OUTAGE_DELAY_SECONDS };
    return this.requeue(claim.document, 'try_again', later);
  }

  private async requeue(
    { uid, fence }: DocumentRecord,
    name: 'try_again' | 'hand_back',
    { set, delaySeconds }: { set: { lastError?: string; failedTries?: number }; delaySeconds: number },
  ): Promise<boolean> {
    return this.dataSource.transaction(async (tx) => {
      const [row] = await transition(tx, [uid], name, { fence, set, increment: ['attempt'], stamp: ['rungAt'] });
      // The relay delivers it, at the latest a few seconds after its time.
      if (row) await this.requests.enqueue(row, tx, delaySeconds);
      return row !== undefined;
    });
  }

  private async take(uid: string, worker: string, leaseSeconds: number): Promise<DocumentRecord | undefined> {
    const [row] = await transition(this.dataSource, [uid], 'claim', {
      set: { leasedBy: worker, pageNumber: 0 },
      increment: ['fence'],
      stamp: ['processingStartedAt'],
      leaseSeconds,
    });
    return row;
  }

  /** The bell can be faster than the note that it was rung. */
  private async takeEarly(uid: string, worker: string, leaseSeconds: number): Promise<DocumentRecord | undefined> {
    await this.requests.accepted([uid]);
    return this.take(uid, worker, leaseSeconds);
  }
}
