import { monthNames } from '@app/common';
import { quoteText } from './names.js';
import { matchesAnd, type Reading } from './reading-sql.js';

/**
 * SQL that makes `month_number(name)`, which the readings below use: '03', or NULL for what names no month. It looks into
 * one text: a MAP of so many names takes DuckDB longer to plan than most files take to be read. Names of two words cannot
 * stand in it: the second one would be found alone.
 */
export function defineMonthNumber(): string {
  const months = quoteText(
    [...monthNames()]
      .filter(([name]) => !name.includes(' '))
      .map(([name, month]) => ` ${name}=${String(month).padStart(2, '0')}`)
      .join(''),
  );
  const asked = `concat(' ', strip_accents(lower(name)), '=')`;
  return `CREATE TEMP MACRO month_number(name) AS
    CASE WHEN contains(${months}, ${asked}) THEN substr(${months}, strpos(${months}, ${asked}) + length(${asked}), 2) END`;
}

const DAY = '([0-9]{1,2})(?:st|nd|rd|th|er|[.ºª])?';
// Not \pL: its repetition makes a pattern that takes longer to compile than a file to be read.
export const HAS_WORD = '[^-0-9 .,;:/]';
const WORD = `${HAS_WORD}+`;
const MONTH = `(${WORD})[.]?`;
const YEAR = "'?([0-9]{4}|[0-9]{2})";
const WEEKDAY = `(?:${WORD}[.]?,? )?`;
const OF = '(?:(?:of|de|del|di) )?';
const TIME = '(?:,? (?:at )?([0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[aApP][mM])?))?';

/** Where the parts of a date stand among the groups of its pattern; those it lacks are missing. */
interface NamedDate {
  pattern: string;
  month: number;
  year: number;
  day?: number;
  time?: number;
}

const DAY_MONTH_YEAR = `${WEEKDAY}(?:the )?${DAY}(?:-| ?)${OF}${MONTH}(?:-|,? ?)${OF}${YEAR}`;
const MONTH_DAY_YEAR = `${WEEKDAY}${MONTH} ?${DAY}(?:, ?| )([0-9]{4})`;
const FORMS: readonly NamedDate[] = [
  { pattern: DAY_MONTH_YEAR, day: 1, month: 2, year: 3 },
  { pattern: MONTH_DAY_YEAR, month: 1, day: 2, year: 3 },
  { pattern: `${DAY_MONTH_YEAR}${TIME}`, day: 1, month: 2, year: 3, time: 4 },
  { pattern: `${MONTH_DAY_YEAR}${TIME}`, month: 1, day: 2, year: 3, time: 4 },
  // A month stands for its first day.
  { pattern: `${MONTH}(?:-|,? )${OF}([0-9]{4})`, month: 1, year: 2 },
];

/** Dates that name the month, in twenty languages: "5. März 2023", "Jan 1 2000", "Fri, 3rd of May 2024 at 10:15", "déc. 2021". */
export const NAMED_DATES: readonly Reading[] = FORMS.map((form) => {
  const type = form.time === undefined ? 'date' : 'datetime';
  return {
    type,
    fits: (v) => matchesAnd(v, form.pattern, `${momentOf(v, form)} IS NOT NULL`),
    value: (v) => (type === 'date' ? `CAST(${momentOf(v, form)} AS DATE)` : momentOf(v, form)),
  };
});

// In this order: %Y takes "24" for the year 24.
const formats = (times: readonly string[]) =>
  ['%y', '%Y'].flatMap((years) => times.map((one) => quoteText(`${years}-%m-%d${one}`))).join(', ');

function momentOf(v: string, { pattern, day, month, year, time }: NamedDate): string {
  const part = (group: number) => `regexp_extract(${v}, ${quoteText(`^${pattern}$`)}, ${group})`;
  const dayOf = day === undefined ? `'1'` : part(day);
  const date = `concat(${part(year)}, '-', month_number(${part(month)}), '-', ${dayOf}`;
  if (time === undefined) return `try_strptime(${date}), [${formats([''])}])`;
  const times = [' %H:%M:%S', ' %H:%M', ' %I:%M:%S %p', ' %I:%M %p', ' %I:%M%p', ' '];
  return `try_strptime(${date}, ' ', ${part(time)}), [${formats(times)}])`;
}
