import { ONE_LINE } from '@app/common';
import {
  EXECUTION_STATUSES,
  type ExecutionRecord,
  EXPIRY_POLICIES,
  type ExpiryPolicy,
  JOB_STATES,
  JOB_STATUSES,
  type JobInput,
  type JobRecord,
  MAX_JOB_NAME,
  MAX_JOB_PROMPT,
  MISFIRE_POLICIES,
  type MisfirePolicy,
  NOTIFY_WAYS,
  type NotifyWay,
} from '@app/dedicated-agent';
import {
  AnyField,
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  ListField,
  NestedField,
  ObjectField,
  StringField,
  UuidField,
} from '../http/fields.js';
import { PageOf, PageQuery } from '../http/pagination.js';
import { CapsRequest, CapsResponse, toCaps, toCapsResponse } from './agent-budget.dto.js';

const MAX_REPEAT = 1_000_000;
const BUDGET = 'What all of its runs may spend in a month, beside the caps of the agent; null: no caps of its own.';
const EXPIRY =
  'Where nobody answers in time what a run asks to be allowed: it goes on without (`deny`), or ends (`halt`).';
const SCHEDULE =
  'Words (`every 2h`, `30m`, `in 30m`, `daily at 07:30`, `weekdays at 9`, `mondays at 9`), a cron expression of five fields, an ISO moment, or an object: `{kind: "interval", minutes}`, `{kind: "cron", expr}`, `{kind: "once", run_at}`.';

export class JobsQuery {
  @BooleanField({ default: false, description: 'Paused and completed ones, too.' })
  include_disabled: boolean;
}

export class UpdateJobRequest {
  @StringField({ optional: true, minLength: 1, maxLength: MAX_JOB_NAME, ...ONE_LINE })
  name?: string;

  @StringField({ optional: true, minLength: 1, maxLength: MAX_JOB_PROMPT, description: 'What the agent is told.' })
  prompt?: string;

  @AnyField({ optional: true, description: SCHEDULE, example: 'weekdays at 9' })
  schedule?: unknown;

  @StringField({ optional: true, description: 'IANA name; `UTC` when left out.', example: 'Europe/Berlin' })
  timezone?: string;

  @IntegerField({ optional: true, nullable: true, min: 1, max: MAX_REPEAT, description: 'Null: for ever.' })
  repeat?: number | null;

  @ChoiceField(MISFIRE_POLICIES, {
    optional: true,
    description: 'Times that were over before anybody came: one run makes up for them, or they are noted as missed.',
  })
  misfire_policy?: MisfirePolicy;

  @ChoiceField(NOTIFY_WAYS, { optional: true, description: 'Who is told of results beside the console.' })
  notify?: NotifyWay;

  @NestedField(() => CapsRequest, { optional: true, nullable: true, description: BUDGET })
  budget?: CapsRequest | null;
  @ChoiceField(EXPIRY_POLICIES, { optional: true, description: EXPIRY })
  on_expiry?: ExpiryPolicy;

  @BooleanField({ optional: true, description: 'False pauses it.' })
  enabled?: boolean;
}

export class CreateJobRequest {
  @StringField({ minLength: 1, maxLength: MAX_JOB_NAME, ...ONE_LINE })
  name: string;

  @StringField({ minLength: 1, maxLength: MAX_JOB_PROMPT, description: 'What the agent is told each time.' })
  prompt: string;

  @AnyField({ description: SCHEDULE, example: 'weekdays at 9' })
  schedule: unknown;

  @StringField({ optional: true, description: 'IANA name; `UTC` when left out.', example: 'Europe/Berlin' })
  timezone?: string;

  @IntegerField({ optional: true, nullable: true, min: 1, max: MAX_REPEAT, description: 'Null: for ever.' })
  repeat?: number | null;

  @BooleanField({ default: false })
  paused: boolean;

  @ChoiceField(MISFIRE_POLICIES, { default: 'run_once' })
  misfire_policy: MisfirePolicy;

  @ChoiceField(NOTIFY_WAYS, { default: 'none' })
  notify: NotifyWay;

  @NestedField(() => CapsRequest, { optional: true, nullable: true, description: BUDGET })
  budget?: CapsRequest | null;
  @ChoiceField(EXPIRY_POLICIES, { default: 'deny', description: EXPIRY })
  on_expiry: ExpiryPolicy;
}

class RepeatResponse {
  @IntegerField({ nullable: true })
  times: number | null;

  @IntegerField()
  completed: number;
}

export class JobExecutionResponse {
  @UuidField()
  id: string;

