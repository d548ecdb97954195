import { z } from 'zod';
import { defineKind, param } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';

export const writeJsonTool = defineKind({
  kind: 'write_json',
  version: '1.0.0',
  title: 'Write JSON',
  description: 'Writes a value as JSON text.',
  category: categories.data,
  icon: 'file-json',
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    value: param(z.unknown(), { label: 'Value', description: 'What is written as JSON.', type: 'object' }),
    pretty: param(z.boolean().default(false), {
      label: 'Indent',
      description: 'Whether it is written for people to read.',
    }),
  }),
  output: z.object({ text: z.string() }),
  examples: [{ value: { name: 'kettle', price: 20 }, pretty: true }],
  run: ({ value, pretty }) => ({ output: { text: JSON.stringify(value ?? null, null, pretty ? 2 : undefined) } }),
});
