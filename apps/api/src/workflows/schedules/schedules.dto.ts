import { ONE_LINE } from '@app/common';
import type { LocalTime } from '@app/common';
import { OVERLAP_POLICIES, type OverlapPolicy, type ScheduleInput, type ScheduleRecord } from '@app/workflows';
import {
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  ListField,
  LocalOrZonedTimeField,
  NestedField,
  ObjectField,
  StringField,
  UuidField,
  kinds,
} from '../../http/fields.js';

const KINDS = ['cron', 'interval', 'once'] as const;
const STATES = ['active', 'paused', 'completed', 'error'] as const;
const YEAR_MINUTES = 527_040;
const YEAR_SECONDS = 31_622_400;

export class ScheduleRequest {
  @StringField({ ...ONE_LINE, optional: true, maxLength: 255, description: 'Made of the timing when it is left out.' })
  name?: string;

  @ChoiceField(KINDS, { optional: true, description: 'May be left out where one of the timing fields tells it.' })
  kind?: (typeof KINDS)[number];

  @StringField({
    optional: true,
    nullable: true,
    allowBlank: true,
    description: 'Five fields (minute, hour, day of month, month, day of week) or a nickname such as `@daily`.',
    example: '30 9 * * 1-5',
  })
  cron?: string | null;

  @IntegerField({ optional: true, nullable: true, min: 1, max: YEAR_MINUTES })
  interval_minutes?: number | null;

  @LocalOrZonedTimeField({
    optional: true,
    nullable: true,
    description: 'Without an offset, as `start_at` and `end_at`: what the clocks of `timezone` show.',
  })
  run_at?: Date | LocalTime | null;

  @StringField({
    optional: true,
    allowBlank: true,
    description: 'IANA name; `UTC` when left out.',
    example: 'Europe/Berlin',
  })
  timezone?: string;

  @ObjectField({ optional: true, description: 'What each run gets, up to 64 KiB.' })
  payload?: Record<string, unknown>;

  @BooleanField({ optional: true })
  enabled?: boolean;

  @ChoiceField(OVERLAP_POLICIES, {
    optional: true,
    description:
      'While a run of this schedule is at work: `skip` (the default), `queue_one` or `queue_all` in the workflow’s line, or `allow` another run beside it.',
  })
  overlap_policy?: OverlapPolicy;

  @IntegerField({
    optional: true,
    min: 0,
    max: YEAR_SECONDS,
    description: 'Slots missed by no more than this fire late. 3600 when left out.',
  })
  catchup_window_seconds?: number;

  @IntegerField({
    optional: true,
    min: 0,
    max: 3600,
    description: 'Runs start up to this later, so that not all start at once.',
  })
  jitter_seconds?: number;

  @LocalOrZonedTimeField({ optional: true, nullable: true })
  start_at?: Date | LocalTime | null;

  @LocalOrZonedTimeField({ optional: true, nullable: true })
  end_at?: Date | LocalTime | null;

  @IntegerField({ optional: true, nullable: true, min: 1, max: 1000 })
  pause_after_failures?: number | null;
}

class CreatorResponse {
  @IntegerField()
  id: number;

  @StringField()
  username: string;
}

export class ScheduleResponse {
  @UuidField()
  id: string;

  @UuidField()
  workflow: string;

  @StringField()
  name: string;

  @ChoiceField(KINDS)
  kind: string;

  @StringField({ nullable: true })
  cron: string | null;

  @IntegerField({ nullable: true })
  interval_minutes: number | null;

  @DateTimeField({ nullable: true })
  run_at: Date | null;

  @StringField()
  timezone: string;

  @ObjectField()
  payload: Record<string, unknown>;

  @BooleanField()
  enabled: boolean;

  @ChoiceField(STATES)
  state: string;

  @ChoiceField(OVERLAP_POLICIES)
  overlap_policy: string;

  @IntegerField()
  catchup_window_seconds: number;

  @IntegerField()
  jitter_seconds: number;

  @DateTimeField({ nullable: true })
  start_at: Date | null;

