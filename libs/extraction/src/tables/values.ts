import { isDictionary } from '@app/common';

/** Whether there is nothing in a cell: what `missing` fills. */
export function isEmptyValue(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isDictionary(value) && Object.keys(value).length === 0;
}

/** What a row holds under a name: keys such as `constructor` are names like others. */
export function valueOf(data: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(data, name) ? (data[name] ?? null) : null;
}

/** Whether two values of cells are the same; the order of keys says nothing. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSameValue(item, b[index]));
  if (isDictionary(a) && isDictionary(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSameValue(a[key], b[key]))
    );
  }
  return (a ?? null) === (b ?? null);
}
