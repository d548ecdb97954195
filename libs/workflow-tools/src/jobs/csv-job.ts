import { cutText } from '@app/common';
import { CsvError, parse } from 'csv-parse/sync';
import { SandboxError } from './sandbox-error.js';

/** Lists longer than this belong in a table, not in a node's output. */
export const MAX_ROWS = 100_000;

export interface CsvInput {
  text: string;
  delimiter: string;
  hasHeader: boolean;
}

export interface CsvOutput {
  items: unknown[];
  columns: string[];
  count: number;
  /** Whether there were more rows than are read. */
  isCut: boolean;
}

/** @throws SandboxError `invalid_csv`. */
export function parseCsv({ text, delimiter, hasHeader }: CsvInput): CsvOutput {
  // One more tells whether there are more.
  const rows = readRows(text, delimiter, MAX_ROWS + 1 + Number(hasHeader));
  const header = hasHeader ? (rows.shift() ?? []) : [];
  const isCut = rows.length > MAX_ROWS;
  if (isCut) rows.pop();
  const columns = hasHeader ? uniqueNames(widened(header, rows)) : [];
  const items = hasHeader
    ? rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? ''])))
    : rows;
  return { items, columns, count: items.length, isCut };
}

function readRows(text: string, delimiter: string, to: number): string[][] {
  const options = {
    delimiter,
    record_delimiter: lineEndsOf(text),
    bom: true,
    skip_empty_lines: true,
    relax_column_count: true,
    to,
  };
  try {
    return parse(text, options);
  } catch (cause) {
    if (cause instanceof CsvError) throw new SandboxError('invalid_csv', cutText(cause.message, 300), { cause });
    throw cause;
  }
}

/** Left to itself the parser takes the first end of a line for all of them, and makes one row of the others. */
function lineEndsOf(text: string): string[] {
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && sign === '\n') break;
    else if (!isQuoted && sign === '\r' && text[at + 1] !== '\n') return ['\r\n', '\n', '\r'];
  }
  return ['\r\n', '\n'];
}

/** Cells beyond the header get columns too, or they were lost. */
function widened(header: readonly string[], rows: readonly string[][]): string[] {
  const width = rows.reduce((most, row) => Math.max(most, row.length), header.length);
  return Array.from({ length: width }, (_, index) => header[index] ?? '');
}

/** Two columns of one name would hide each other. */
function uniqueNames(header: readonly string[]): string[] {
  const used = new Set<string>();
  return header.map((title, index) => {
    const base = title.trim() || `column_${index + 1}`;
    let name = base;
    for (let copy = 2; used.has(name); copy += 1) name = `${base}_${copy}`;
    used.add(name);
    return name;
  });
}
