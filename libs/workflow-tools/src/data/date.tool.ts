import { z } from 'zod';
import { defineTool, param, ToolError } from '@app/workflows';
import { categories } from '../categories.js';

const units = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000, weeks: 604_800_000 } as const;
const unitSchema = z.enum(['seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'years']);

export const dateTool = defineTool({
  kind: 'date',
  version: '1.0.0',
  title: 'Date and time',
  description: 'Shifts a point in time, shows it in a time zone, and measures the distance to another one.',
  category: categories.data,
  icon: 'calendar',
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    value: param(z.union([z.string(), z.number()]).optional(), {
      label: 'Date',
      description: 'ISO 8601 or milliseconds since 1970; now when absent.',
    }),
    add: param(z.coerce.number().int().min(-1_000_000).max(1_000_000).default(0), { label: 'Add', type: 'integer' }),
    unit: param(unitSchema.default('days'), { label: 'Unit' }),
    compare_with: param(z.union([z.string(), z.number()]).optional(), {
      label: 'Compare with',
      description: 'Measures how far this date lies behind the result, in the unit.',
    }),
    timezone: param(z.string().default('UTC'), {
      label: 'Time zone',
      description: 'An IANA name, like Europe/Berlin.',
    }),
  }),
  output: z.object({
    iso: z.iso.datetime(),
    timestamp: z.int(),
    date: z.string(),
    time: z.string(),
    weekday: z.string(),
    difference: z.number().nullable(),
  }),
  run: ({ value, add, unit, compare_with: other, timezone }, context) => {
    const date = shift(value === undefined ? new Date(context.now()) : toDate(value), add, unit);
    const difference = other === undefined ? null : distance(date, toDate(other), unit);
    return { output: { iso: date.toISOString(), timestamp: date.getTime(), ...local(date, timezone), difference } };
  },
});

function toDate(value: string | number): Date {
  const isMilliseconds = typeof value === 'string' && /^-?\d{9,}$/.test(value);
  return valid(new Date(isMilliseconds ? Number(value) : value));
}

function valid(date: Date): Date {
  if (Number.isNaN(date.getTime())) throw new ToolError('invalid_date', 'The date cannot be read.', false);
  return date;
}

function shift(date: Date, amount: number, unit: z.output<typeof unitSchema>): Date {
  if (unit !== 'months' && unit !== 'years') return valid(new Date(date.getTime() + amount * units[unit]));
  const months = unit === 'years' ? amount * 12 : amount;
  const shifted = new Date(date);
  shifted.setUTCDate(1);
  shifted.setUTCMonth(shifted.getUTCMonth() + months);
  // 31 January and a month is the last day of February, not the 3rd of March.
  const lastDay = new Date(Date.UTC(shifted.getUTCFullYear(), shifted.getUTCMonth() + 1, 0)).getUTCDate();
  shifted.setUTCDate(Math.min(date.getUTCDate(), lastDay));
  return valid(shifted);
}

function distance(later: Date, earlier: Date, unit: z.output<typeof unitSchema>): number {
  if (unit !== 'months' && unit !== 'years') return (later.getTime() - earlier.getTime()) / units[unit];
  const years = later.getUTCFullYear() - earlier.getUTCFullYear();
  const months = years * 12 + later.getUTCMonth() - earlier.getUTCMonth();
  return unit === 'years' ? months / 12 : months;
}

function local(date: Date, timeZone: string): { date: string; time: string; weekday: string } {
  try {
    const options = { timeZone, hourCycle: 'h23', dateStyle: 'short', timeStyle: 'medium' } as const;
    // Swedish writes dates the ISO way.
    const [day, time] = new Intl.DateTimeFormat('sv-SE', options).format(date).split(' ');
    const weekday = new Intl.DateTimeFormat('en', { timeZone, weekday: 'long' }).format(date);
    return { date: day!, time: time!, weekday };
  } catch (cause) {
    throw new ToolError('invalid_timezone', 'There is no such time zone.', false, { cause });
  }
}
