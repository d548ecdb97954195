import { importTableJob } from '@app/contracts';
import { Outbox, type OutboxReceipt } from '@app/queues';
import { WorkClaims } from '@app/work';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { TABULAR_STATUS_TEXTS } from '../records/tabular-file-columns.js';
import { importWork } from './import-work.js';

const QUEUE_AWAY = 'The queue could not be reached. The import will be tried again.';

/** Adds the jobs of the importers for table files, and keeps their state true to what became of them. */
@Injectable()
export class ImportRequests implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly claims: WorkClaims,
  ) {}

  onModuleInit(): void {
    this.outbox.onDelivery(importTableJob, {
      accepted: (jobs) => this.accepted(jobs.map(({ key: [uid] }) => uid!)),
      refused: async ({ key }) => ((await this.noteRefusal(key)) === 0 ? 'give_up' : 'retry'),
    });
  }

  /** Asks for an import in the caller's transaction; hand the receipt to `publish` after commit. */
  enqueue({ uid, fence }: { uid: string; fence: number }, tx: EntityManager): Promise<OutboxReceipt> {
    return this.claims.notify(importWork, [uid], fence, tx);
  }

  /** Sends what was committed. Never throws. `pending`: the queue did not take it, the outbox delivers it later. */
  async publish(receipts: OutboxReceipt[]): Promise<{ pending: boolean }> {
    const { pending } = await this.outbox.publish(receipts);
    if (pending) await this.noteRefusal(receipts.flatMap(({ payload }) => payload.key as string[]));
    return { pending };
  }

  /** A worker may take the job before whoever added it has written this; then the claim has written it. */
  async accepted(uids: string[]): Promise<void> {
    await this.dataSource.query(
      `UPDATE tabular_files SET processing_state = 'queued', status = $2, last_error = '', updated_at = now()
       WHERE uid = ANY($1::uuid[]) AND processing_state = 'pending_publish'`,
      [uids, TABULAR_STATUS_TEXTS.queued],
    );
  }

  /** @returns how many of the files still want the job. */
  private async noteRefusal(uids: string[]): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown[], number]>(
      `UPDATE tabular_files SET updated_at = now(), last_error = CASE WHEN processing_state = 'pending_publish' THEN $2 ELSE last_error END
       WHERE uid = ANY($1::uuid[]) AND processing_state IN ('pending_publish', 'queued')`,
      [uids, QUEUE_AWAY],
    );
    return count;
  }
}
