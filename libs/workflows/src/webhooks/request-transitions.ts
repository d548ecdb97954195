import { InvalidRequestError, NotFoundError } from '@app/common';
import { fetchRequestFilesJob } from '@app/contracts';
import type { Outbox, OutboxReceipt } from '@app/queues';
import type { EntityManager } from 'typeorm';
import type { RequestStatus } from './request-record.js';

export const REQUEST_ACTIONS = ['retry', 'cancel', 'approve', 'reject'] as const;
export type RequestAction = (typeof REQUEST_ACTIONS)[number];

export interface RequestState {
  status: RequestStatus;
  isAwaiting: boolean;
  needsApproval: boolean;
  fence: number;
}

/** What a transition changed, and which jobs have to be added after the commit. */
export interface Transition {
  status: RequestStatus;
  receipts: OutboxReceipt[];
}

/**
 * The changes that people make to requests (docs/contract/webhooks.md#queue-requests); each in a transaction that
 * holds the workflow's row.
 */
export class RequestTransitions {
  constructor(
    private readonly tx: EntityManager,
    private readonly outbox: Outbox,
    private readonly workflowId: string,
    private readonly requestId: string,
  ) {}

  /** Locks the workflow, then says where the request stands. @throws NotFoundError. */
  async lock(): Promise<RequestState> {
    const [workflow] = await this.tx.query<{ requires_approval: boolean }[]>(
      'SELECT requires_approval FROM workflows WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE',
      [this.workflowId],
    );
    const [row] = await this.tx.query<
      { status: RequestStatus; awaiting_approval: boolean; approved: boolean; fence: number }[]
    >(
      `SELECT q.status, q.awaiting_approval, q.approved_at IS NOT NULL AS approved, coalesce(f.fence, 0) AS fence
       FROM workflow_requests q LEFT JOIN workflow_request_fetches f ON f.request_id = q.id
       WHERE q.id = $1 AND q.workflow_id = $2 FOR UPDATE OF q`,
      [this.requestId, this.workflowId],
    );
    if (!workflow || !row) throw new NotFoundError();
    return {
      status: row.status,
      isAwaiting: row.status === 'pending' && row.awaiting_approval,
      needsApproval: workflow.requires_approval && !row.approved,
      fence: row.fence,
    };
  }

  /** To the tail of the queue. @param isOwner: who asks may let it pass as well */
  async retry(state: RequestState, isOwner: boolean): Promise<Transition> {
    if (state.status !== 'failed' && state.status !== 'cancelled') throw notApplicable('retry', state.status);
    const awaits = state.needsApproval && !isOwner;
    await this.tx.query(
      `UPDATE workflow_requests SET status = 'pending', seq = nextval('workflow_requests_seq'), run_version = NULL,
         started_at = NULL, finished_at = NULL, detail = '', awaiting_approval = $2, awaiting_files = false,
         approved_at = CASE WHEN $3 THEN coalesce(approved_at, now()) ELSE approved_at END WHERE id = $1`,
      [this.requestId, awaits, state.needsApproval && isOwner],
    );
    await this.tx.query(
      `UPDATE workflow_request_files SET state = 'pending', tries = 0, error = NULL WHERE request_id = $1 AND state = 'failed'`,
      [this.requestId],
    );
    await this.tx.query('UPDATE workflows SET pending_requests = pending_requests + 1 WHERE id = $1', [
      this.workflowId,
    ]);
    return { status: 'pending', receipts: await this.awaitFiles(state, awaits) };
  }

  async approve(state: RequestState): Promise<Transition> {
    if (!state.isAwaiting) throw notApplicable('approve', state.status);
    await this.tx.query('UPDATE workflow_requests SET awaiting_approval = false, approved_at = now() WHERE id = $1', [
      this.requestId,
    ]);
    return { status: 'pending', receipts: await this.awaitFiles(state, false) };
  }

  /** Not for one that runs: its run has to be stopped instead. */
  async cancel(state: RequestState): Promise<Transition> {
    if (state.status !== 'pending') throw notApplicable('cancel', state.status);
    return this.end('Cancelled by a user.');
  }

  async reject(state: RequestState): Promise<Transition> {
    if (!state.isAwaiting) throw notApplicable('reject', state.status);
    return this.end('Rejected by the owner.');
  }

  private async end(detail: string): Promise<Transition> {
    await this.tx.query(
      `WITH cancelled AS (
         UPDATE workflow_requests SET status = 'cancelled', finished_at = now(), detail = $2 WHERE id = $1
         RETURNING id, schedule_id)
       UPDATE workflow_schedules s SET last_status = 'SKIPPED' FROM cancelled c
       WHERE s.id = c.schedule_id AND s.last_status = 'PENDING' AND NOT EXISTS (
         SELECT FROM workflow_requests q WHERE q.schedule_id = s.id AND q.status = 'pending' AND q.id <> c.id)`,
      [this.requestId, detail],
    );
    await this.tx.query('DELETE FROM workflow_request_fetches WHERE request_id = $1', [this.requestId]);
    await this.tx.query('UPDATE workflows SET pending_requests = pending_requests - 1 WHERE id = $1', [
      this.workflowId,
    ]);
    return { status: 'cancelled', receipts: [] };
  }

  /** Files that are not there yet are fetched before its turn, unless it waits for approval first. */
  private async awaitFiles({ fence }: RequestState, awaitsApproval: boolean): Promise<OutboxReceipt[]> {
    const [, waiting] = await this.tx.query<[unknown, number]>(
      `UPDATE workflow_requests SET awaiting_files = true WHERE id = $1 AND EXISTS (
         SELECT FROM workflow_request_files WHERE request_id = $1 AND state = 'pending') RETURNING 1`,
      [this.requestId],
    );
    if (waiting === 0) {
      await this.tx.query('UPDATE workflow_requests SET awaiting_files = false WHERE id = $1', [this.requestId]);
      return [];
    }
    if (awaitsApproval) return [];
    await this.tx.query(
      `INSERT INTO workflow_request_fetches (request_id) VALUES ($1)
       ON CONFLICT (request_id) DO UPDATE SET next_attempt_at = now()`,
      [this.requestId],
    );
    return [await this.outbox.enqueue(fetchRequestFilesJob, { key: [this.requestId], fence }, this.tx)];
  }
}

export function isRequestAction(action: string): action is RequestAction {
  return REQUEST_ACTIONS.some((known) => known === action);
}

export function notApplicable(action: string, status: RequestStatus): InvalidRequestError {
  return new InvalidRequestError(`The action ${action} cannot be applied to a request that is ${status}.`, {
    code: 'action_not_applicable',
    extra: { status },
  });
}
