import { defineKind, param, ToolError } from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';

export const stopWithErrorTool = defineKind({
  kind: 'stop_with_error',
  version: '1.0.0',
  title: 'Stop with error',
  description: 'Fails on purpose, with a message for whoever looks at the run.',
  category: categories.flow,
  icon: 'octagon-x',
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    message: param(z.string().min(1).max(1_000), {
      label: 'Message',
      description: 'What the run says about its failure.',
      type: 'text',
    }),
    code: param(
      z
        .string()
        .regex(/^[a-z][a-z0-9_]{0,63}$/)
        .default('stopped_with_error'),
      {
        label: 'Code',
        description: 'snake_case, for error branches that tell failures apart.',
      },
    ),
  }),
  output: z.null(),
  examples: [{ message: 'The order {{_output.order.id}} has no lines.', code: 'empty_order' }],
  run: ({ message, code }) => {
    throw new ToolError(code, message);
  },
});
