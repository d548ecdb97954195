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

export const askDocumentsTool = defineKind({
  kind: 'ask_documents',
  version: '1.0.0',
  title: 'Ask documents',
  description: 'Answers a question from your documents and names its sources.',
  category: categories.platform,
  icon: 'message-circle-question',
  // Another try may cost tokens, but changes nothing.
  sideEffects: 'idempotent',
  approval: 'never',
  timeoutSeconds: 120,
  params: z.object({
    question: param(z.string().trim().min(1).max(4_000), {
      label: 'Question',
      description: 'Answered from the documents, with the places it was found at.',
      type: 'text',
    }),
    ...documentScopeParams,
  }),
  output: z.object({ answer: z.string(), sources: z.array(passageSchema), model: z.string() }),
  examples: [{ question: 'What is the hotel limit in Zurich?' }],
  unavailableReason: documentsUnavailable,
  run: async ({ question, ...scope }, context) => {
    const documents = requireDocuments(context);
    const asked = await documents.ask(context.viewer, question, toScope(scope), context.signal);
    const { answer, sources, model, usage } = asked;
    return { output: { answer, sources: sources.map(toPassage), model }, ...(usage && { usage }) };
  },
});
