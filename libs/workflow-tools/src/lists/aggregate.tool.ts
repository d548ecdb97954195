import { z } from 'zod';
import { defineTool, param, toPath, valueAt } from '@app/workflows';
import { categories } from '../categories.js';
import { isEmpty, order, toNumber, toText } from '../comparison.js';
import { fieldPath, itemsParam } from '../params.js';

const operationSchema = z.object({
  operation: z.enum(['count', 'sum', 'average', 'min', 'max', 'first', 'last', 'list', 'join']),
  field: fieldPath.default(''),
  /** Name of the result; `<operation>_<field>` when empty. */
  as: z.string().max(100).default(''),
});
type Operation = z.output<typeof operationSchema>;

export const aggregateTool = defineTool({
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
        .default([{ operation: 'count', field: '', as: '' }]),
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
  run: ({ items, group_by: groupBy, operations }) => {
    const groups = groupBy === '' ? [] : [...grouped(items, toPath(groupBy))];
    return {
      output: {
        result: summarise(items, operations),
        groups: groups.map(([key, members]) => ({ key, ...summarise(members, operations) })),
        count: items.length,
      },
    };
  },
});

function grouped(items: readonly unknown[], path: readonly string[]): Map<string, unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const item of items) {
    const key = toText(valueAt(item, path));
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

function summarise(items: readonly unknown[], operations: readonly Operation[]): Record<string, unknown> {
  return Object.fromEntries(
    operations.map((operation) => {
      const { field, as } = operation;
      const name = as || (field ? `${operation.operation}_${field}` : operation.operation);
      return [name, apply(operation, items)];
    }),
  );
}

function apply({ operation, field }: Operation, items: readonly unknown[]): unknown {
  const path = toPath(field);
  const all = items.map((item) => valueAt(item, path));
  const values = all.filter((value) => !isEmpty(value));
  switch (operation) {
    case 'count':
      return field === '' ? items.length : values.length;
    case 'sum':
      return sum(values);
    case 'average': {
      const count = values.filter((value) => toNumber(value) !== null).length;
      return count === 0 ? null : sum(values) / count;
    }
    case 'min':
      return extreme(values, -1);
    case 'max':
      return extreme(values, 1);
    case 'first':
      return all[0] ?? null;
    case 'last':
      return all.at(-1) ?? null;
    case 'list':
      return values;
    case 'join':
      return values.map(toText).join(', ');
  }
}

function sum(values: readonly unknown[]): number {
  return values.reduce((total: number, value) => total + (toNumber(value) ?? 0), 0);
}

function extreme(values: readonly unknown[], sign: 1 | -1): unknown {
  let best: unknown = null;
  for (const value of values) if (best === null || (order(value, best) ?? 0) * sign > 0) best = value;
  return best;
}
