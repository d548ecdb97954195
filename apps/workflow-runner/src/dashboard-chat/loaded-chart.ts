import { freeName, type LoadedColumn, TABULAR_TYPES, type TabularType } from '@app/tabular';
import { loadedValue } from '../table-chat/loaded-value.js';
import type { OpenChart } from './chart-desk.js';

export interface LoadedChart {
  /** As statements name them: each once, whatever its case. */
  columns: LoadedColumn[];
  /** In their order. */
  rows: (string | number | boolean | null)[][];
}

/** The rows of a chart as they are loaded. A column whose cells are not all of its type is text: nothing gets lost. */
export function loadedChart({ columns, rows }: Pick<OpenChart, 'columns' | 'rows'>): LoadedChart {
  const taken = new Set<string>();
  const loaded = columns.map(({ name, type }, at) => ({
    name: freeName(name || `column_${at + 1}`, taken),
    ...loadedCells(
      type,
      rows.map((row) => row[at] ?? null),
    ),
  }));
  return {
    columns: loaded.map(({ name, type }) => ({ name, type })),
    rows: rows.map((_, at) => loaded.map(({ cells }) => cells[at] ?? null)),
  };
}

function loadedCells(declared: string, given: readonly unknown[]) {
  const known = TABULAR_TYPES.find((type) => type === declared) ?? 'text';
  const tried: TabularType[] = known === 'integer' ? ['integer', 'number'] : [known];
  for (const type of tried) {
    const cells = given.map((cell) => loadedCell(type, cell));
    if (cells.every((cell, at) => cell !== null || given[at] === null)) return { type, cells };
  }
  return { type: 'text' as const, cells: given.map((cell) => loadedCell('text', cell)) };
}

/** Numbers that JavaScript does not have exactly are texts in charts. */
function loadedCell(type: TabularType, cell: unknown): string | number | boolean | null {
  if (type === 'integer') {
    const isWhole = typeof cell === 'string' ? /^-?\d{1,18}$/.test(cell) : Number.isSafeInteger(cell);
    return isWhole ? (cell as string | number) : null;
  }
  if (type === 'number' && typeof cell === 'string') return cell.trim() === '' ? null : loadedValue(type, Number(cell));
  return loadedValue(type, cell);
}
