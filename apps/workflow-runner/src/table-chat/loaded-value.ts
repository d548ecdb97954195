import type { TableColumn } from '@app/extraction';
import type { TabularType } from '@app/tabular';

/** Without a zone: UTC, wherever this process runs. */
const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** What statements know a column as. Lists, objects and keys are text. */
export function loadedType({ outputType, format }: TableColumn): TabularType {
  if (outputType === 'number') return 'number';
  if (outputType === 'boolean') return 'boolean';
  if (outputType !== 'string') return 'text';
  if (format === 'date') return 'date';
  return format === 'datetime' ? 'datetime' : 'text';
}

/** A value as it is loaded. One that a schema has outlived is nothing: it would keep all others from being loaded. */
export function loadedValue(type: TabularType, value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  switch (type) {
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' && DATE.test(value) && momentOf(value)?.slice(0, 10) === value ? value : null;
    case 'datetime':
      return typeof value === 'string' ? (momentOf(value)?.slice(0, 23) ?? null) : null;
    default:
      return typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value);
  }
}

/** ISO 8601 in UTC; null for what is no moment of a year with four digits. */
function momentOf(text: string): string | null {
  const time = Date.parse(LOCAL.test(text) ? `${text}Z` : text);
  if (Number.isNaN(time)) return null;
  const moment = new Date(time).toISOString();
  return moment.length === 24 ? moment : null;
}
