import { cutText, isDictionary } from '@app/common';
import type { TableColumn } from '../columns/table-column.js';
import type { AskedColumn } from './extraction-prompt.js';

/** What the model says of one cell. */
export interface SaidCell {
  raw: unknown;
  quote: string;
  /** Null: it names none. */
  page: number | null;
}

/** By name of column. */
export type SaidRow = ReadonlyMap<string, SaidCell>;

const MOST_ROWS = 5_000;
const LONGEST_QUOTE = 2_000;
const LONGEST_VALUE = 20_000;

/** Rows of an answer; what breaks the schema is left out, since endpoints do not hold their models to it. */
export function readAnswer(answer: unknown, columns: readonly AskedColumn[]): SaidRow[] {
  const rows = isDictionary(answer) && Array.isArray(answer.rows) ? (answer.rows as unknown[]) : [];
  const byKey = new Map(columns.map(({ key, column }) => [key, column]));
  return rows
    .slice(0, MOST_ROWS)
    .map((row) => readRow(row, byKey))
    .filter((row) => row.size > 0);
}

/** Of a document that is one row, what was said first of each column. */
export function toOneRow(rows: readonly SaidRow[]): SaidRow {
  return new Map(rows.flatMap((row) => [...row]).toReversed());
}

function readRow(row: unknown, columns: ReadonlyMap<string, TableColumn>): SaidRow {
  const cells = isDictionary(row) && Array.isArray(row.cells) ? (row.cells as unknown[]) : [];
  const read = new Map<string, SaidCell>();
  for (const cell of cells) {
    if (!isDictionary(cell) || typeof cell.column !== 'string') continue;
    const column = columns.get(cell.column);
    if (!column || read.has(column.name)) continue;
    const raw = toRaw(column, cell.value);
    if (raw === null) continue;
    const quote = typeof cell.quote === 'string' ? cutText(cell.quote, LONGEST_QUOTE) : '';
    const page = typeof cell.page === 'number' && Number.isInteger(cell.page) && cell.page > 0 ? cell.page : null;
    read.set(column.name, { raw, quote, page });
  }
  return read;
}

/** Null: nothing was said. */
function toRaw({ outputType }: TableColumn, value: unknown): unknown {
  if (typeof value !== 'string') return value === undefined ? null : value;
  const text = cutText(value, LONGEST_VALUE).trim();
  if (text === '') return null;
  if (outputType !== 'list' && outputType !== 'object') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return outputType === 'list' ? text.split(/\n+|;\s+/).filter((item) => item.trim() !== '') : text;
  }
}
