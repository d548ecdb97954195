import { cutLine } from '@app/common';
import { defineKind, measureJson, param, toolApproval, type ToolContext, ToolError } from '@app/workflow-definition';
import { lookup } from 'mime-types';
import { z } from 'zod';
import { categories } from '../categories.js';
import { inSandbox } from '../jobs/in-sandbox.js';
import { appendPart } from './append-part.js';
import { encodeContent, type EncodedFile, FILE_FORMATS, type FileFormat, formatOf } from '../jobs/file-content.js';

export const MAX_WRITTEN_BYTES = 50 * 1024 * 1024;
const MAX_INLINE_BYTES = 8 * 1024;
const ENCODE_LIMIT_MS = 60_000;
const MISSING = 'This deployment keeps no files.';

export const fileWriterTool = defineKind({
  kind: 'file_writer',
  version: '1.0.0',
  title: 'File Writer',
  description: 'Writes text, JSON, Base64, CSV or a spreadsheet to a file of your own.',
  category: categories.files,
  icon: 'file-pen',
  // Written again under its key, it is the same file.
  sideEffects: 'idempotent',
  approval: ({ path, if_exists: ifExists }) =>
    ifExists === 'replace'
      ? toolApproval('file_writer', String(path), `Replace your file ${cutLine(String(path), 200)}`)
      : null,
  timeoutSeconds: 120,
  params: z.object({
    path: param(z.string().min(1).max(500), {
      label: 'File name',
      description: 'May lie in folders, like reports/june.csv. The extension says the format, unless you choose one.',
    }),
    content: param(z.unknown(), {
      label: 'Content',
      type: 'text',
      description: 'Text, or the output of an earlier node.',
    }),
    format: param(z.enum(['auto', ...FILE_FORMATS]).default('auto'), {
      label: 'Format',
      description: 'What the file will be.',
    }),
    delimiter: param(z.enum([',', ';', '\t', '|']).default(','), {
      label: 'Delimiter',
      description: 'What separates the values of a CSV file.',
      visibleWhen: { format: 'csv' },
    }),
    if_exists: param(z.enum(['rename', 'replace', 'append']).default('rename'), {
      label: 'If there is a file of this name',
      description:
        'Whether the new file gets another name, replaces the old one, or adds to what this run wrote to it.',
      options: [
        { value: 'rename', label: 'Keep both' },
        { value: 'replace', label: 'Replace it' },
        { value: 'append', label: 'Add to what this run wrote' },
      ],
    }),
    offset: param(z.int().min(0).nullish(), {
      label: 'Offset',
      type: 'integer',
      description:
        'Bytes of the file before this part: 0 for the first, then the size_bytes that the part before gave.',
      visibleWhen: { if_exists: 'append' },
    }),
  }),
  output: z.object({
    path: z.string(),
    filename: z.string(),
    media_path: z.string(),
    mime_type: z.string(),
    size_bytes: z.int(),
  }),
  examples: [{ path: 'reports/summary.txt', content: 'All well.' }],
  unavailableReason: ({ storage }) => (storage ? null : MISSING),
  run: async (params, context) => {
    const { storage, viewer, signal, runId, idempotencyKey } = context;
    if (!storage) throw new ToolError('storage_unavailable', MISSING, false);
    const format = params.format === 'auto' ? formatOf(params.path, params.content) : params.format;
    const encoded = await encode({ content: params.content, format, delimiter: params.delimiter }, context);
    const { bytes: content, warnings } = encoded;
    if (content.length > MAX_WRITTEN_BYTES)
      throw new ToolError('file_too_large', `A file may have at most ${MAX_WRITTEN_BYTES} bytes.`, false);
    const mimeType = lookup(params.path) || FALLBACK_TYPES[format];
    const isPart = params.if_exists === 'append';
    if (isPart && format === 'xlsx') throw new ToolError('invalid_params', 'A spreadsheet is written whole.', false);
    const replaces = params.if_exists === 'replace';
    const file = isPart
      ? await appendPart(
          storage,
          viewer,
          { path: params.path, mimeType, content, offset: params.offset ?? null },
          { runId, signal },
        )
      : await storage.write(viewer, { name: params.path, mimeType, content, idempotencyKey, runId, replaces }, signal);
    return {
      output: {
        path: file.path,
        filename: file.name,
        media_path: file.mediaPath,
        mime_type: file.mimeType,
        size_bytes: file.sizeBytes,
      },
      warnings,
    };
  },
});

const FALLBACK_TYPES = {
  text: 'text/plain',
  json: 'application/json',
  base64: 'application/octet-stream',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

interface Content {
  content: unknown;
  format: FileFormat;
  delimiter: string;
}

/** What is large is written elsewhere, unless it is text already. */
async function encode(given: Content, context: ToolContext): Promise<EncodedFile> {
  const { content, format, delimiter } = given;
  const isText = typeof content === 'string' && format !== 'json' && format !== 'xlsx';
  const size = isText ? null : measureJson(content, MAX_INLINE_BYTES);
  if (isText || !context.sandbox || (size && size.bytes <= MAX_INLINE_BYTES))
    return encodeContent(content, format, delimiter);
  return inSandbox(context, 'encode_file', given, ENCODE_LIMIT_MS);
}
