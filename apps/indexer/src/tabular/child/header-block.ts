import { findHeaderRow, isFilled, isValue, isYear, type SampleRow } from './header-row.js';
import type { Merge } from '../../spreadsheets/merge-range.js';

/** Rows of headers one above the other. */
const MOST_ROWS = 3;
/** Rows of data that are looked at below a header. */
const LOOKED_BELOW = 30;

export interface FoundHeader {
  /** The rows with the names: the first, and the number of them; null without any. */
  header: number | null;
  rows: number;
  /** The first row that may be data. */
  firstRow: number;
  /** Of each column: the names above it from the top down. */
  paths: string[][];
}

/** The header of a table among its first rows: one row of names, or up to three where upper ones span several columns. */
export function findHeader(rows: readonly SampleRow[], merges: readonly Merge[]): FoundHeader {
  const single = findHeaderRow(rows);
  const start = single.header ?? single.firstRow;
  for (let size = MOST_ROWS; size >= 2; size -= 1)
    for (let top = Math.max(0, start - size + 1); top <= start; top += 1) {
      const paths = pathsOf(rows, merges, top, top + size - 1);
      if (paths !== null) return { header: top, rows: size, firstRow: top + size, paths };
    }
  const names = single.header === null ? [] : (rows[single.header] ?? []);
  return { ...single, rows: single.header === null ? 0 : 1, paths: names.map((name) => [tidy(name)]) };
}

const tidy = (name: string | null | undefined) => (name ?? '').replace(/\s+/g, ' ').trim();

/** The names above each column when the rows from `top` to `leaf` are a header together, else null. */
function pathsOf(rows: readonly SampleRow[], merges: readonly Merge[], top: number, leaf: number): string[][] | null {
  const block = rows.slice(top, leaf + 1);
  const leaves = rows[leaf];
  if (leaves === undefined || block.length < 2 || block.some((row) => !row.some(isFilled))) return null;
  if (!areNames(leaves)) return null;
  const spread = block.map((row, at) =>
    at === block.length - 1 ? row.map(tidy) : spreadOut(row, leaves, merges, top + at),
  );
  const spanned = new Set<number>();
  for (const upper of spread.slice(0, -1)) {
    const spans = spansOf(upper, leaves);
    if (spans === null) return null;
    for (const column of spans) spanned.add(column);
  }
  if (!dataBelow(rows, leaf, spanned, leaves)) return null;
  const width = Math.max(...block.map((row) => row.length));
  return Array.from({ length: width }, (_, column) =>
    spread.map((row) => row[column] ?? '').filter((name, at, all) => name !== '' && name !== all[at - 1]),
  );
}

/** Texts, or years above what are no years. */
function areNames(row: SampleRow): boolean {
  const cells = row.filter(isFilled);
  return cells.length >= 2 && cells.every((cell) => !isValue(cell) || isYear(cell));
}

/** An upper row with each name in every column that it spans: by its merges, or else up to the next name. */
function spreadOut(row: SampleRow, leaves: SampleRow, merges: readonly Merge[], at: number): string[] {
  const names = leaves.map((_, column) => tidy(row[column]));
  const own = merges.filter(
    ({ top, right, left, bottom }) => top <= at && bottom >= at && (right > left || bottom > top),
  );
  for (const { top, left, right } of own)
    if (top === at)
      for (let column = left + 1; column <= right && column < names.length; column += 1) names[column] = names[left]!;
  if (own.some(({ left, right }) => right > left)) return names;
  let from = '';
  return names.map((name, column) => {
    if (name !== '') from = isFilled(leaves[column]) ? name : '';
    return name === '' && isFilled(leaves[column]) ? from : name;
  });
}

/** The columns under names that span several; null when the row is a title, holds values, or spans nothing. */
function spansOf(upper: readonly string[], leaves: SampleRow): number[] | null {
  if (upper.some((name) => name !== '' && isValue(name) && !isYear(name))) return null;
  const spans: { name: string; columns: number[] }[] = [];
  for (const [column, name] of upper.entries()) {
    if (name === '' || !isFilled(leaves[column])) continue;
    const last = spans.at(-1);
    if (last && last.name === name && last.columns.at(-1) === column - 1) last.columns.push(column);
    else spans.push({ name, columns: [column] });
  }
  const wide = spans.filter(({ columns }) => columns.length > 1);
  if (wide.length === 0) return null;
  const firstUsed = leaves.findIndex(isFilled);
  // One name over the whole table is its title.
  if (
    spans.length === 1 &&
    spans[0]!.columns[0]! <= firstUsed &&
    !upper.some((name, column) => name !== '' && column < firstUsed)
  )
    return null;
  return wide.flatMap(({ columns }) => columns);
}

/** Whether most columns under the spans hold numbers: a row of names above names could be data. */
function dataBelow(rows: readonly SampleRow[], leaf: number, spanned: ReadonlySet<number>, leaves: SampleRow): boolean {
  const below = rows.slice(leaf + 1, leaf + 1 + LOOKED_BELOW);
  let numeric = 0;
  let words = 0;
  for (const column of spanned) {
    const cells = below.map((row) => row[column]).filter(isFilled);
    if (cells.length === 0) continue;
    const years = isFilled(leaves[column]) && isYear(leaves[column]) && cells.every(isYear);
    if (cells.filter(isValue).length * 2 > cells.length && !years) numeric += 1;
    else words += 1;
  }
  return numeric > words;
}
