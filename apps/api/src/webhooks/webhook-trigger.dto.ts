import type { AcceptedCall, WorkflowProgress } from '@app/workflows';
import {
  AnyField,
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  ListField,
  StringField,
  UuidField,
} from '../http/fields.js';
import { NODE_STATUSES } from '../workflows/node-row.dto.js';
import { WORKFLOW_STATUSES } from '../workflows/workflow-record.dto.js';

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
