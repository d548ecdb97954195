import { z } from 'zod';
import { toPath, valueAt } from '@app/workflow-definition/kit';
import { isEmpty, order, toNumber, toText } from '../comparison.js';
import { fieldPath } from '../params.js';

export const operationSchema = z.object({
  operation: z.enum([
    'count',
    'count_unique',
    'sum',
    'average',
    'median',
    'min',
    'max',
    'first',
    'last',
    'list',
    'unique',
    'join',
  ]),
  field: fieldPath.default(''),
  /** Name of the result; `<operation>_<field>` when empty. */
  as: z.string().max(100).default(''),
  /** What `join` puts between two values. */
  separator: z.string().max(100).default(', '),
});
export type Operation = z.output<typeof operationSchema>;

/** One value per operation, by the names that the operations ask for. */
export function summarise(items: readonly unknown[], operations: readonly Operation[]): Record<string, unknown> {
  return Object.fromEntries(
    operations.map((operation) => {
      const { field, as } = operation;
      const name = as || (field ? `${operation.operation}_${field}` : operation.operation);
      return [name, apply(operation, items)];
    }),
  );
}

/** Groups in the order of their first members; values that read alike are one key. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

function apply({ operation, field, separator }: Operation, items: readonly unknown[]): unknown {
  const path = toPath(field);
  const all = items.map((item) => valueAt(item, path));
  const values = all.filter((value) => !isEmpty(value));
  switch (operation) {
    case 'count':
      return field === '' ? items.length : values.length;
    case 'count_unique':
      return unique(values).length;
    case 'sum':
      return sum(values);
    case 'average': {
      const count = numbersOf(values).length;
      return count === 0 ? null : sum(values) / count;
    }
    case 'median':
      return median(numbersOf(values));
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
    case 'unique':
      return unique(values);
    case 'join':
      return values.map(toText).join(separator);
  }
}

function numbersOf(values: readonly unknown[]): number[] {
  return values.map(toNumber).filter((value) => value !== null);
}

function sum(values: readonly unknown[]): number {
  return numbersOf(values).reduce((total, value) => total + value, 0);
}

function median(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return null;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function extreme(values: readonly unknown[], sign: 1 | -1): unknown {
  // As in a sum, where there are numbers, all else is none: it has no order among them.
  const numbers = values.filter((value) => toNumber(value) !== null);
  let best: unknown = null;
  for (const value of numbers.length > 0 ? numbers : values)
    if (best === null || (order(value, best) ?? 0) * sign > 0) best = value;
  return best;
}

function unique(values: readonly unknown[]): unknown[] {
  return [...new Map(values.map((value) => [toText(value), value])).values()];
}
