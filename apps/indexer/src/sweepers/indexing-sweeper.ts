import { indexDocumentJob } from '@app/contracts';
import { DocumentClaims, IndexingRequests, documentColumns, transition, type DocumentRecord } from '@app/documents';
import { instruments, noteEnd } from '@app/observability';
import { JobQueues, Outbox } from '@app/queues';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';

const BATCH = 200;
/** How long a document may wait without a message in the outbox: longer than any upload's transaction. */
const FORGOTTEN_SECONDS = 60;
const REPUBLISH_SECONDS = 3600;

/** Brings back indexing that nobody is at any more. Each method returns how many documents it moved. */
@Injectable()
export class IndexingSweeper {
  private readonly logger = new Logger(IndexingSweeper.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly claims: DocumentClaims,
    private readonly requests: IndexingRequests,
    private readonly outbox: Outbox,
    private readonly jobQueues: JobQueues,
  ) {}

  /** Documents whose worker no longer renews its lease: dead, or so slow that its fence has to stop it. */
  async takeBackLost(): Promise<number> {
    const lost = await this.find("d.processing_state = 'processing' AND d.lease_expires_at < now()", []);
    for (const document of lost) {
      const outcome = await this.claims.endLostTry(document);
      instruments.leasesLost.inc({ work: 'document' });
      const { uid, ownerId } = document;
      if (outcome === 'failed') noteEnd({ work: 'document', outcome, ids: { uid }, ownerId, code: 'worker_lost' });
      this.logger.warn(`Document ${document.uid} was lost by ${document.leasedBy ?? 'its worker'}: ${outcome}.`);
    }
    return lost.length;
  }

  /** Documents whose job was lost with the queue. Adding one that still waits there does nothing. */
  async notifyAgain(afterSeconds: number): Promise<number> {
    const waiting = await this.find(`d.processing_state = 'queued' AND d.rung_at < now() - $1 * interval '1 second'`, [
      afterSeconds,
    ]);
    if (waiting.length === 0) return 0;
    await this.jobQueues.add(
      waiting.map(({ uid, attempt }) => this.outbox.prepare(indexDocumentJob, { uid, attempt })),
    );
    await this.dataSource.query('UPDATE documents SET rung_at = now() WHERE uid = ANY($1::uuid[])', [
      waiting.map(({ uid }) => uid),
    ]);
    return waiting.length;
  }

  /** Documents that wait to be queued although no message in the outbox will do it. */
  async publishForgotten(): Promise<number> {
    const forgotten = await this.find(
      `d.processing_state IN ('stored', 'pending_publish') AND d.rung_at < now() - $1 * interval '1 second'
       AND NOT EXISTS (SELECT 1 FROM outbox_messages m WHERE m.job = $2 AND m.payload->>'uid' = d.uid::text)`,
      [FORGOTTEN_SECONDS, indexDocumentJob.name],
    );
    return this.publish(forgotten);
  }

  /** Documents whose queue was away for a day get a new chance each hour (docs/contract/documents.md#states). */
  async retryPublishing(): Promise<number> {
    const failed = await this.find(
      `d.processing_state = 'publish_failed' AND d.rung_at < now() - $1 * interval '1 second'`,
      [REPUBLISH_SECONDS],
    );
    return this.publish(failed);
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

  private find(condition: string, values: unknown[]): Promise<DocumentRecord[]> {
    return this.dataSource.query<DocumentRecord[]>(
      `SELECT ${documentColumns('d')} FROM documents d WHERE d.deleted_at IS NULL AND ${condition}
       ORDER BY d.rung_at LIMIT ${BATCH}`,
      values,
    );
  }
}
