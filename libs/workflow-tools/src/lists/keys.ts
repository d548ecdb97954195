import { valueAt } from '@app/workflow-definition/kit';
import { exactText, toInstant, toNumber } from '../comparison.js';

/** A text that two items share exactly when they agree at the paths; 7 and "7" agree, as they do in conditions. */
export function keyOf(item: unknown, paths: readonly (readonly string[])[]): string {
  return paths.map((path) => looseText(valueAt(item, path))).join(',');
}

/** A text for each value, in which the order of an object's fields does not show. */
export function canonicalText(value: unknown): string {
  return write(value, (text) => JSON.stringify(text));
}

/** The same, with text that spells a number or a point in time as what it spells. */
export function looseText(value: unknown): string {
  return write(value, (text) => {
    const number = toNumber(text);
    if (number !== null) return exactText(text, number);
    const instant = toInstant(text);
    return instant === null ? JSON.stringify(text) : `@${instant}`;
  });
}

function write(value: unknown, writeText: (text: string) => string): string {
  if (typeof value === 'string') return writeText(value);
  if (typeof value !== 'object' || value === null) return String(value ?? null);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, writeText)).join(',')}]`;
  const fields = value as Record<string, unknown>;
  // A name with its length before it cannot be mistaken for another one; it need not be read again.
  const written = Object.keys(fields)
    .sort()
    .map((name) => `${name.length}.${name}:${write(fields[name], writeText)}`);
  return `{${written.join(',')}}`;
}