  @ChoiceField(EXECUTION_STATUSES)
  status: string;

  @DateTimeField()
  scheduled_for: Date;

  @DateTimeField({ description: 'When its run began, or when it was decided that there is none.' })
  started_at: Date;

  @DateTimeField({ nullable: true })
  finished_at: Date | null;

  @StringField({ nullable: true })
  error: string | null;

  @UuidField({ nullable: true })
  run_id: string | null;

  @ChoiceField(['due', 'run'], { description: 'By the clock, or by hand.' })
  source: string;

  @BooleanField({ description: 'Made up for after its time.' })
  late: boolean;

  @IntegerField({ description: 'Times before it that were over, too, and that it stands for.' })
  missed: number;
}

export class JobResponse {
  @UuidField()
  id: string;

  @StringField()
  name: string;

  @StringField()
  prompt: string;

  @ObjectField({
    description: '`{kind: "interval", minutes}`, `{kind: "cron", expr}` or `{kind: "once", run_at}`, with `display`.',
  })
  schedule: Record<string, unknown>;

  @StringField()
  schedule_display: string;

  @StringField()
  timezone: string;

  @BooleanField()
  enabled: boolean;

  @ChoiceField(JOB_STATES)
  state: string;

  @DateTimeField({ nullable: true })
  next_run_at: Date | null;

  @DateTimeField({ nullable: true })
  last_run_at: Date | null;

  @ChoiceField(JOB_STATUSES, { nullable: true, description: 'How its last run ended.' })
  last_status: string | null;

  @StringField({ nullable: true })
  last_error: string | null;

  @NestedField(() => RepeatResponse)
  repeat: RepeatResponse;

  @ChoiceField(MISFIRE_POLICIES)
  misfire_policy: string;

  @ChoiceField(NOTIFY_WAYS)
  notify: string;

  @NestedField(() => CapsResponse, { nullable: true, description: BUDGET })
  budget: CapsResponse | null;
  @ChoiceField(EXPIRY_POLICIES)
  on_expiry: string;

  @NestedField(() => JobExecutionResponse, { nullable: true })
  latest_execution: JobExecutionResponse | null;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  updated_at: Date;
}

export class JobListResponse {
  @ListField(() => JobResponse)
  jobs: JobResponse[];
}

export class JobActionResponse extends JobResponse {
  @NestedField(() => JobResponse, { description: 'The same job, as gateways answer.' })
  job: JobResponse;
}

export class DeletedJobResponse {
  @BooleanField()
  ok: boolean;
}

export class JobExecutionsQuery extends PageQuery {}

export class JobExecutionPage extends PageOf(JobExecutionResponse) {}

export function toJobInput(body: UpdateJobRequest | CreateJobRequest): JobInput {
  const { name, prompt, schedule, timezone, repeat, misfire_policy: misfirePolicy, notify } = body;
  const budget = body.budget && toCaps(body.budget);
  return { name, prompt, schedule, timezone, repeat, misfirePolicy, notify, budget, onExpiry: body.on_expiry };
}

export function toExecutionResponse(execution: ExecutionRecord): JobExecutionResponse {
  const { id, status, scheduledFor, startedAt, finishedAt, error, runId, source, late, missed } = execution;
  return {
    id,
    status,
    scheduled_for: scheduledFor,
    started_at: startedAt,
    finished_at: finishedAt,
    error,
    run_id: runId,
    source,
    late,
    missed,
  };
}

export function toJobResponse(job: JobRecord): JobResponse {
  const timing = {
    interval: { minutes: job.intervalMinutes },
    cron: { expr: job.cron },
    once: { run_at: job.runAt?.toISOString() ?? null },
  }[job.kind];
  return {
    id: job.id,
    name: job.name,
    prompt: job.prompt,
    schedule: { kind: job.kind, ...timing, display: job.display },
    schedule_display: job.display,
    timezone: job.timezone,
    enabled: job.enabled,
    state: job.state,
    next_run_at: job.requestedAt ?? job.nextRunAt,
    last_run_at: job.lastRunAt,
    last_status: job.lastStatus,
    last_error: job.lastError,
    repeat: { times: job.repeatTimes, completed: job.repeatCompleted },
    misfire_policy: job.misfirePolicy,
    notify: job.notify,
    budget: job.budget && toCapsResponse(job.budget),
    on_expiry: job.onExpiry,
    latest_execution: job.latest && toExecutionResponse(job.latest),
    created_at: job.createdAt,
    updated_at: job.updatedAt,
  };
}
