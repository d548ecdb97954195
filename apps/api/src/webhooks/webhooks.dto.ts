import type { AcceptedCall, QueueListing, RequestRecord, WorkflowProgress } from '@app/workflows';
import {
  AnyField,
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  ListField,
  NumberField,
  ObjectField,
  StringField,
  UuidField,
  kinds,
} from '../http/fields.js';
import { NODE_STATUSES } from '../workflows/node-row.dto.js';
import { WORKFLOW_STATUSES } from '../workflows/workflows.dto.js';

const REQUEST_STATUSES = ['pending', 'running', 'done', 'failed', 'cancelled'] as const;

export class WebhookTriggerRequest {
  @StringField({ maxLength: 255 })
  webhook_id: string;

  @StringField({ maxLength: 1024, trim: false })
  webhook_secret: string;

  @AnyField({ optional: true, nullable: true, description: 'A JSON object of at most 65536 bytes.' })
  payload?: unknown;

  @AnyField({ optional: true, nullable: true, description: 'The same under its other name.' })
  webhook_payload?: unknown;

  @BooleanField({ default: false, description: 'With the credential of a workflow: run a branch of it.' })
  is_branch: boolean;

  @StringField({ optional: true, nullable: true, allowBlank: true, maxLength: 128 })
  start_node_id?: string | null;

  @BooleanField({ default: true })
  run_to_the_end: boolean;

  @StringField({
    optional: true,
    nullable: true,
    allowBlank: true,
    maxLength: 255,
    description: 'The same id within 24 hours is the same request.',
  })
  event_id?: string | null;
}

export class WebhookTriggerResponse {
  @StringField()
  message: string;

  @UuidField()
  request_id: string;

  @BooleanField()
  queued: boolean;

  @IntegerField({ description: '0 when it was started at once.' })
  queue_position: number;

  @UuidField()
  workflow_id: string;

  @BooleanField({ optional: true, description: 'Present and true for a repetition.' })
  duplicate?: true;
}

export function toTriggerResponse(call: AcceptedCall): WebhookTriggerResponse {
  return {
    message: call.queued ? 'Workflow run queued.' : 'Workflow run started.',
    request_id: call.requestId,
    queued: call.queued,
    queue_position: call.queuePosition,
    workflow_id: call.workflowId,
    ...(call.duplicate && { message: 'This request is known already.', duplicate: true as const }),
  };
}

export class WebhookStatusQuery {
  @StringField({ optional: true, allowBlank: true, maxLength: 255 })
  webhook_id?: string;

  @StringField({ optional: true, allowBlank: true, maxLength: 1024, trim: false })
  webhook_secret?: string;

  @BooleanField({ default: false })
  include_output: boolean;
}

class WebhookNodeStatusResponse {
  @StringField()
  node_id: string;

  @StringField()
  kind: string;

  @ChoiceField(NODE_STATUSES)
  status: string;

  @IntegerField()
  attempt_count: number;

  @DateTimeField({ nullable: true })
  started_at: Date | null;

  @DateTimeField({ nullable: true })
  finished_at: Date | null;

  @AnyField({ optional: true, nullable: true, description: 'With include_output only.' })
  output?: unknown;
}

export class WebhookStatusResponse {
  @UuidField()
  workflow_id: string;

  @StringField()
  workflow_name: string;

  @ChoiceField(WORKFLOW_STATUSES)
  status: string;

  @IntegerField({ nullable: true })
  current_run_version: number | null;

  @DateTimeField()
  updated_at: Date;

  @ListField(() => WebhookNodeStatusResponse)
  nodes: WebhookNodeStatusResponse[];
}

