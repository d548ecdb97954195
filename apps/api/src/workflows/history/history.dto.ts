import { type RunDetail, type RunRecord, RUN_TRIGGERS } from '@app/workflows';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  ListField,
  NestedField,
  NumberField,
  ObjectField,
  StringField,
  UuidField,
} from '../../http/fields.js';
import { PageOf, PageQuery } from '../../http/pagination.js';
import { NodeRowResponse, toNodeRowResponse } from '../node-row.dto.js';

const RUN_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'STOPPED'] as const;

export class HistoryQuery extends PageQuery {
  @ChoiceField(RUN_STATUSES, { optional: true })
  status?: (typeof RUN_STATUSES)[number];

  @ChoiceField(RUN_TRIGGERS, { optional: true })
  trigger?: (typeof RUN_TRIGGERS)[number];
}

class TriggeredByResponse {
  @IntegerField()
  id: number;

  @StringField()
  username: string;
}

class NodeCountsResponse {
  @IntegerField()
  total: number;

  @IntegerField()
  completed: number;

  @IntegerField()
  failed: number;

  @IntegerField()
  skipped: number;
}

class RunErrorResponse {
  @StringField({ nullable: true })
  node_id: string | null;

  @StringField()
  code: string;

  @StringField()
  message: string;
}

class RunHeadResponse {
  @IntegerField()
  version: number;

  @ChoiceField(RUN_STATUSES)
  status: string;

  @ChoiceField(RUN_TRIGGERS)
  trigger: string;

  @NestedField(() => TriggeredByResponse, { nullable: true })
  triggered_by: TriggeredByResponse | null;

  @UuidField({ nullable: true, description: 'Of the webhook queue.' })
  request_id: string | null;

  @UuidField({ nullable: true })
  schedule_id: string | null;

  @IntegerField({ nullable: true, description: 'The run whose outputs it reuses.' })
  parent_version: number | null;

  @BooleanField()
  is_branch: boolean;

  @StringField({ nullable: true })
  start_node_id: string | null;

  @IntegerField()
  content_revision: number;

  @DateTimeField()
  started_at: Date;

  @DateTimeField({ nullable: true })
  finished_at: Date | null;

  @NumberField({ nullable: true })
  duration_seconds: number | null;

  @NestedField(() => RunErrorResponse, { nullable: true })
  error: RunErrorResponse | null;

  @IntegerField({ description: 'Of language models.', max: Number.MAX_SAFE_INTEGER })
  tokens: number;

  @NumberField()
  spend: number;

  @DateTimeField({ nullable: true, description: 'When it leaves the history.' })
  expires_at: Date | null;
}

export class RunResponse extends RunHeadResponse {
  @NestedField(() => NodeCountsResponse)
  nodes: NodeCountsResponse;
}

export class RunPageResponse extends PageOf(RunResponse) {}

export class RunDetailResponse extends RunHeadResponse {
  @ListField(() => NodeRowResponse)
  nodes: NodeRowResponse[];

  @NestedField(() => NodeCountsResponse)
  node_counts: NodeCountsResponse;

  @ObjectField({ description: 'The definition as it ran.' })
  json_spec: Record<string, unknown>;

  @ObjectField({ nullable: true })
  webhook_payload: Record<string, unknown> | null;
}

export class RetryRunRequest {
  @ChoiceField(['failed', 'start'], {
    default: 'failed',
    description: '`failed`: what finished keeps its results. `start`: everything runs.',
  })
  from: 'failed' | 'start';

  @ChoiceField(['original', 'latest'], { default: 'original', description: 'The definition to run.' })
  spec: 'original' | 'latest';

  @BooleanField({ default: true })
  save_outputs: boolean;
}

export class RetriedRunResponse {
  @StringField()
  message: string;

  @IntegerField()
  version: number;

  @IntegerField()
  nodes_reused: number;
}

function toRunHead(run: RunRecord): RunHeadResponse {
  return {
    version: run.version,
    status: run.status,
    trigger: run.trigger,
    triggered_by: run.triggeredBy,
    request_id: run.requestId,
    schedule_id: run.scheduleId,
    parent_version: run.parentVersion,
    is_branch: run.isBranch,
    start_node_id: run.startNodeId,
    content_revision: run.contentRevision,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    duration_seconds: run.durationSeconds,
    error: run.error && { node_id: run.error.nodeId, code: run.error.code, message: run.error.message },
    tokens: run.tokens,
    spend: run.spend,
    expires_at: run.expiresAt,
  };
}

export function toRunResponse(run: RunRecord): RunResponse {
  return { ...toRunHead(run), nodes: run.counts };
}

export function toRunDetailResponse(run: RunDetail): RunDetailResponse {
  return {
    ...toRunHead(run),
    nodes: run.nodes.map(toNodeRowResponse),
    node_counts: run.counts,
    json_spec: run.jsonSpec,
    webhook_payload: run.payload,
  };
}
