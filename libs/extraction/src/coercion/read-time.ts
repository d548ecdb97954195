import { plainSigns } from './plain-signs.js';

/** Minutes east of Greenwich. Names that mean several zones (CST, IST, BST) are none. */
const ZONES = new Map<string, number>([
  ...(['Z', 'UTC', 'GMT', 'WET'] as const).map((zone) => [zone, 0] as const),
  ...(['CET', 'MEZ', 'WEST'] as const).map((zone) => [zone, 60] as const),
  ...(['CEST', 'MESZ', 'EET'] as const).map((zone) => [zone, 120] as const),
  ['EEST', 180],
  ['EST', -300],
  ['EDT', -240],
  ['CDT', -300],
  ['MST', -420],
  ['MDT', -360],
  ['PST', -480],
  ['PDT', -420],
]);

const TIME =
  /^T?(\d{1,2})(?:(?:[:.]| ?h ?)(\d{2}))?(?::(\d{2})(?:[.,](\d{1,9}))?)? ?(a\.?m\.?|p\.?m\.?|ص|م)?(?: ?(Uhr|h|o'clock))? ?(?:\(?(Z|[A-Z]{3,4})\)?|(?:UTC|GMT)?([+-]\d{1,2})(?::?(\d{2}))?)?$/i;

/** A time of day, as seconds after midnight UTC (fewer than none or more than a day's where the zone moves it). null: it is none. */
export function readTime(text: string): number | null {
  const match = TIME.exec(plainSigns(text).trim());
  if (!match) return null;
  const [, hours = '', minutes, seconds = '0', , half, mark, zone, offsetHours, offsetMinutes = '0'] = match;
  if (minutes === undefined && half === undefined && mark === undefined) return null;
  const hour = hourOf(Number(hours), half);
  if (hour === null || Number(minutes ?? 0) > 59 || Number(seconds) > 59) return null;
  const east = zone === undefined ? 0 : ZONES.get(zone.toUpperCase());
  if (east === undefined || Math.abs(Number(offsetHours ?? 0)) > 14 || Number(offsetMinutes) > 59) return null;
  const sign = offsetHours?.startsWith('-') === true ? -1 : 1;
  const offset = Math.abs(Number(offsetHours ?? 0)) * 60 + Number(offsetMinutes);
  return hour * 3600 + Number(minutes ?? 0) * 60 + Number(seconds) - (east + sign * offset) * 60;
}

function hourOf(hour: number, half: string | undefined): number | null {
  if (half === undefined) return hour <= 23 ? hour : null;
  if (hour < 1 || hour > 12) return null;
  return (hour % 12) + (/^[pم]/i.test(half) ? 12 : 0);
}

/** `9–17 Uhr`, `14 h 30 – 16 h 15`: from when to when. */
const UNTIL = /^(.{1,20}?)(?: ?[-–—] ?| (?:bis|to|until|till|à|a|tot|al?le|até|do|till) )(.{1,20})$/iu;
const HOUR = /^\d{1,2}$/;

/** Whether words say a time of day, or two between which something is. */
export function isTimes(text: string): boolean {
  if (readTime(text) !== null) return true;
  const [, from = '', to = ''] = UNTIL.exec(plainSigns(text).trim()) ?? [];
  return (readTime(from) !== null || (HOUR.test(from) && Number(from) < 24)) && readTime(to) !== null;
}
