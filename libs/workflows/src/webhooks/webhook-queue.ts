import { currentContext, InvalidRequestError, newId, NotFoundError, UnavailableError } from '@app/common';
import { executeRunJob } from '@app/contracts';
import { Outbox } from '@app/queues';
import type { DataSource } from 'typeorm';
import { branchOf, type RevisionCache } from '../definitions/revision-cache.js';
import { toJsonText } from '../runs/json-text.js';
import type { RunAnnouncer } from '../runs/run-announcer.js';
import { invalidCredential, type WebhookTarget } from './webhook-credentials.js';
import { fileUrlsOf, readPayload } from './webhook-payload.js';

export interface WebhookCall {
  payload: unknown;
  /** Of a workflow credential: run the branch from `startNodeId` instead of the whole. */
  isBranch: boolean;
  startNodeId: string | null;
  runToTheEnd: boolean;
  /** The same key within 24 hours is the same request. */
  idempotencyKey: string | null;
}

export interface AcceptedCall {
  requestId: string;
  workflowId: string;
  /** 0: started at once; n: the n-th in line. */
  queuePosition: number;
  queued: boolean;
  duplicate: boolean;
}

interface EnqueueRow {
  outcome: 'started' | 'queued' | 'duplicate' | 'queue_full' | 'gone';
  request_id: string | null;
  queue_position: number;
  outbox_id: string | null;
}

/** Takes calls in: one statement, one commit, and the order of commits is the order of runs (document 2, 4.7). */
export class WebhookQueue {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly revisions: RevisionCache,
    private readonly announcer: RunAnnouncer,
    private readonly limit: number,
  ) {}

  /**
   * @throws InvalidRequestError for a wrong payload or branch; UnauthenticatedError when the workflow is gone;
   * UnavailableError `queue_full` when too many calls wait.
   */
  async trigger(target: WebhookTarget, call: WebhookCall): Promise<AcceptedCall> {
    const payload = readPayload(call.payload);
    const startNodeId = await this.startOf(target, call);
    const message = this.outbox.prepare(executeRunJob, { runId: newId(), fence: 0 });
    const { workflowId } = target;
    const [row] = await this.dataSource.query<EnqueueRow[]>(
      'SELECT * FROM workflow_enqueue($1, $2, $3, $4::jsonb, $5, $6, $7, $8, $9, $10, $11::jsonb)',
      [
        workflowId,
        newId(),
        message.payload.runId,
        payload && toJsonText(payload),
        fileUrlsOf(payload),
        startNodeId,
        call.runToTheEnd,
        call.idempotencyKey,
        currentContext()?.requestId ?? null,
        this.limit,
        toJsonText(message),
      ],
    );
    if (!row || row.outcome === 'gone') throw invalidCredential();
    if (row.outcome === 'queue_full')
      throw new UnavailableError('Too many calls of this workflow are waiting.', { code: 'queue_full' });
    if (row.outcome === 'started') {
      this.outbox.publishSoon([this.outbox.adopt(message, row.outbox_id!)]);
      this.announcer.nodesChanged(workflowId, 0);
    }
    const { request_id: requestId, queue_position: queuePosition } = row;
    const duplicate = row.outcome === 'duplicate';
    return { requestId: requestId!, workflowId, queuePosition, queued: queuePosition > 0, duplicate };
  }

  /** Null: the whole workflow. */
  private async startOf({ workflowId, nodeId }: WebhookTarget, call: WebhookCall): Promise<string | null> {
    if (nodeId === null && !call.isBranch) return null;
    if (nodeId === null && call.startNodeId === null)
      throw new InvalidRequestError('start_node_id is required when is_branch is true.', {
        code: 'start_node_required',
      });
    const start = nodeId ?? call.startNodeId!;
    const revision = await this.revisions.getNewest(workflowId).catch((error: unknown) => {
      throw error instanceof NotFoundError ? invalidCredential() : error;
    });
    if (!branchOf(revision, start, call.runToTheEnd))
      throw new InvalidRequestError(`The workflow has no node ${JSON.stringify(start)}.`, { code: 'unknown_node' });
    // The credential of an entry node runs the whole workflow.
    const isEntry = revision.nodes.some((node) => node.id === start && node.isEntry);
    return nodeId !== null && isEntry ? null : start;
  }
}
