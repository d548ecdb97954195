import {
  type FieldErrors,
  InvalidRequestError,
  isWritableTime,
  LocalTime,
  TIME_RANGE_MESSAGE,
  ValidationError,
} from '@app/common';
import { endOfGap, instantsOf, isTimeZone, readPayload } from '@app/workflow-definition';
import { CronExpression } from './cron-expression.js';
import { OVERLAP_POLICIES, type OverlapPolicy, type ScheduleRecord } from './schedule-record.js';
import { nextSlot, type Timing } from './timing.js';

/** What people set. In an input, what is left out stays as it is, or takes its default. */
export interface ScheduleSettings extends Omit<Timing, 'anchorAt'> {
  name: string;
  payload: Record<string, unknown>;
  enabled: boolean;
  overlapPolicy: OverlapPolicy;
  catchupWindowSeconds: number;
  jitterSeconds: number;
  pauseAfterFailures: number | null;
}

/** What people write; times without an offset are those of the schedule's time zone. */
export type ScheduleInput = {
  [K in keyof ScheduleSettings]?:
    | ScheduleSettings[K]
    | (K extends 'runAt' | 'startAt' | 'endAt' ? LocalTime : never)
    | undefined;
};

const TIME_ZONE_MESSAGE = 'Enter a valid IANA time zone.';
export const REQUIRED = 'This field is required.';
const IN_THE_FUTURE = 'Must be in the future.';
const TIME_FIELDS = { runAt: 'run_at', startAt: 'start_at', endAt: 'end_at' } as const;
/** Of which field each kind is made. */
const FIELD_OF = { cron: 'cron', interval: 'interval_minutes', once: 'run_at' } as const;

/**
 * The settings of a new schedule (`known` null) or of a changed one. Fields of other kinds are cleared.
 * @param now milliseconds. @throws ValidationError with wire names.
 */
export function readSettings(input: ScheduleInput, known: ScheduleRecord | null, now: number): ScheduleSettings {
  const errors: FieldErrors = {};
  const kind = input.kind ?? known?.kind ?? kindOf(input);
  if (!kind) throw new ValidationError({ kind: [REQUIRED] });
  const timing = readTiming(kind, input, known, errors);
  const settings: ScheduleSettings = {
    ...timing,
    name: input.name ?? known?.name ?? nameOf(timing),
    payload: readSchedulePayload(input.payload ?? known?.payload ?? {}, errors),
    enabled: input.enabled ?? known?.enabled ?? true,
    overlapPolicy: input.overlapPolicy ?? known?.overlapPolicy ?? OVERLAP_POLICIES[0]!,
    catchupWindowSeconds: input.catchupWindowSeconds ?? known?.catchupWindowSeconds ?? 3600,
    jitterSeconds: input.jitterSeconds ?? known?.jitterSeconds ?? 0,
    pauseAfterFailures: (input.pauseAfterFailures === undefined ? known : input)?.pauseAfterFailures ?? null,
  };
  const { runAt, startAt, endAt } = timing;
  const isNewTime = known?.runAt?.getTime() !== runAt?.getTime() || (settings.enabled && !known?.enabled);
  if (kind === 'once' && runAt && isNewTime && runAt.getTime() <= now) errors.run_at = [IN_THE_FUTURE];
  if (startAt && endAt && endAt < startAt) errors.end_at = ['Must not be before start_at.'];
  else if (endAt && endAt.getTime() <= now && endAt.getTime() !== known?.endAt?.getTime())
    errors.end_at = [IN_THE_FUTURE];
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  return settings;
}

/** Whether the two fire at the same times. */
export function isSameTiming(one: ScheduleSettings, other: ScheduleRecord): boolean {
  const key = (of: ScheduleSettings | ScheduleRecord) =>
    JSON.stringify([
      of.kind,
      of.cron,
      of.intervalMinutes,
      of.runAt,
      of.timezone,
      of.startAt,
      of.endAt,
      of.jitterSeconds,
    ]);
  return key(one) === key(other);
}

/** @throws ValidationError when no slot lies between now and the end. */
export function requireSlot(timing: Timing, now: number): number {
  const slot = nextSlot(timing, now);
  if (slot === null)
    throw new ValidationError({ [timing.endAt ? 'end_at' : FIELD_OF[timing.kind]]: ['The schedule would never run.'] });
  return slot;
}

/** What is wrong with a cron expression, as people are told; null when nothing is. */
export function cronMistake(cron: string): string | null {
  const mistake = CronExpression.mistakeIn(cron);
  return mistake === null ? null : `Enter a valid cron expression: ${mistake}`;
}

function kindOf({ cron, intervalMinutes, runAt }: ScheduleInput): Timing['kind'] | null {
  if (cron) return 'cron';
  if (intervalMinutes) return 'interval';
  return runAt ? 'once' : null;
}

function readTiming(
  kind: Timing['kind'],
  input: ScheduleInput,
  known: ScheduleRecord | null,
  errors: FieldErrors,
): Omit<Timing, 'anchorAt'> {
  const given = <K extends keyof Timing & keyof ScheduleInput>(field: K) =>
    input[field] === undefined ? (known?.[field] ?? null) : (input[field] ?? null);
  const own = { cron: given('cron'), interval: given('intervalMinutes'), once: given('runAt') }[kind];
  if (own === null) errors[FIELD_OF[kind]] = [REQUIRED];
  const cron = kind === 'cron' ? (given('cron') as string | null) : null;
  const timezone = input.timezone ?? known?.timezone ?? 'UTC';
  const mistake = cron === null ? null : cronMistake(cron);
  if (mistake !== null) errors.cron = [mistake];
  if (!isTimeZone(timezone)) errors.timezone = [TIME_ZONE_MESSAGE];
  const zone = isTimeZone(timezone) ? timezone : 'UTC';
  const time = (field: keyof typeof TIME_FIELDS) => {
    const read = timeIn(zone, given(field) as Date | LocalTime | null);
    if (read && !isWritableTime(read)) errors[TIME_FIELDS[field]] = [TIME_RANGE_MESSAGE];
    return read;
  };
  return {
    kind,
    cron,
    intervalMinutes: kind === 'interval' ? (given('intervalMinutes') as number | null) : null,
    runAt: kind === 'once' ? time('runAt') : null,
    timezone,
    startAt: time('startAt'),
    endAt: time('endAt'),
  };
}

/** A local time that the clocks skip is when they have skipped it, one that they repeat is the first of both. */
export function timeIn<T extends Date | null>(zone: string, time: T | LocalTime): T | Date {
  if (!(time instanceof LocalTime)) return time;
  const local = time.shown.getTime();
  return new Date(instantsOf(zone, local)[0] ?? endOfGap(zone, local));
}

function nameOf({ kind, cron, intervalMinutes }: Omit<Timing, 'anchorAt'>): string {
  if (kind === 'once') return 'Once';
  return kind === 'cron' ? `Cron ${cron}` : `Every ${intervalMinutes} minutes`;
}

function readSchedulePayload(payload: Record<string, unknown>, errors: FieldErrors): Record<string, unknown> {
  try {
    return readPayload(payload, { keepFileReferences: true }) ?? {};
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    errors.payload = [error.message];
    return {};
  }
}