export function toStatusResponse(progress: WorkflowProgress, withOutputs: boolean): WebhookStatusResponse {
  const { workflowId, name, status, runVersion, updatedAt, nodes } = progress;
  return {
    workflow_id: workflowId,
    workflow_name: name,
    status,
    current_run_version: runVersion,
    updated_at: updatedAt,
    nodes: nodes.map((node) => ({
      node_id: node.nodeId,
      kind: node.kind,
      status: node.status,
      attempt_count: node.attempt,
      started_at: node.startedAt,
      finished_at: node.finishedAt,
      ...(withOutputs && { output: node.output }),
    })),
  };
}

export class NodeWebhookResponse {
  @UuidField()
  workflow_id: string;

  @StringField()
  node_id: string;

  @StringField()
  webhook_id: string;

  @StringField()
  webhook_secret: string;

  @BooleanField({ description: 'False for an entry node: its credential runs the whole workflow.' })
  is_branch: boolean;

  @BooleanField({ description: 'Whether this call made it.' })
  created: boolean;
}

export class QueueQuery {
  @IntegerField({ min: 1, max: 200, default: 50 })
  limit: number;
}

class QueueRequestResponse {
  @UuidField()
  id: string;

  @StringField({ description: 'Last part of the first file address; empty without one.' })
  file_name: string;

  @ListField(kinds.string())
  file_urls: string[];

  @ChoiceField(REQUEST_STATUSES)
  status: string;

  @IntegerField({ nullable: true, description: 'From 1 for those that wait, 0 for the one that runs.' })
  queue_position: number | null;

  @IntegerField({ nullable: true })
  run_version: number | null;

  @DateTimeField()
  queued_at: Date;

  @DateTimeField({ nullable: true })
  started_at: Date | null;

  @DateTimeField({ nullable: true })
  finished_at: Date | null;

  @NumberField({ nullable: true })
  duration_seconds: number | null;

  @StringField()
  detail: string;

  @BooleanField()
  is_branch: boolean;

  @ListField(kinds.any())
  files: unknown[];

  @IntegerField({ nullable: true })
  processed: number | null;

  @IntegerField({ nullable: true })
  failed: number | null;

  @IntegerField({ nullable: true })
  skipped: number | null;
}

export class QueueResponse {
  @UuidField()
  workflow_id: string;

  @ChoiceField(WORKFLOW_STATUSES)
  workflow_status: string;

  @ObjectField({ description: '`{pending, running, done, failed, cancelled}`.' })
  counts: Record<string, number>;

  @IntegerField()
  waiting: number;

  @ListField(() => QueueRequestResponse)
  requests: QueueRequestResponse[];
}

export function toQueueResponse({ workflowId, workflowStatus, counts, requests }: QueueListing): QueueResponse {
  return {
    workflow_id: workflowId,
    workflow_status: workflowStatus,
    counts,
    waiting: counts.pending,
    requests: requests.map(toQueueRequestResponse),
  };
}

function toQueueRequestResponse(request: RequestRecord): QueueRequestResponse {
  const { startedAt, finishedAt, fileUrls } = request;
  return {
    id: request.id,
    file_name: fileNameOf(fileUrls[0]),
    file_urls: fileUrls,
    status: request.status,
    queue_position: request.queuePosition,
    run_version: request.runVersion,
    queued_at: request.queuedAt,
    started_at: startedAt,
    finished_at: finishedAt,
    duration_seconds: startedAt && finishedAt ? (finishedAt.getTime() - startedAt.getTime()) / 1000 : null,
    detail: request.detail,
    is_branch: request.startNodeId !== null,
    files: [],
    processed: null,
    failed: null,
    skipped: null,
  };
}

function fileNameOf(url: string | undefined): string {
  const segment = (url && URL.parse(url)?.pathname.split('/').pop()) || '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export class QueueActionRequest {
  @ChoiceField(['retry', 'cancel'])
  action: 'retry' | 'cancel';
}

export class QueueActionResponse {
  @UuidField()
  id: string;

  @ChoiceField(REQUEST_STATUSES)
  status: string;

  @ChoiceField(['retry', 'cancel'])
  action: string;
}
