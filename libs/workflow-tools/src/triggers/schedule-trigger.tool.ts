import { z } from 'zod';
import { defineKind, isTimeZone, param, SLOT_KEY } from '@app/workflow-definition/kit';
import { categories } from '../categories.js';

const slot = z.object({
  id: z.string(),
  name: z.string(),
  slot_time: z.iso.datetime(),
  // A payload may come from anywhere: what Intl does not know would fail the node.
  timezone: z.string().refine(isTimeZone),
});

export const scheduleTriggerTool = defineKind({
  kind: 'schedule_trigger',
  version: '1.0.0',
  title: 'Schedule',
  description: 'Starts the workflow at the times of its schedules, and hands on the time and the payload.',
  category: categories.triggers,
  icon: 'calendar-clock',
  isEntry: true,
  sideEffects: 'none',
  timeoutSeconds: 10,
  params: z.object({
    sample: param(z.record(z.string(), z.unknown()).default({}), {
      label: 'Sample payload',
      description: 'Stands in for the payload when the workflow is run by hand.',
    }),
  }),
  output: z.object({
    slot_time: z.string().describe('The time that the run is for, as UTC; by hand the present time.'),
    local_time: z.string().describe('The same on the clocks of the schedule’s time zone.'),
    timezone: z.string(),
    schedule_id: z.string().nullable(),
    schedule_name: z.string().nullable(),
    payload: z.record(z.string(), z.unknown()),
  }),
  run: ({ sample }, context) => {
    const { [SLOT_KEY]: given, ...payload } = context.payload ?? sample;
    const known = slot.safeParse(given);
    const {
      slot_time: time,
      timezone,
      id,
      name,
    } = known.success
      ? known.data
      : { slot_time: new Date(context.now()).toISOString(), timezone: 'UTC', id: null, name: null };
    return {
      output: {
        slot_time: time,
        local_time: localTime(new Date(time), timezone),
        timezone,
        schedule_id: id,
        schedule_name: name,
        payload,
      },
    };
  },
});

/** ISO 8601 with the offset of the zone. */
function localTime(instant: Date, timezone: string): string {
  const text = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(instant);
  const zone = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' }).format(instant);
  return `${text.replace(' ', 'T')}${/GMT(.*)$/.exec(zone)?.[1] || '+00:00'}`;
}
