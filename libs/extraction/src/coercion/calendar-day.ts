/** A day of the Gregorian calendar. */
export interface CalendarDay {
  year: number;
  month: number;
  day: number;
}

/** Documents are of these years; what is written beyond them is of another calendar, or no date. */
const FIRST_YEAR = 1583;
const LAST_YEAR = 2299;
/** A year of two digits is one from 1969 to 2068, as POSIX has it. */
const PIVOT = 69;

export function yearOf(text: string): number {
  const year = Number(text);
  if (text.length !== 2) return year;
  return year < PIVOT ? 2000 + year : 1900 + year;
}

/** Whether there was or will be such a day. */
export function isDay({ year, month, day }: CalendarDay): boolean {
  if (year < FIRST_YEAR || year > LAST_YEAR || month < 1 || month > 12 || day < 1) return false;
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Of the Islamic calendar, or of Iran's: the same digits name another day. */
export const isHijriYear = (year: number): boolean => year >= 1300 && year <= 1500;

export const isoDay = ({ year, month, day }: CalendarDay): string =>
  `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
