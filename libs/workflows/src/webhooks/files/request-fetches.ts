import { fetchRequestFilesJob } from '@app/contracts';
import { Outbox } from '@app/queues';
import { DataSource, type EntityManager } from 'typeorm';
import type { WaitingRequests } from '../../runs/waiting-requests.js';

/** The right to fetch the files of a request. */
export interface FetchClaim {
  requestId: string;
  fence: number;
  workflowId: string;
  workflowName: string;
  ownerId: number;
  files: { position: number; url: string; tries: number }[];
}

export interface StoredFile {
  filename: string;
  documentUid: string;
  mimeType: string;
  sizeBytes: number;
}

/** Another worker is at it, or the request was cancelled. */
export class FetchLostError extends Error {
  constructor(requestId: string) {
    super(`The files of request ${requestId} are fetched by somebody else, or not wanted any more.`);
    this.name = 'FetchLostError';
  }
}

const BATCH = 100;
const IS_WANTED = `EXISTS (
  SELECT FROM workflow_requests q JOIN workflows w ON w.id = q.workflow_id JOIN users u ON u.id = w.owner_id
  WHERE q.id = f.request_id AND q.status = 'pending' AND q.awaiting_files AND w.deleted_at IS NULL AND u.is_active)`;

/** Who fetches the files of which request, and what came of it. For workers: nothing here asks who is looking. */
export class RequestFetches {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly waiting: WaitingRequests,
    private readonly leaseSeconds: number,
  ) {}

  /** Null when there is nothing to do, or not yet, or somebody else is at it. */
  async claim(requestId: string): Promise<FetchClaim | null> {
    const [[row]] = await this.dataSource.query<[{ fence: number }[], number]>(
      `UPDATE workflow_request_fetches f SET fence = fence + 1, lease_expires_at = now() + $2 * interval '1 second'
       WHERE f.request_id = $1 AND f.resume_at <= now() AND (f.lease_expires_at IS NULL OR f.lease_expires_at <= now())
         AND ${IS_WANTED} RETURNING fence`,
      [requestId, this.leaseSeconds],
    );
    if (!row) return null;
    const [claim] = await this.dataSource.query<Omit<FetchClaim, 'fence'>[]>(
      `SELECT q.id AS "requestId", w.id AS "workflowId", w.name AS "workflowName", w.owner_id AS "ownerId", (
         SELECT coalesce(jsonb_agg(jsonb_build_object('position', f.position, 'url', f.url, 'tries', f.tries)
           ORDER BY f.position), '[]')
         FROM workflow_request_files f WHERE f.request_id = q.id AND f.state = 'pending') AS files
       FROM workflow_requests q JOIN workflows w ON w.id = q.workflow_id WHERE q.id = $1`,
      [requestId],
    );
    return claim ? { ...claim, fence: row.fence } : null;
  }

  /** @throws FetchLostError */
  async renew({ requestId, fence }: FetchClaim): Promise<void> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `UPDATE workflow_request_fetches f SET lease_expires_at = now() + $3 * interval '1 second'
       WHERE f.request_id = $1 AND f.fence = $2 AND ${IS_WANTED}`,
      [requestId, fence, this.leaseSeconds],
    );
    if (count === 0) throw new FetchLostError(requestId);
  }

  /** In the transaction that makes the document. @throws FetchLostError: it must not commit. */
  async stored(claim: FetchClaim, position: number, file: StoredFile, tx: EntityManager): Promise<void> {
    await this.requireFence(claim, tx);
    const [, count] = await tx.query<[unknown, number]>(
      `UPDATE workflow_request_files SET state = 'stored', filename = $3, document_uid = $4, mime_type = $5,
         size_bytes = $6, error = NULL, tries = tries + 1
       WHERE request_id = $1 AND position = $2 AND state = 'pending'`,
      [claim.requestId, position, file.filename, file.documentUid, file.mimeType, file.sizeBytes],
    );
    if (count === 0) throw new FetchLostError(claim.requestId);
  }

  /** @param isFinal false: it is tried again. @throws FetchLostError */
  async failed(claim: FetchClaim, position: number, error: string, isFinal: boolean): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await this.requireFence(claim, tx);
      await tx.query(
        `UPDATE workflow_request_files SET state = CASE WHEN $4 THEN 'failed' ELSE state END, error = $3,
           tries = tries + 1 WHERE request_id = $1 AND position = $2 AND state = 'pending'`,
        [claim.requestId, position, error.slice(0, 500), isFinal],
      );
    });
  }

  /** Some are left: goes on after so many seconds. */
  async putOff(claim: FetchClaim, seconds: number): Promise<void> {
    const { requestId, fence } = claim;
    await this.dataSource.transaction(async (tx) => {
      await this.requireFence(claim, tx);
      await tx.query(
        `UPDATE workflow_request_fetches SET lease_expires_at = NULL, resume_at = now() + $2 * interval '1 second'
         WHERE request_id = $1`,
        [requestId, seconds],
      );
      await this.outbox.enqueue(fetchRequestFilesJob, { requestId, fence }, tx, { delayMs: seconds * 1000 });
    });
  }

  /** Nothing is left: the request may have its turn. */
  async finish(claim: FetchClaim): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      // The order of all who touch requests: the workflow first.
      await tx.query('SELECT FROM workflows WHERE id = $1 FOR NO KEY UPDATE', [claim.workflowId]);
      await this.requireFence(claim, tx);
      await tx.query('UPDATE workflow_requests SET awaiting_files = false WHERE id = $1', [claim.requestId]);
      await tx.query('DELETE FROM workflow_request_fetches WHERE request_id = $1', [claim.requestId]);
    });
    await this.waiting.startNext(claim.workflowId);
  }

  /** Fetches whose time has come, but nobody is at. */
  async listForgotten(): Promise<{ requestId: string; fence: number }[]> {
    return this.dataSource.query<{ requestId: string; fence: number }[]>(
      `SELECT f.request_id AS "requestId", f.fence FROM workflow_request_fetches f
       WHERE f.resume_at <= now() - interval '3 seconds' AND (f.lease_expires_at IS NULL OR f.lease_expires_at <= now())
         AND ${IS_WANTED} ORDER BY f.resume_at LIMIT ${BATCH}`,
    );
  }

  /** Of requests that were cancelled or ended otherwise. */
  async removeUnwanted(): Promise<void> {
    await this.dataSource.query(
      `DELETE FROM workflow_request_fetches f USING workflow_requests q
       WHERE q.id = f.request_id AND (q.status <> 'pending' OR NOT q.awaiting_files)`,
    );
  }

  private async requireFence({ requestId, fence }: FetchClaim, tx: EntityManager): Promise<void> {
    const rows = await tx.query<unknown[]>(
      `SELECT FROM workflow_request_fetches f WHERE f.request_id = $1 AND f.fence = $2 AND ${IS_WANTED} FOR UPDATE`,
      [requestId, fence],
    );
    if (rows.length === 0) throw new FetchLostError(requestId);
  }
}
