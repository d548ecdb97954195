import { z } from 'zod';
import { defineKind, param } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { compare, operatorSchema } from '../comparison.js';
import { checkTargets, nodeIdsParam } from '../params.js';

const caseSchema = z.object({
  operator: operatorSchema.default('equals'),
  value: z.unknown().optional(),
  next: z.array(z.string()).default([]),
});

export const switchTool = defineKind({
  kind: 'switch',
  version: '1.0.0',
  title: 'Switch',
  description:
    'Goes on with the nodes of the first case that holds, or of every such case. A next node that stands in no case and not in the default runs whatever is chosen.',
  category: categories.flow,
  icon: 'split',
  isBranching: true,
  outlets: [
    { param: 'cases[].next', label: 'Case', itemNames: ['value'] },
    { param: 'default', label: 'Otherwise', names: ['else', 'otherwise', 'fallback', 'no-match', 'none', 'extra'] },
  ],
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    value: param(z.unknown().optional(), {
      label: 'Value',
      description: 'What the cases are compared with, usually a reference to an earlier output.',
    }),
    cases: param(z.array(caseSchema).min(1).max(100), {
      label: 'Cases',
      description: 'Each with an operator, a value to compare with, and the next nodes that it takes.',
    }),
    mode: param(z.enum(['first', 'all']).default('first'), {
      label: 'Cases to take',
      description: 'The first case that holds, or every one.',
      acceptsRef: false,
    }),
    default: nodeIdsParam('Default', 'The next nodes that run when no case holds.'),
  }),
  output: z.object({ matched: z.array(z.int()) }),
  examples: [{ value: '{{_output.mail.topic}}', cases: [{ operator: 'equals', value: 'invoice', next: [] }] }],
  checkNode: (params, next) => {
    const cases: unknown[] = Array.isArray(params.cases) ? params.cases : [];
    const lists = cases.map((item, index): [string, unknown] => [`cases[${index}].next`, targetsOf(item)]);
    return checkTargets({ ...Object.fromEntries(lists), default: params.default }, next);
  },
  run: ({ value, cases, mode, default: fallback }, { next }) => {
    const holding = cases.flatMap((item, index) => (compare(value, item.operator, item.value) ? [index] : []));
    const matched = mode === 'first' ? holding.slice(0, 1) : holding;
    const bound = new Set([...cases.flatMap((item) => item.next), ...fallback]);
    const taken = new Set(matched.length > 0 ? matched.flatMap((index) => cases[index]!.next) : fallback);
    return { output: { matched }, chosen: next.filter((id) => taken.has(id) || !bound.has(id)) };
  },
});

function targetsOf(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'next' in item ? item.next : [];
}
