import { toolCatalogue } from '@app/workflow-tools';
import type { NodeRow } from '@app/workflows';
import {
  AnyField,
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

export const NODE_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'SKIPPED', 'STOPPED', 'WAITING'] as const;

/** With whose rights a node reaches things (docs/contract/workflows.md#whose-rights-a-run-has). */
export class ActingPersonResponse {
  @IntegerField()
  id: number;

  @StringField()
  username: string;
}

export class InnerActorResponse {
  @StringField({ description: 'Ids on the way to the node, like `loop/search`.' })
  node_id: string;

  @NestedField(() => ActingPersonResponse, { nullable: true })
  acts_as: ActingPersonResponse | null;
}

/** A node execution row (docs/contract/workflows.md#node-rows). */
export class NodeRowResponse {
  @UuidField({ description: 'Stays the same over reruns.' })
  id: string;

  @UuidField()
  workflow: string;

  @StringField({ nullable: true })
  name: string | null;

  @StringField({ description: 'Id in the definition.' })
  node_id: string;

  @StringField()
  kind: string;

  @ObjectField()
  params: Record<string, unknown>;

  @ChoiceField(NODE_STATUSES)
  status: string;

  @ObjectField()
  input: Record<string, unknown>;

  @AnyField({ nullable: true })
  output: unknown;

  @ListField(kinds.string(), { nullable: true })
  next: readonly string[] | null;

  @IntegerField()
  attempt_count: number;

  @BooleanField()
  save_output: boolean;

  @BooleanField()
  export_output: boolean;

  @DateTimeField({ nullable: true })
  started_at: Date | null;

  @DateTimeField({ nullable: true })
  finished_at: Date | null;

  @StringField({ nullable: true })
  batch_id: string | null;

  @IntegerField({ nullable: true })
  batch_total: number | null;

  @IntegerField()
  batch_completed: number;

  @BooleanField()
  is_batch_processor: boolean;

  @IntegerField({ nullable: true, description: 'Batch nodes only.' })
  progress_percentage: number | null;

  @ObjectField({ nullable: true, description: '`{code, message}` of a failed node.' })
  error: { code: string; message: string } | null;

  @ListField(kinds.string())
  warnings: string[];

  @NestedField(() => ActingPersonResponse, {
    nullable: true,
    description:
      'Who last changed the node: it reaches things with their rights. Null: nobody; the owner has to adopt it.',
  })
  acts_as: ActingPersonResponse | null;

  @ListField(() => InnerActorResponse, { description: 'Nodes of its body that act as somebody else.' })
  acts_as_within: InnerActorResponse[];
}

export function toNodeRowResponse(row: NodeRow): NodeRowResponse {
  const { batchTotal, batchCompleted } = row;
  return {
    id: row.id,
    workflow: row.workflowId,
    name: row.name,
    node_id: row.nodeId,
    kind: row.kind,
    params: row.params,
    status: row.status,
    input: row.input,
    output: row.output,
    next: row.next,
    attempt_count: row.attempt,
    save_output: row.saveOutput,
    export_output: row.exportOutput,
    started_at: row.startedAt,
    finished_at: row.finishedAt,
    batch_id: row.batchId,
    batch_total: batchTotal,
    batch_completed: batchCompleted,
    is_batch_processor: toolCatalogue.find(row.kind)?.isBatchProcessor ?? batchTotal !== null,
    progress_percentage: batchTotal === null ? null : percentage(batchCompleted, batchTotal),
    error: row.error,
    warnings: row.warnings,
    acts_as: row.actsAs,
    acts_as_within: row.actsAsWithin.map(toInnerActorResponse),
  };
}

export function toInnerActorResponse({ nodeId, actsAs }: NodeRow['actsAsWithin'][number]): InnerActorResponse {
  return { node_id: nodeId, acts_as: actsAs };
}

function percentage(completed: number, total: number): number {
  return total === 0 ? 100 : Math.floor((completed / total) * 100);
}
