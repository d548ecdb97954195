import { DateTime, type DurationLikeObject } from 'luxon';
import { z } from 'zod';
import { cutText, isWritableTime } from '@app/common';
import { defineKind, param, ToolError } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';

const UNITS = ['seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'years'] as const;
const BOUNDARIES = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
const pointInTime = z.union([z.string().max(200), z.number()]).optional();

export const dateTool = defineKind({
  kind: 'date',
  version: '1.1.0',
  title: 'Date and time',
  description:
    'Reads a date, shifts and rounds it in a time zone, writes it in any format, and measures the distance to another one.',
  category: categories.data,
  icon: 'calendar',
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    value: param(pointInTime, {
      label: 'Date',
      description: 'ISO 8601, a mail or HTTP date, or milliseconds since 1970; now when absent.',
    }),
    input_format: param(z.string().max(100).default(''), {
      label: 'Format of the date',
      description: 'When it is none of these, like dd.MM.yyyy HH:mm.',
    }),
    timezone: param(z.string().max(100).default('UTC'), {
      label: 'Time zone',
      description: 'An IANA name, like Europe/Berlin. Dates without an offset are meant there.',
    }),
    add: param(z.coerce.number().int().min(-1_000_000).max(1_000_000).default(0), {
      label: 'Add',
      description: 'How many of the unit to add; a negative number goes back.',
      type: 'integer',
    }),
    unit: param(z.enum(UNITS).default('days'), {
      label: 'Unit',
      description: 'Days and longer units keep the time of day over a change of the clocks.',
    }),
    start_of: param(z.enum(BOUNDARIES).optional(), {
      label: 'Back to the start of the',
      description: 'Goes back to the first moment of the unit.',
    }),
    end_of: param(z.enum(BOUNDARIES).optional(), {
      label: 'On to the end of the',
      description: 'Goes on to the last moment of the unit.',
    }),
    format: param(z.string().max(100).default(''), {
      label: 'Format of the text',
      description: 'Like cccc, d LLLL yyyy; ISO 8601 with the offset when empty.',
    }),
    locale: param(z.string().max(35).default('en'), {
      label: 'Language of the text',
      description: 'A language like en or de, for the names of months and days.',
    }),
    compare_with: param(pointInTime, {
      label: 'Compare with',
      description: 'Measures how far this date lies behind the result, in the unit.',
    }),
  }),
  output: z.object({
    iso: z.iso.datetime(),
    timestamp: z.int(),
    date: z.string(),
    time: z.string(),
    weekday: z.string(),
    text: z.string(),
    difference: z.number().nullable(),
  }),
  examples: [
    { value: '2026-03-28T09:00', timezone: 'Europe/Berlin', add: 1, unit: 'days', format: 'cccc, d LLLL yyyy' },
  ],
  run: (params, context) => {
    const { value, timezone, locale, input_format: inputFormat } = params;
    const zoned = DateTime.fromMillis(context.now(), { zone: timezone });
    if (!zoned.isValid) throw new ToolError('invalid_timezone', 'There is no such time zone.', false);
    const read = (text: string | number): DateTime => toDate(text, inputFormat, timezone, locale);
    const shifted = valid((value === undefined ? zoned : read(value)).plus(durationOf(params.unit, params.add)));
    const { start_of: startOf, end_of: endOf, compare_with: other } = params;
    const started = startOf ? shifted.startOf(startOf) : shifted;
    const date = valid(endOf ? started.endOf(endOf) : started);
    const difference = other === undefined ? null : date.diff(read(other), params.unit).as(params.unit);
    return {
      output: {
        iso: date.toUTC().toISO()!,
        timestamp: date.toMillis(),
        date: date.toISODate()!,
        time: date.toFormat('HH:mm:ss'),
        weekday: date.setLocale('en').toFormat('cccc'),
        text: params.format === '' ? date.toISO()! : inWords(date, params.format, locale),
        difference,
      },
      warnings: inputFormat === '' ? [value, other].flatMap(ambiguity) : [],
    };
  },
});

function durationOf(unit: (typeof UNITS)[number], amount: number): DurationLikeObject {
  return { [unit]: amount };
}

