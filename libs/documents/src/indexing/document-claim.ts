import type { DataSource, EntityManager } from 'typeorm';
import type { DocumentRecord } from '../state/document-columns.js';
import { transition } from '../state/transition.js';

/** The claim was taken over, or the document was cancelled, trashed or purged: its worker must write nothing more. */
export class ClaimLostError extends Error {
  constructor(uid: string) {
    super(`The claim on document ${uid} is lost.`);
    this.name = 'ClaimLostError';
  }
}

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

/** Behind the name of a worker that has nothing else at work. */
const ALONE = ' (alone)';

/** Whether its worker had nothing else at work: see `beginAlone`. */
export function wasAlone({ leasedBy }: Pick<DocumentRecord, 'leasedBy'>): boolean {
  return leasedBy?.endsWith(ALONE) ?? false;
}

/**
 * The right to work on one document. Every write carries the fence of the claim, in the same statement, so that a
 * worker who was thought dead and comes back changes nothing.
 */
export class DocumentClaim {
  constructor(
    private readonly dataSource: DataSource,
    readonly document: DocumentRecord,
    private readonly leaseSeconds: number,
  ) {}

  get fence(): number {
    return this.document.fence;
  }

  /** Writes down that nothing else is at work in this process, and begins nothing before the end. @throws ClaimLostError */
  async beginAlone(): Promise<void> {
    const [, count] = await this.dataSource.query<[unknown[], number]>(
      `UPDATE documents SET leased_by = leased_by || $3 WHERE uid = $1 AND fence = $2 AND processing_state = 'processing'`,
      [this.document.uid, this.fence, ALONE],
    );
    if (count === 0) throw new ClaimLostError(this.document.uid);
  }

  /** Keeps the lease, and tells how far the work is. @throws ClaimLostError */
  async renew(progress?: IndexingProgress): Promise<void> {
    const [, count] = await this.dataSource.query<[unknown[], number]>(
      `UPDATE documents SET lease_expires_at = now() + $3 * interval '1 second', updated_at = now(),
         page_number = coalesce($4, page_number), status = coalesce($5, status), stage = coalesce($6, stage),
         percent = coalesce($7, percent)
       WHERE uid = $1 AND fence = $2 AND processing_state = 'processing' AND deleted_at IS NULL`,
      [
        this.document.uid,
        this.fence,
        this.leaseSeconds,
        progress?.pageNumber ?? null,
        progress?.status ?? null,
        progress?.stage ?? null,
        progress?.percent ?? null,
      ],
    );
    if (count === 0) throw new ClaimLostError(this.document.uid);
  }

  /**
   * Ends the work: from this transaction's commit on, the chunks of generation `fence` answer questions.
   * @param pipelineVersion of the indexer that made them
   * @param notice a sentence for the owner when something of the document was lost; '' otherwise
   * @throws ClaimLostError, and then the transaction has to be rolled back
   */
  async complete(
    tx: EntityManager,
    pageCount: number,
    { pipelineVersion = 1, notice = '' }: { pipelineVersion?: number; notice?: string } = {},
  ): Promise<DocumentRecord> {
    const [row] = await transition(tx, [this.document.uid], 'complete', {
      fence: this.fence,
      set: {
        indexGeneration: this.fence,
        pageNumber: pageCount,
        lastError: '',
        ...(notice ? { status: notice } : {}),
      },
      stamp: ['completedAt'],
    });
    if (!row) throw new ClaimLostError(this.document.uid);
    await tx.query(
      `UPDATE document_indexes SET pipeline_version = $3, page_count = $4, content_sha256 = $5
       WHERE document_uid = $1 AND generation = $2`,
      [row.uid, this.fence, pipelineVersion, pageCount, row.sha256],
    );
    return row;
  }
}
