import { cutText } from '@app/common';
import { isDay, isHijriYear, isoDay, yearOf, type CalendarDay } from './calendar-day.js';
import { problem, type CoercionHints, type CoercionProblem } from './coercion.js';
import { monthOfName, namesHijriMonth } from './month-of-name.js';
import { plainSigns } from './plain-signs.js';

export type ReadDate =
  | { day: string; /** What stood behind the date. */ rest: string; sure: boolean }
  | { problem: CoercionProblem; message: string };

const MAX_LENGTH = 80;
const REST = String.raw`(?:,?(?: um| at| à| a las| a les| alle| ore| às| om| kl\.?| الساعة)? ?((?:T|(?<= )|(?<=,))\d.*))?$`;
const DAY = String.raw`(\d{1,2})(?:st|nd|rd|th|er|[.ºª°])?`;
const MONTH = String.raw`([\p{L}\p{M}][\p{L}\p{M}'’]*(?: (?:الثاني|الأول|الاول))?(?: ?/ ?[\p{L}\p{M}]+(?: (?:الثاني|الأول|الاول))?)?)\.?`;
const YEAR = String.raw`'?(\d{4}|\d{2})`;
const OF = String.raw`(?:(?:of|de|del|di|d'|von) )?`;
const WEEKDAY = String.raw`(?:[\p{L}\p{M}]{2,12}\.?(?: ?,| ?،)? (?:den |le |el |the |il )?|(?:den|le|el|the|il|am) )?`;

const pattern = (text: string) => new RegExp(`^${text}(?: ?(?:م|AD|CE|n\\. ?Chr\\.)(?![\\p{L}\\p{M}]))?${REST}`, 'iu');
const ISO = pattern(String.raw`(\d{4})([-/.])(\d{1,2})\2(\d{1,2})\.?`);
const COMPACT = /^(\d{4})(\d{2})(\d{2})()$/;
const NUMBERS = pattern(String.raw`(\d{1,2})( ?[-/.] ?)(\d{1,2})( ?[-/.] ?)${YEAR}`);
const DAY_MONTH_YEAR = pattern(String.raw`${WEEKDAY}${DAY}(?:[-/ ]|, )?${OF}${MONTH}(?:[-/ ]|, ?|، ?)?${OF}${YEAR}`);
const MONTH_DAY_YEAR = pattern(String.raw`${WEEKDAY}${MONTH}[- ]?${DAY}(?:, ?|،? |-)(\d{4})`);
const YEAR_MONTH_DAY = pattern(String.raw`(\d{4})[- ,]{1,2}${MONTH}[- ,]{1,2}${DAY}`);
const EAST_ASIAN = pattern(String.raw`(\d{4}) ?[年년] ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일]`);
const WITHOUT_DAY = new RegExp(
  String.raw`^${MONTH}(?:[- ]|, )?(?:of |de )?\d{4}$|^\d{1,2}[/.-]\d{4}$|^\d{4}-\d{1,2}$|^\d{4}$`,
  'iu',
);
const WITHOUT_YEAR = new RegExp(String.raw`^${DAY} ?${OF}${MONTH}$|^${MONTH} ${DAY}$|^\d{1,2}[./-]\d{1,2}\.?$`, 'iu');

/** @param text any text, which has to be a date and perhaps a time behind it, nothing else */
export function readDate(text: string, hints: CoercionHints = {}): ReadDate {
  const plain = plainSigns(text).replace(/ +/g, ' ').trim();
  if (plain.length > MAX_LENGTH || !/\d/.test(plain)) return notADate(text);
  if (/هـ|ه‍|\bAH\b/u.test(plain) || namesHijriMonth(plain)) return hijri(text);
  const [iso, east, compact] = [ISO.exec(plain), EAST_ASIAN.exec(plain), COMPACT.exec(plain)];
  if (iso) return make(text, iso[1], iso[3], iso[4], iso[5]);
  if (east) return make(text, east[1], east[2], east[3], east[4]);
  if (compact) return make(text, compact[1], compact[2], compact[3], '');
  const numbers = NUMBERS.exec(plain);
  if (numbers) return byOrder(text, numbers, hints);
  return byName(text, plain);
}

function byName(text: string, plain: string): ReadDate {
  const [dmy, mdy, ymd] = [DAY_MONTH_YEAR, MONTH_DAY_YEAR, YEAR_MONTH_DAY].map((form) => form.exec(plain));
  if (dmy && named(dmy[2]) !== '0') return make(text, dmy[3], named(dmy[2]), dmy[1], dmy[4]);
  if (mdy && named(mdy[1]) !== '0') return make(text, mdy[3], named(mdy[1]), mdy[2], mdy[4]);
  if (ymd && named(ymd[2]) !== '0') return make(text, ymd[1], named(ymd[2]), ymd[3], ymd[4]);
  if (isIncomplete(plain)) return problem('incomplete_date', `${shown(text)} does not say day, month and year.`);
  return notADate(text);
}

const named = (month: string | undefined) => String(monthOfName(month ?? '') ?? 0);

function isIncomplete(plain: string): boolean {
  const match = WITHOUT_DAY.exec(plain) ?? WITHOUT_YEAR.exec(plain);
  if (!match) return false;
  const name = match.slice(1).find((part) => part !== undefined && /\p{L}/u.test(part));
  return name === undefined || monthOfName(name) !== null;
}

/** Three numbers: points stand behind days first; strokes and dashes are written both ways. */
function byOrder(text: string, match: RegExpExecArray, hints: CoercionHints): ReadDate {
  const [, first = '', separator = '', second = '', other, year, rest = ''] = match;
  if (separator.trim() !== other?.trim()) return notADate(text);
  const dayFirst: CalendarDay = { year: yearOf(year ?? ''), month: Number(second), day: Number(first) };
  const monthFirst: CalendarDay = { year: yearOf(year ?? ''), month: Number(first), day: Number(second) };
  if (isHijriYear(dayFirst.year)) return hijri(text);
  const both = isDay(dayFirst) && isDay(monthFirst) && first !== second && Number(first) !== Number(second);
  if (!both) {
    const only = isDay(dayFirst) ? dayFirst : monthFirst;
    return isDay(only) ? { day: isoDay(only), rest, sure: true } : notADate(text);
  }
  const points = separator.trim() === '.';
  if (hints.dayFirst === undefined && points) return { day: isoDay(dayFirst), rest, sure: true };
  if (hints.dayFirst === undefined || (points && !hints.dayFirst))
    return problem(
      'ambiguous_date',
      `${shown(text)} may be ${isoDay(dayFirst)} or ${isoDay(monthFirst)}. Write it as YYYY-MM-DD.`,
    );
  return { day: isoDay(hints.dayFirst ? dayFirst : monthFirst), rest, sure: true };
}

function make(text: string, year = '', month = '', day = '', rest = ''): ReadDate {
  const made: CalendarDay = { year: yearOf(year), month: Number(month), day: Number(day) };
  if (isHijriYear(made.year)) return hijri(text);
  return isDay(made) ? { day: isoDay(made), rest, sure: true } : notADate(text);
}

const shown = (text: string) => JSON.stringify(text.length > 60 ? `${cutText(text, 60)}…` : text);
const notADate = (text: string): ReadDate => problem('not_a_date', `${shown(text)} is not a date.`);
const hijri = (text: string): ReadDate =>
  problem('hijri_date', `${shown(text)} is of another calendar. Write it as YYYY-MM-DD of the Gregorian one.`);
