import { ONE_LINE } from '@app/common';
import type { VersionDetail, VersionRecord } from '@app/workflows';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  ListField,
  NestedField,
  ObjectField,
  StringField,
  kinds,
} from '../../http/fields.js';
import { PageOf } from '../../http/pagination.js';
import { ActingPersonResponse, InnerActorResponse, toInnerActorResponse } from '../node-row.dto.js';

class AuthorResponse {
  @IntegerField()
  id: number;

  @StringField()
  username: string;
}

/** A saved state of a workflow (docs/contract/workflows.md#versions-and-tags). */
export class VersionResponse {
  @IntegerField()
  content_revision: number;

  @StringField()
  name: string;

  @StringField({ nullable: true })
  label: string | null;

  @StringField({ description: 'What was changed against the revision before, in a line.' })
  change_summary: string;

  @IntegerField()
  node_count: number;

  @NestedField(() => AuthorResponse, { nullable: true })
  created_by: AuthorResponse | null;

  @DateTimeField()
  created_at: Date;

  @BooleanField()
  is_current: boolean;

  @BooleanField({ description: 'Whether webhooks and schedules run it.' })
  is_published: boolean;
}

export class VersionPageResponse extends PageOf(VersionResponse) {}

class VersionNodeResponse {
  @StringField()
  node_id: string;

  @StringField()
  kind: string;

  @StringField({ nullable: true })
  name: string | null;

  @NestedField(() => ActingPersonResponse, { nullable: true, description: 'Who last changed the node.' })
  acts_as: ActingPersonResponse | null;

  @ListField(() => InnerActorResponse, { description: 'Nodes of its body that act as somebody else.' })
  acts_as_within: InnerActorResponse[];
}

export class VersionDetailResponse extends VersionResponse {
  @ListField(() => VersionNodeResponse, { description: 'With whose rights the nodes reach things.' })
  nodes: VersionNodeResponse[];

  @ObjectField()
  json_spec: Record<string, unknown>;

  @ObjectField()
  vueflow_json: Record<string, unknown>;
}

export class LabelVersionRequest {
  @StringField({
    ...ONE_LINE,
    nullable: true,
    allowBlank: true,
    maxLength: 100,
    description: 'Null or empty takes the label off.',
  })
  label: string | null;
}

export class RestoreVersionRequest {
  @IntegerField({ optional: true, nullable: true, description: 'The revision last read; another one is a conflict.' })
  expected_content_revision?: number | null;
}

export class RestoredVersionResponse {
  @StringField()
  message: string;

  @IntegerField({ description: 'The new revision, which has the old content.' })
  content_revision: number;

  @StringField({ nullable: true, description: '`running` when a run was in flight; it keeps its own revision.' })
  warning: 'running' | null;
}

export class VersionDiffQuery {
  @IntegerField({ optional: true, min: 1, description: 'The revision to compare with; the newest when absent.' })
  to?: number;
}

class ChangedNodeResponse {
  @StringField()
  id: string;

  @ListField(kinds.string(), {
    description: 'Like `params.cases[0].value`; one empty path for a node changed all over.',
  })
  paths: string[];
}

class NodesDiffResponse {
  @ListField(kinds.string())
  added: string[];

  @ListField(kinds.string())
  removed: string[];

  @ListField(() => ChangedNodeResponse)
  changed: ChangedNodeResponse[];
}

class DiffEdgeResponse {
  @StringField()
  source: string;

  @StringField()
  target: string;

  @ChoiceField(['next', 'error', 'wait'])
  type: string;
}

class EdgesDiffResponse {
  @ListField(() => DiffEdgeResponse)
  added: DiffEdgeResponse[];

  @ListField(() => DiffEdgeResponse)
  removed: DiffEdgeResponse[];
}

export class VersionDiffResponse {
  @IntegerField()
  from: number;

  @IntegerField()
  to: number;

  @NestedField(() => NodesDiffResponse)
  nodes: NodesDiffResponse;

  @NestedField(() => EdgesDiffResponse, { description: 'By `next`, `error_next` and `requires.wait_for`.' })
  edges: EdgesDiffResponse;

  @ListField(kinds.string(), { description: 'What changed beside the nodes, like `entry`.' })
  paths: string[];

  @BooleanField()
  layout_changed: boolean;
}

export class PublishedVersionResponse {
  @StringField()
  message: string;

  @IntegerField({ nullable: true, description: 'What webhooks and schedules run; null: the newest revision.' })
  published_revision: number | null;
}

export function toVersionResponse(version: VersionRecord): VersionResponse {
  return {
    content_revision: version.contentRevision,
    name: version.name,
    label: version.label,
    change_summary: version.changeSummary,
    node_count: version.nodeCount,
    created_by: version.createdBy,
    created_at: version.createdAt,
    is_current: version.isCurrent,
    is_published: version.isPublished,
  };
}

export function toVersionDetailResponse(version: VersionDetail): VersionDetailResponse {
  return {
    ...toVersionResponse(version),
    json_spec: version.jsonSpec,
    vueflow_json: version.vueflowJson,
    nodes: version.nodes.map(({ nodeId, kind, name, actsAs, within }) => {
      return { node_id: nodeId, kind, name, acts_as: actsAs, acts_as_within: within.map(toInnerActorResponse) };
    }),
  };
}
