import { defineKind } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { libraryUnavailable, requireLibrary, textParams, textSchema, toTextResult } from './document-library.js';

export const pdfTextTool = defineKind({
  kind: 'pdf_text',
  version: '1.0.0',
  title: 'Text of a document',
  description: 'Gives the text of a PDF or any other document, page by page, as it was indexed.',
  category: categories.files,
  icon: 'file-text',
  sideEffects: 'none',
  timeoutSeconds: 60,
  params: z.object(textParams),
  output: textSchema,
  examples: [{ document: '{{_output.find.items.0.document_uid}}' }],
  unavailableReason: libraryUnavailable,
  run: async (params, context) =>
    toTextResult(await requireLibrary(context).text(context.viewer, params.document), params, context),
});
