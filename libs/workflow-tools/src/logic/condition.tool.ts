import { z } from 'zod';
import { defineKind, param } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { compare, operatorSchema } from '../comparison.js';
import { checkTargets, nodeIdsParam } from '../params.js';

export const conditionTool = defineKind({
  kind: 'condition',
  version: '1.0.0',
  title: 'Condition',
  description:
    'Goes on with one list of nodes or the other. A next node that stands in no list runs whatever is chosen.',
  category: categories.flow,
  icon: 'git-branch',
  isBranching: true,
  outlets: [
    { param: 'if_true', label: 'When it holds', names: ['true', 'yes', 'then', 'match', 'matched'] },
    { param: 'if_false', label: 'Otherwise', names: ['false', 'no', 'else', 'otherwise', 'not', 'no-match'] },
  ],
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    left: param(z.unknown().optional(), {
      label: 'Value',
      description: 'What is looked at, usually a reference to an earlier output.',
    }),
    operator: param(operatorSchema.default('equals'), {
      label: 'Operator',
      description: 'How both sides are compared; text that spells a number compares as that number.',
      acceptsRef: false,
    }),
    right: param(z.unknown().optional(), {
      label: 'Compared with',
      description: 'The other side. Some operators, such as is_empty, need none.',
    }),
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
