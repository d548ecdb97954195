import { SSF } from '@e965/xlsx';
import { sureNumber } from './number-text.js';

const two = (part: number) => String(part).padStart(2, '0');

/** Whether numbers in this format are days: `format` is a format code of Excel, such as `yyyy-mm-dd`. */
export const isDateFormat = (format: string): boolean => format !== 'General' && Boolean(SSF.is_date(format));

/** A number of days as ISO 8601, without the time where there is none. */
export function dateText(days: number, date1904: boolean): string {
  if (!Number.isFinite(days)) return '';
  const date = SSF.parse_date_code(days, { date1904 });
  // Hours without a day, such as "7:30" or "[h]:mm", are no moment.
  if (!date || days < 1) return sureNumber(days);
  const day = `${String(date.y).padStart(4, '0')}-${two(date.m)}-${two(date.d)}`;
  const time = `${two(date.H)}:${two(date.M)}:${two(Math.floor(date.S))}`;
  return time === '00:00:00' ? day : `${day} ${time}`;
}

/** A moment in ISO 8601 as the other cells have it. */
export const isoText = (text: string): string =>
  text
    .replace(/T00:00:00(\.0+)?Z?$/, '')
    .replace('T', ' ')
    .replace(/(\.0+)?Z$/, '');
