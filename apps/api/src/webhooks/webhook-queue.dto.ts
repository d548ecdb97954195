import { type QueueListing, REQUEST_ACTIONS, type RequestFile, type RequestRecord } from '@app/workflows';
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
import { REQUEST_STATUSES } from './webhook-trigger.dto.js';
import { WORKFLOW_STATUSES } from '../workflows/workflow-record.dto.js';

const FILE_STATUSES = ['pending', 'stored', 'failed', 'skipped'] as const;

export class NodeWebhookResponse {
  @UuidField()
  workflow_id: string;

  @StringField()
  node_id: string;

  @StringField()
  webhook_id: string;

  @StringField()
  webhook_secret: string;

  @StringField({ nullable: true, description: 'Null without a webhook by URL.' })
  webhook_url: string | null;

  @BooleanField({ description: 'False for an entry node: its credential runs the whole workflow.' })
  is_branch: boolean;

  @BooleanField({ description: 'Whether this call made it.' })
  created: boolean;
}

export class QueueQuery {
  @IntegerField({ min: 1, max: 200, default: 50 })
  limit: number;
}

class RequestFileResponse {
  @StringField()
  url: string;

  @ChoiceField(FILE_STATUSES)
  status: string;

  @StringField({ nullable: true })
  file_name: string | null;

  @UuidField({ nullable: true, description: 'Of the document that it became.' })
  uid: string | null;

  @StringField({ nullable: true })
  mime_type: string | null;

  @IntegerField({ nullable: true, max: Number.MAX_SAFE_INTEGER })
  size_bytes: number | null;

  @StringField({ nullable: true })
  error: string | null;
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

  @BooleanField({ description: 'Whether the owner has to approve it before it runs.' })
  awaiting_approval: boolean;

  @ListField(() => RequestFileResponse)
  files: RequestFileResponse[];

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

  @ObjectField({ values: kinds.integer(), description: '`{pending, running, done, failed, cancelled}`.' })
  counts: Record<string, number>;

  @IntegerField()
  waiting: number;

  @IntegerField({ description: 'Of those that wait: how many the owner has to approve.' })
  awaiting_approval: number;

  @ListField(() => QueueRequestResponse)
  requests: QueueRequestResponse[];
}

export function toQueueResponse({
  workflowId,
  workflowStatus,
  counts,
  awaiting,
  requests,
}: QueueListing): QueueResponse {
  return {
    workflow_id: workflowId,
    workflow_status: workflowStatus,
    counts,
    waiting: counts.pending,
    awaiting_approval: awaiting,
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
    awaiting_approval: request.isAwaiting,
    files: request.files.map(toFileResponse),
    processed: countOf(request, 'stored'),
    failed: countOf(request, 'failed'),
    skipped: countOf(request, 'skipped'),
  };
}

/** Null for a request without files. */
function countOf({ files }: RequestRecord, status: RequestFile['status']): number | null {
  return files.length === 0 ? null : files.filter((file) => file.status === status).length;
}

function toFileResponse(file: RequestFile): RequestFileResponse {
  return {
    url: file.url,
    status: file.status,
    file_name: file.filename,
    uid: file.documentUid,
    mime_type: file.mimeType,
    size_bytes: file.sizeBytes,
    error: file.error,
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
  @StringField({
    maxLength: 64,
    description: '`retry`, `cancel`, `approve` or `reject`; others are 400 `action_not_applicable` as well.',
  })
  action: string;
}

export class QueueActionResponse {
  @UuidField()
  id: string;

  @ChoiceField(REQUEST_STATUSES)
  status: string;

  @ChoiceField(REQUEST_ACTIONS)
  action: string;
}
