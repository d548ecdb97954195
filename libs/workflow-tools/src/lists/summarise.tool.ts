import { z } from 'zod';
import { defineKind, param, toPath, valueAt } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';
import { fieldPath, itemsParam } from '../params.js';
import { keyOf } from './keys.js';
import { missingFields } from './missing-fields.js';
import { fieldsOf, groupBy, leftOut, operationSchema, summarise } from './summary.js';

export const summariseTool = defineKind({
  kind: 'summarise',
  version: '1.0.0',
  title: 'Summarise',
  description:
    'Groups items by one or more fields and gives a row per group, like a pivot table: counts, sums, averages, lists.',
  category: categories.data,
  icon: 'table-properties',
  sideEffects: 'none',
  timeoutSeconds: 30,
  params: z.object({
    items: itemsParam,
    group_by: param(z.array(fieldPath.min(1)).min(1).max(10), {
      label: 'Group by',
      description: 'Fields whose values together make a group.',
    }),
    operations: param(
      z
        .array(operationSchema)
        .min(1)
        .max(50)
        .default([{ operation: 'count', field: '', as: '', separator: ', ' }]),
      {
        label: 'Columns',
        description: 'Each with an operation, a field and, optionally, a name for its column (as).',
      },
    ),
  }),
  output: z.object({ items: z.array(z.record(z.string(), z.unknown())), count: z.int() }),
  examples: [
    {
      items: [{ city: 'Rome', year: 2026, price: 3 }],
      group_by: ['city', 'year'],
      operations: [{ operation: 'average', field: 'price', as: 'price' }],
    },
  ],
  run: ({ items, group_by: fields, operations }) => {
    const paths = fields.map(toPath);
    const rows = [...groupBy(items, (item) => keyOf(item, paths)).values()].map((members) => ({
      ...Object.fromEntries(fields.map((field, index) => [field, valueAt(members[0], paths[index]!) ?? null])),
      ...summarise(members, operations, fields),
    }));
    return {
      output: { items: rows, count: rows.length },
      warnings: [...missingFields(items, [...fields, ...fieldsOf(operations)]), ...leftOut(items, operations)],
    };
  },
});
