import type { TrashedWorkflow } from '@app/workflows';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  ListField,
  NestedField,
  ObjectField,
  StringField,
  UuidField,
  kinds,
} from '../../http/fields.js';
import { toWorkflowResponse, WorkflowResponse } from '../workflow-record.dto.js';

export class TrashedWorkflowResponse extends WorkflowResponse {
  @DateTimeField()
  deleted_at: Date;

  @DateTimeField()
  purge_at: Date;
}

export class TrashReportResponse {
  @StringField()
  message: string;

  @ChoiceField(['trashed'])
  status: string;

  @UuidField()
  id: string;

  @DateTimeField()
  deleted_at: Date;

  @DateTimeField()
  purge_at: Date;

  @ObjectField({ description: '`run_stopped`, `cancelled_requests` and what else stopped or went with it.' })
  side_effects: Record<string, unknown>;
}

export class RestoredWorkflowResponse {
  @ChoiceField(['restored'])
  status: string;

  @UuidField()
  id: string;
}

export class DeletedWorkflowResponse {
  @ChoiceField(['permanently_deleted'])
  status: string;

  @UuidField()
  id: string;

  @ObjectField({
    values: kinds.integer(),
    description: 'How many of what, by resource: `run_history`, `node_runs`, `outputs` and so on.',
  })
  deleted: Record<string, number>;
}

class AffectedWorkflowResponse {
  @UuidField()
  id: string;

  @StringField()
  name: string;

  @BooleanField()
  is_trashed: boolean;
}

class SampleResponse {
  @IntegerField({ nullable: true })
  count: number | null;

  @ListField(kinds.string())
  sample: string[];
}

class SizedSampleResponse extends SampleResponse {
  @IntegerField({ nullable: true, max: Number.MAX_SAFE_INTEGER })
  bytes: number | null;
}

class CountResponse {
  @IntegerField({ nullable: true })
  count: number | null;
}

class SizeResponse extends CountResponse {
  @IntegerField({ nullable: true, max: Number.MAX_SAFE_INTEGER })
  bytes: number | null;
}

class EmptiedResponse {
  @IntegerField({ nullable: true })
  emptied: number | null;
}

class VersionCountResponse {
  @IntegerField({ nullable: true })
  versions: number | null;
}

/** What a permanent delete would take along; null: could not be counted now. Further keys tell of further resources. */
export class DeletionImpactResponse {
  @NestedField(() => AffectedWorkflowResponse)
  workflow: AffectedWorkflowResponse;

  @NestedField(() => SizedSampleResponse)
  artifacts: SizedSampleResponse;

  @NestedField(() => SampleResponse)
  charts: SampleResponse;

  @NestedField(() => EmptiedResponse)
  dashboards: EmptiedResponse;

  @NestedField(() => SampleResponse)
  chat_sessions: SampleResponse;

  @NestedField(() => VersionCountResponse)
  run_history: VersionCountResponse;

  @NestedField(() => CountResponse)
  dashboard_documents: CountResponse;

  @IntegerField({ nullable: true })
  spec_revisions: number | null;

  @ListField(kinds.string(), { nullable: true, description: 'Names of the schedules.' })
  schedules: string[] | null;

  @IntegerField({ nullable: true })
  queued_webhook_runs: number | null;

  @IntegerField({ nullable: true })
  node_runs: number | null;

  @ListField(kinds.object(), { nullable: true })
  extractor_tables_deleted: object[] | null;

  @IntegerField({ optional: true })
  collaborators?: number;

  @IntegerField({ optional: true, description: 'Shares that wait until somebody confirms an address.' })
  invitations?: number;

  @IntegerField({ optional: true, description: 'Sealed values of the workflow.' })
  secrets?: number;

  @IntegerField({ optional: true, description: 'Copies that others were given to run.' })
  shared_apps?: number;

  @NestedField(() => SizeResponse, { optional: true })
  outputs?: SizeResponse;

  @NestedField(() => SizeResponse, { optional: true })
  output_files?: SizeResponse;
}

export function toTrashedWorkflowResponse(workflow: TrashedWorkflow): TrashedWorkflowResponse {
  return { ...toWorkflowResponse(workflow), deleted_at: workflow.deletedAt, purge_at: workflow.purgeAt };
}
