import { ValidationError } from '@app/common';
import type { KeptChart } from './chart-record.js';
import { comparisonOf } from './compared-cells.js';

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
  const checks = own.map(({ filter, at }) => ({ at, passes: checkOf(columns[at]!.type, filter) }));
  return {
    rows: rows.filter((row) => checks.every(({ at, passes }) => passes(row[at] ?? null))),
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
  // JSON has numbers that JavaScript has not, such as 1e999: kept as JSON they would be none.
  if (typeof value === 'number' && !Number.isFinite(value)) throw refused(field, 'This number is too large.');
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

/** Values are read once, and a cell once for all of them. */
function checkOf(type: string, { values, min, max }: ChartFilter): (cell: unknown) => boolean {
  const { read, compare } = comparisonOf(type);
  if (values) {
    const wanted = values.flatMap((value) => (value === null ? [] : [read(value)]));
    const takesNull = values.includes(null);
    return (cell) => {
      if (cell === null) return takesNull;
      const own = read(cell);
      return wanted.some((value) => own.text === value.text || compare(own, value) === 0);
    };
  }
  const [least, most] = [min, max].map((bound) => (bound === null ? null : read(bound)));
  return (cell) => {
    if (cell === null) return false;
    const own = read(cell);
    return (!least || compare(own, least) >= 0) && (!most || compare(own, most) <= 0);
  };
}

const refused = (field: string, why: string): ValidationError => new ValidationError({ [field]: [why] });
