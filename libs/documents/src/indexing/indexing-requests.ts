import { indexDocumentJob } from '@app/contracts';
import { Outbox, type OutboxReceipt, type Refusal } from '@app/queues';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { DocumentRecord } from '../state/document-columns.js';
import { transition } from '../state/transition.js';

/**
 * docs/contract/documents.md#states: when the queue refuses for so long, the document stops waiting and is retried
 * hourly.
 */
const MAX_REFUSALS = 20;
const MAX_WAIT_MS = 24 * 3_600_000;

const QUEUE_AWAY = 'The queue could not be reached. Indexing will be tried again.';

export interface Delivery {
  /** The queue did not take the job; the outbox delivers it later. */
  pending: boolean;
  error: string | null;
}

/** Adds the jobs of the indexers for documents, and keeps their state true to what became of them. */
@Injectable()
export class IndexingRequests implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
  ) {}

  onModuleInit(): void {
    this.outbox.onDelivery(indexDocumentJob, {
      accepted: (payloads) => this.accepted(payloads.map(({ uid }) => uid)),
      refused: (payload, refusal) => this.refused(payload.uid, refusal),
    });
  }

  /** Asks for work on the document in the caller's transaction; hand the receipt to `publish` after commit. */
  enqueue(
    document: Pick<DocumentRecord, 'uid' | 'attempt'>,
    tx: EntityManager,
    delaySeconds = 0,
  ): Promise<OutboxReceipt> {
    const { uid, attempt } = document;
    return this.outbox.enqueue(indexDocumentJob, { uid, attempt }, tx, { delayMs: delaySeconds * 1000 });
  }

  /** Sends what was committed. Never throws. */
  async publish(receipts: OutboxReceipt[]): Promise<Delivery> {
    const delivery = await this.outbox.publish(receipts);
    if (delivery.pending) await this.noteRefusal(receipts.map(({ payload }) => String(payload.uid)));
    return delivery;
  }

  publishSoon(receipts: OutboxReceipt[]): void {
    this.outbox.publishSoon(receipts);
  }

  /** A worker may take the job before whoever added it has written this; then the claim has written it. */
  async accepted(uids: string[]): Promise<void> {
    await transition(this.dataSource, uids, 'accept', {
      set: { lastError: '' },
      increment: ['enqueueAttemptCount'],
      stamp: ['queuedAt', 'rungAt'],
    });
  }

  private async refused(uid: string, { attempts, firstTriedAt }: Refusal): Promise<'retry' | 'give_up'> {
    const spent = attempts >= MAX_REFUSALS || Date.now() - firstTriedAt.getTime() > MAX_WAIT_MS;
    if (!spent) return (await this.noteRefusal([uid])) === 0 ? 'give_up' : 'retry';
    await transition(this.dataSource, [uid], 'give_up_publishing', {
      set: { lastError: QUEUE_AWAY },
      increment: ['enqueueAttemptCount'],
      stamp: ['rungAt'],
    });
    return 'give_up';
  }

  /** @returns how many of the documents still want the job. */
  private async noteRefusal(uids: string[]): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown[], number]>(
      `UPDATE documents SET enqueue_attempt_count = enqueue_attempt_count + 1, rung_at = now(), updated_at = now(),
         last_error = CASE WHEN processing_state = 'pending_publish' THEN $2 ELSE last_error END
       WHERE uid = ANY($1::uuid[]) AND deleted_at IS NULL AND processing_state IN ('pending_publish', 'queued')`,
      [uids, QUEUE_AWAY],
    );
    return count;
  }
}
