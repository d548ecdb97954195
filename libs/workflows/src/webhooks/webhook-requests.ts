import { AuditLog } from '@app/audit';
import { totalsOf } from '@app/entities';
import { Outbox } from '@app/queues';
import type { RunStatus } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { WorkflowAccess } from '../access/workflow-access.js';
import { RunControl } from '../runs/run-control.js';
import { WaitingRequests } from '../runs/waiting-requests.js';
import {
  REQUEST_FILES,
  type RequestRecord,
  type RequestRow,
  type RequestStatus,
  toRequestRecord,
} from './request-record.js';
import { isRequestAction, notApplicable, RequestTransitions, type Transition } from './request-transitions.js';
import type { KeyOwner } from './webhook-keys.js';

export interface QueueListing {
  workflowId: string;
  workflowStatus: RunStatus | 'IDLE';
  counts: Record<RequestStatus, number>;
  /** Of those that wait: so many wait for approval. */
  awaiting: number;
  requests: RequestRecord[];
}

/** A run may end by itself between a look at its request and the stop; more often than this it is something else. */
const TRIES = 3;

/** The webhook queue as signed-in users see and steer it (docs/contract/webhooks.md#queue-requests). */
@Injectable()
export class WebhookRequests {
  private readonly audit: AuditLog;

  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly runs: RunControl,
    private readonly waiting: WaitingRequests,
    private readonly outbox: Outbox,
  ) {
    this.audit = new AuditLog(dataSource);
  }

  /** What runs and waits, in order, then what ended last. @param limit 1 to 200. @throws NotFoundError. */
  async list(userId: number, workflowId: string, limit: number): Promise<QueueListing> {
    await this.access.require(userId, workflowId, 'viewer');
    const [[state], counts, rows] = await Promise.all([
      this.dataSource.query<{ status: RunStatus | null }[]>(
        'SELECT r.status FROM workflows w LEFT JOIN workflow_runs r ON r.id = w.current_run_id WHERE w.id = $1',
        [workflowId],
      ),
      this.dataSource.query<{ status: RequestStatus; count: number; awaiting: number }[]>(
        `SELECT status, count(*)::int AS count, (count(*) FILTER (WHERE awaiting_approval AND status = 'pending'))::int AS awaiting
         FROM workflow_requests WHERE workflow_id = $1 AND status IN ('pending', 'running') GROUP BY status
         UNION ALL
         SELECT part, sum(value)::int, 0 FROM ${totalsOf(['webhook_requests'], '$1::uuid::text')} ended GROUP BY part`,
        [workflowId],
      ),
      this.dataSource.query<RequestRow[]>(
        `SELECT q.*, ${REQUEST_FILES} FROM (
           (SELECT p.*, CASE status WHEN 'running' THEN 0 ELSE row_number() OVER (PARTITION BY status ORDER BY seq) END::int
              AS queue_position
            FROM workflow_requests p WHERE workflow_id = $1 AND status IN ('pending', 'running')
            ORDER BY status = 'running' DESC, seq LIMIT $2)
           UNION ALL
           (SELECT f.*, NULL FROM workflow_requests f WHERE workflow_id = $1 AND status NOT IN ('pending', 'running')
            ORDER BY finished_at DESC, seq DESC LIMIT $2)) q
         ORDER BY CASE status WHEN 'running' THEN 0 WHEN 'pending' THEN 1 ELSE 2 END, queue_position,
           finished_at DESC, seq DESC LIMIT $2`,
        [workflowId, limit],
      ),
    ]);
    const known = Object.fromEntries(counts.map(({ status, count }) => [status, count]));
    return {
      workflowId,
      workflowStatus: state?.status ?? 'IDLE',
      counts: { pending: 0, running: 0, done: 0, failed: 0, cancelled: 0, ...known },
      awaiting: counts.reduce((sum, { awaiting }) => sum + awaiting, 0),
      requests: rows.map(toRequestRecord),
    };
  }

  /**
   * Editors retry and cancel, the owner approves and rejects.
   * @param action a `RequestAction`; any other is applicable to nothing
   * @throws NotFoundError, ForbiddenError; InvalidRequestError `action_not_applicable` with the present `status`.
   */
  async act(user: KeyOwner, workflowId: string, requestId: string, action: string): Promise<RequestStatus> {
    const decides = action === 'approve' || action === 'reject';
    const needed = decides ? 'owner' : 'editor';
    for (let tries = 0; tries < TRIES; tries += 1) {
      const { status, receipts } = await this.transit(user, workflowId, requestId, action, needed);
      if (status !== 'running') {
        this.outbox.publishSoon(receipts);
        // What was held up by it may go on as well.
        await this.waiting.startNext(workflowId);
        return status;
      }
      const stopped = await this.runs.stopActive(workflowId, 'Cancelled by a user.', {
        queueRequestId: requestId,
        by: { userId: user.userId, needed },
      });
      if (stopped !== null) return 'cancelled';
    }
    throw notApplicable(action, 'running');
  }

  /** `running`: its run has to be stopped by the caller. */
  private transit(
    user: KeyOwner,
    workflowId: string,
    requestId: string,
    action: string,
    needed: 'owner' | 'editor',
  ): Promise<Transition> {
    return this.dataSource.transaction(async (tx) => {
      const isOwner = (await this.access.hold(tx, user.userId, workflowId, needed)) === 'owner';
      const request = new RequestTransitions(tx, this.outbox, workflowId, requestId);
      const state = await request.lock();
      if (!isRequestAction(action)) throw notApplicable(action, state.status);
      if (action === 'retry') return request.retry(state, isOwner);
      if (action === 'cancel')
        return state.status === 'running' ? { status: 'running', receipts: [] } : request.cancel(state);
      const decided = action === 'approve' ? await request.approve(state) : await request.reject(state);
      await this.audit.record(
        {
          action: action === 'approve' ? 'webhook.request_approved' : 'webhook.request_rejected',
          actor: user,
          target: `workflow:${workflowId}`,
          details: { request_id: requestId },
        },
        tx,
      );
      return decided;
    });
  }
}
