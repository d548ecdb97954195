import { defineKind, param } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { fileUidsParam, requireTables, resultSchema, tablesUnavailable, toResultOutput } from './table-results.js';

export const askDatabaseTool = defineKind({
  kind: 'ask_database',
  version: '1.0.0',
  title: 'Ask tables',
  description: 'Answers a question from the tables of imported files. Simple ones need no language model.',
  category: categories.platform,
  icon: 'message-circle-question',
  // Another try may cost tokens, but changes nothing.
  sideEffects: 'idempotent',
  approval: 'never',
  timeoutSeconds: 180,
  params: z.object({
    file_uids: fileUidsParam,
    question: param(z.string().trim().min(1).max(4_000), {
      label: 'Question',
      description: 'Answered by a query over the tables.',
      type: 'text',
    }),
  }),
  output: resultSchema.extend({ answer: z.string(), sql: z.string().nullable() }),
  examples: [{ file_uids: ['{{_output.start.file_uid}}'], question: 'How many orders were there in May?' }],
  unavailableReason: tablesUnavailable,
  run: async ({ file_uids: uids, question }, context) => {
    const found = await requireTables(context).ask(context.viewer, uids, question, context.signal);
    const { answer, sql, usage } = found;
    return { output: { ...toResultOutput(found), answer, sql }, ...(usage && { usage }) };
  },
});
