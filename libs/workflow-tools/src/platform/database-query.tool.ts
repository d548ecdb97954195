import { defineKind, param } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { fileUidsParam, requireTables, resultSchema, tablesUnavailable, toResultOutput } from './table-results.js';

export const databaseQueryTool = defineKind({
  kind: 'database_query',
  version: '1.0.0',
  title: 'Query tables',
  description: 'Runs a SELECT over the tables of files that you have imported for database search.',
  category: categories.platform,
  icon: 'database',
  sideEffects: 'none',
  timeoutSeconds: 60,
  params: z.object({
    file_uids: fileUidsParam,
    sql: param(z.string().trim().min(1).max(50_000), {
      label: 'SQL',
      type: 'code',
      description: 'One SELECT. A table that two files have gets a number behind its name in the later one.',
    }),
  }),
  output: resultSchema,
  examples: [{ file_uids: ['{{_output.start.file_uid}}'], sql: 'SELECT count(*) AS orders FROM orders' }],
  unavailableReason: tablesUnavailable,
  run: async ({ file_uids: uids, sql }, context) => ({
    output: toResultOutput(await requireTables(context).query(context.viewer, uids, sql, context.signal)),
  }),
});
