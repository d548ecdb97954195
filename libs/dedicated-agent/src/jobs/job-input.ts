import { type Caps, mistakesIn, setCaps } from '../budget/caps.js';
import { type FieldErrors, isDictionary, parseDateTime, Refusal, ValidationError } from '@app/common';
import { isTimeZone } from '@app/workflow-definition';
import type { ExpiryPolicy } from '../runs/agent-run.js';
import type { MisfirePolicy, NotifyWay, PlannedJob } from './job-record.js';
import { cronOf, intervalOf, onceOf, readScheduleText, type ReadSchedule, ScheduleTextError } from './schedule-text.js';

export const MAX_JOB_NAME = 200;
export const MAX_JOB_PROMPT = 5000;

/** What people set. What is left out stays as it is, or takes its default. */
export interface JobInput {
  name?: string | undefined;
  prompt?: string | undefined;
  /** Words, or an object of a kind. */
  schedule?: unknown;
  timezone?: string | undefined;
  repeat?: number | null | undefined;
  misfirePolicy?: MisfirePolicy | undefined;
  notify?: NotifyWay | undefined;
  /** Caps of what its runs may spend in a month; null: those of the agent alone. */
  budget?: Partial<Caps> | null | undefined;
  onExpiry?: ExpiryPolicy | undefined;
}

export type JobSettings = Pick<
  PlannedJob,
  | 'name'
  | 'prompt'
  | 'kind'
  | 'intervalMinutes'
  | 'cron'
  | 'runAt'
  | 'timezone'
  | 'display'
  | 'repeatTimes'
  | 'misfirePolicy'
  | 'notify'
  | 'budget'
  | 'onExpiry'
>;

const WIRE_NAMES: Readonly<Record<keyof Caps, string>> = {
  softCost: 'soft_cost',
  hardCost: 'hard_cost',
  softTokens: 'soft_tokens',
  hardTokens: 'hard_tokens',
};
const REQUIRED = 'This field is required.';

/** @param known null: of a new job. @param now milliseconds. @throws ValidationError with wire names */
export function readJobSettings(input: JobInput, known: PlannedJob | null, now: number): JobSettings {
  const errors: FieldErrors = {};
  const timezone = input.timezone ?? known?.timezone ?? 'UTC';
  if (!isTimeZone(timezone)) throw new ValidationError({ timezone: ['Enter a valid IANA time zone.'] });
  const timing = input.schedule === undefined ? known : columnsOf(readSchedule(input.schedule, timezone, now, errors));
  if (!timing && !errors.schedule) errors.schedule = [REQUIRED];
  const name = input.name ?? known?.name;
  const prompt = input.prompt ?? known?.prompt;
  if (name === undefined) errors.name = [REQUIRED];
  if (prompt === undefined) errors.prompt = [REQUIRED];
  const kept = known && (known.kind === 'once') === (timing?.kind === 'once') ? known.repeatTimes : null;
  const repeat = input.repeat === undefined ? kept : input.repeat;
  if (timing?.kind === 'once' && typeof input.repeat === 'number' && input.repeat !== 1)
    errors.repeat = ['A job that runs once cannot be repeated.'];
  const budget = input.budget === undefined ? (known?.budget ?? null) : setCaps(input.budget);
  for (const [cap, mistake] of Object.entries(mistakesIn(budget ?? {}) ?? {}))
    errors[`budget.${WIRE_NAMES[cap as keyof Caps]}`] = [mistake];
  if (Object.keys(errors).length > 0 || !timing) throw new ValidationError(errors);
  return {
    name: name!,
    prompt: prompt!,
    kind: timing.kind,
    intervalMinutes: timing.intervalMinutes,
    cron: timing.cron,
    runAt: timing.runAt,
    display: timing.display,
    timezone,
    repeatTimes: timing.kind === 'once' ? 1 : repeat,
    misfirePolicy: input.misfirePolicy ?? known?.misfirePolicy ?? 'run_once',
    notify: input.notify ?? known?.notify ?? 'none',
    budget,
    onExpiry: input.onExpiry ?? known?.onExpiry ?? 'deny',
  };
}

function readSchedule(given: unknown, zone: string, now: number, errors: FieldErrors): ReadSchedule | null {
  try {
    if (typeof given === 'string') return readScheduleText(given, zone, now);
    if (!isDictionary(given))
      throw new ScheduleTextError('Enter words, or an object with kind interval, cron or once.');
    if (given.kind === 'interval') return intervalOf(typeof given.minutes === 'number' ? given.minutes : Number.NaN);
    if (given.kind === 'cron') return cronOf(typeof given.expr === 'string' ? given.expr.trim() : '');
    if (given.kind === 'once') {
      const at = parseDateTime(given.run_at);
      if (at instanceof Refusal) throw new ScheduleTextError(`run_at: ${at.message}`);
      return onceOf((at as Date).getTime(), zone, now);
    }
    throw new ScheduleTextError('kind is interval, cron or once.');
  } catch (error) {
    if (!(error instanceof ScheduleTextError)) throw error;
    errors.schedule = [error.message];
    return null;
  }
}

function columnsOf(timing: ReadSchedule | null) {
  if (!timing) return null;
  return {
    kind: timing.kind,
    intervalMinutes: timing.kind === 'interval' ? timing.minutes : null,
    cron: timing.kind === 'cron' ? timing.expr : null,
    runAt: timing.kind === 'once' ? timing.runAt : null,
    display: timing.display,
  };
}
