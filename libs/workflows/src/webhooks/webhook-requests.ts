import { InvalidRequestError, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { WorkflowAccess } from '../definitions/workflow-access.js';
import type { RunStatus } from '../engine/node-state.js';
import { RunControl } from '../runs/run-control.js';
import { WaitingRequests } from '../runs/waiting-requests.js';

export type RequestStatus = 'pending' | 'running' | 'done' | 'failed' | 'cancelled';
export type RequestAction = 'retry' | 'cancel';

export interface RequestRecord {
  id: string;
  status: RequestStatus;
  /** From 1 for those that wait, 0 for the one that runs, else null. */
  queuePosition: number | null;
  fileUrls: string[];
  startNodeId: string | null;
  runVersion: number | null;
  queuedAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  detail: string;
}

export interface QueueListing {
  workflowId: string;
  workflowStatus: RunStatus | 'IDLE';
  counts: Record<RequestStatus, number>;
  requests: RequestRecord[];
}

interface RequestRow {
  id: string;
  status: RequestStatus;
  queue_position: number | null;
  file_urls: string[];
  start_node_id: string | null;
  run_version: number | null;
  queued_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  detail: string;
}

/** The webhook queue as signed-in users see and steer it (document 3, B8.7). */
@Injectable()
export class WebhookRequests {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly runs: RunControl,
    private readonly waiting: WaitingRequests,
  ) {}

  /** What runs and waits, in order, then what ended last. @param limit 1 to 200. @throws NotFoundError. */
  async list(userId: number, workflowId: string, limit: number): Promise<QueueListing> {
    await this.access.require(userId, workflowId, 'viewer');
    const [[state], counts, rows] = await Promise.all([
      this.dataSource.query<{ status: RunStatus | null }[]>(
        'SELECT r.status FROM workflows w LEFT JOIN workflow_runs r ON r.id = w.current_run_id WHERE w.id = $1',
        [workflowId],
      ),
      this.dataSource.query<{ status: RequestStatus; count: number }[]>(
        'SELECT status, count(*)::int AS count FROM workflow_requests WHERE workflow_id = $1 GROUP BY status',
        [workflowId],
      ),
      this.dataSource.query<RequestRow[]>(
        `(SELECT q.*, CASE status WHEN 'running' THEN 0 ELSE row_number() OVER (PARTITION BY status ORDER BY seq) END::int
            AS queue_position
          FROM workflow_requests q WHERE workflow_id = $1 AND status IN ('pending', 'running')
          ORDER BY status = 'running' DESC, seq LIMIT $2)
         UNION ALL
         (SELECT q.*, NULL FROM workflow_requests q
          WHERE workflow_id = $1 AND status NOT IN ('pending', 'running') ORDER BY queued_at DESC LIMIT $2)
         LIMIT $2`,
        [workflowId, limit],
      ),
    ]);
    const known = Object.fromEntries(counts.map(({ status, count }) => [status, count]));
    return {
      workflowId,
      workflowStatus: state?.status ?? 'IDLE',
      counts: { pending: 0, running: 0, done: 0, failed: 0, cancelled: 0, ...known },
      requests: rows.map(toRecord),
    };
  }

  /** @throws NotFoundError, ForbiddenError; InvalidRequestError `action_not_applicable` with the present `status`. */
  async act(userId: number, workflowId: string, requestId: string, action: RequestAction): Promise<RequestStatus> {
    await this.access.require(userId, workflowId, 'editor');
    const outcome = await this.dataSource.transaction((tx) =>
      action === 'retry' ? retry(tx, workflowId, requestId) : cancelPending(tx, workflowId, requestId),
    );
    if (outcome === 'running') {
      const stopped = await this.runs.stopActive(workflowId, 'Cancelled by a user.', requestId);
      if (stopped !== null) return 'cancelled';
      // It ended by itself in between.
      return this.act(userId, workflowId, requestId, action);
    }
    if (action === 'retry') await this.waiting.startNext(workflowId);
    return outcome;
  }
}

/** Locks the workflow, then says where the request stands. */
async function lock(tx: EntityManager, workflowId: string, requestId: string): Promise<RequestStatus> {
  await tx.query('SELECT 1 FROM workflows WHERE id = $1 FOR NO KEY UPDATE', [workflowId]);
  const [row] = await tx.query<{ status: RequestStatus }[]>(
    'SELECT status FROM workflow_requests WHERE id = $1 AND workflow_id = $2 FOR UPDATE',
    [requestId, workflowId],
  );
  if (!row) throw new NotFoundError();
  return row.status;
}

async function retry(tx: EntityManager, workflowId: string, requestId: string): Promise<RequestStatus> {
  const status = await lock(tx, workflowId, requestId);
  if (status !== 'failed' && status !== 'cancelled') throw notApplicable('retry', status);
  await tx.query(
    `UPDATE workflow_requests SET status = 'pending', seq = nextval('workflow_requests_seq'), run_version = NULL,
       started_at = NULL, finished_at = NULL, detail = '' WHERE id = $1`,
    [requestId],
  );
  await tx.query('UPDATE workflows SET pending_requests = pending_requests + 1 WHERE id = $1', [workflowId]);
  return 'pending';
}

async function cancelPending(tx: EntityManager, workflowId: string, requestId: string): Promise<RequestStatus> {
  const status = await lock(tx, workflowId, requestId);
  if (status === 'running') return status;
  if (status !== 'pending') throw notApplicable('cancel', status);
  await tx.query(
    `UPDATE workflow_requests SET status = 'cancelled', finished_at = now(), detail = 'Cancelled by a user.' WHERE id = $1`,
    [requestId],
  );
  await tx.query('UPDATE workflows SET pending_requests = pending_requests - 1 WHERE id = $1', [workflowId]);
  return 'cancelled';
}

function notApplicable(action: RequestAction, status: RequestStatus): InvalidRequestError {
  return new InvalidRequestError(`The action ${action} cannot be applied to a request that is ${status}.`, {
    code: 'action_not_applicable',
    extra: { status },
  });
}

function toRecord(row: RequestRow): RequestRecord {
  return {
    id: row.id,
    status: row.status,
    queuePosition: row.queue_position,
    fileUrls: row.file_urls,
    startNodeId: row.start_node_id,
    runVersion: row.run_version,
    queuedAt: row.queued_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    detail: row.detail,
  };
}
