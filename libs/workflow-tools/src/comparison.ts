import { isDeepStrictEqual } from 'node:util';
import { isFaithful } from '@app/common';
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
 * references are always text, and points in time of different offsets by when they are. Values that cannot be put in
 * order are neither less nor greater.
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

/**
 * Ascending; null where two values have no order. A number has none among texts, as text neither: `n/a` and `1.000,50`
 * came behind and before `200` by their first letters.
 */
export function order(left: unknown, right: unknown): number | null {
  const [a, b] = [toNumber(left), toNumber(right)];
  if (a !== null && b !== null) return orderNumbers(left, a, right, b);
  if (typeof left !== 'string' || typeof right !== 'string') return null;
  if ((a === null) !== (b === null) && !DATED.test(a === null ? left : right)) return null;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** A date has its place beside a year, in the order of texts. */
const DATED = /^\d{4}-\d\d/;

/** Hexadecimal is none, and neither is a hash that begins like 0e4620: two of those are not equal. */
const SPELLED = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;

/** A finite number, or text that spells one as people write it; booleans and blanks are none. */
export function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string') return null;
  const text = value.trim();
  const number = SPELLED.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : null;
}

/** `value`, which is or spells the number, to its last digit: ids of 64 bits come as text, and a double rounds them. */
export function exactText(value: number | string, number: number): string {
  const text = String(value).trim();
  return isFaithful(text, number) || !WHOLE.test(text) ? String(number) : String(BigInt(text));
}

const WHOLE = /^[+-]?\d{1,400}$/;

/** The order of two values that are or spell numbers. */
export function orderNumbers(left: unknown, a: number, right: unknown, b: number): number {
  if (a !== b || Math.abs(a) <= Number.MAX_SAFE_INTEGER) return a - b;
  const [x, y] = [toWhole(left, a), toWhole(right, b)];
  if (x === y) return 0;
  return x < y ? -1 : 1;
}

function toWhole(value: unknown, number: number): bigint {
  const text = typeof value === 'string' ? value.trim() : '';
  return BigInt(WHOLE.test(text) ? text : number);
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
  if (a !== null && b !== null) return orderNumbers(left, a, right, b) === 0;
  const [instant, other] = [toInstant(left), toInstant(right)];
  if (instant !== null && other !== null) return instant === other;
  if (typeof left === 'boolean' || typeof right === 'boolean') return String(left) === String(right);
  return isNothing(left) && isNothing(right);
}

export function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

function contains(whole: unknown, part: unknown): boolean {
  if (Array.isArray(whole)) return whole.some((item) => isEqual(item, part));
  return toText(whole).includes(toText(part));
}

function isOrdered(left: unknown, right: unknown, holds: (order: number) => boolean): boolean {
  const [a, b] = [toInstant(left), toInstant(right)];
  const found = a === null || b === null ? order(left, right) : a - b;
  return found !== null && holds(found);
}

const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

/** Milliseconds of a text in ISO 8601 that has its offset; databases write parts of them, too. */
export function toInstant(value: unknown): number | null {
  if (typeof value !== 'string' || !INSTANT.test(value)) return null;
  const instant = Date.parse(value);
  if (Number.isNaN(instant)) return null;
  return instant + Number(`0.${/\.\d{3}(\d+)/.exec(value)?.[1] ?? 0}`);
}

function isTrue(value: unknown): boolean {
  if (typeof value === 'string') return ['true', 'yes', 'on', '1'].includes(value.trim().toLowerCase());
  return value === true || value === 1;
}
