import { calendarOf, skipped, type Calendar } from './calendar.js';
import { textOf, type Word } from './words.js';

/** A stretch of days, from the first to before the last; ISO dates. */
export interface Period {
  from: string;
  before: string;
  /** As it is shown. */
  label: string;
  /** When it is a whole year. */
  year?: number;
}

/** A day, month, quarter or half of a year that is not said. */
export interface Season {
  /** From 1, the last one included. */
  months: [first: number, last: number];
  /** Of the month: "1 June". */
  day?: number;
  label: string;
}

const LEAP_YEAR = 2024;

const iso = (year: number, month: number, day = 1) =>
  new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);

export function yearPeriod(year: number): Period {
  return { from: iso(year, 1), before: iso(year + 1, 1), label: String(year), year };
}

/** Null for a 29 February that the year does not have. */
export function inYear({ months: [first, last], day, label }: Season, year: number): Period | null {
  if (day !== undefined) return dayPeriod(year, first, day);
  return { from: iso(year, first), before: iso(year, last + 1), label: `${label} ${year}` };
}

/** Null where the calendar has no such day. */
function dayPeriod(year: number, month: number, day: number): Period | null {
  const from = iso(year, month, day);
  if (month < 1 || month > 12 || day < 1 || Number(from.slice(8)) !== day) return null;
  return { from, before: iso(year, month, day + 1), label: from };
}

export type TimeRead =
  | { kind: 'period'; period: Period; length: number }
  | { kind: 'season'; season: Season; length: number }
  /** `3/4/2024` is a day in March or in April. */
  | { kind: 'twofold'; periods: Period[]; length: number };

/** Reads `2024`, `March 2024`, `Q1 2024`, `the first quarter of 2024`, `H1 2024`, `2024-05-01`, `1.5.2024`, `May 1, 2024`, `1 May 2024`. */
export function timeAt(words: readonly Word[], at: number): TimeRead | null {
  const word = (offset: number) => (words[at + offset]?.quoted === false ? words[at + offset]!.plain : '');
  const calendar = calendarOf(words[at]!);
  const day = writtenDay(word(0), calendar);
  if (day) return day;
  // "Im Jahr 2023", "im Monat März"
  const led = calendar.year.has(word(0)) ? yearOf(word(1)) : null;
  if (led !== null) return { kind: 'period', period: yearPeriod(led), length: 2 };
  if (calendar.month.has(word(0))) {
    const its = monthAt(words, at + 1) && timeAt(words, at + 1);
    return its && { ...its, length: its.length + 1 };
  }
  const year = yearOf(word(0));
  if (year !== null) {
    const season = seasonAt(words, at + 1);
    if (season && /^[QH]/.test(season.season.label)) return inOwnYear(season.season, year, 1 + season.length);
    return { kind: 'period', period: yearPeriod(year), length: 1 };
  }
  const before = dayOf(word(0));
  const behind = 1 + skipped(words, at + 1, calendar);
  const named = before === null ? null : monthAt(words, at + behind);
  if (before !== null && named) return dayIn(words, at, named.month, before, behind + named.length);
  const season = seasonAt(words, at);
  if (!season) return null;
  const { length } = season;
  const month = monthAt(words, at);
  const after = month && dayOf(word(length));
  if (month && after !== null) {
    const read = dayIn(words, at, month.month, after, length + 1);
    if (read) return read;
  }
  const of = word(length) === ',' ? 1 : skipped(words, at + length, calendar);
  const its = yearOf(word(length + of));
  return its === null ? { kind: 'season', ...season } : inOwnYear(season.season, its, length + of + 1);
}

function inOwnYear(season: Season, year: number, length: number): TimeRead | null {
  const period = inYear(season, year);
  return period && { kind: 'period', period, length };
}

function dayIn(words: readonly Word[], at: number, month: number, day: number, length: number): TimeRead | null {
  const comma = words[at + length]?.plain === ',' ? 1 : skipped(words, at + length, calendarOf(words[at]!));
  const year = yearOf(words[at + length + comma]?.plain ?? '');
  if (year !== null) return inOwnYear({ months: [month, month], day, label: '' }, year, length + comma + 1);
  // A day that no year has is none, and "March 12000" no day.
  if (!dayPeriod(LEAP_YEAR, month, day)) return null;
  const label = textOf(words.slice(at, at + length));
  return { kind: 'season', season: { months: [month, month], day, label }, length };
}

function writtenDay(text: string, { dayFirst }: Calendar): TimeRead | null {
  const first = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text)?.slice(1).map(Number);
  const period = first && dayPeriod(first[0]!, first[1]!, first[2]!);
  if (period) return { kind: 'period', period, length: 1 };
  const last = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4})$/.exec(text);
  if (!last) return null;
  const [one, other, year] = [Number(last[1]), Number(last[3]), Number(last[4])];
  const european = dayPeriod(year, other, one);
  const american = last[2] === '.' || dayFirst ? null : dayPeriod(year, one, other);
  if (european && american && european.from !== american.from)
    return { kind: 'twofold', periods: [european, american], length: 1 };
  const only = european ?? american;
  return only && { kind: 'period', period: only, length: 1 };
}

function seasonAt(words: readonly Word[], at: number): { season: Season; length: number } | null {
  if (at >= words.length) return null;
  const word = (offset: number) => (words[at + offset]?.quoted === false ? words[at + offset]!.plain : '');
  const { quarter, half, ordinals, names } = calendarOf(words[at]!);
  for (const [letters, parts, called] of [
    ['qt', 4, quarter],
    ['h', 2, half],
  ] as const) {
    const led = called.has(word(0));
    const written =
      new RegExp(`^[${letters}]([1-${parts}])$`).exec(word(0))?.[1] ??
      (led ? /^([1-4])$/.exec(word(1))?.[1] : undefined);
    const ordinal = called.has(word(1)) ? ordinals.get(word(0)) : undefined;
    // «الربع الثالث», «trimestre segundo»
    const behind = led && written === undefined ? ordinals.get(word(1)) : undefined;
    const number = ordinal ?? behind ?? Number(written ?? 0);
    if (number < 1 || number > parts) continue;
    const size = 12 / parts;
    const label = `${letters[0]!.toUpperCase()}${number}`;
    const season: Season = { months: [size * (number - 1) + 1, size * number], label };
    return { season, length: ordinal !== undefined || led ? 2 : 1 };
  }
  const month = monthAt(words, at);
  return (
    month && { season: { months: [month.month, month.month], label: names[month.month - 1]! }, length: month.length }
  );
}

function monthAt(words: readonly Word[], at: number): { month: number; length: number } | null {
  for (const length of [2, 1]) {
    const stretch = words.slice(at, at + length);
    if (stretch.length < length || stretch.some(({ quoted }) => quoted)) continue;
    const name = stretch.map(({ plain }) => plain).join(' ');
    const month = calendarOf(words[at]!).months.get(name);
    if (month !== undefined) return { month, length };
  }
  return null;
}

function yearOf(text: string): number | null {
  return /^(?:1[5-9]|20)\d{2}$/.test(text) ? Number(text) : null;
}

function dayOf(text: string): number | null {
  const day = /^(\d{1,2})(?:st|nd|rd|th|er|º|°)?$/.exec(text)?.[1];
  return day !== undefined && Number(day) >= 1 && Number(day) <= 31 ? Number(day) : null;
}
