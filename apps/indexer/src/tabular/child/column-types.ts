import type { TabularType } from '@app/tabular';
import { quoteText } from './names.js';
import { plainSigns, SURE_POINT, withoutSurePoint } from './number-text.js';

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

/** What means "no value" in a column of another type than text. */
const NOTHING = '(null|n/?a|nan|none|nil|--?|—|–|−|#n/a|#null!|#value!|#ref!|#div/0!)';

const matches = (v: string, pattern: string) => `regexp_full_match(${v}, ${quoteText(pattern)})`;

/** Not AND, of which DuckDB evaluates both sides for every row: trying to read what is no date is slow. */
const matchesAnd = (v: string, pattern: string, condition: string) =>
  `CASE WHEN ${matches(v, pattern)} THEN ${condition} ELSE false END`;

// A number of more digits than a double keeps is a name of something; so is one that begins with 0 or +.
const WHOLE = '(0|[1-9][0-9]{0,17})';
const FRACTION = '(\\.[0-9]{0,30})';

const PLAIN: Reading[] = [
  {
    type: 'boolean',
    fits: (v) => `lower(${v}) IN ('true', 'false')`,
    value: (v) => `lower(${v}) = 'true'`,
  },
  { type: 'integer', fits: (v) => matches(v, `-?${WHOLE}`), value: (v) => `CAST(${v} AS BIGINT)` },
  {
    type: 'number',
    decimal: 'point',
    fits: (v) =>
      matchesAnd(
        v,
        `-?(${WHOLE}${FRACTION}?|\\.[0-9]{1,30})([eE][-+]?[0-9]{1,3})?`,
        `coalesce(isfinite(TRY_CAST(${v} AS DOUBLE)), false)`,
      ),
    value: (v) => `CAST(${v} AS DOUBLE)`,
  },
];

/** Of numbers that are numbers in the file, or whose signs have one meaning only. */
const SURE: Reading = {
  type: 'number',
  fits: (v) =>
    matchesAnd(
      v,
      `-?(${WHOLE}|[1-9][0-9]{0,2}('[0-9]{3}){1,5})(${SURE_POINT}[0-9]{0,30})?([eE][-+]?[0-9]{1,3})?`,
      `coalesce(isfinite(TRY_CAST(${sureText(v)} AS DOUBLE)), false)`,
    ),
  value: (v) => `CAST(${sureText(v)} AS DOUBLE)`,
};

function sureText(v: string): string {
  return `replace(${withoutSurePoint(v)}, '''', '')`;
}

const WITHOUT_COMMAS = (v: string) => `replace(${v}, ',', '')`;
const ENGLISH: Reading[] = [
  {
    type: 'integer',
    decimal: 'point',
    fits: (v) => matches(v, '-?(0|[1-9][0-9]{0,2}(,[0-9]{3}){0,5})'),
    value: (v) => `CAST(${WITHOUT_COMMAS(v)} AS BIGINT)`,
  },
  {
    type: 'number',
    decimal: 'point',
    fits: (v) => matches(v, `-?(0|[1-9][0-9]{0,2}(,[0-9]{3}){0,5}|[1-9][0-9]{0,17})${FRACTION}?`),
    value: (v) => `CAST(${WITHOUT_COMMAS(v)} AS DOUBLE)`,
  },
];

const CONTINENTAL: Reading[] = [
  {
    type: 'number',
    decimal: 'comma',
    fits: (v) => matches(v, '-?(0|[1-9][0-9]{0,2}(\\.[0-9]{3}){0,5}|[1-9][0-9]{0,17})(,[0-9]{1,30})?'),
    value: (v) => `CAST(replace(replace(${v}, '.', ''), ',', '.') AS DOUBLE)`,
  },
];

const parsed = (v: string, formats: readonly string[]) => `try_strptime(${v}, [${formats.map(quoteText).join(', ')}])`;

/** Dates of one order of day, month and year. */
function dates(pattern: string, formats: readonly string[]): Reading[] {
  const times = formats.flatMap((format) =>
    ['%H:%M:%S', '%H:%M', '%I:%M:%S %p', '%I:%M %p'].map((time) => `${format} ${time}`),
  );
  return [
    {
      type: 'date',
      fits: (v) => matchesAnd(v, pattern, `${parsed(v, formats)} IS NOT NULL`),
      value: (v) => `CAST(${parsed(v, formats)} AS DATE)`,
    },
    {
      type: 'datetime',
      fits: (v) =>
        matchesAnd(
          v,
          `${pattern}( [0-9]{1,2}:[0-9]{2}(:[0-9]{2})?( ?[aApP][mM])?)?`,
          `${parsed(v, [...times, ...formats])} IS NOT NULL`,
        ),
      value: (v) => parsed(v, [...times, ...formats]),
    },
  ];
}

const ISO_TIME = '[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?';
const ISO: Reading[] = [
  ...dates('[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}', ['%Y-%m-%d']),
  {
    type: 'datetime',
    fits: (v) => matchesAnd(v, ISO_TIME, `TRY_CAST(${v} AS TIMESTAMP) IS NOT NULL`),
    value: (v) => `CAST(${v} AS TIMESTAMP)`,
  },
  {
    // With an offset: kept as UTC.
    type: 'datetime',
    fits: (v) =>
      matchesAnd(v, `${ISO_TIME} ?(Z|[-+][0-9]{2}(:?[0-9]{2})?)`, `TRY_CAST(${v} AS TIMESTAMPTZ) IS NOT NULL`),
    value: (v) => `CAST(${v} AS TIMESTAMPTZ) AT TIME ZONE 'UTC'`,
  },
];

