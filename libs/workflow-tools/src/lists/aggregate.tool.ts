import { z } from 'zod';
import { defineKind, param, toPath, valueAt } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { toText } from '../comparison.js';
import { fieldPath, itemsParam } from '../params.js';
import { missingFields } from './missing-fields.js';
import { fieldsOf, groupBy, leftOut, operationSchema, summarise } from './summary.js';

export const aggregateTool = defineKind({
  kind: 'aggregate',
  version: '1.0.0',
  title: 'Aggregate',
  description: 'Counts, adds up and collects, over all items or per group.',
  category: categories.data,
  icon: 'sigma',
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    items: itemsParam,
    group_by: param(fieldPath.default(''), { label: 'Group by', description: 'Empty: one group of everything.' }),
    operations: param(
      z
        .array(operationSchema)
        .min(1)
        .max(50)
        .default([{ operation: 'count', field: '', as: '', separator: ', ' }]),
      {
        label: 'Operations',
        description: 'Each with an operation, a field and, optionally, a name for its result (as).',
      },
    ),
  }),
  output: z.object({
    result: z.record(z.string(), z.unknown()),
    groups: z.array(z.record(z.string(), z.unknown())),
    count: z.int(),
  }),
  examples: [
    { items: [{ city: 'Rome', price: 3 }], group_by: 'city', operations: [{ operation: 'sum', field: 'price' }] },
  ],
  run: ({ items, group_by: field, operations }) => {
    const path = toPath(field);
    const taken = field === '' ? [] : ['key'];
    const groups = field === '' ? [] : [...groupBy(items, (item) => toText(valueAt(item, path)))];
    return {
      output: {
        result: summarise(items, operations, taken),
        groups: groups.map(([key, members]) => ({ key, ...summarise(members, operations, taken) })),
        count: items.length,
      },
      warnings: [...missingFields(items, [field, ...fieldsOf(operations)]), ...leftOut(items, operations)],
    };
  },
});
