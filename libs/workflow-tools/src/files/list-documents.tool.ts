import { defineKind, param } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { documentSchema, libraryUnavailable, requireLibrary, toDocumentOutput } from './document-library.js';

export const listDocumentsTool = defineKind({
  kind: 'list_documents',
  version: '1.0.0',
  title: 'List documents',
  description: 'Lists the documents that you may read, newest first.',
  category: categories.files,
  icon: 'folder-search',
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    folder: param(z.string().max(1_000).default(''), {
      label: 'Folder',
      description: 'Only this folder of yours and those in it.',
    }),
    name: param(z.string().max(255).default(''), {
      label: 'Name contains',
      description: 'Only documents whose name holds this text.',
    }),
    tag: param(z.string().max(100).default(''), { label: 'Tag', description: 'Only documents with this tag.' }),
    created_from: param(z.union([z.literal(''), z.iso.datetime({ offset: true }), z.iso.date()]).default(''), {
      label: 'Added since',
      type: 'string',
      description: 'A date or a time, such as 2026-01-31.',
    }),
    limit: param(z.coerce.number().int().min(1).max(1_000).default(100), {
      label: 'At most this many',
      description: 'The newest come first.',
      type: 'integer',
    }),
  }),
  output: z.object({ items: z.array(documentSchema), count: z.int() }),
  examples: [{ folder: 'invoices', created_from: '2026-01-01', limit: 50 }],
  unavailableReason: libraryUnavailable,
  run: async ({ folder, name, tag, created_from: createdFrom, limit }, context) => {
    const filter = {
      limit,
      ...(folder !== '' && { folder }),
      ...(name !== '' && { name }),
      ...(tag !== '' && { tag }),
      ...(createdFrom !== '' && { createdFrom }),
    };
    const found = await requireLibrary(context).list(context.viewer, filter);
    return { output: { items: found.map(toDocumentOutput), count: found.length } };
  },
});
