import type { TimeFormat } from '@app/common';
import { SSF } from '@e965/xlsx';
import { numberText } from './number-format.js';
import { sureNumber } from './number-text.js';

const two = (part: number) => String(part).padStart(2, '0');

/** Whether numbers in this format are days: `format` is a format code of Excel, such as `yyyy-mm-dd`. */
export const isDateFormat = (format: string): boolean => format !== 'General' && Boolean(SSF.is_date(format));

/**
 * A number of days as ISO 8601, without the time where there is none.
 * @param time what the format shows, where it shows no day: such numbers are told in hours, whatever their size
 */
export function dateText(days: number, date1904: boolean, time: TimeFormat | null): string {
  if (!Number.isFinite(days)) return '';
  if (time === 'elapsed' || (time === 'clock' && days < 1))
    return numberText(Number((days * 24).toPrecision(12)), { unit: 'h' });
  const date = SSF.parse_date_code(days, { date1904 });
  // Less than a day is no moment.
  if (!date || days < 1) return sureNumber(days);
  const day = `${String(date.y).padStart(4, '0')}-${two(date.m)}-${two(date.d)}`;
  const clock = `${two(date.H)}:${two(date.M)}:${two(Math.floor(date.S))}`;
  return clock === '00:00:00' ? day : `${day} ${clock}`;
}

/** A moment in ISO 8601 as the other cells have it. */
export const isoText = (text: string): string =>
  text
    .replace(/T00:00:00(\.0+)?Z?$/, '')
    .replace('T', ' ')
    .replace(/(\.0+)?Z$/, '');
