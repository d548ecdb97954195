import type { CellValue } from '../columns/table-column.js';
import { problem, type Coerced } from './coercion.js';

/** Deeper values are nobody's data, and everybody's recursion who reads them. */
const MAX_DEPTH = 32;

/** Any JSON as a cell keeps it: texts that Postgres can hold, in one normal form, without blanks around them. */
export function jsonValue(raw: unknown, depth = 0): Coerced {
  if (depth > MAX_DEPTH) return problem('nested_too_deep', `Values are nested ${MAX_DEPTH} deep at most.`);
  if (typeof raw === 'string') return { value: cleanText(raw) };
  if (typeof raw === 'boolean' || raw === null) return { value: raw };
  if (typeof raw === 'number') return { value: Number.isFinite(raw) ? raw : null };
  if (Array.isArray(raw)) {
    const values: CellValue[] = [];
    for (const element of raw as unknown[]) {
      const one = jsonValue(element, depth + 1);
      if ('problem' in one) return one;
      values.push(one.value);
    }
    return { value: values };
  }
  if (typeof raw !== 'object') return { value: null };
  const entries: [string, CellValue][] = [];
  for (const [key, element] of Object.entries(raw)) {
    const one = jsonValue(element, depth + 1);
    if ('problem' in one) return one;
    entries.push([cleanText(key), one.value]);
  }
  return { value: Object.fromEntries(entries) };
}

/** Line feeds and tabs stay; a text of other control characters cannot be stored or shown. */
const cleanText = (text: string) =>
  text
    .toWellFormed()
    .normalize('NFC')
    .replace(/(?![\t\n])\p{Cc}/gu, '')
    .trim();