const DAY_FIRST = dates('[0-9]{1,2}[/-][0-9]{1,2}[/-][0-9]{4}', ['%d/%m/%Y', '%d-%m-%Y']);
const MONTH_FIRST = dates('[0-9]{1,2}[/-][0-9]{1,2}[/-][0-9]{4}', ['%m/%d/%Y', '%m-%d-%Y']);
const OTHER_DATES: Reading[] = [
  ...dates('[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}', ['%Y/%m/%d']),
  ...dates('[0-9]{1,2}\\.[0-9]{1,2}\\.[0-9]{4}', ['%d.%m.%Y']),
  ...dates('[0-9]{1,2}[- ][A-Za-z]{3,9}[- ][0-9]{4}', ['%d-%b-%Y', '%d %b %Y', '%d %B %Y']),
  ...dates('[A-Za-z]{3,9} [0-9]{1,2}, ?[0-9]{4}', ['%b %d, %Y', '%B %d, %Y', '%b %d,%Y']),
  ...dates('[A-Za-z]{3,9} [0-9]{1,2} [0-9]{4}', ['%b %d %Y', '%B %d %Y']),
];

/** How the cells of a column are written. */
export interface Writing {
  /** Whether some have blanks around what they say. */
  padded: boolean;
  /** Whether some have other digits or signs than those of ASCII. */
  otherSigns: boolean;
}

/** Every reading, in the order of preference; the first that fits all values of a column is taken. */
export function readingsFor(delimiter: string, { otherSigns }: Writing): Reading[] {
  // Where cells are parted by semicolons, commas are decimal.
  const grouped = delimiter === ';' ? [...CONTINENTAL, ...ENGLISH] : [...ENGLISH, ...CONTINENTAL];
  const sure = otherSigns ? [SURE] : [];
  return [...PLAIN, ...sure, ...grouped, ...ISO, ...OTHER_DATES, ...DAY_FIRST, ...MONTH_FIRST];
}

/** What the other columns of a file tell of its decimal sign; null where they tell nothing, or both. */
export type DecimalSign = 'point' | 'comma' | null;

/**
 * The reading to take of those that fit all values. "03/04/2024" throughout, where nothing tells the day from the
 * month, stays text: a wrong date is worse than none. "1.234" throughout is read as the rest of the file is written.
 */
export function chooseReading(fitting: readonly Reading[], sign: DecimalSign): Reading | null {
  const [first] = fitting;
  if (first === undefined) return null;
  if (DAY_FIRST.includes(first) && fitting.length > 1) return null;
  if (first.decimal === undefined || sign === null) return first;
  return fitting.find(({ decimal }) => decimal === sign) ?? first;
}

/** What has to be tried together so that `chooseReading` can decide. */
export function nextToTry(candidates: readonly Reading[]): Reading[] {
  const [first] = candidates;
  if (first === undefined) return [];
  if (first.decimal !== undefined)
    return [first, ...candidates.filter(({ decimal }) => decimal !== undefined && decimal !== first.decimal)];
  const rivals = DAY_FIRST.includes(first) ? candidates.filter((reading) => MONTH_FIRST.includes(reading)) : [];
  return [first, ...rivals.filter(({ type }) => type === first.type)];
}

/** What a column tells of the file's decimal sign, by the readings that fit it. */
export function signOf(fitting: readonly Reading[]): DecimalSign {
  const signs = new Set(fitting.flatMap(({ decimal }) => decimal ?? []));
  const [only] = signs;
  // Whole numbers fit either.
  return signs.size === 1 && !fitting.some((reading) => reading === PLAIN[1]) ? only! : null;
}

const trimmed = (cell: string) => `nullif(trim(${cell}, ' \t\r\n\u00a0'), '')`;

/** SQL of a cell as it is: NULL when there is nothing in it. */
export const textOf = (cell: string, padded: boolean): string =>
  padded ? `CASE WHEN ${trimmed(cell)} IS NULL THEN NULL ELSE ${cell} END` : cell;

/** The same as people are to read it. @param marked whether numbers of the staged table have sure points */
export const shownTextOf = (cell: string, padded: boolean, marked: boolean): string =>
  marked ? withoutSurePoint(textOf(cell, padded)) : textOf(cell, padded);

/** SQL of a cell as the readings want it: trimmed, NULL for what says that there is no value, digits of ASCII. */
export function valueTextOf(cell: string, { padded, otherSigns }: Writing): string {
  const text = padded ? trimmed(cell) : cell;
  // Not with IN: DuckDB makes a join of a long list, which loses the order of the rows (duckdb#24398).
  const given = `CASE WHEN length(${text}) <= 8 AND regexp_full_match(${text}, ${quoteText(NOTHING)}, 'i') THEN NULL ELSE ${text} END`;
  return otherSigns ? trimmed(plainSigns(given)) : given;
}
