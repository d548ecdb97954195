import { allowsWorkflow } from '@app/access';
import type { Collaborator, Sharee, WorkflowDetail, WorkflowRecord } from '@app/workflows';
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
} from '../http/fields.js';
import { PageOf } from '../http/pagination.js';
import { NodeRowResponse, toNodeRowResponse } from './node-row.dto.js';
import { TagOnWorkflowResponse } from './tags/tags.dto.js';

export const WORKFLOW_STATUSES = ['IDLE', 'PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'STOPPED'] as const;

export class PersonResponse {
  @IntegerField()
  id: number;

  @StringField()
  username: string;

  @StringField()
  email: string;
}

class EditorResponse {
  @IntegerField()
  id: number;

  @StringField()
  username: string;
}

export class WorkflowResponse {
  @UuidField()
  id: string;

  @StringField({ description: 'User name of the owner.' })
  user: string;

  @StringField()
  name: string;

  @StringField({ nullable: true })
  subtitle: string | null;

  @StringField({ nullable: true })
  description: string | null;

  @StringField({ nullable: true })
  summary: string | null;

  @ObjectField()
  json_spec: Record<string, unknown>;

  @ListField(kinds.any())
  instructions: unknown[];

  @ChoiceField(WORKFLOW_STATUSES)
  status: string;

  @BooleanField()
  available_as_app: boolean;

  @BooleanField()
  csv_dashbord: boolean;

  @BooleanField()
  run_only: boolean;

  @BooleanField()
  chatbot_app: boolean;

  @StringField()
  webhook_id: string;

  @IntegerField()
  successful_run_count: number;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  updated_at: Date;

  @IntegerField()
  content_revision: number;

  @IntegerField({ nullable: true, description: 'What webhooks and schedules run; null: the newest revision.' })
  published_revision: number | null;

  @ChoiceField(['owner', 'editor', 'viewer'], { nullable: true })
  my_role: string | null;

  @NestedField(() => PersonResponse, { nullable: true })
  owner: PersonResponse | null;

  @NestedField(() => EditorResponse, { nullable: true })
  last_edited_by: EditorResponse | null;

  @DateTimeField({ nullable: true })
  last_edited_at: Date | null;

  @NestedField(() => PersonResponse, { nullable: true, description: 'Of a received copy: who shared it.' })
  sharer: PersonResponse | null;

  @BooleanField({ description: 'Of a received copy: it may only be run, from Apps, and its params are not shown.' })
  only_view_in_apps: boolean;
}

/** With `include_tags` of the search. */
class FoundWorkflowResponse extends WorkflowResponse {
  @ListField(() => TagOnWorkflowResponse, { optional: true, description: 'Your own; only when they were asked for.' })
  tags?: TagOnWorkflowResponse[];
}

export class WorkflowPageResponse extends PageOf(FoundWorkflowResponse) {}

class WorkflowNameResponse {
  @UuidField()
  id: string;

  @StringField()
  name: string;
}

/** With `with_outputs` of the list: those whose outputs can be browsed. */
export class WorkflowNamePageResponse extends PageOf(WorkflowNameResponse) {}

export class CollaboratorResponse {
  @NestedField(() => PersonResponse)
  user: PersonResponse;

  @ChoiceField(['editor', 'viewer'])
  role: string;

  @StringField()
  role_label: string;

  @DateTimeField()
  created_at: Date;
}

class ShareeResponse extends PersonResponse {
  @BooleanField()
  only_view_in_apps: boolean;
}

export class WorkflowDetailResponse extends WorkflowResponse {
  @ObjectField()
  vueflow_json: Record<string, unknown>;

  @StringField({ description: 'Empty for viewers, and for API tokens without `workflows:write`.' })
  webhook_secret: string;

  @StringField({ nullable: true, description: 'Null without a webhook by URL, and where the secret is empty.' })
  webhook_url: string | null;

  @ListField(() => NodeRowResponse)
  nodes: NodeRowResponse[];

  @BooleanField()
  is_owner: boolean;

  @BooleanField()
  can_edit: boolean;

  @ListField(() => CollaboratorResponse, { optional: true, description: 'For the owner only.' })
  collaborators?: CollaboratorResponse[];

  @ListField(() => ShareeResponse, { optional: true, description: 'Who has a copy or the app; for the owner only.' })
  sharees?: ShareeResponse[];

  @BooleanField({
    optional: true,
    description: 'Of a received app: it wants to reach more than its receiver agreed to (`consent/`).',
  })
  consent_required?: boolean;
}

export function toWorkflowResponse(workflow: WorkflowRecord): WorkflowResponse {
  return {
    id: workflow.id,
    user: workflow.owner.username,
    name: workflow.name,
    subtitle: workflow.subtitle,
    description: workflow.description,
    summary: workflow.summary,
    json_spec: workflow.jsonSpec,
    instructions: workflow.instructions,
    status: workflow.status,
    available_as_app: workflow.availableAsApp,
    csv_dashbord: workflow.csvDashboard,
    run_only: workflow.runOnly,
    chatbot_app: workflow.chatbotApp,
    webhook_id: workflow.webhookId,
    successful_run_count: workflow.successfulRunCount,
    created_at: workflow.createdAt,
    updated_at: workflow.updatedAt,
    content_revision: workflow.contentRevision,
    published_revision: workflow.publishedRevision,
    // A received app is its receiver's own, whatever they may do with it.
    my_role: workflow.role === 'runner' ? 'owner' : workflow.role,
    owner: workflow.owner,
    last_edited_by: workflow.lastEditedBy,
    last_edited_at: workflow.lastEditedAt,
    sharer: workflow.sharer,
    only_view_in_apps: workflow.onlyViewInApps,
  };
}

export function toWorkflowDetailResponse(workflow: WorkflowDetail, webhookUrl: string | null): WorkflowDetailResponse {
  const isOwner = workflow.role === 'owner' || workflow.role === 'runner';
  return {
    ...toWorkflowResponse(workflow),
    vueflow_json: workflow.vueflowJson,
    webhook_secret: workflow.webhookSecret,
    webhook_url: webhookUrl,
    nodes: workflow.nodes.map(toNodeRowResponse),
    is_owner: isOwner,
    can_edit: allowsWorkflow(workflow.role, 'editor') && !(workflow.runOnly && workflow.role === 'editor'),
    // A received app can be shared with nobody; its receiver is told so as any other owner.
    ...(isOwner && {
      collaborators: (workflow.collaborators ?? []).map(toCollaboratorResponse),
      sharees: (workflow.sharees ?? []).map(toShareeResponse),
    }),
    ...(workflow.isAsking !== null && { consent_required: workflow.isAsking }),
  };
}

export function toCollaboratorResponse({ user, role, createdAt }: Collaborator): CollaboratorResponse {
  return { user, role, role_label: role === 'editor' ? 'Can edit' : 'Can view', created_at: createdAt };
}

function toShareeResponse({ id, username, email, onlyViewInApps }: Sharee): ShareeResponse {
  return { id, username, email, only_view_in_apps: onlyViewInApps };
}
