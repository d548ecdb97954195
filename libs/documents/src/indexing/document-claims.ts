import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { DocumentRecord } from '../state/document-columns.js';
import { MAX_TRIES, QUEUE_CLASSES, STATUS_TEXTS, type QueueClass } from '../state/document.states.js';
import { keepIndex } from '../state/keep-index.js';
import { transition } from '../state/transition.js';
import { DocumentClaim, wasAlone } from './document-claim.js';
import { classesOfTurn, findNext } from './fair-queue.js';
import { IndexingRequests } from './indexing-requests.js';

/** Seconds before a failed try is repeated, times the tries so far. */
const RETRY_DELAY_SECONDS = 2;
/** Shorter than a lease, after which the sweeper asks again for what waits. */
const OUTAGE_DELAY_SECONDS = 10;

/** What a worker looks for when it has taken a job, or is done with a document. */
export interface Wanted {
  /** The document whose job was taken: its state may not have been written down yet. */
  wanted?: string;
  /** All of them unless told. */
  classes?: readonly QueueClass[];
}

const WORKER_LOST = 'The worker that read this file stopped unexpectedly.';

/** Whether a worker was lost over it, perhaps because of its neighbours: it is to be worked on alone (`beginAlone`). */
export function isSuspect({ lastError }: Pick<DocumentRecord, 'lastError'>): boolean {
  return lastError === WORKER_LOST;
}

const ALL_CLASSES = Object.keys(QUEUE_CLASSES) as QueueClass[];
/** Others may be faster so often in a row; the sweeper asks again for what then waits. */
const MAX_RACES = 50;

/** Who works on which document (docs/contract/reliability.md#jobs). For workers: nothing here asks who is looking. */
@Injectable()
export class DocumentClaims {
  private turn = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly requests: IndexingRequests,
  ) {}

  /** Takes a queued document, or null when it is not to be worked on any more, or somebody else has it. */
  async claim(uid: string, worker: string, leaseSeconds: number): Promise<DocumentClaim | null> {
    const row = (await this.take(uid, worker, leaseSeconds)) ?? (await this.takeEarly(uid, worker, leaseSeconds));
    return row ? new DocumentClaim(this.dataSource, row, leaseSeconds) : null;
  }

  /**
   * Takes the document whose turn it is: a job says that there is work, not which. Null when none waits.
   * @see findNext for the order
   */
  async claimNext(
    worker: string,
    leaseSeconds: number,
    { wanted, classes }: Wanted = {},
  ): Promise<DocumentClaim | null> {
    this.turn += 1;
    const order = classesOfTurn(this.turn, classes ?? ALL_CLASSES);
    let row = await this.takeNext(order, worker, leaseSeconds);
    if (!row && wanted !== undefined) {
      // The job can be faster than the note that it was added.
      await this.requests.accepted([wanted]);
      row = await this.takeNext(order, worker, leaseSeconds);
    }
    return row ? new DocumentClaim(this.dataSource, row, leaseSeconds) : null;
  }

  private async takeNext(
    classes: readonly number[],
    worker: string,
    leaseSeconds: number,
  ): Promise<DocumentRecord | undefined> {
    const lost: string[] = [];
    while (lost.length < MAX_RACES) {
      const uid = await findNext(this.dataSource, classes, lost);
      if (uid === null) return undefined;
      const row = await this.take(uid, worker, leaseSeconds);
      if (row) return row;
      lost.push(uid);
    }
    return undefined;
  }

  /** The file cannot be indexed: no further try would change that. `reason` is a sentence for its owner. */
  async fail(claim: DocumentClaim, reason: string): Promise<boolean> {
    if (await this.keepInBackground(claim.document)) return true;
    const options = { fence: claim.fence, set: { lastError: reason }, increment: ['failedTries' as const] };
    return (await transition(this.dataSource, [claim.document.uid], 'fail', options)).length > 0;
  }

  /**
   * Ends a try that went wrong, by its own worker or by the sweeper that misses the worker: back to the queue, or
   * to `failed` when the tries are spent; to `completed` where nobody but the platform has asked for more than the index
   * that is there. Needs only the fence, so that of several who notice one acts.
   */
  async endTry(
    document: DocumentRecord,
    reason: string,
    mostTries = MAX_TRIES,
  ): Promise<'queued' | 'failed' | 'kept' | 'lost'> {
    const { uid, fence, failedTries } = document;
    const tries = failedTries + 1;
    if (tries >= mostTries) {
      if (await this.keepInBackground(document)) return 'kept';
      const lastError = `${reason} Indexing was tried ${MAX_TRIES} times.`;
      const rows = await transition(this.dataSource, [uid], 'fail', { fence, set: { lastError, failedTries: tries } });
      return rows.length > 0 ? 'failed' : 'lost';
    }
    const again = { set: { lastError: reason, failedTries: tries }, delaySeconds: tries * RETRY_DELAY_SECONDS };
    return (await this.requeue(document, 'try_again', again)) ? 'queued' : 'lost';
  }

  /**
   * Ends a try whose worker is gone, for the sweeper. Any document beside it may have taken the worker down, so the try
   * makes it a suspect and is not counted; what is counted are those in which it was alone. With the first one they are as
   * many as other tries.
   */
  async endLostTry(document: DocumentRecord): Promise<'queued' | 'failed' | 'kept' | 'lost'> {
    if (wasAlone(document)) return this.endTry(document, WORKER_LOST, MAX_TRIES - 1);
    const again = { set: { lastError: WORKER_LOST }, delaySeconds: RETRY_DELAY_SECONDS };
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

  private async keepInBackground({ uid, fence, queueClass }: DocumentRecord): Promise<boolean> {
    if (queueClass !== QUEUE_CLASSES.background) return false;
    const status = STATUS_TEXTS.completed;
    return (await this.dataSource.transaction((tx) => keepIndex(tx, uid, { fence, status }))) !== null;
  }

  private async requeue(
    { uid, fence }: DocumentRecord,
    name: 'try_again' | 'hand_back',
    { set, delaySeconds }: { set: { lastError?: string; failedTries?: number }; delaySeconds: number },
  ): Promise<boolean> {
    return this.dataSource.transaction(async (tx) => {
      const [row] = await transition(tx, [uid], name, {
        fence,
        set,
        increment: ['attempt'],
        stamp: ['rungAt'],
        delaySeconds,
      });
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

  /** The job can be faster than the note that it was added. */
  private async takeEarly(uid: string, worker: string, leaseSeconds: number): Promise<DocumentRecord | undefined> {
    await this.requests.accepted([uid]);
    return this.take(uid, worker, leaseSeconds);
  }
}
