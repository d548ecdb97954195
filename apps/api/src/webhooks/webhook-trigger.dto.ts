import type { AcceptedCall, RequestResult, WorkflowProgress } from '@app/workflows';
import {
  AnyField,
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  ListField,
  ObjectField,
  StringField,
  UuidField,
} from '../http/fields.js';
import { NODE_STATUSES } from '../workflows/node-row.dto.js';
import { WORKFLOW_STATUSES } from '../workflows/workflow-record.dto.js';

export const REQUEST_STATUSES = ['pending', 'running', 'done', 'failed', 'cancelled'] as const;
/** docs/contract/webhooks.md#the-trigger; clients and proxies give up soon after. */
export const MAX_WAIT_SECONDS = 25;

export class WebhookTriggerRequest {
  @StringField({ maxLength: 255 })
  webhook_id: string;

  @StringField({
    optional: true,
    maxLength: 1024,
    trim: false,
    description: 'Required, unless the call is signed with a key that the credential has.',
  })
  webhook_secret?: string;

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

  @IntegerField({ min: 0, max: MAX_WAIT_SECONDS, default: 0, description: 'How long the answer may wait for the run.' })
  wait_seconds: number;
}

/** Of a call whose body is the sender's own. */
export class WebhookDeliveryQuery {
  @IntegerField({ min: 0, max: MAX_WAIT_SECONDS, default: 0, description: 'How long the answer may wait for the run.' })
  wait_seconds: number;
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

  @BooleanField({ optional: true, description: 'Present and true when the owner has to approve it first.' })
  awaiting_approval?: true;

  @ChoiceField(REQUEST_STATUSES, { optional: true, description: 'With wait_seconds.' })
  status?: string;

  @IntegerField({ optional: true, nullable: true, description: 'With wait_seconds.' })
  run_version?: number | null;

  @ObjectField({ optional: true, description: 'With wait_seconds: what the last nodes gave, by node id.' })
  output?: Record<string, unknown>;

  @ObjectField({ optional: true, nullable: true, description: 'With wait_seconds: `{node_id, code, message}`.' })
  error?: Record<string, unknown> | null;
}

export function toTriggerResponse(call: AcceptedCall): WebhookTriggerResponse {
  return {
    message: messageOf(call),
    request_id: call.requestId,
    queued: call.queued,
    queue_position: call.queuePosition,
    workflow_id: call.workflowId,
    ...(call.duplicate && { duplicate: true as const }),
    ...(call.isAwaiting && { awaiting_approval: true as const }),
  };
}

function messageOf({ duplicate, isAwaiting, queued }: AcceptedCall): string {
  if (duplicate) return 'This request is known already.';
  if (isAwaiting) return 'Workflow run waits for approval.';
  return queued ? 'Workflow run queued.' : 'Workflow run started.';
}

/** The answer of a call whose caller waited. */
export function toResultFields({ status, runVersion, output, error }: RequestResult): Partial<WebhookTriggerResponse> {
  return {
    status,
    run_version: runVersion,
    output,
    error: error && { node_id: error.nodeId, code: error.code, message: error.message },
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
