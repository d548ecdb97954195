import { z } from 'zod';
import { defineKind, param } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { expressionProblem, MAX_EXPRESSION_LENGTH, MAX_EXPRESSION_MS } from '../jobs/evaluate-expression.js';
import { inSandbox, sandboxUnavailable } from '../jobs/in-sandbox.js';

export const expressionTool = defineKind({
  kind: 'expression',
  version: '1.1.0',
  title: 'Expression',
  description:
    'Computes a JSONata expression over its input: picks, filters, adds up and reshapes values. It has a second to do so.',
  category: categories.data,
  icon: 'function-square',
  sideEffects: 'none',
  timeoutSeconds: 60,
  params: z.object({
    expression: param(z.string().min(1).max(MAX_EXPRESSION_LENGTH), {
      label: 'Expression',
      type: 'code',
      description:
        'JSONata, for instance $sum(items.price). A list of one comes as its item, unless [] stands behind: items[price > 3][].',
      acceptsRef: false,
    }),
    input: param(z.unknown().optional(), { label: 'Input', description: 'What the expression sees as $.' }),
  }),
  output: z.object({ result: z.unknown() }),
  examples: [{ expression: '$sum(items.price)', input: { items: [{ price: 2 }, { price: 3 }] } }],
  unavailableReason: sandboxUnavailable,
  checkNode: ({ expression }) => {
    const isText = typeof expression === 'string' && expression !== '' && expression.length <= MAX_EXPRESSION_LENGTH;
    const message = isText ? expressionProblem(expression) : null;
    return message === null ? [] : [{ path: 'expression', message }];
  },
  run: async ({ expression, input }, context) => ({
    output: {
      result: await inSandbox(context, 'expression', { expression, input: input ?? null }, MAX_EXPRESSION_MS),
    },
  }),
});
