import { currentOrigin, InvalidRequestError, newTimeOrderedId, NotFoundError, UnavailableError } from '@app/common';
import { executeRunJob, fetchRequestFilesJob } from '@app/contracts';
import type { Gates } from '@app/entitlements';
import { type JobMessage, Outbox } from '@app/queues';
import { type CallRequest, readCallPayload } from '@app/workflow-definition';
import { branchOf, type RevisionCache } from '../revisions/revision-cache.js';
import type { RunAnnouncer } from '../runs/run-announcer.js';
import type { CallIntake, IntakeRow } from './call-intake.js';
import { planFiles } from './files/request-file.js';
import { invalidCredential, type WebhookTarget } from './webhook-authenticator.js';

export interface WebhookCall {
  payload: unknown;
  /** Of a workflow credential: run the branch from `startNodeId` instead of the whole. */
  isBranch: boolean;
  startNodeId: string | null;
  runToTheEnd: boolean;
  /** The same key within 24 hours is the same request. */
  idempotencyKey: string | null;
  /** What the workflow may know of the call itself. */
  request?: CallRequest;
}

export interface AcceptedCall {
  requestId: string;
  workflowId: string;
  /** 0: started at once; n: the n-th in line. */
  queuePosition: number;
  queued: boolean;
  duplicate: boolean;
  /** Somebody has to let it pass first. */
  isAwaiting: boolean;
  /** Whether the run of a repeated call is over already. */
  hasEnded: boolean;
}

/** Takes calls in: the order of commits is the order of runs (docs/contract/webhooks.md#the-trigger). */
export class WebhookQueue {
  constructor(
    private readonly intake: CallIntake,
    private readonly outbox: Outbox,
    private readonly revisions: RevisionCache,
    private readonly announcer: RunAnnouncer,
    private readonly gates: Gates,
    private readonly maxFiles: number,
  ) {}

  /**
   * @throws InvalidRequestError for a wrong payload or branch; UnauthenticatedError when the workflow is gone;
   * UnavailableError `queue_full` when too many calls wait; what the plan of the workflow's owner refuses.
   */
  async trigger(target: WebhookTarget, call: WebhookCall): Promise<AcceptedCall> {
    const { workflowId, ownerId } = target;
    // What waits already, or runs, goes on.
    if (ownerId !== undefined && !this.gates.areOpen) await this.gates.checkUser(ownerId, 'flowapps');
    const { text, fileUrls } = readCallPayload(call.payload, call.request);
    const startNode = await this.startOf(target, call);
    const request = newTimeOrderedId();
    const message = this.outbox.prepare(executeRunJob, { runId: newTimeOrderedId(), fence: 0, ownerId });
    const filesMessage =
      fileUrls.length > 0 ? this.outbox.prepare(fetchRequestFilesJob, { key: [request], fence: 0 }) : null;
    const row = await this.intake.take({
      workflow: workflowId,
      request,
      run: message.payload.runId as string,
      payloadText: text,
      startNode,
      toTheEnd: call.runToTheEnd,
      key: keyOf(target, call.idempotencyKey),
      correlation: currentOrigin(),
      message,
      ...(filesMessage && { fileUrls, files: planFiles(fileUrls, this.maxFiles), filesMessage }),
    });
    if (row.outcome === 'gone') throw invalidCredential();
    if (row.outcome === 'queue_full')
      throw new UnavailableError('Too many calls of this workflow are waiting.', { code: 'queue_full' });
    this.notify(workflowId, row, message, filesMessage);
    const { request_id: requestId, queue_position: queuePosition, state } = row;
    return {
      requestId,
      workflowId,
      queuePosition,
      queued: queuePosition > 0,
      duplicate: row.outcome === 'duplicate',
      isAwaiting: row.is_awaiting,
      hasEnded: state !== 'pending' && state !== 'running',
    };
  }

  private notify(workflowId: string, row: IntakeRow, run: JobMessage, files: JobMessage | null): void {
    if (row.outbox_id) {
      this.outbox.publishSoon([this.outbox.adopt(run, row.outbox_id)]);
      this.announcer.nodesChanged(workflowId, 0);
    }
    if (row.files_outbox_id && files) this.outbox.publishSoon([this.outbox.adopt(files, row.files_outbox_id)]);
  }

  /** Null: the whole workflow. */
  private async startOf({ workflowId, nodeId }: WebhookTarget, call: WebhookCall): Promise<string | null> {
    if (nodeId === null && !call.isBranch) return null;
    if (nodeId === null && call.startNodeId === null)
      throw new InvalidRequestError('start_node_id is required when is_branch is true.', {
        code: 'start_node_required',
      });
    const start = nodeId ?? call.startNodeId!;
    const revision = await this.revisions.getForTriggers(workflowId).catch((error: unknown) => {
      throw error instanceof NotFoundError ? invalidCredential() : error;
    });
    if (!branchOf(revision, start, call.runToTheEnd))
      throw new InvalidRequestError(`The workflow has no node ${JSON.stringify(start)}.`, { code: 'unknown_node' });
    // The credential of an entry node runs the whole workflow.
    const isEntry = revision.nodes.some((node) => node.id === start && node.isEntry);
    return nodeId !== null && isEntry ? null : start;
  }
}

/** Each credential has keys of its own: one event may be meant for several nodes. */
function keyOf({ nodeId }: WebhookTarget, key: string | null): string | null {
  return key === null || nodeId === null ? key : `${nodeId}\n${key}`;
}
