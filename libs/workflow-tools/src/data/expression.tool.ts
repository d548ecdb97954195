import { z } from 'zod';
import { defineTool, param } from '@app/workflows';
import { categories } from '../categories.js';
import { evaluateExpression, MAX_EXPRESSION_LENGTH, MAX_EXPRESSION_MS } from '../expression/evaluate-expression.js';

export const expressionTool = defineTool({
  kind: 'expression',
  version: '1.0.0',
  title: 'Expression',
  description: `Computes a JSONata expression over its input, in at most ${MAX_EXPRESSION_MS} ms and without regular expressions.`,
  category: categories.data,
  icon: 'function-square',
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    expression: param(z.string().min(1).max(MAX_EXPRESSION_LENGTH), {
      label: 'Expression',
      type: 'code',
      description: 'JSONata, for instance $sum(items.price).',
      acceptsRef: false,
    }),
    input: param(z.unknown().optional(), { label: 'Input', description: 'What the expression sees as $.' }),
  }),
  output: z.object({ result: z.unknown() }),
  run: async ({ expression, input }, { signal }) => ({
    output: { result: await evaluateExpression(expression, input ?? null, signal) },
  }),
});
