import { styleOf } from './styled-numbers.js';
import { unitKind } from './units.js';

/** A cell that a header would hardly hold: a number, a date, a truth value. */
const VALUE = /^[-+]?[\p{Nd}][\p{Nd}.,/: \-tz]*%?$|^(true|false)$/iu;

/** As `skeletonOf` of `styled-numbers.ts` has it. */
const NUMBER = /\p{Nd}([\p{Nd}.,'’ \u00a0\u202f]*\p{Nd})?/gu;

export type SampleRow = readonly (string | null)[];

export const isFilled = (cell: string | null | undefined): cell is string =>
  cell !== null && cell !== undefined && cell.trim() !== '';
export const isYear = (cell: string): boolean => /^(19|20)\d\d$/.test(cell.trim());
/** A number, with a unit or without, a date, or a truth value. */
export const isValue = (cell: string): boolean => {
  if (VALUE.test(cell.trim())) return true;
  const style = styleOf([cell.trim().replace(NUMBER, '0')]);
  // "100m" and "24h" are good names.
  return style !== null && 'unit' in style && unitKind(style.unit) !== 'measure';
};

const filledIn = (row: SampleRow): string[] => row.filter(isFilled);

/**
 * Which of the first rows names the columns: the index of the row, or null when the table begins without a header.
 * A title above the table has far fewer cells than the table; a header has no numbers, and no name twice.
 */
export function findHeaderRow(rows: readonly SampleRow[]): { header: number | null; firstRow: number } {
  const counts = rows.map((row) => filledIn(row).length);
  const usual = [...counts].filter((count) => count > 0).sort((a, b) => a - b);
  const width = usual[Math.floor(usual.length / 2)] ?? 0;
  const firstRow = counts.findIndex((count) => count > 0 && count >= Math.min(width, Math.max(2, width * 0.6)));
  if (firstRow === -1) return { header: null, firstRow: 0 };
  const cells = filledIn(rows[firstRow]!);
  const looksLikeNames = !cells.some(isValue) || yearsAcross(cells);
  return looksLikeNames ? { header: firstRow, firstRow: firstRow + 1 } : { header: null, firstRow };
}

/** "Country | 2022 | 2023 | 2024": years that differ, after at least one name, are names too. */
function yearsAcross(cells: readonly string[]): boolean {
  const values = cells.filter(isValue);
  const years = values.every(isYear);
  return years && values.length > 1 && values.length < cells.length && new Set(values).size === values.length;
}
