import { type Claim, WorkClaims } from '@app/work';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { DocumentRecord } from '../state/document-columns.js';
import { shows } from '../state/transition.js';

/** What a worker does with a document, in this order; `ocr` in place of, or among, `reading`. */
export const INDEXING_STAGES = ['reading', 'ocr', 'embedding', 'indexing'] as const;
export type IndexingStage = (typeof INDEXING_STAGES)[number];

export interface IndexingProgress {
  stage: IndexingStage;
  /** Of the whole work, 0 to 100; null when it cannot be told. */
  percent: number | null;
  pageNumber: number;
  /** A sentence for people. */
  status: string;
}

/** What indexing writes on its document. For workers: nothing here asks who is looking. */
@Injectable()
export class IndexingRecords {
  constructor(private readonly claims: WorkClaims) {}

  /** Tells how far the work is. @throws ClaimLostError */
  async report(claim: Claim, { stage, percent, pageNumber, status }: IndexingProgress): Promise<void> {
    await this.claims.hold(claim, undefined, {
      set: (param) => `stage = ${param(stage)}, percent = coalesce(${param(percent)}, w.percent),
        page_number = ${param(pageNumber)}, status = ${param(status)}, updated_at = now()`,
    });
  }

  /**
   * Ends the work: from this transaction's commit on, the chunks of generation `fence` answer questions.
   * @param notice a sentence for the owner when something of the document was lost
   * @throws ClaimLostError, and then the transaction has to be rolled back
   */
  async complete(claim: Claim<DocumentRecord>, tx: EntityManager, pageCount: number, notice = ''): Promise<void> {
    const shown = shows('complete', notice ? { status: notice } : {});
    await this.claims.finish(
      claim,
      {
        set: (param) =>
          `${shown}, index_generation = ${param(claim.fence)}, page_number = ${param(pageCount)}, completed_at = now()`,
      },
      tx,
    );
  }
}
