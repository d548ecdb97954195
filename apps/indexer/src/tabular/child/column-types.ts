import type { TabularType } from '@app/tabular';
import { quoteText } from './names.js';

/** One way of reading the texts of a column as values. */
export interface Reading {
  type: TabularType;
  /** SQL that is true when the text `v` can be read so; `v` is trimmed and not empty. */
  fits: (v: string) => string;
  /** SQL of the value. */
  value: (v: string) => string;
}

/** What means "no value" in a column of another type than text. */
const NOTHING = '(null|n/?a|nan|none|nil|--?|—|#n/a|#null!|#value!|#ref!|#div/0!)';

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
    fits: (v) =>
      matchesAnd(
        v,
        `-?(${WHOLE}${FRACTION}?|\\.[0-9]{1,30})([eE][-+]?[0-9]{1,3})?`,
        `coalesce(isfinite(TRY_CAST(${v} AS DOUBLE)), false)`,
      ),
    value: (v) => `CAST(${v} AS DOUBLE)`,
  },
];

const WITHOUT_COMMAS = (v: string) => `replace(${v}, ',', '')`;
const ENGLISH: Reading[] = [
  {
    type: 'integer',
    fits: (v) => matches(v, '-?(0|[1-9][0-9]{0,2}(,[0-9]{3}){0,5})'),
    value: (v) => `CAST(${WITHOUT_COMMAS(v)} AS BIGINT)`,
  },
  {
    type: 'number',
    fits: (v) => matches(v, `-?(0|[1-9][0-9]{0,2}(,[0-9]{3}){0,5}|[1-9][0-9]{0,17})${FRACTION}?`),
    value: (v) => `CAST(${WITHOUT_COMMAS(v)} AS DOUBLE)`,
  },
];

const CONTINENTAL: Reading[] = [
  {
    type: 'number',
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
];

/** Every reading, in the order of preference; the first that fits all values of a column is taken. */
export function readingsFor(delimiter: string): Reading[] {
  // Where cells are parted by semicolons, commas are decimal.
  const grouped = delimiter === ';' ? [...CONTINENTAL, ...ENGLISH] : [...ENGLISH, ...CONTINENTAL];
  return [...PLAIN, ...grouped, ...ISO, ...OTHER_DATES, ...DAY_FIRST, ...MONTH_FIRST];
}

/**
 * The reading to take of those that fit all values. "03/04/2024" throughout, where nothing tells the day from the
 * month, stays text: a wrong date is worse than none.
 */
export function chooseReading(fitting: readonly Reading[]): Reading | null {
  const [first] = fitting;
  if (first === undefined) return null;
  const ambiguous = DAY_FIRST.includes(first) && fitting.length > 1;
  return ambiguous ? null : first;
}

/** What has to be tried together so that `chooseReading` can decide. */
export function nextToTry(candidates: readonly Reading[]): Reading[] {
  const [first] = candidates;
  if (first === undefined) return [];
  const rivals = DAY_FIRST.includes(first) ? candidates.filter((reading) => MONTH_FIRST.includes(reading)) : [];
  return [first, ...rivals.filter(({ type }) => type === first.type)];
}

const EASTERN_DIGITS = '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹';
export const HAS_EASTERN_DIGITS = `[${EASTERN_DIGITS}]`;

/** How the cells of a column are written. */
export interface Writing {
  /** Whether some have blanks around what they say. */
  padded: boolean;
  easternDigits: boolean;
}

const trimmed = (cell: string) => `nullif(trim(${cell}, ' \t\r\n\u00a0'), '')`;

/** SQL of a cell as it is: NULL when there is nothing in it. */
export const textOf = (cell: string, padded: boolean): string =>
  padded ? `CASE WHEN ${trimmed(cell)} IS NULL THEN NULL ELSE ${cell} END` : cell;

/** SQL of a cell as the readings want it: trimmed, NULL for what says that there is no value, digits of ASCII. */
export function valueTextOf(cell: string, { padded, easternDigits }: Writing): string {
  const text = padded ? trimmed(cell) : cell;
  // Not with IN: DuckDB makes a join of a long list, which loses the order of the rows (duckdb#24398).
  const given = `CASE WHEN length(${text}) <= 8 AND regexp_full_match(${text}, ${quoteText(NOTHING)}, 'i') THEN NULL ELSE ${text} END`;
  return easternDigits ? `translate(${given}, '${EASTERN_DIGITS}٫٬', '01234567890123456789.,')` : given;
}
