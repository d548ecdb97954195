import type { CellValue } from '../columns/table-column.js';

/** Whether two readings of a cell are the same; spelling of spaces and case is none of the value. */
export function sameValue(a: CellValue, b: CellValue): boolean {
  if (typeof a === 'string' && typeof b === 'string') return textKey(a) === textKey(b);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, at) => sameValue(one, b[at]!));
  if (isRecord(a) && isRecord(b)) {
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && sameValue(a[name]!, b[name]!))
    );
  }
  return a === b;
}

const textKey = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();

const isRecord = (value: CellValue): value is Record<string, CellValue> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
