import { defineKind, param, toolApproval, ToolError } from '@app/workflow-definition';
import { z } from 'zod';
import { namedDocument } from '../files/stored-file.js';
import { categories } from '../categories.js';
import { resultSchema, toResultOutput } from './table-results.js';

const UNAVAILABLE = 'The extractor is not part of this deployment yet.';

export const extractTableRowsTool = defineKind({
  kind: 'extract_table_rows',
  version: '1.0.0',
  title: 'Extract table rows',
  description: 'Fills an extraction table from documents and gives its rows.',
  category: categories.platform,
  icon: 'table-2',
  sideEffects: 'idempotent',
  // Whoever sees the table sees what is written there.
  approval: ({ table_id: table, document_uids: documents }) =>
    Array.isArray(documents) && documents.length > 0
      ? toolApproval('extract_table_rows', String(table), `Fill an extraction table from ${documents.length} documents`)
      : null,
  timeoutSeconds: 600,
  params: z.object({
    table_id: param(z.string().min(1).max(100), {
      label: 'Table',
      description: 'The extraction table whose rows are read.',
      type: 'table',
    }),
    document_uids: param(z.array(namedDocument()).max(500).default([]), {
      label: 'Documents',
      type: 'document',
      description: 'They are extracted where the table lacks something of them; all of the table when empty.',
    }),
    limit: param(z.coerce.number().int().min(1).max(10_000).default(1_000), {
      label: 'At most this many rows',
      description: 'Further rows are left out.',
      type: 'integer',
    }),
  }),
  output: resultSchema,
  examples: [{ table_id: '{{_output.start.table_id}}' }],
  unavailableReason: ({ extractor }) => (extractor ? null : UNAVAILABLE),
  run: async ({ table_id: tableId, document_uids: documentUids, limit }, context) => {
    const { extractor, viewer, signal, idempotencyKey } = context;
    if (!extractor) throw new ToolError('extractor_not_available', UNAVAILABLE, false);
    const request = { tableId, documentUids, limit, idempotencyKey };
    return { output: toResultOutput(await extractor.rows(viewer, request, signal)) };
  },
});
