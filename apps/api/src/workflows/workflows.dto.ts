import { ConflictError } from '@app/common';
import type { SaveInput, StaleRevisionError, WorkflowSettings } from '@app/workflows';
import {
  AnyField,
  BooleanField,
  ChoiceField,
  IntegerField,
  ListField,
  ObjectField,
  StringField,
  UuidField,
  kinds,
} from '../http/fields.js';
import { PageQuery } from '../http/pagination.js';
import { toWorkflowResponse, WORKFLOW_STATUSES } from './workflow-record.dto.js';

const TEXT = { optional: true, nullable: true, allowBlank: true, maxLength: 20_000 } as const;

class WorkflowSettingsRequest {
  @StringField(TEXT)
  subtitle?: string | null;

  @StringField(TEXT)
  description?: string | null;

  @StringField(TEXT)
  summary?: string | null;

  @ListField(kinds.any(), { optional: true, description: 'App instructions for users of the published app.' })
  instructions?: unknown[];

  @BooleanField({ optional: true })
  available_as_app?: boolean;

  @BooleanField({ optional: true })
  csv_dashbord?: boolean;

  @BooleanField({ optional: true })
  run_only?: boolean;

  @BooleanField({ optional: true })
  chatbot_app?: boolean;

  @ObjectField({
    optional: true,
    description: 'Canvas layout of the client. Its edges count where the definition has none of its own.',
  })
  vueflow_json?: Record<string, unknown>;
}

export function toSettings(body: WorkflowSettingsRequest): WorkflowSettings {
  return {
    subtitle: body.subtitle,
    description: body.description,
    summary: body.summary,
    instructions: body.instructions,
    availableAsApp: body.available_as_app,
    csvDashboard: body.csv_dashbord,
    runOnly: body.run_only,
    chatbotApp: body.chatbot_app,
    vueflowJson: body.vueflow_json,
  };
}

export class CreateWorkflowRequest extends WorkflowSettingsRequest {
  @AnyField({ description: 'The definition: `{name, version, entry[], nodes[], edges[]}`.' })
  json: unknown;
}

export class DefinitionProblemResponse {
  @StringField()
  code: string;

  @StringField({ nullable: true })
  node_id: string | null;

  @StringField({ description: 'Like `nodes[2].params.url`.' })
  path: string;

  @StringField()
  message: string;
}

export class CreatedWorkflowResponse {
  @UuidField()
  workflow_id: string;

  @ListField(() => DefinitionProblemResponse, {
    description: 'What is odd about the definition, as `validate/` says it.',
  })
  warnings: DefinitionProblemResponse[];
}

export class SaveWorkflowRequest extends WorkflowSettingsRequest {
  @StringField({ maxLength: 255, folded: true })
  name: string;

  @AnyField({ description: 'The definition, as at creation.' })
  json_spec: unknown;

  @IntegerField({ optional: true, nullable: true, description: 'The revision last read; another one is a conflict.' })
  expected_content_revision?: number | null;
}

export function toSaveInput(body: SaveWorkflowRequest): SaveInput {
  const { name, json_spec: jsonSpec, expected_content_revision: expected } = body;
  return {
    ...toSettings(body),
    name,
    jsonSpec,
    ...(typeof expected === 'number' && { expectedContentRevision: expected }),
  };
}

export class SavedWorkflowResponse {
  @StringField()
  message: string;

  @IntegerField()
  content_revision: number;

  @StringField({ nullable: true, description: '`running` when a run was in flight; it keeps its own revision.' })
  warning: 'running' | null;

  @ListField(() => DefinitionProblemResponse, {
    description: 'What is odd about the definition, as `validate/` says it.',
  })
  warnings: DefinitionProblemResponse[];
}

export class ValidateDefinitionRequest {
  @AnyField()
  json: unknown;

  @ObjectField({ optional: true, description: 'Canvas layout; its edges count where the definition has none.' })
  vueflow_json?: Record<string, unknown>;

  @UuidField({ optional: true, nullable: true, description: 'The workflow that it is meant for.' })
  workflow_id?: string | null;
}

export class DefinitionReportResponse {
  @BooleanField()
  valid: boolean;

  @ListField(() => DefinitionProblemResponse)
  errors: DefinitionProblemResponse[];

  @ListField(() => DefinitionProblemResponse)
  warnings: DefinitionProblemResponse[];
}

export class WorkflowListQuery extends PageQuery {
  @StringField({
    optional: true,
    allowBlank: true,
    maxLength: 200,
    description: 'Fields, comma-separated; `-` before one: descending. Unknown ones are ignored.',
  })
  ordering?: string;

  @BooleanField({ optional: true })
  available_as_app?: boolean;

  @BooleanField({ optional: true })
  csv_dashbord?: boolean;

  @BooleanField({ optional: true })
  chatbot_app?: boolean;

  @ListField(kinds.uuid(), {
    optional: true,
    commaSeparated: true,
    maxItems: 100,
    description: 'Ids of your tags: workflows with at least one of them.',
  })
  tag_ids?: string[];
}

export class WorkflowsQuery extends WorkflowListQuery {
  @BooleanField({ optional: true, description: 'Only `{id, name}` of workflows with a node that keeps its output.' })
  with_outputs?: boolean;
}

export class WorkflowSearchQuery extends WorkflowListQuery {
  @StringField({
    form: 'NFC',
    optional: true,
    allowBlank: true,
    maxLength: 255,
    description: 'In name or description.',
  })
  search?: string;

  @ChoiceField(WORKFLOW_STATUSES, { optional: true })
  status?: string;

  @BooleanField({ optional: true, description: 'Whether each workflow carries your `tags`.' })
  include_tags?: boolean;
}

export class WorkflowDetailQuery {
  @BooleanField({ optional: true, description: 'Whether the id in the path is a webhook id.' })
  webhook?: boolean;
}

/** The body that lets an editor go on after a conflict (docs/contract/workflows.md#saves). */
export function toSaveConflict({ current, message, code }: StaleRevisionError): ConflictError {
  return new ConflictError(message, {
    code,
    extra: {
      content_revision: current.contentRevision,
      last_edited_by: current.lastEditedBy,
      last_edited_at: current.lastEditedAt,
      workflow: toWorkflowResponse(current),
    },
  });
}
