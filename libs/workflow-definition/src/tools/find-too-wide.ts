import { z } from 'zod';
import { withoutWrappers } from './without-wrappers.js';

/** Where the schema sets no limit: entries that are checked one by one, and entries that may be anything. */
const MAX_CHECKED = 10_000;
const MAX_ANY = 100_000;
/** Names of params; those that a kind does not know are ignored. */
const MAX_NAMES = 1_000;

/**
 * The first list or map that holds more than its schema allows. Zod looks at each item before it counts them, which takes
 * seconds for a list that a hostile definition, or a reference, has filled.
 * @returns null when there is none
 */
export function findTooWide(
  schema: unknown,
  value: unknown,
  path: PropertyKey[] = [],
): { path: PropertyKey[]; message: string } | null {
  if (typeof value !== 'object' || value === null) return null;
  const inner = withoutWrappers(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    const max = mostItems(inner) ?? defaultLimit(inner.element);
    if (value.length > max) return { path, message: `Too big: expected array to have <=${max} items` };
    return firstOf(value.entries(), () => inner.element, path);
  }
  if (Array.isArray(value)) return null;
  if (inner instanceof z.ZodRecord) {
    const max = defaultLimit(inner.valueType);
    if (Object.keys(value).length > max) return { path, message: tooManyEntries(max) };
    return firstOf(Object.entries(value), () => inner.valueType, path);
  }
  if (!(inner instanceof z.ZodObject)) return null;
  const { shape } = inner as z.ZodObject;
  if (Object.keys(value).length > MAX_NAMES && !inner.def.catchall) return { path, message: tooManyEntries(MAX_NAMES) };
  const known = Object.keys(shape).filter((name) => Object.hasOwn(value, name));
  return firstOf(
    known.map((name) => [name, (value as Record<string, unknown>)[name]]),
    (name) => shape[name],
    path,
  );
}

function firstOf<K extends PropertyKey>(
  entries: Iterable<readonly [K, unknown] | [K, unknown]>,
  schemaOf: (key: K) => unknown,
  path: PropertyKey[],
): ReturnType<typeof findTooWide> {
  for (const [key, item] of entries) {
    const found = findTooWide(schemaOf(key), item, [...path, key]);
    if (found) return found;
  }
  return null;
}

function mostItems(list: z.ZodArray): number | undefined {
  for (const { _zod: check } of list.def.checks ?? [])
    if (check.def.check === 'max_length') return (check.def as z.core.$ZodCheckMaxLengthDef).maximum;
  return undefined;
}

function defaultLimit(item: unknown): number {
  const inner = withoutWrappers(item);
  return inner instanceof z.ZodUnknown || inner instanceof z.ZodAny ? MAX_ANY : MAX_CHECKED;
}

function tooManyEntries(max: number): string {
  return `Too big: expected object to have <=${max} entries`;
}
