import { indexDocumentJob } from '@app/contracts';
import { Outbox } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { documentColumns, type DocumentRecord } from '../state/document-columns.js';
import { transition } from '../state/transition.js';
import { IndexingRequests } from './indexing-requests.js';

const BATCH = 200;
/** How long a document may wait without a message in the outbox: longer than any upload's transaction. */
const FORGOTTEN_SECONDS = 60;
const REPUBLISH_SECONDS = 3600;

/** Documents that should be in the queue and are not. Each method returns for how many it added jobs. For workers. */
@Injectable()
export class UnpublishedDocuments {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly requests: IndexingRequests,
  ) {}

  /** Documents that wait to be queued although no message in the outbox will do it. */
  async publishForgotten(): Promise<number> {
    const waiting = await this.find(['stored', 'pending_publish'], FORGOTTEN_SECONDS);
    const announced = await this.outbox.findWaiting(
      indexDocumentJob,
      waiting.map(({ uid }) => uid),
    );
    return this.publish(waiting.filter(({ uid }) => !announced.has(uid)));
  }

  /** Documents whose queue was away for a day get a new chance each hour (docs/contract/documents.md#states). */
  async retryPublishing(): Promise<number> {
    return this.publish(await this.find(['publish_failed'], REPUBLISH_SECONDS));
  }

  private async publish(documents: DocumentRecord[]): Promise<number> {
    if (documents.length === 0) return 0;
    const receipts = await this.dataSource.transaction(async (tx) => {
      const uids = documents.map(({ uid }) => uid);
      const options = { increment: ['attempt' as const], stamp: ['rungAt' as const] };
      const moved = [
        ...(await transition(tx, uids, 'publish', options)),
        ...(await transition(tx, uids, 'republish', options)),
      ];
      const waiting = documents.filter(({ processingState }) => processingState === 'pending_publish');
      const written = [];
      for (const document of [...moved, ...waiting]) written.push(await this.requests.enqueue(document, tx));
      return written;
    });
    await this.requests.publish(receipts);
    return receipts.length;
  }

  private find(states: readonly string[], afterSeconds: number): Promise<DocumentRecord[]> {
    return this.dataSource.query<DocumentRecord[]>(
      `SELECT ${documentColumns('d')} FROM documents d WHERE d.deleted_at IS NULL AND d.processing_state = ANY ($1::text[])
         AND d.rung_at < now() - $2 * interval '1 second' ORDER BY d.rung_at LIMIT ${BATCH}`,
      [states, afterSeconds],
    );
  }
}
