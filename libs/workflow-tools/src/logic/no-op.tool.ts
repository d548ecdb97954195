import { z } from 'zod';
import { defineKind, param } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';

export const noOpTool = defineKind({
  kind: 'no_op',
  version: '1.0.0',
  title: 'Do nothing',
  description: 'Hands its value on as it is: a place where branches meet, or a note to the reader.',
  category: categories.flow,
  icon: 'circle-dashed',
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    value: param(z.unknown().optional(), { label: 'Value', description: 'Handed on as the output.' }),
  }),
  output: z.object({ value: z.unknown() }),
  run: ({ value }) => ({ output: { value: value ?? null } }),
});
