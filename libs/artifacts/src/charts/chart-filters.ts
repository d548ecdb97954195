import { ValidationError } from '@app/common';
import type { KeptChart } from './chart-record.js';

/** docs/contract/dashboard-chat.md#filters */
export const FILTER_LIMITS = { columns: 20, values: 100, textCharacters: 500, nameCharacters: 200 } as const;

export type FilterValue = string | number | boolean | null;

/** What rows have in one column: one of the values, or what is within bounds, both of which are within. */
export interface ChartFilter {
  column: string;
  /** Null for bounds. */
  values: FilterValue[] | null;
  min: string | number | null;
  max: string | number | null;
}

export interface FilteredRows {
  rows: unknown[][];
  /** Filters of columns that this chart does not have: its rows are what they were. */
  skipped: ChartFilter[];
}

/** Filters as a client writes them: `{column: value | [values] | {min?, max?}}`. @throws ValidationError */
export function readFilters(given: Record<string, unknown> | null | undefined): ChartFilter[] {
  const entries = Object.entries(given ?? {});
  if (entries.length > FILTER_LIMITS.columns)
    throw refused('filters', `Ensure this field has no more than ${FILTER_LIMITS.columns} columns.`);
  return entries.map(([column, value]) => readFilter(column, value));
}

/** @throws ValidationError for a filter of a column that none of the charts has */
export function requireColumns(filters: readonly ChartFilter[], charts: readonly Pick<KeptChart, 'columns'>[]): void {
  const known = new Set(charts.flatMap(({ columns }) => columns.map(({ name }) => name)));
  const unknown = filters.filter(({ column }) => !known.has(column));
  if (unknown.length === 0) return;
  throw new ValidationError(
    Object.fromEntries(unknown.map(({ column }) => [`filters.${column}`, ['No chart has a column of this name.']])),
  );
}

/** Those of the rows that pass all filters of columns that the chart has. */
export function filterRows(
  { columns, rows }: Pick<KeptChart, 'columns' | 'rows'>,
  filters: readonly ChartFilter[],
): FilteredRows {
  const placed = filters.map((filter) => ({ filter, at: columns.findIndex(({ name }) => name === filter.column) }));
  const own = placed.filter(({ at }) => at !== -1);
  return {
    rows: rows.filter((row) => own.every(({ filter, at }) => passes(columns[at]!.type, row[at] ?? null, filter))),
    skipped: placed.flatMap(({ filter, at }) => (at === -1 ? [filter] : [])),
  };
}

export function filterInWords({ column, values, min, max }: ChartFilter): string {
  const name = JSON.stringify(column);
  if (values) return `${name} is ${values.map((value) => JSON.stringify(value)).join(' or ')}`;
  const bounds = [
    ...(min === null ? [] : [`at least ${JSON.stringify(min)}`]),
    ...(max === null ? [] : [`at most ${JSON.stringify(max)}`]),
  ];
  return `${name} is ${bounds.join(' and ')}`;
}

function readFilter(column: string, given: unknown): ChartFilter {
  if (column.length > FILTER_LIMITS.nameCharacters)
    throw refused('filters', `A name of a column has no more than ${FILTER_LIMITS.nameCharacters} characters.`);
  const field = `filters.${column}`;
  if (Array.isArray(given)) {
    if (given.length === 0) throw refused(field, 'This list may not be empty.');
    if (given.length > FILTER_LIMITS.values)
      throw refused(field, `Ensure this field has no more than ${FILTER_LIMITS.values} elements.`);
    return { column, values: given.map((value) => readValue(field, value)), min: null, max: null };
  }
  if (typeof given !== 'object' || given === null)
    return { column, values: [readValue(field, given)], min: null, max: null };
  const { min = null, max = null, ...others } = given as Record<string, unknown>;
  if (Object.keys(others).length > 0 || (min === null && max === null))
    throw refused(field, 'Expected a value, a list of values, or {min, max} with at least one of them.');
  return { column, values: null, min: readBound(field, min), max: readBound(field, max) };
}

function readValue(field: string, value: unknown): FilterValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value;
  if (typeof value !== 'string') throw refused(field, 'A value is a text, a number, true, false or null.');
  if (value.length > FILTER_LIMITS.textCharacters)
    throw refused(field, `Ensure this field has no more than ${FILTER_LIMITS.textCharacters} characters.`);
  return value;
}

function readBound(field: string, given: unknown): string | number | null {
  const value = readValue(field, given);
  if (typeof value === 'boolean') throw refused(field, 'A bound is a text or a number.');
  return value;
}

function passes(type: string, cell: unknown, { values, min, max }: ChartFilter): boolean {
  if (values) return values.some((value) => equals(type, cell, value));
  return (
    cell !== null && (min === null || compare(type, cell, min) >= 0) && (max === null || compare(type, cell, max) <= 0)
  );
}

function equals(type: string, cell: unknown, value: FilterValue): boolean {
  if (value === null || cell === null) return value === cell;
  // A number that JavaScript does not have exactly is a text.
  if (isNumeric(type) && typeof cell === 'string') return cell === textOf(value);
  return compare(type, cell, value) === 0;
}

/** NaN for what cannot be compared. */
function compare(type: string, cell: unknown, value: Exclude<FilterValue, null>): number {
  if (isNumeric(type)) return Math.sign(numberOf(cell) - numberOf(value));
  const other = textOf(value);
  const text = textOf(cell);
  // A day, a month and a year mean all of it.
  const own = (type === 'date' || type === 'datetime') && WHOLE.test(other) ? text.slice(0, other.length) : text;
  if (own === other) return 0;
  return own < other ? -1 : 1;
}

const WHOLE = /^\d{4}(-\d{2}){0,2}$/;

const isNumeric = (type: string): boolean => type === 'integer' || type === 'number';

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const refused = (field: string, why: string): ValidationError => new ValidationError({ [field]: [why] });
