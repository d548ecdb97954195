import { cutText } from '@app/common';
import { CronExpression } from '@app/workflows';
import { endOfGap, instantsOf, offsetAt } from '@app/workflow-definition';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
export const MAX_INTERVAL_MINUTES = 527_040;
const MAX_AHEAD_MS = 10 * 366 * DAY_MS;
const MAX_LENGTH = 255;
/** So long a moment may be over and is still taken for now. */
export const GRACE_MS = 120_000;

/** When a job runs, without its time zone. */
export type JobTiming =
  | { kind: 'interval'; minutes: number }
  | { kind: 'cron'; expr: string }
  | { kind: 'once'; runAt: Date };

export type ReadSchedule = JobTiming & { display: string };

/** What is wrong with a schedule, for people. */
export class ScheduleTextError extends Error {
  override readonly name = 'ScheduleTextError';
}

const LIKE_CRON = /^@|^[\d*]\S*\s+[\d*]\S*(?:\s+\S+){2,4}$/;
const FORMS =
  'Enter a schedule such as "every 2h", "30m", "in 30m", "daily at 07:30", "weekdays at 9", "mondays at 9", ' +
  '"tomorrow at 9", a cron expression of five fields, or a moment such as "2026-12-01T09:00:00Z".';

const UNITS: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1440, w: 10_080 };
const UNIT = '(m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)';
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const TIME = String.raw`(noon|midnight|\d{1,2}(?:[:.]\d{2})?(?: ?[ap]m)?)`;

const EVERY = new RegExp(String.raw`^(?:every )?(\d{1,9}) ?${UNIT}$`);
const EVERY_ONE = new RegExp(`^every ${UNIT}$`);
const IN = new RegExp(String.raw`^in (\d{1,9}) ?${UNIT}$`);
const ON_DAYS = new RegExp(`^(?:on |every )?([a-z, ]+?) at ${TIME}$`);
const MONTHLY = new RegExp(String.raw`^(?:monthly|every month) on (?:the )?(\d{1,2})(?:st|nd|rd|th)? at ${TIME}$`);
const NEXT = new RegExp(`^(today|tomorrow) at ${TIME}$`);
const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:[t ](\d{2}:\d{2})(:\d{2}(?:[.,]\d{1,9})?)?)? ?(z|[+-]\d{2}:?\d{2})?$/i;

/**
 * The words of docs/contract/dedicated-agent.md#jobs, a cron expression, or a moment.
 * @param now milliseconds, from which `in 30m` and `tomorrow` are counted
 * @throws ScheduleTextError
 */
export function readScheduleText(text: string, zone: string, now: number): ReadSchedule {
  if (text.length > MAX_LENGTH) throw new ScheduleTextError(FORMS);
  const words = text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
  if (words === '') throw new ScheduleTextError(FORMS);
  return (
    readInterval(words) ??
    readNext(words, zone, now) ??
    readDays(words) ??
    readMoment(text.trim(), zone, now) ??
    readCron(text.trim())
  );
}

/** @throws ScheduleTextError */
export function intervalOf(minutes: number): ReadSchedule {
  if (minutes >= 1 && !Number.isInteger(minutes)) throw new ScheduleTextError('An interval has whole minutes.');
  if (!(minutes >= 1)) throw new ScheduleTextError('The shortest interval is one minute.');
  if (minutes > MAX_INTERVAL_MINUTES) throw new ScheduleTextError('The longest interval is 366 days.');
  return { kind: 'interval', minutes, display: `every ${inWords(minutes)}` };
}

/** @throws ScheduleTextError */
export function cronOf(expr: string, display = expr): ReadSchedule {
  const mistake = CronExpression.mistakeIn(expr);
  if (mistake !== null) {
    // Of words nobody meant as a cron expression its fields tell nothing.
    const why = LIKE_CRON.test(expr) ? `: ${mistake}` : '.';
    throw new ScheduleTextError(`"${cutText(expr, 80)}" is no schedule${why} ${FORMS}`);
  }
  return { kind: 'cron', expr, display };
}

/** @throws ScheduleTextError for a moment that is over, or too far away */
export function onceOf(at: number, zone: string, now: number): ReadSchedule {
  if (Number.isNaN(at)) throw new ScheduleTextError(FORMS);
  if (at < now - GRACE_MS) throw new ScheduleTextError('The moment is over: it must be in the future.');
  if (at > now + MAX_AHEAD_MS) throw new ScheduleTextError('The moment is more than ten years away.');
  const local = new Date(at + offsetAt(zone, at)).toISOString();
  return { kind: 'once', runAt: new Date(at), display: `once at ${local.slice(0, 10)} ${local.slice(11, 16)} ${zone}` };
}

