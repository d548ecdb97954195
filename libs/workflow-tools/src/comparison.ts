import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

export const operatorSchema = z.enum([
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'greater_than',
  'greater_or_equal',
  'less_than',
  'less_or_equal',
  'is_empty',
  'is_not_empty',
  'is_true',
  'is_false',
]);
export type Operator = z.output<typeof operatorSchema>;

/**
 * Compares two values as people mean it: text that spells a number compares as that number, because interpolated
 * references are always text. Values that cannot be put in order are neither less nor greater.
 */
export function compare(left: unknown, operator: Operator, right: unknown): boolean {
  switch (operator) {
    case 'equals':
      return isEqual(left, right);
    case 'not_equals':
      return !isEqual(left, right);
    case 'contains':
      return contains(left, right);
    case 'not_contains':
      return !contains(left, right);
    case 'starts_with':
      return toText(left).startsWith(toText(right));
    case 'ends_with':
      return toText(left).endsWith(toText(right));
    case 'greater_than':
      return isOrdered(left, right, (order) => order > 0);
    case 'greater_or_equal':
      return isOrdered(left, right, (order) => order >= 0);
    case 'less_than':
      return isOrdered(left, right, (order) => order < 0);
    case 'less_or_equal':
      return isOrdered(left, right, (order) => order <= 0);
    case 'is_empty':
      return isEmpty(left);
    case 'is_not_empty':
      return !isEmpty(left);
    case 'is_true':
      return isTrue(left);
    case 'is_false':
      return !isTrue(left);
  }
}

/** The same as a job of the sandbox: to look for a long text in a long text may take long. */
export function compareValues({
  left,
  operator,
  right,
}: {
  left: unknown;
  operator: Operator;
  right: unknown;
}): boolean {
  return compare(left, operator, right);
}

/** Numbers before text, both ascending; null where two values have no order. */
export function order(left: unknown, right: unknown): number | null {
  const [a, b] = [toNumber(left), toNumber(right)];
  if (a !== null && b !== null) return a - b;
  if (typeof left !== 'string' || typeof right !== 'string') return null;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** A finite number, or text that spells one; booleans and blanks are none. */
export function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || value.trim() === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

export function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function isEqual(left: unknown, right: unknown): boolean {
  if (isDeepStrictEqual(left, right)) return true;
  const [a, b] = [toNumber(left), toNumber(right)];
  if (a !== null && b !== null) return a === b;
  if (typeof left === 'boolean' || typeof right === 'boolean') return String(left) === String(right);
  return isNothing(left) && isNothing(right);
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

function contains(whole: unknown, part: unknown): boolean {
  if (Array.isArray(whole)) return whole.some((item) => isEqual(item, part));
  return toText(whole).includes(toText(part));
}

function isOrdered(left: unknown, right: unknown, holds: (order: number) => boolean): boolean {
  const found = order(left, right);
  return found !== null && holds(found);
}

function isTrue(value: unknown): boolean {
  if (typeof value === 'string') return ['true', 'yes', 'on', '1'].includes(value.trim().toLowerCase());
  return value === true || value === 1;
}
