import { cutText } from '@app/common';
import { ClaimLostError, WorkClaims, type Claim } from '@app/work';
import { DataSource, type EntityManager } from 'typeorm';
import type { WaitingRequests } from '../../runs/waiting-requests.js';
import type { ClaimedFetch } from './fetch-work.js';

export interface StoredFile {
  filename: string;
  documentUid: string;
  mimeType: string;
  sizeBytes: number;
}

/** What came of fetching the files of a request. For workers: nothing here asks who is looking. */
export class RequestFetches {
  constructor(
    private readonly dataSource: DataSource,
    private readonly claims: WorkClaims,
    private readonly waiting: WaitingRequests,
  ) {}

  /**
   * In the transaction that makes the document.
   * @throws ClaimLostError: it must not commit
   */
  async stored(claim: Claim<ClaimedFetch>, position: number, file: StoredFile, tx: EntityManager): Promise<void> {
    await this.claims.hold(claim, tx);
    const [, count] = await tx.query<[unknown, number]>(
      `UPDATE workflow_request_files SET state = 'stored', filename = $3, document_uid = $4, mime_type = $5,
         size_bytes = $6, error = NULL, tries = tries + 1
       WHERE request_id = $1 AND position = $2 AND state = 'pending'`,
      [claim.row.requestId, position, file.filename, file.documentUid, file.mimeType, file.sizeBytes],
    );
    if (count === 0) throw new ClaimLostError(claim);
  }

  /** @param isFinal false: it is tried again. @throws ClaimLostError */
  async failed(claim: Claim<ClaimedFetch>, position: number, error: string, isFinal: boolean): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await this.claims.hold(claim, tx);
      await tx.query(
        `UPDATE workflow_request_files SET state = CASE WHEN $4 THEN 'failed' ELSE state END, error = $3,
           tries = tries + 1 WHERE request_id = $1 AND position = $2 AND state = 'pending'`,
        [claim.row.requestId, position, cutText(error, 500), isFinal],
      );
    });
  }

  /** Nothing is left: the request may have its turn. @throws ClaimLostError */
  async finish(claim: Claim<ClaimedFetch>): Promise<void> {
    const { requestId, workflowId } = claim.row;
    await this.dataSource.transaction(async (tx) => {
      // The order of all who touch requests: the workflow first.
      await tx.query('SELECT FROM workflows WHERE id = $1 FOR NO KEY UPDATE', [workflowId]);
      await this.claims.finish(claim, {}, tx);
      await tx.query('UPDATE workflow_requests SET awaiting_files = false WHERE id = $1', [requestId]);
      await tx.query('DELETE FROM workflow_request_fetches WHERE request_id = $1', [requestId]);
    });
    await this.waiting.startNext(workflowId);
  }

  /** Of requests that were cancelled or ended otherwise. */
  async removeUnwanted(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM workflow_request_fetches f USING workflow_requests q
       WHERE q.id = f.request_id AND (q.status <> 'pending' OR NOT q.awaiting_files)`,
    );
  }
}
