import type { QueueListing, RequestRecord } from '@app/workflows';
import {
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
import { WORKFLOW_STATUSES } from '../workflows/workflow-record.dto.js';

const REQUEST_STATUSES = ['pending', 'running', 'done', 'failed', 'cancelled'] as const;

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
