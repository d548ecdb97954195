import type { AskedColumn, AskedTable } from '../asked-table.js';
import type { Aggregate, Comparison, DateUnit, TextMatch } from './lexicon.js';
import type { Period } from './times.js';

export type { DateUnit };

/** A condition on one column; `negated`: all other rows, those without a value among them. */
export type Filter = {
  negated?: true;
  /** Not asked for: it keeps out what would count twice. */
  implied?: true;
} & Condition;

export type Condition =
  /** Any of the values, which are cells as they stand in the data; `asked`: how many were named, since two cells may differ in case alone. */
  | { kind: 'values'; column: AskedColumn; values: string[]; asked: number }
  /** A text that no cell is known to have, without regard to case. */
  | { kind: 'text'; column: AskedColumn; value: string }
  | { kind: 'numbers'; column: AskedColumn; numbers: number[]; shown: string[] }
  /** `shown`: the number as it was written. */
  | { kind: 'compare'; column: AskedColumn; op: Comparison; number: number; shown: string }
  /** Above or below what all rows of the table have on average. */
  | { kind: 'average'; column: AskedColumn; op: Comparison; table: string }
  /** Part of a text, without regard to case. */
  | { kind: 'matches'; column: AskedColumn; way: TextMatch; value: string }
  /** The cell names several things, and any of these is among them: "Email; Phone". */
  | { kind: 'among'; column: AskedColumn; values: string[] }
  /** Nothing stands there. */
  | { kind: 'empty'; column: AskedColumn }
  | { kind: 'flag'; column: AskedColumn; value: boolean }
  /** Within any of the periods. */
  | { kind: 'periods'; column: AskedColumn; periods: Period[] }
  /** Before, or from that day on; `shown` as it was asked. */
  | { kind: 'moment'; column: AskedColumn; op: '<' | '>='; date: string; shown: string };

/** How many rows, or different values of `column`, a group must have; what its numbers come to where these are summed up. */
export interface GroupSize {
  op: Comparison;
  number: number;
  column: AskedColumn | null;
}

export interface Measure {
  /** `share`: percent of all that matches, of rows or of the sum of the column. `ratio`: of a quotient, that of the sums. */
  aggregate: Aggregate | 'count_distinct' | 'share' | 'ratio';
  /** Of a share that is not by groups: what of the whole. */
  part?: Filter[];
  /** Of an average: not of rows, but of what each of these comes to. */
  per?: { each: Group; total: 'sum' | 'count' | 'count_distinct' };
  /** Null: rows are counted. */
  column: AskedColumn | null;
}

export interface Group {
  column: AskedColumn;
  /** For dates. */
  unit?: DateUnit;
}

/** Some of the rows, of two that are set side by side; `label`: what tells it from the other. */
export interface Side {
  label: string;
  filters: Filter[];
}

/** Two figures and how far the first is from the second. */
export interface Contrast {
  sides: [Side, Side];
  /** Whether it is asked if the first is above, or below, the second. */
  asks: '>' | '<' | null;
}

/** A question as it was understood: one SELECT over one table. */
export interface ReadQuery {
  kind: 'query';
  table: AskedTable;
  /** Null: rows, or the different values of `groups`. */
  measure: Measure | null;
  groups: Group[];
  filters: Filter[];
  /** Of rows: the columns that are asked for; null for all. */
  shown: AskedColumn[] | null;
  /** Only the rows of the first or the last time, of each of the columns if there are any. */
  edge: { time: AskedColumn; direction: 'asc' | 'desc'; of: AskedColumn[] } | null;
  /** Other ways to reckon that are as likely: the answer holds where all lead to the same. */
  rivals: Aggregate[];
  /** The measure of two sides, whose conditions come on top of `filters`. */
  contrast?: Contrast;
  /** Only groups of that size; `counted`: how many groups they are. */
  size: (GroupSize & { counted: boolean }) | null;
  /** By the measure, or by this column for rows. */
  order: { column: AskedColumn | null; direction: 'asc' | 'desc' } | null;
  limit: number | null;
  /** Rows of the order before the first one shown: 1 for "the second highest". */
  offset: number;
  /** Whether the measure was chosen for the question, which names none: another reading is named beside the answer. */
  assumed: boolean;
  /** Words that are no names themselves, with what they were taken for. */
  guesses: { word: string; as: string }[];
  /** Words that are values of the data, too, and were not taken for them. */
  passedOver: { word: string; value: string; column: AskedColumn }[];
}

/** Words that can mean several things. */
export interface UnclearQuestion {
  kind: 'unclear';
  /** `readings`: whole ways to read it, each described. */
  what: 'column' | 'table' | 'value' | 'way' | 'time' | 'readings';
  /** The words, or '' . */
  about: string;
  choices: string[];
  readings?: ReadQuery[];
}

/** Null stands beside it for a question that is not understood. */
export type Reading = ReadQuery | UnclearQuestion;

/** Throw it where several readings are equally good. */
export class Unclear extends Error {
  constructor(
    readonly about: string,
    readonly choices: string[],
    readonly what: UnclearQuestion['what'] = 'column',
    readonly readings?: ReadQuery[],
  ) {
    super(about);
  }
}

export function labelOf({ originalName, name, headerPath }: AskedColumn): string {
  if (headerPath && headerPath.length > 1)
    return headerPath
      .map((part) => part.trim())
      .filter(Boolean)
      .join(' ');
  return originalName.trim() === '' ? name : originalName.trim();
}

export function isNumeric({ type }: AskedColumn): boolean {
  return type === 'integer' || type === 'number';
}

/** An integer column that holds years. */
export function isYearColumn({ type, name, originalName, span }: AskedColumn): boolean {
  if (
    type !== 'integer' ||
    !/(?:(^|[^\p{L}])(year|yr|fy|jahr|ann[ée]e|a[ñn]o|anno|ano|jaar|سنة|السنة|سنه|عام|العام)|\p{L}(?:jahr|jaar))([^\p{L}]|$)/iu.test(
      `${name} ${originalName}`,
    )
  )
    return false;
  return span === undefined || (Number(span[0]) >= 1500 && Number(span[1]) <= 2100);
}

export function isTime({ type }: AskedColumn): boolean {
  return type === 'date' || type === 'datetime';
}

/** Numbers that name things are not measured. */
export function isKey({ name, numbers }: AskedColumn): boolean {
  return (
    numbers === true ||
    /(^|_)(id|code|key|no|zip|phone)$/i.test(name) ||
    /(^|_)(nr|plz|telefon|cp|cap|cep|codigo|codice|matricule|telefono|telephone|dni)$|nummer$|[a-z]nr$/i.test(name)
  );
}
