import {
  defineKind,
  JsonText,
  measureJson,
  param,
  type ToolContext,
  ToolError,
  toPath,
  valueAt,
} from '@app/workflow-definition';
import { z } from 'zod';
import { categories } from '../categories.js';
import { inSandbox } from '../jobs/in-sandbox.js';
import { compare, type Operator, operatorSchema } from '../comparison.js';
import { fieldPath } from '../params.js';
import { bodyParams, checkBody, childKey } from './body.js';
import { requireNested } from './nested.js';

const MAX_RESULT_BYTES = 1024 * 1024;
/** More is compared elsewhere. */
const MAX_COMPARED_BYTES = 8 * 1024;
const COMPARE_LIMIT_MS = 10_000;

export const repeatTool = defineKind({
  kind: 'repeat',
  version: '1.0.0',
  title: 'Repeat until',
  description:
    'Runs a small workflow of its own again and again until its result fulfils a condition, at most so many times. In the body, {{_item}} stands for the result before and {{_index}} for the number of the round.',
  category: categories.flow,
  icon: 'iteration-cw',
  isBatchProcessor: true,
  opaqueParams: ['body'],
  keepsParams: true,
  sideEffects: 'idempotent',
  timeoutSeconds: 10 * 60,
  params: z.object({
    initial: param(z.unknown().optional(), {
      label: 'First value',
      description: 'What {{_item}} is in the first round.',
    }),
    ...bodyParams,
    max_rounds: param(z.coerce.number().int().min(1).max(1_000).default(10), {
      label: 'Most rounds',
      description: 'When the body has run so often, it is over.',
      type: 'integer',
    }),
    path: param(fieldPath.default(''), {
      label: 'Field',
      description: 'Where in the result the value stands that decides; empty for the result itself.',
    }),
    operator: param(operatorSchema.default('is_true'), {
      label: 'Until it',
      description: 'How the value of the path is compared after each round.',
      acceptsRef: false,
    }),
    value: param(z.unknown().optional(), {
      label: 'Compared with',
      description: 'What the value of the path is compared with.',
    }),
    when_exhausted: param(z.enum(['fail', 'continue']).default('fail'), {
      label: 'When the last round is over',
      description: 'What happens when the condition never held.',
      options: [
        { value: 'fail', label: 'The node fails' },
        { value: 'continue', label: 'It goes on with the last result' },
      ],
    }),
  }),
  output: z.object({ result: z.unknown(), rounds: z.int(), fulfilled: z.boolean() }),
  examples: [
    {
      initial: { result: 1 },
      body: {
        nodes: [
          { id: 'double', kind: 'expression', params: { expression: 'n * 2', input: { n: { $ref: '_item.result' } } } },
        ],
      },
      path: 'result',
      operator: 'greater_than',
      value: 100,
    },
  ],
  checkNode: (given, _next, catalogue) => checkBody(given, catalogue),
  run: async (params, context) => {
    const nested = requireNested(context);
    const keyOf = (round: number): string => childKey(params.workflow_id, `${nested.failures}.${round}`);
    const at = context.resume?.data?.round;
    let round = typeof at === 'number' ? at : 0;
    let item: unknown = params.initial ?? null;
    if (context.resume) {
      const [end] = await nested.children.ends([keyOf(round)]);
      if (!end) return { wait: { reason: 'child', children: [keyOf(round)], data: { round } } };
      if (end.status !== 'COMPLETED') {
        const { code, message } = end.error ?? { code: 'stopped', message: 'The run was stopped.' };
        throw new ToolError('round_failed', `Round ${round} failed (${code}): ${message}`);
      }
      item = smallResult(end.result);
      round += 1;
      nested.items.report(params.max_rounds, round);
      const fulfilled = await holds(valueAt(item, toPath(params.path)), params, context);
      if (fulfilled || (round >= params.max_rounds && params.when_exhausted === 'continue'))
        return { output: { result: item, rounds: round, fulfilled } };
      if (round >= params.max_rounds)
        throw new ToolError('rounds_exhausted', `The condition did not hold after ${round} rounds.`);
    }
    await nested.children.start(keyOf(round), {
      workflowId: params.workflow_id ?? null,
      payload: { ...params.inputs, _item: item, _index: round },
    });
    return { wait: { reason: 'child', children: [keyOf(round)], data: { round } } };
  },
});

/** What a round gives is looked into here, and handed to the next. @throws ToolError `output_too_large` */
function smallResult(result: unknown): unknown {
  if (!(result instanceof JsonText)) return result;
  if (result.bytes <= MAX_RESULT_BYTES) return result.parse();
  throw new ToolError('output_too_large', `The result of a round is larger than ${MAX_RESULT_BYTES} bytes.`, false);
}

async function holds(
  left: unknown,
  { operator, value: right }: { operator: Operator; value?: unknown },
  context: ToolContext,
): Promise<boolean> {
  const size = measureJson([left ?? null, right ?? null], MAX_COMPARED_BYTES);
  if ((size && size.bytes <= MAX_COMPARED_BYTES) || !context.sandbox) return compare(left, operator, right);
  return inSandbox(context, 'compare', { left, operator, right }, COMPARE_LIMIT_MS);
}
