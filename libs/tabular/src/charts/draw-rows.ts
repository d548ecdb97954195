import { cutText } from '@app/common';
import type { Cell, QueryResult, ResultColumn } from '../query/query-messages.js';
import { type ChartType, chooseChart } from './choose-chart.js';

/** What a chart of given rows, or of rows that were had anew, may be. */
export const DRAWN_TYPES = ['table', 'bar', 'line', 'area', 'pie', 'scatter', 'number'] as const;
export type DrawnType = (typeof DRAWN_TYPES)[number];

export interface Drawing {
  chartType: DrawnType;
  /** Vega-Lite without its data; empty for a table. */
  spec: Record<string, unknown>;
}

export type Rows = Pick<QueryResult, 'columns' | 'rows' | 'truncated'>;

export const isDrawnType = (type: string): type is DrawnType => DRAWN_TYPES.some((known) => known === type);

/** Rows as a picture of a type; as a table where they cannot carry it. */
export function drawRows(rows: Rows, wanted: DrawnType): Drawing {
  if (wanted === 'number') return numberOf(rows) ?? asTable();
  if (wanted === 'table') return asTable();
  const type: ChartType = wanted === 'area' ? 'line' : wanted;
  const chart = chooseChart({ ...rows, durationMs: 0 }, '', type);
  // What was chosen instead is another picture than somebody asked for.
  if (chart?.chartType !== type) return asTable();
  return { chartType: wanted, spec: wanted === 'area' ? { ...chart.spec, mark: { type: 'area' } } : chart.spec };
}

const asTable = (): Drawing => ({ chartType: 'table', spec: {} });

/** The first number there is. */
function numberOf({ columns, rows }: Rows): Drawing | null {
  const at = columns.findIndex(({ type }) => type === 'integer' || type === 'number');
  if (at === -1 || rows.length === 0) return null;
  const spec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    transform: [{ window: [{ op: 'row_number', as: 'row' }] }, { filter: 'datum.row === 1' }],
    mark: { type: 'text', fontSize: 48 },
    encoding: { text: { field: `c${at}`, type: 'quantitative', title: columns[at]!.name } },
  };
  return { chartType: 'number', spec };
}

export interface ItemLimits {
  rows: number;
  columns: number;
  cellCharacters: number;
}

/** Items as rows: objects by their members, in the order in which these first come, anything else in a column `value`. */
export function rowsOfItems(items: readonly unknown[], limits: ItemLimits): Rows {
  const shown = items.slice(0, limits.rows).map(membersOf);
  const all = [...new Set(shown.flatMap((item) => Object.keys(item)))];
  const names = all.slice(0, limits.columns);
  const rows = shown.map((item) =>
    names.map((name) => toCell(Object.hasOwn(item, name) ? item[name] : null, limits.cellCharacters)),
  );
  const columns = names.map((name, at): ResultColumn => ({ name, type: typeOf(rows.map((row) => row[at])) }));
  return { columns, rows, truncated: items.length > shown.length || all.length > names.length };
}

function membersOf(item: unknown): Record<string, unknown> {
  return typeof item === 'object' && item !== null && !Array.isArray(item)
    ? (item as Record<string, unknown>)
    : { value: item };
}

function toCell(value: unknown, characters: number): Cell {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value === null || value === undefined) return null;
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > characters ? `${cutText(text, characters - 1)}…` : text;
}

function typeOf(values: readonly (Cell | undefined)[]): ResultColumn['type'] {
  const present = values.filter((value) => value !== null && value !== undefined);
  if (present.length === 0) return 'text';
  if (present.every((value) => typeof value === 'number'))
    return present.every(Number.isInteger) ? 'integer' : 'number';
  if (present.every((value) => typeof value === 'boolean')) return 'boolean';
  const like = (pattern: RegExp) => present.every((value) => typeof value === 'string' && pattern.test(value));
  if (like(/^\d{4}-\d{2}-\d{2}$/)) return 'date';
  return like(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/) ? 'datetime' : 'text';
}
