import { valueAt } from '@app/workflows';
import { toNumber } from '../comparison.js';

/** A text that two items share exactly when they agree at the paths; 7 and "7" agree, as they do in conditions. */
export function keyOf(item: unknown, paths: readonly (readonly string[])[]): string {
  return JSON.stringify(paths.map((path) => canonical(valueAt(item, path))));
}

/** The order in which an object's fields were written does not make it another one. */
export function canonical(value: unknown): unknown {
  if (typeof value === 'string') return toNumber(value) ?? value;
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (Array.isArray(value)) return value.map(canonical);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, item]) => [key, canonical(item)]);
}
