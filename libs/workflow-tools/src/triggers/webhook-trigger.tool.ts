import { z } from 'zod';
import { defineKind, param, REQUEST_KEY, ToolError } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';

const file = z.object({
  url: z.string(),
  status: z.enum(['stored', 'failed', 'skipped']),
  file_name: z.string().nullable(),
  uid: z.string().nullable().describe('Of the document that it became.'),
  mime_type: z.string().nullable(),
  size_bytes: z.number().nullable(),
  error: z.string().nullable(),
});

const upload = z.object({
  field: z.string(),
  file_name: z.string(),
  content_type: z.string().nullable(),
  size_bytes: z.number(),
  text: z.string().optional().describe('Of a file that is a text.'),
  base64: z.string().optional().describe('Of any other one.'),
});

/** A field that comes several times is a list. */
const query = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** What the webhook queue tells of the call, beside its payload. */
const callSchema = z.object({
  headers: z.record(z.string(), z.string()).default({}),
  // Of calls by URL alone: others look as they always did.
  query: query.optional(),
  uploads: z.array(upload).optional(),
  files: z.array(file).default([]),
});
const NO_CALL: z.output<typeof callSchema> = { headers: {}, files: [] };

export const webhookTriggerTool = defineKind({
  kind: 'webhook_trigger',
  version: '1.2.0',
  title: 'Webhook',
  description:
    'Starts the workflow when its webhook is called, and hands on the payload, the headers that name the event, and the files that were fetched for it.',
  category: categories.triggers,
  icon: 'webhook',
  isEntry: true,
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    required_fields: param(z.array(z.string().min(1)).max(100).default([]), {
      label: 'Required fields',
      description: 'A call without one of these fields fails.',
    }),
    require_files: param(z.boolean().default(false), {
      label: 'Require files',
      description: 'A call fails when one of its file addresses could not be fetched.',
    }),
    sample: param(z.record(z.string(), z.unknown()).default({}), {
      label: 'Sample payload',
      description: 'Stands in for the payload when the workflow is run by hand.',
    }),
  }),
  output: z.object({
    payload: z.record(z.string(), z.unknown()),
    headers: z.record(z.string(), z.string()),
    query: query.optional().describe('Of the address, where the webhook was called by URL with one.'),
    uploads: z.array(upload).optional().describe('The files of a form that was posted to its URL.'),
    files: z.array(file),
  }),
  run: ({ required_fields: required, require_files: requireFiles, sample }, context) => {
    const { payload, call } = split(context.payload ?? sample);
    const missing = required.filter((field) => !Object.hasOwn(payload, field));
    if (missing.length > 0) {
      throw new ToolError('payload_incomplete', `The payload lacks ${missing.join(', ')}.`, false);
    }
    const lost = requireFiles ? call.files.find(({ status }) => status !== 'stored') : undefined;
    if (lost) throw new ToolError('file_missing', `A file could not be fetched: ${lost.error ?? lost.status}`, false);
    return { output: { payload, ...call } };
  },
});

function split(given: Record<string, unknown>): { payload: Record<string, unknown>; call: typeof NO_CALL } {
  if (!Object.hasOwn(given, REQUEST_KEY)) return { payload: given, call: NO_CALL };
  const { [REQUEST_KEY]: told, ...payload } = given;
  return { payload, call: callSchema.safeParse(told).data ?? NO_CALL };
}
