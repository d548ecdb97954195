import { cutText } from '@app/common';
import { z } from 'zod';
import { toPath, valueAt } from '@app/workflow-definition/kit';
import { isEmpty, order, toInstant, toNumber, toText } from '../comparison.js';
import { exactSum } from './exact-sum.js';
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

/**
 * One value per operation, by the names that the operations ask for. A name that is taken gets a number, as the columns
 * of a CSV do: one would hide the other.
 */
export function summarise(
  items: readonly unknown[],
  operations: readonly Operation[],
  taken: readonly string[] = [],
): Record<string, unknown> {
  const used = new Set(taken);
  return Object.fromEntries(
    operations.map((operation) => {
      const { field, as } = operation;
      const base = as || (field ? `${operation.operation}_${field}` : operation.operation);
      let name = base;
      for (let copy = 2; used.has(name); copy += 1) name = `${base}_${copy}`;
      used.add(name);
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
      return exactSum(spelledBy(values));
    case 'average': {
      const numbers = spelledBy(values);
      return numbers.length === 0 ? null : Number(exactSum(numbers)) / numbers.length;
    }
    case 'median':
      return median(spelledBy(values).map(Number));
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

/** What asks for numbers: all else has no part in it. */
const OF_NUMBERS: ReadonlySet<string> = new Set(['sum', 'average', 'median', 'min', 'max']);

/** What the operations leave out without a trace: an amount like `12,90` is no number here, and its sum is wrong. */
export function leftOut(items: readonly unknown[], operations: readonly Operation[]): string[] {
  const fields = operations.filter(({ operation }) => OF_NUMBERS.has(operation));
  return [...new Set(fields.map(({ field }) => field))].flatMap((field) => {
    const path = toPath(field);
    const values = items.map((item) => valueAt(item, path)).filter((value) => !isEmpty(value));
    const others = values.filter((value) => toNumber(value) === null);
    const isOrderOfTexts = !fields.some((one) => one.field === field && !['min', 'max'].includes(one.operation));
    if (others.length === 0 || (isOrderOfTexts && others.length === values.length)) return [];
    const example = JSON.stringify(cutText(toText(others[0]), 50));
    const named = field === '' ? 'The items have' : `The field ${JSON.stringify(field)} has`;
    return [
      `${named} ${others.length} of ${values.length} values that are no numbers, like ${example}: they are left out.`,
    ];
  });
}

/** Those that the operations are about; to count, none is needed. */
export function fieldsOf(operations: readonly Operation[]): string[] {
  return operations.flatMap(({ operation, field }) => (operation === 'count' ? [] : [field]));
}

/** Those that are or spell numbers, as they are written. */
function spelledBy(values: readonly unknown[]): string[] {
  return values.filter((value) => toNumber(value) !== null).map((value) => String(value).trim());
}

function median(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return null;
  if (sorted.length % 2 === 1) return sorted[middle]!;
  return Number(exactSum([String(sorted[middle - 1]), String(sorted[middle])])) / 2;
}

function extreme(values: readonly unknown[], sign: 1 | -1): unknown {
  // As in a sum, where there are numbers, all else is none: it has no order among them.
  const numbers = values.filter((value) => toNumber(value) !== null);
  const isByTime = values.every((value) => toInstant(value) !== null);
  const difference = (a: unknown, b: unknown) => (isByTime ? toInstant(a)! - toInstant(b)! : (order(a, b) ?? 0));
  let best: unknown = null;
  for (const value of numbers.length > 0 ? numbers : values)
    if (best === null || difference(value, best) * sign > 0) best = value;
  return best;
}

function unique(values: readonly unknown[]): unknown[] {
  return [...new Map(values.map((value) => [toText(value), value])).values()];
}
