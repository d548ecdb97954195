import { defineKind, param } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { documentSchema, libraryUnavailable, requireLibrary, toDocumentOutput } from './document-library.js';
import { fileParam } from './stored-file.js';

export const saveDocumentTool = defineKind({
  kind: 'save_document',
  version: '1.0.0',
  title: 'Save as a document',
  description: 'Puts a file into your documents, where it is indexed and found by search.',
  category: categories.files,
  icon: 'file-plus',
  // Its uid is made from run and node, so it is added once.
  sideEffects: 'idempotent',
  approval: 'never',
  timeoutSeconds: 120,
  params: z.object({
    file: fileParam,
    filename: param(z.string().max(255).default(''), {
      label: 'Name',
      description: 'With its ending; that of the file when empty.',
    }),
    folder: param(z.string().max(1_000).default(''), {
      label: 'Folder',
      description: 'The folder of the library; empty for the topmost.',
    }),
    ocr: param(z.boolean().default(false), {
      label: 'Recognise text in pictures',
      description: 'Whether scanned pages are read by text recognition.',
    }),
  }),
  output: documentSchema,
  examples: [{ file: 'reports/summary.txt', folder: 'Reports' }],
  unavailableReason: libraryUnavailable,
  run: async ({ file, filename, folder, ocr }, context) => {
    const { viewer, signal, idempotencyKey } = context;
    const document = { file, filename: filename || null, folder, ocr, idempotencyKey };
    return { output: toDocumentOutput(await requireLibrary(context).add(viewer, document, signal)) };
  },
});