  @DateTimeField({ nullable: true })
  end_at: Date | null;

  @DateTimeField({ nullable: true, description: 'Without jitter; null while it does not fire.' })
  next_run_at: Date | null;

  @DateTimeField({ nullable: true })
  last_run_at: Date | null;

  @IntegerField({ nullable: true, description: 'In the run history.' })
  last_run_version: number | null;

  @StringField({
    nullable: true,
    description: 'What became of the last slot: the status of its run, `PENDING` in line, `SKIPPED` or `MISSED`.',
  })
  last_status: string | null;

  @StringField()
  last_error: string;

  @IntegerField({ description: 'Slots that were over before a runner came, by more than the catch-up window.' })
  missed_count: number;

  @IntegerField({ description: 'Failed runs since one was completed.' })
  failure_streak: number;

  @IntegerField({ nullable: true })
  pause_after_failures: number | null;

  @NestedField(() => CreatorResponse, { nullable: true })
  created_by: CreatorResponse | null;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  updated_at: Date;
}

export class PreviewQuery {
  @StringField({ optional: true, allowBlank: true })
  cron?: string;

  @IntegerField({ optional: true, min: 1, max: YEAR_MINUTES })
  interval_minutes?: number;

  @StringField({ allowBlank: true, default: 'UTC' })
  timezone: string;

  @IntegerField({ min: 1, max: 20, default: 5 })
  count: number;
}

export class PreviewResponse {
  @ListField(kinds.dateTime())
  next: Date[];
}

export class BackfillRequest {
  @LocalOrZonedTimeField({
    description: 'Without an offset, as `to`: what the clocks of the schedule’s `timezone` show.',
  })
  from: Date | LocalTime;

  @LocalOrZonedTimeField()
  to: Date | LocalTime;

  @ChoiceField(OVERLAP_POLICIES, { default: 'queue_all' })
  overlap_policy: OverlapPolicy;
}

export class BackfillResponse {
  @IntegerField({ description: 'Runs that were started or put in line; up to 500 a call.' })
  count: number;

  @IntegerField({ description: 'Slots that the overlap policy passed over; another call tries them again.' })
  skipped: number;

  @IntegerField({
    description: 'Slots of the period that still have no run, those passed over aside; 5000: that many or more.',
  })
  remaining: number;

  @DateTimeField({
    nullable: true,
    description: 'The first of them: the `from` of the next call. Null when none is left.',
  })
  next_from: Date | null;
}

export function toScheduleInput(body: ScheduleRequest): ScheduleInput {
  return {
    name: body.name,
    kind: body.kind,
    cron: body.cron,
    intervalMinutes: body.interval_minutes,
    runAt: body.run_at,
    timezone: body.timezone,
    payload: body.payload,
    enabled: body.enabled,
    overlapPolicy: body.overlap_policy,
    catchupWindowSeconds: body.catchup_window_seconds,
    jitterSeconds: body.jitter_seconds,
    startAt: body.start_at,
    endAt: body.end_at,
    pauseAfterFailures: body.pause_after_failures,
  };
}

export function toScheduleResponse(record: ScheduleRecord): ScheduleResponse {
  return {
    id: record.id,
    workflow: record.workflowId,
    name: record.name,
    kind: record.kind,
    cron: record.cron,
    interval_minutes: record.intervalMinutes,
    run_at: record.runAt,
    timezone: record.timezone,
    payload: record.payload,
    enabled: record.enabled,
    state: record.state,
    overlap_policy: record.overlapPolicy,
    catchup_window_seconds: record.catchupWindowSeconds,
    jitter_seconds: record.jitterSeconds,
    start_at: record.startAt,
    end_at: record.endAt,
    next_run_at: record.nextRunAt,
    last_run_at: record.lastRunAt,
    last_run_version: record.lastRunVersion,
    last_status: record.lastStatus,
    last_error: record.lastError,
    missed_count: record.missedCount,
    failure_streak: record.failureStreak,
    pause_after_failures: record.pauseAfterFailures,
    created_by: record.createdBy,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  };
}
