import { defineKind } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { libraryUnavailable, requireLibrary, textParams, textSchema, toTextResult } from './document-library.js';

export const ocrTool = defineKind({
  kind: 'ocr',
  version: '1.0.0',
  title: 'Recognise text (OCR)',
  description: 'Has the text of scanned pages and images of your document recognised, and gives it page by page.',
  category: categories.files,
  icon: 'scan-text',
  // The document is indexed anew, once.
  sideEffects: 'idempotent',
  approval: 'never',
  timeoutSeconds: 60,
  params: z.object(textParams),
  output: textSchema,
  examples: [{ document: '{{_output.find.items.0.document_uid}}' }],
  unavailableReason: libraryUnavailable,
  run: async (params, context) => {
    const library = requireLibrary(context);
    const { viewer } = context;
    await library.recognise(viewer, params.document);
    const found = await library.text(viewer, params.document);
    // It was being read without recognition just now: that is asked for once it rests.
    const isBehind = found.state === 'ready' && !found.ocr;
    return toTextResult(isBehind ? { state: 'working', detail: 'It is read again.' } : found, params, context);
  },
});
