import type { ImportedNode, N8nImport, WireProblem } from '@app/workflow-definition';
import {
  AnyField,
  BooleanField,
  ChoiceField,
  ListField,
  NestedField,
  ObjectField,
  StringField,
  UuidField,
  kinds,
} from '../../http/fields.js';
import { DefinitionProblemResponse } from '../workflows.dto.js';

export class ImportWorkflowRequest {
  @ChoiceField(['n8n'])
  format: string;

  @AnyField({ description: 'The workflow as the other product exports it.' })
  json: unknown;

  @BooleanField({ default: false, description: 'Whether a workflow is made of it.' })
  save: boolean;
}

class ImportedNodeResponse {
  @StringField({ description: 'As the other product has it.' })
  name: string;

  @StringField()
  type: string;

  @ListField(kinds.string(), { description: 'What it became, helpers included.' })
  node_ids: string[];

  @StringField({ nullable: true, description: 'Null for what needs no node here.' })
  kind: string | null;

  @ListField(kinds.string(), { description: 'What is different, or why it could not be mapped.' })
  notes: string[];
}

class ImportReportResponse {
  @ListField(() => ImportedNodeResponse)
  mapped: ImportedNodeResponse[];

  @ListField(() => ImportedNodeResponse, { description: 'Differ in some case: see their notes.' })
  approximated: ImportedNodeResponse[];

  @ListField(() => ImportedNodeResponse, { description: 'Fail when they are reached, and keep the original as `n8n`.' })
  unmapped: ImportedNodeResponse[];

  @ListField(kinds.string(), { description: 'Cron expressions for schedules that are still to be made.' })
  schedules: string[];
}

export class ImportedWorkflowResponse {
  @ObjectField()
  json_spec: Record<string, unknown>;

  @ObjectField()
  vueflow_json: Record<string, unknown>;

  @NestedField(() => ImportReportResponse)
  report: ImportReportResponse;

  @ListField(() => DefinitionProblemResponse)
  warnings: DefinitionProblemResponse[];

  @UuidField({ nullable: true, description: 'Of the workflow, with `save`.' })
  workflow_id: string | null;
}

export function toImportedWorkflowResponse(
  { jsonSpec, vueflowJson, report }: N8nImport,
  warnings: WireProblem[],
  workflowId: string | null,
): ImportedWorkflowResponse {
  const { mapped, approximated, unmapped, schedules } = report;
  return {
    json_spec: jsonSpec,
    vueflow_json: vueflowJson,
    report: {
      mapped: mapped.map(toImportedNodeResponse),
      approximated: approximated.map(toImportedNodeResponse),
      unmapped: unmapped.map(toImportedNodeResponse),
      schedules,
    },
    warnings,
    workflow_id: workflowId,
  };
}

function toImportedNodeResponse({ name, type, nodeIds, kind, notes }: ImportedNode): ImportedNodeResponse {
  return { name, type, node_ids: nodeIds, kind, notes };
}
