import { z } from 'zod';
import { defineKind, param } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { MAX_ITEMS } from '../params.js';

export const mergeTool = defineKind({
  kind: 'merge',
  version: '1.0.0',
  title: 'Merge',
  description: 'Joins the outputs of several branches. Values of branches that were skipped are left out.',
  category: categories.flow,
  icon: 'merge',
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    values: param(z.array(z.unknown()).max(1_000), {
      label: 'Values',
      description: 'Usually one reference per branch.',
    }),
    mode: param(z.enum(['list', 'append', 'combine', 'first']).default('list'), {
      label: 'How',
      description: 'What is made of the values.',
      options: [
        { value: 'list', label: 'A list of the values' },
        { value: 'append', label: 'One list of all their items' },
        { value: 'combine', label: 'One object of all their fields' },
        { value: 'first', label: 'The first value that is there' },
      ],
    }),
  }),
  output: z.object({ value: z.unknown(), count: z.int() }),
  examples: [{ values: [{ $ref: '_output.left' }, { $ref: '_output.right' }], mode: 'combine' }],
  run: ({ values, mode }) => {
    const present = values.filter((value) => value !== null && value !== undefined);
    const value = join(present, mode);
    const isCut = mode === 'append' && Array.isArray(value) && value.length > MAX_ITEMS;
    return {
      output: { value: isCut ? value.slice(0, MAX_ITEMS) : value, count: present.length },
      warnings: isCut ? [`There are more than ${MAX_ITEMS} items; the others are left out.`] : [],
    };
  },
});

function join(values: unknown[], mode: 'list' | 'append' | 'combine' | 'first'): unknown {
  switch (mode) {
    case 'list':
      return values;
    case 'append':
      return values.flat(1);
    case 'combine':
      // fromEntries defines own properties, so that a field `__proto__` stays a field.
      return Object.fromEntries(
        values.filter(isPlainObject).flatMap((value): [string, unknown][] => Object.entries(value)),
      );
    case 'first':
      return values[0] ?? null;
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
