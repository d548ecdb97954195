import { z } from 'zod';
import { defineKind, param } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';

export const templateTool = defineKind({
  kind: 'template',
  version: '1.0.0',
  title: 'Text',
  description: 'Writes a text; {{_output.<node>.<field>}} stands for earlier outputs.',
  category: categories.data,
  icon: 'type',
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    template: param(z.string(), {
      label: 'Text',
      description: 'A text with references like {{_output.node.field}}, which are filled in.',
      type: 'text',
    }),
  }),
  output: z.object({ text: z.string() }),
  examples: [{ template: 'Dear {{_output.order.name}}, thank you.' }],
  run: ({ template }) => ({ output: { text: template } }),
});
