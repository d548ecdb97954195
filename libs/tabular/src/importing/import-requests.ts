import { importTableJob } from '@app/contracts';
import { Outbox, type OutboxReceipt } from '@app/queues';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { TABULAR_STATUS_TEXTS } from '../files/tabular-file-columns.js';

const QUEUE_AWAY = 'The queue could not be reached. The import will be tried again.';

/** Rings the importers' bell for table files, and keeps their state true to what became of the bell. */
@Injectable()
export class ImportRequests implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
  ) {}

  onModuleInit(): void {
    this.outbox.onDelivery(importTableJob, {
      accepted: (payloads) => this.accepted(payloads.map(({ uid }) => uid)),
      refused: async ({ uid }) => ((await this.noteRefusal([uid])) === 0 ? 'give_up' : 'retry'),
    });
  }

  /** Asks for an import in the caller's transaction; hand the receipt to `publish` after commit. */
  enqueue(file: { uid: string; attempt: number }, tx: EntityManager, delaySeconds = 0): Promise<OutboxReceipt> {
    const { uid, attempt } = file;
    return this.outbox.enqueue(importTableJob, { uid, attempt }, tx, { delayMs: delaySeconds * 1000 });
  }

  /** Sends what was committed. Never throws. `pending`: the queue did not take it, the outbox delivers it later. */
  async publish(receipts: OutboxReceipt[]): Promise<{ pending: boolean }> {
    const { pending } = await this.outbox.publish(receipts);
    if (pending) await this.noteRefusal(receipts.map(({ payload }) => String(payload.uid)));
    return { pending };
  }

  /** A worker may hear the bell before its ringer has written this; then the claim has written it. */
  async accepted(uids: string[]): Promise<void> {
    await this.dataSource.query(
      `UPDATE tabular_files SET processing_state = 'queued', status = $2, last_error = '', rung_at = now(), updated_at = now()
       WHERE uid = ANY($1::uuid[]) AND processing_state = 'pending_publish'`,
      [uids, TABULAR_STATUS_TEXTS.queued],
    );
  }

  /** @returns how many of the files still want the job. */
  private async noteRefusal(uids: string[]): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown[], number]>(
      `UPDATE tabular_files SET rung_at = now(), updated_at = now(),
         last_error = CASE WHEN processing_state = 'pending_publish' THEN $2 ELSE last_error END
       WHERE uid = ANY($1::uuid[]) AND processing_state IN ('pending_publish', 'queued')`,
      [uids, QUEUE_AWAY],
    );
    return count;
  }
}
