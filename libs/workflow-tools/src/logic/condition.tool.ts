import { z } from 'zod';
import { defineTool, param } from '@app/workflows/kit';
import { categories } from '../categories.js';
import { compare, operatorSchema } from '../comparison.js';
import { checkTargets, nodeIdsParam } from '../params.js';

export const conditionTool = defineTool({
  kind: 'condition',
  version: '1.0.0',
  title: 'Condition',
  description: 'Goes on with one list of nodes or the other. A next node that stands in neither list always runs.',
  category: categories.flow,
  icon: 'git-branch',
  isBranching: true,
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    left: param(z.unknown().optional(), { label: 'Value' }),
    operator: param(operatorSchema.default('equals'), { label: 'Operator', acceptsRef: false }),
    right: param(z.unknown().optional(), { label: 'Compared with' }),
    if_true: nodeIdsParam('When it holds', 'The next nodes that run when it holds.'),
    if_false: nodeIdsParam('Otherwise', 'The next nodes that run when it does not hold.'),
  }),
  output: z.object({ result: z.boolean() }),
  examples: [{ left: '{{_output.order.total}}', operator: 'greater_than', right: 100, if_true: [], if_false: [] }],
  checkNode: ({ if_true, if_false }, next) => checkTargets({ if_true, if_false }, next),
  run: ({ left, operator, right, if_true: ifTrue, if_false: ifFalse }, { next }) => {
    const result = compare(left, operator, right);
    const [taken, refused] = result ? [ifTrue, ifFalse] : [ifFalse, ifTrue];
    return { output: { result }, chosen: next.filter((id) => taken.includes(id) || !refused.includes(id)) };
  },
});
