import { defineKind, param } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import {
  documentScopeParams,
  documentsUnavailable,
  passageSchema,
  requireDocuments,
  toPassage,
  toScope,
} from './document-params.js';

export const semanticSearchTool = defineKind({
  kind: 'semantic_search',
  version: '1.0.0',
  title: 'Search documents',
  description: 'Finds the passages of your documents that fit a query best.',
  category: categories.platform,
  icon: 'search',
  sideEffects: 'none',
  timeoutSeconds: 60,
  params: z.object({
    query: param(z.string().trim().min(1).max(4_000), {
      label: 'Query',
      description: 'What to look for, in plain words.',
      type: 'text',
    }),
    ...documentScopeParams,
  }),
  output: z.object({ items: z.array(passageSchema), count: z.int() }),
  examples: [{ query: 'hotel limit Zurich', limit: 3 }],
  unavailableReason: documentsUnavailable,
  run: async ({ query, ...scope }, context) => {
    const hits = await requireDocuments(context).search(context.viewer, query, toScope(scope), context.signal);
    return { output: { items: hits.map(toPassage), count: hits.length } };
  },
});
