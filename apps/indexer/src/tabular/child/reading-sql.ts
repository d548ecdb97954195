import type { TabularType } from '@app/tabular';
import { quoteText } from './names.js';

/** One way of reading the texts of a column as values. */
export interface Reading {
  type: TabularType;
  /** SQL that is true when the text `v` can be read so; `v` is trimmed and not empty. */
  fits: (v: string) => string;
  /** SQL of the value. */
  value: (v: string) => string;
  /** What it takes for decimal, where both a point and a comma could be: "1.234" is 1.234 to one and 1234 to the other. */
  decimal?: 'point' | 'comma';
  /** What its numbers count. */
  unit?: string;
}

export const matches = (v: string, pattern: string): string => `regexp_full_match(${v}, ${quoteText(pattern)})`;

/** Not AND, of which DuckDB evaluates both sides for every row: trying to read what is no date is slow. */
export const matchesAnd = (v: string, pattern: string, condition: string): string =>
  `CASE WHEN ${matches(v, pattern)} THEN ${condition} ELSE false END`;
