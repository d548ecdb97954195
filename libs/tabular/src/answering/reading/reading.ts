import type { AskedColumn, AskedTable } from '../asked-table.js';
import type { Aggregate } from './lexicon.js';

export interface Filter {
  column: AskedColumn;
  /** `year`: the year of a date is `value`. `in`: any of the values, which are texts. */
  op: '=' | '>' | '<' | '>=' | '<=' | 'year' | 'in';
  value: string | number | boolean | string[];
}

export interface Measure {
  aggregate: Aggregate | 'count_distinct';
  /** Null: rows are counted. */
  column: AskedColumn | null;
}

export type DateUnit = 'year' | 'quarter' | 'month' | 'week' | 'day';

export interface Group {
  column: AskedColumn;
  /** For dates. */
  unit?: DateUnit;
}

/** A question as it was understood: one SELECT over one table. */
export interface ReadQuery {
  kind: 'query';
  table: AskedTable;
  /** Null: rows, or the different values of `groups`. */
  measure: Measure | null;
  groups: Group[];
  filters: Filter[];
  /** By the measure, or by this column for rows. */
  order: { column: AskedColumn | null; direction: 'asc' | 'desc' } | null;
  limit: number | null;
}

/** Words that can mean several columns or tables, or a measure without a column. */
export interface UnclearQuestion {
  kind: 'unclear';
  about: string;
  choices: string[];
}

/** Null stands beside it for a question that is not understood. */
export type Reading = ReadQuery | UnclearQuestion;

/** Throw it where several readings are equally good. */
export class Unclear extends Error {
  constructor(
    readonly about: string,
    readonly choices: string[],
  ) {
    super(about);
  }
}

export function labelOf({ originalName, name }: AskedColumn): string {
  return originalName.trim() === '' ? name : originalName.trim();
}

export function isNumeric({ type }: AskedColumn): boolean {
  return type === 'integer' || type === 'number';
}

export function isTime({ type }: AskedColumn): boolean {
  return type === 'date' || type === 'datetime';
}