function readInterval(words: string): ReadSchedule | null {
  const match = EVERY.exec(words);
  const unit = match?.[2] ?? EVERY_ONE.exec(words)?.[1] ?? (words === 'hourly' ? 'h' : undefined);
  if (unit !== undefined) return intervalOf(Number(match?.[1] ?? 1) * UNITS[unit[0]!]!);
  if (/^(?:every )?\d+ ?(s|secs?|seconds?)$/.test(words))
    throw new ScheduleTextError('The shortest interval is one minute.');
  return null;
}

function readNext(words: string, zone: string, now: number): ReadSchedule | null {
  const later = IN.exec(words);
  if (later) {
    const minutes = Number(later[1]) * UNITS[later[2]![0]!]!;
    if (minutes < 1) throw new ScheduleTextError('The moment must be in the future.');
    return onceOf(now + minutes * MINUTE_MS, zone, now);
  }
  const next = NEXT.exec(words);
  if (!next) return null;
  const { hour, minute } = timeOf(next[2]!);
  const today = Math.floor((now + offsetAt(zone, now)) / DAY_MS) * DAY_MS;
  const day = next[1] === 'tomorrow' ? today + DAY_MS : today;
  return onceOf(instantOf(day + (hour * 60 + minute) * MINUTE_MS, zone), zone, now);
}

function readDays(words: string): ReadSchedule | null {
  const monthly = MONTHLY.exec(words);
  if (monthly) {
    const [day, { hour, minute, text }] = [Number(monthly[1]), timeOf(monthly[2]!)];
    if (day < 1 || day > 31) throw new ScheduleTextError('Days of a month go from 1 to 31.');
    return cronOf(`${minute} ${hour} ${day} * *`, `monthly on day ${day} at ${text}`);
  }
  const match = ON_DAYS.exec(words);
  const days = match && daysOf(match[1]!.trim());
  if (!match || !days) return null;
  const { hour, minute, text } = timeOf(match[2]!);
  return cronOf(`${minute} ${hour} * * ${days.field}`, `${days.display} at ${text}`);
}

function daysOf(text: string): { field: string; display: string } | null {
  if (/^(daily|day|days)$/.test(text)) return { field: '*', display: 'daily' };
  if (/^weekdays?$/.test(text)) return { field: '1-5', display: 'weekdays' };
  if (/^weekends?$/.test(text)) return { field: '0,6', display: 'weekends' };
  const numbers = text.split(/(?:,| and |, and )+/).map((name) => dayOf(name.trim()));
  if (numbers.some((number) => number < 0)) return null;
  const chosen = [...new Set(numbers)].toSorted((a, b) => ((a + 6) % 7) - ((b + 6) % 7));
  return { field: chosen.join(','), display: chosen.map((number) => `${DAYS[number]}s`).join(', ') };
}

/** `mon`, `monday`, `mondays`; -1 for anything else. */
function dayOf(name: string): number {
  return DAYS.findIndex((day) => name === day || name === `${day}s` || name === day.slice(0, 3));
}

function timeOf(text: string): { hour: number; minute: number; text: string } {
  if (text === 'noon') return { hour: 12, minute: 0, text: '12:00' };
  if (text === 'midnight') return { hour: 0, minute: 0, text: '00:00' };
  const [, hours, minutes = '0', half] = /^(\d{1,2})(?:[:.](\d{2}))? ?([ap]m)?$/.exec(text)!;
  let hour = Number(hours);
  const minute = Number(minutes);
  if (half && (hour < 1 || hour > 12)) throw new ScheduleTextError(`"${text}" is no time of day.`);
  if (half) hour = (hour % 12) + (half === 'pm' ? 12 : 0);
  if (hour > 23 || minute > 59) throw new ScheduleTextError(`"${text}" is no time of day.`);
  return { hour, minute, text: `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}` };
}

function readMoment(text: string, zone: string, now: number): ReadSchedule | null {
  const match = MOMENT.exec(text);
  if (!match) return null;
  const [, date, time = '00:00', seconds = '', offset] = match;
  const local = `${date}T${time}${seconds.replace(',', '.')}`;
  const written = Date.parse(`${local}Z`);
  // 31 February is read as a day of March by some.
  if (Number.isNaN(written) || new Date(written).toISOString().slice(0, 10) !== date)
    throw new ScheduleTextError(`"${cutText(text, 80)}" is no moment.`);
  return onceOf(offset ? Date.parse(`${local}${offset.toUpperCase()}`) : instantOf(written, zone), zone, now);
}

function readCron(text: string): ReadSchedule {
  return cronOf(text.replaceAll(/\s+/g, ' '));
}

/** The first instant at which the clocks show it, or the end of the gap that swallows it. */
function instantOf(local: number, zone: string): number {
  return instantsOf(zone, local)[0] ?? endOfGap(zone, local);
}

function inWords(minutes: number): string {
  for (const [unit, length] of [
    ['d', 1440],
    ['h', 60],
  ] as const)
    if (minutes % length === 0) return `${minutes / length}${unit}`;
  return `${minutes}m`;
}
