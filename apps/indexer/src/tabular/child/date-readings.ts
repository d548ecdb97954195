import { quoteText } from './names.js';
import { matchesAnd, type Reading } from './reading-sql.js';

const TIMES = ['%H:%M:%S', '%H:%M', '%I:%M:%S %p', '%I:%M %p'];
const TIME = '( [0-9]{1,2}:[0-9]{2}(:[0-9]{2})?( ?[aApP][mM])?)?';

const parsed = (v: string, formats: readonly string[]) => `try_strptime(${v}, [${formats.map(quoteText).join(', ')}])`;

/** Dates of one order of day, month and year. */
function dates(pattern: string, formats: readonly string[]): Reading[] {
  const times = formats.flatMap((format) => TIMES.map((time) => `${format} ${time}`));
  return [
    {
      type: 'date',
      fits: (v) => matchesAnd(v, pattern, `${parsed(v, formats)} IS NOT NULL`),
      value: (v) => `CAST(${parsed(v, formats)} AS DATE)`,
    },
    {
      type: 'datetime',
      fits: (v) => matchesAnd(v, `${pattern}${TIME}`, `${parsed(v, [...times, ...formats])} IS NOT NULL`),
      value: (v) => parsed(v, [...times, ...formats]),
    },
  ];
}

const ISO_TIME = '[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?';
export const ISO: readonly Reading[] = [
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

// A year of two digits is one from 1969 to 2068, as POSIX has it; tried first, for %Y takes "24" for the year 24.
const THREE_NUMBERS = '[0-9]{1,2}[/-][0-9]{1,2}[/-]([0-9]{4}|[0-9]{2})';
export const DAY_FIRST: readonly Reading[] = dates(THREE_NUMBERS, ['%d/%m/%y', '%d-%m-%y', '%d/%m/%Y', '%d-%m-%Y']);
export const MONTH_FIRST: readonly Reading[] = dates(THREE_NUMBERS, ['%m/%d/%y', '%m-%d-%y', '%m/%d/%Y', '%m-%d-%Y']);

export const OTHER_DATES: readonly Reading[] = [
  ...dates('[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}', ['%Y/%m/%d']),
  ...dates('[0-9]{4}\\.[0-9]{1,2}\\.[0-9]{1,2}\\.?', ['%Y.%m.%d', '%Y.%m.%d.']),
  ...dates('[0-9]{1,2}\\. ?[0-9]{1,2}\\. ?([0-9]{4}|[0-9]{2})', ['%d.%m.%y', '%d. %m. %y', '%d.%m.%Y', '%d. %m. %Y']),
];
