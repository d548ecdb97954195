import { z } from 'zod';
import { defineKind, param, toPath, valueAt } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { compare, operatorSchema } from '../comparison.js';
import { fieldPath, itemsParam } from '../params.js';
import { missingFields } from './missing-fields.js';

export const filterTool = defineKind({
  kind: 'filter',
  version: '1.0.0',
  title: 'Filter',
  description: 'Keeps the items that meet a condition.',
  category: categories.data,
  icon: 'filter',
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    items: itemsParam,
    field: param(fieldPath.default(''), {
      label: 'Field',
      description: 'Like address.city; empty for the item itself.',
    }),
    operator: param(operatorSchema.default('equals'), {
      label: 'Operator',
      description: 'How the field of each item is compared.',
    }),
    value: param(z.unknown().optional(), {
      label: 'Compared with',
      description: 'The other side. Some operators, such as is_empty, need none.',
    }),
  }),
  output: z.object({ items: z.array(z.unknown()), count: z.int(), removed: z.int() }),
  examples: [{ items: [{ price: 3 }, { price: 12 }], field: 'price', operator: 'greater_than', value: 10 }],
  run: ({ items, field, operator, value }) => {
    const path = toPath(field);
    const kept = items.filter((item) => compare(valueAt(item, path), operator, value));
    return {
      output: { items: kept, count: kept.length, removed: items.length - kept.length },
      // Who asks whether there is something there knows that it may be missing.
      ...(!operator.startsWith('is_') && { warnings: missingFields(items, [field]) }),
    };
  },
});
