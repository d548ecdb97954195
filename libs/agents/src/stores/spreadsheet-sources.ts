import type { AskedTable, Evidence } from '@app/tabular';

/**
 * The cells of one sheet on which an answer rests, as the stream begins with it (docs/contract/tables.md#questions).
 */
export interface SpreadsheetSource {
  uid: string;
  filename: string;
  /** Null for CSV, whose cells are counted as a spreadsheet would. */
  sheet: string | null;
  ranges: string[];
  /** Cells of the first rows, by the columns of the ranges. */
  rows: unknown[][];
}

/** Ranges named per sheet. */
const MOST_RANGES = 50;

/** @param tables those that were asked, by whose aliases the evidence speaks */
export function toSpreadsheetSources(
  evidence: readonly Evidence[],
  tables: readonly AskedTable[],
): SpreadsheetSource[] {
  return evidence.flatMap((found) => {
    const table = tables.find(({ alias }) => alias === found.table);
    if (!table) return [];
    const { uid, filename, sheet } = table;
    return [{ uid, filename, sheet, ranges: rangesOf(found, table), rows: found.rows }];
  });
}

function rangesOf({ columns, spans }: Evidence, table: AskedTable): string[] {
  const rows = rowsOf(spans, table);
  const blocks = blocksOf(columns, table);
  return rows
    .flatMap(([first, last]) => blocks.map(([from, to]) => rangeText(`${from}${first}`, `${to}${last}`)))
    .slice(0, MOST_RANGES);
}

/** Rows of the sheet. Where rows without values were left out, only the whole of the table can be pointed at. */
function rowsOf(spans: Evidence['spans'], { firstRow, contiguous, range }: AskedTable): [number, number][] {
  if (spans.length === 0) return [];
  if (contiguous) return spans.map(([first, last]) => [firstRow + first, firstRow + last]);
  const last = Number(/\d+$/.exec(range)?.[0] ?? firstRow);
  return [[firstRow, Math.max(firstRow, last)]];
}

/** Columns side by side, as letters. */
function blocksOf(names: readonly string[], table: AskedTable): [string, string][] {
  const left = columnNumber(/^[A-Z]+/.exec(table.range)?.[0] ?? 'A');
  const wanted = new Set(names);
  const blocks: [number, number][] = [];
  for (const [at, { name }] of table.columns.entries()) {
    if (!wanted.has(name)) continue;
    const block = blocks.at(-1);
    if (block && block[1] === left + at - 1) block[1] = left + at;
    else blocks.push([left + at, left + at]);
  }
  return blocks.map(([from, to]) => [columnLetters(from), columnLetters(to)]);
}

function rangeText(first: string, last: string): string {
  return first === last ? first : `${first}:${last}`;
}

/** `A` is 1, `AA` 27. */
export function columnNumber(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

export function columnLetters(number: number): string {
  const rest = (number - 1) % 26;
  const before = (number - 1 - rest) / 26;
  return `${before > 0 ? columnLetters(before) : ''}${String.fromCharCode(65 + rest)}`;
}