function toDate(value: string | number, format: string, zone: string, locale: string): DateTime {
  if (format !== '' && typeof value === 'string') {
    const date = DateTime.fromFormat(value, format, { zone, locale });
    if (!date.isValid)
      throw unreadable(value, ` as ${format}`, /[DY]/.test(format) ? ' Write days as dd and years as yyyy.' : '');
    return valid(date);
  }
  if (typeof value === 'number' || /^-?\d{9,}$/.test(value)) return valid(DateTime.fromMillis(Number(value), { zone }));
  const readers = [DateTime.fromISO, DateTime.fromRFC2822, DateTime.fromHTTP, DateTime.fromSQL];
  for (const read of readers) {
    const date = read(value.trim(), { zone });
    if (date.isValid) return date;
  }
  // Dots are written where the day comes first.
  for (const dotted of DOTTED) {
    const date = DateTime.fromFormat(value.trim(), dotted, { zone });
    if (date.isValid) return date;
  }
  const english = inEnglish(value, zone);
  if (!english.isValid) throw unreadable(value);
  return valid(english);
}

/** Half of the world writes the day first, and both readings are dates. */
const EITHER_WAY = /^\s*(0?[1-9]|1[0-2])([/-])(0?[1-9]|1[0-2])\2\d{2}(?:\d{2})?(?!\d)/;

function ambiguity(value: string | number | undefined): string[] {
  const [, first, , second] = EITHER_WAY.exec(String(value)) ?? [];
  if (first === undefined || Number(first) === Number(second)) return [];
  return [
    `${JSON.stringify(cutText(String(value), 50))} was read with the month first. Give the format of the date where the day is first.`,
  ];
}

function unreadable(value: string, how = '', hint = ''): ToolError {
  return new ToolError(
    'invalid_date',
    `${JSON.stringify(cutText(value, 50))} cannot be read${how === '' ? ' as a date' : how}.${hint}`,
    false,
  );
}

const DOTTED = ['d.M.yyyy', 'd.M.yy'].flatMap((day) => [day, `${day} H:mm`, `${day} H:mm:ss`]);
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const SHORT = /^\s*\d{1,2}([/.-])\d{1,2}\1\d{2}(?!\d)/;
/** A time with a number behind it, or a zone by its name: the end of `3-31-2026` is none. */
const OFFSET =
  /(?:(?<=:\d{2}(?:\s*[ap]m)?\s*|\b(?:gmt|utc)\s?)[+-]\d{2}:?\d{2}|\b(?:z|[ecmp][sd]t|gmt|utc))(?:\s*\([^)]*\))?\s*$/i;

/**
 * What JavaScript reads beside the formats of standards, like `3 March 2026 10:00` or `3/31/2026`. It reads a date into
 * nearly everything (`Invoice 12`, 30 February): what it read has to stand in the text.
 */
function inEnglish(text: string, zone: string): DateTime {
  // Without the offset what was read is by the clock of this process, as the text says it.
  const said = text.replace(OFFSET, '').replace(/\b(?:gmt|utc)\s*$/i, '');
  const read = new Date(said);
  const numbers = (said.match(/\d+/g) ?? []).map(Number);
  const [year, month, day] = [read.getFullYear(), read.getMonth(), read.getDate()];
  const isSaid =
    (numbers.includes(year) || (SHORT.test(said) && numbers.includes(year % 100))) &&
    (numbers.includes(month + 1) || said.toLowerCase().includes(MONTHS[month] ?? '?')) &&
    (numbers.includes(day) || (day === 1 && numbers.length < 3));
  if (!isSaid) return DateTime.invalid('not said');
  if (said !== text) return DateTime.fromJSDate(new Date(text), { zone });
  // Meant by the clock of the zone.
  return DateTime.fromJSDate(read).setZone(zone, { keepLocalTime: true });
}

/** A date that nobody reads again once it is written is as good as none. */
function valid(date: DateTime): DateTime {
  if (!date.isValid || !isWritableTime(date.toJSDate())) {
    throw new ToolError('invalid_date', 'The date cannot be read.', false);
  }
  return date;
}

function inWords(date: DateTime, format: string, locale: string): string {
  try {
    return date.setLocale(locale).toFormat(format);
  } catch (cause) {
    throw new ToolError('invalid_format', 'The date cannot be written like this.', false, { cause });
  }
}
