import { indexDocumentJob } from '@app/contracts';
import { Outbox, type OutboxReceipt, type Refusal } from '@app/queues';
import { WorkClaims } from '@app/work';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { DocumentRecord } from '../state/document-columns.js';
import { transition } from '../state/transition.js';
import { acceptDocuments } from './accept-documents.js';
import { indexingWork } from './indexing-work.js';

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
    private readonly claims: WorkClaims,
  ) {}

  onModuleInit(): void {
    this.outbox.onDelivery(indexDocumentJob, {
      accepted: async (jobs) => void (await acceptDocuments(this.dataSource, jobs.map(uidOf))),
      refused: (job, refusal) => this.refused(uidOf(job), refusal),
    });
  }

  /** Asks for work on the document in the caller's transaction; hand the receipt to `publish` after commit. */
  enqueue({ uid, fence }: Pick<DocumentRecord, 'uid' | 'fence'>, tx: EntityManager): Promise<OutboxReceipt> {
    return this.claims.notify(indexingWork, [uid], fence, tx);
  }

  /** Sends what was committed. Never throws. */
  async publish(receipts: OutboxReceipt[]): Promise<Delivery> {
    const delivery = await this.outbox.publish(receipts);
    if (delivery.pending) await this.noteRefusal(receipts.map(({ payload }) => uidOf(payload as { key: string[] })));
    return delivery;
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

const uidOf = ({ key: [uid] }: { key: string[] }) => uid!;
