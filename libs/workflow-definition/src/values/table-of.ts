import { cutText } from '@app/common';

export type Scalar = string | number | boolean | null;

export interface Table {
  columns: string[];
  rows: Scalar[][];
}

/** What one cell of a spreadsheet can hold, in UTF-16 code units. */
export const MAX_CELL_LENGTH = 32_767;
/** In a spreadsheet `_x0041_` is an A, unless its first sign is written like this itself. */
const LIKE_ESCAPE = /_(?=x[\da-f]{4}_)/gi;

const LIST_KEYS = ['items', 'rows', 'results', 'data', 'value'];

/**
 * A node's output as a table: a list of objects by their keys, in the order in which they first appear; a list of lists
 * as it stands, its first row naming the columns; the list inside of `{items: […]}` and the like; anything else as one
 * row. Nested values become JSON text.
 * @param maxRows further rows are left out; none unless told.
 */
export function tableOf(output: unknown, maxRows = Infinity): Table {
  const list = listIn(output).slice(0, maxRows);
  if (list.length > 0 && list.every((item) => Array.isArray(item))) {
    const [header = [], ...rows] = list as unknown[][];
    const width = list.reduce<number>((widest, row) => Math.max(widest, (row as unknown[]).length), 0);
    const columns = Array.from({ length: width }, (_, index) => String(toScalar(header[index]) ?? ''));
    return { columns, rows: rows.map((row) => columns.map((_, index) => toScalar(row[index]))) };
  }
  const columns = new Set<string>();
  for (const item of list) for (const key of isObject(item) ? Object.keys(item) : ['value']) columns.add(key);
  const names = [...columns];
  return {
    columns: names,
    rows: list.map((item) => {
      const row = isObject(item) ? item : { value: item };
      return names.map((name) => (Object.hasOwn(row, name) ? toScalar(row[name]) : null));
    }),
  };
}

function listIn(output: unknown): unknown[] {
  if (Array.isArray(output)) return output;
  if (!isObject(output)) return output === null || output === undefined ? [] : [output];
  const key = LIST_KEYS.find((name) => Object.hasOwn(output, name) && Array.isArray(output[name]));
  return key === undefined ? [output] : (output[key] as unknown[]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toScalar(value: unknown): Scalar {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  return typeof value === 'string' || typeof value === 'boolean' ? value : (JSON.stringify(value) ?? null);
}

/**
 * A text as `write-excel-file` has to be given it so that it is read again. It looks texts up in an object that knows
 * `constructor` and the like from its birth, which made files that no program opens; control characters take no part
 * in what it writes.
 */
export function sheetText(text: string): string {
  const cell = cutText(text, MAX_CELL_LENGTH).replaceAll(LIKE_ESCAPE, '_x005F_');
  return cell in Object.prototype ? `\u0001${cell}` : cell;
}
