import { OUTPUT_TYPES } from '@app/workflow-definition';
import type { OutputRecord } from '@app/workflows';
import { AnyField, ChoiceField, DateTimeField, IntegerField, StringField, UuidField } from '../../http/fields.js';
import { PageOf, PageQuery } from '../../http/pagination.js';

export class OutputsQuery extends PageQuery {
  @IntegerField({ optional: true, min: 1 })
  run_version?: number;

  @StringField({ optional: true, maxLength: 128 })
  node_id?: string;

  @ChoiceField(OUTPUT_TYPES, { optional: true })
  type?: (typeof OUTPUT_TYPES)[number];
}

export const EXPORT_FORMATS = ['zip', 'json', 'xlsx'] as const;

export class ExportQuery {
  @IntegerField({ optional: true, min: 1, description: 'The newest run that has ended when absent.' })
  run_version?: number;

  @ChoiceField(EXPORT_FORMATS, { default: 'zip' })
  format: (typeof EXPORT_FORMATS)[number];
}

/** docs/contract/workflows.md#outputs. */
export class OutputResponse {
  @UuidField()
  id: string;

  @UuidField()
  workflow: string;

  @IntegerField()
  run_version: number;

  @StringField()
  node_id: string;

  @StringField()
  node_name: string;

  @StringField()
  kind: string;

  @ChoiceField(OUTPUT_TYPES)
  type: string;

  @StringField()
  title: string;

  @AnyField({ nullable: true, description: 'Up to 256 KB; what is larger lies behind `media_path`.' })
  value: unknown;

  @StringField({ nullable: true, description: 'To be signed by `/media/sign/`.' })
  media_path: string | null;

  @StringField()
  mime_type: string;

  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  size_bytes: number;

  @StringField({ nullable: true })
  mgid: string | null;

  @StringField({ nullable: true })
  artifact_id: string | null;

  @StringField({ nullable: true })
  table_id: string | null;

  @DateTimeField()
  created_at: Date;
}

export class OutputPageResponse extends PageOf(OutputResponse) {}

export function toOutputResponse(output: OutputRecord): OutputResponse {
  return {
    id: output.id,
    workflow: output.workflowId,
    run_version: output.runVersion,
    node_id: output.nodeId,
    node_name: output.nodeName,
    kind: output.kind,
    type: output.type,
    title: output.title,
    value: output.value,
    media_path: output.mediaPath,
    mime_type: output.mimeType,
    size_bytes: output.sizeBytes,
    mgid: output.mgid,
    artifact_id: output.artifactId,
    table_id: output.tableId,
    created_at: output.createdAt,
  };
}
