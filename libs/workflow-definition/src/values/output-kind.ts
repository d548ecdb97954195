import { cutText } from '@app/common';

export const OUTPUT_TYPES = ['text', 'json', 'file', 'table', 'chart', 'artifact'] as const;
export type OutputType = (typeof OUTPUT_TYPES)[number];

/** A kept value up to this size stands in its row; a larger one is fetched from its media path. */
export const MAX_KEPT_VALUE_BYTES = 256 * 1024;

export interface OutputKind {
  type: OutputType;
  value: unknown;
  title: string | null;
  mimeType: string;
  /** Of a file. */
  mediaPath: string | null;
  /** Of a file; for the others the size of their value counts. */
  sizeBytes: number | null;
  mgid: string | null;
  artifactId: string | null;
  tableId: string | null;
}

/** The same of an output that lies elsewhere: its value is read when it is small enough to stand in a row. */
export type OutputHint = Omit<OutputKind, 'value'>;

export function toOutputHint(output: unknown): OutputHint {
  const { value: _value, ...hint } = outputKind(output);
  return hint;
}

/**
 * What people see of a node's output (docs/contract/workflows.md#outputs), told by its shape: tools that make a file,
 * chart, artifact or
 * table name it by `media_path`, `mgid`, `artifact_id` or `table_id`; a bare text, or `text` with nothing beside it but
 * what a language model says of itself, is text.
 */
export function outputKind(output: unknown): OutputKind {
  const kind: OutputKind = {
    type: 'json',
    value: output ?? null,
    title: null,
    mimeType: 'application/json',
    mediaPath: null,
    sizeBytes: null,
    mgid: null,
    artifactId: null,
    tableId: null,
  };
  if (typeof output === 'string') return { ...kind, type: 'text', mimeType: 'text/plain' };
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return kind;
  const fields = output as Record<string, unknown>;
  const title = textOf(fields.title);
  const mgid = textOf(fields.mgid);
  if (mgid) return { ...kind, type: 'chart', title, mgid };
  const artifactId = textOf(fields.artifact_id);
  if (artifactId) return { ...kind, type: 'artifact', title, artifactId, mimeType: 'text/html' };
  const tableId = textOf(fields.table_id);
  if (tableId) return { ...kind, type: 'table', title, tableId };
  const mediaPath = textOf(fields.media_path);
  if (mediaPath?.startsWith('/media/')) {
    return {
      ...kind,
      type: 'file',
      mediaPath,
      title: textOf(fields.filename) ?? title,
      mimeType: textOf(fields.mime_type) ?? 'application/octet-stream',
      sizeBytes: sizeOf(fields.size_bytes),
    };
  }
  const { text, object, model: _model, usage: _usage, ...rest } = fields;
  const isText = typeof text === 'string' && (object ?? null) === null && Object.keys(rest).length === 0;
  return isText ? { ...kind, type: 'text', value: text, mimeType: 'text/plain' } : { ...kind, title };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? cutText(value, 1_000) : null;
}

function sizeOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= 2_147_483_647
    ? value
    : null;
}
