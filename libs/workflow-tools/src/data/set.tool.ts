import { z } from 'zod';
import { defineKind, param } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';

export const setTool = defineKind({
  kind: 'set',
  version: '1.0.0',
  title: 'Set fields',
  description: 'Makes an object of named values; each becomes a field of the output.',
  category: categories.data,
  icon: 'pencil-line',
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    fields: param(z.record(z.string(), z.unknown()), {
      label: 'Fields',
      description: 'The output: any object, also with references in it.',
    }),
  }),
  output: z.record(z.string(), z.unknown()),
  examples: [{ fields: { customer: '{{_output.order.name}}', total: { $ref: '_output.order.total' } } }],
  run: ({ fields }) => ({ output: fields }),
});
