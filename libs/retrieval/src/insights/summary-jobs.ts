import { summariseDocumentJob, type WorkPayload } from '@app/contracts';
import { Outbox } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Jobs for summaries that nobody waits for any more; the summaries themselves go with their documents. */
@Injectable()
export class SummaryJobs {
  constructor(private readonly outbox: Outbox) {}

  async forgetDocuments(uids: readonly string[], _receivers: readonly number[], tx: EntityManager): Promise<void> {
    const summaries = await tx.query<WorkPayload[]>(
      'SELECT ARRAY[document_uid::text] AS key, fence FROM document_summaries WHERE document_uid = ANY($1::uuid[])',
      [uids],
    );
    await this.outbox.withdraw(summariseDocumentJob, summaries, tx);
  }
}
