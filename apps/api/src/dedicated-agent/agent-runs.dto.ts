import { InvalidRequestError, ValidationError } from '@app/common';
import { AGENT_RUN_STATUSES } from '@app/entities';
import {
  type AgentRunRecord,
  type AgentRunStatus,
  EXPIRY_POLICIES,
  type ExpiryPolicy,
  type PendingApproval,
} from '@app/dedicated-agent';
import {
  AnyField,
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  NestedField,
  ObjectField,
  StringField,
  UuidField,
} from '../http/fields.js';
import { PageOf, PageQuery } from '../http/pagination.js';

const MAX_INPUT = 100_000;
const MAX_INSTRUCTIONS = 20_000;
const ORIGINS = ['api', 'chat', 'job'] as const;
export const APPROVAL_CHOICES = ['once', 'session', 'always', 'deny'] as const;
export type ApprovalChoiceName = (typeof APPROVAL_CHOICES)[number];

export class CreateAgentRunRequest {
  // Missing and blank input has an error code of its own, so it is judged by the handler.
  @AnyField({ optional: true, nullable: true, description: `The task: 1 to ${MAX_INPUT} characters.` })
  input?: unknown;

  @StringField({ optional: true, nullable: true, maxLength: MAX_INSTRUCTIONS })
  instructions?: string | null;

  @StringField({ optional: true, nullable: true, maxLength: 200, description: 'The agent’s own when absent.' })
  model?: string | null;

  @ListField(kinds.uuid(), { optional: true, nullable: true, maxItems: 10 })
  file_uids?: string[] | null;

  @ChoiceField(EXPIRY_POLICIES, {
    optional: true,
    nullable: true,
    description:
      'Where nobody answers in time what it asks to be allowed: it goes on without (`deny`, unless told), or ends.',
  })
  on_expiry?: ExpiryPolicy | null;
}

export class AgentRunsQuery extends PageQuery {
  @ChoiceField(AGENT_RUN_STATUSES, { optional: true })
  status?: AgentRunStatus;

  @ChoiceField(ORIGINS, { optional: true })
  origin?: (typeof ORIGINS)[number];
}

export class AgentRunActionRequest {
  // An unknown choice has an error code of its own, so it is judged by the handler.
  @AnyField({ optional: true, nullable: true, description: 'Of `approval`: `once`, `session`, `always` or `deny`.' })
  choice?: unknown;

  @StringField({
    optional: true,
    nullable: true,
    maxLength: 200,
    description: 'Of `approval`; the oldest when absent.',
  })
  request_id?: string | null;

  @BooleanField({ optional: true, nullable: true, description: 'Of `approval`: every question that waits.' })
  all?: boolean | null;

  @AnyField({ optional: true, nullable: true, description: 'Of `steer`: 1 to 100,000 characters.' })
  message?: unknown;
}

export class AgentApprovalResponse {
  @StringField()
  request_id: string;

  @StringField()
  command: string;

  @StringField()
  description: string;

  @ListField(kinds.string())
  choices: string[];

  @BooleanField()
  allow_permanent: boolean;

  @DateTimeField({ nullable: true })
  expires_at: string | null;
}

export class AgentRunErrorResponse {
  @StringField()
  code: string;

  @StringField()
  detail: string;
}

export class AgentRunResponse {
  @UuidField()
  id: string;

  @UuidField()
  run_id: string;

  @ChoiceField(AGENT_RUN_STATUSES)
  status: AgentRunStatus;

  @StringField()
  input: string;

  @StringField()
  instructions: string;

  @StringField()
  model: string;

  @StringField({ nullable: true })
  output: string | null;

  @DateTimeField()
  created_at: Date;

  @DateTimeField()
  updated_at: Date;

  @DateTimeField({ nullable: true })
  finished_at: Date | null;

  @ChoiceField(ORIGINS)
  origin: (typeof ORIGINS)[number];

  @UuidField({ nullable: true })
  job_id: string | null;

  @IntegerField({ nullable: true })
  chat_session_id: number | null;

  @ObjectField({
    values: kinds.integer(),
    nullable: true,
    description: '`{input_tokens, output_tokens, total_tokens}`',
  })
  usage: Record<string, number> | null;

  @NestedField(() => AgentRunErrorResponse, { nullable: true })
  error: AgentRunErrorResponse | null;

  @ListField(() => AgentApprovalResponse, { description: 'Questions that wait for an answer, the oldest first.' })
  pending_approvals: AgentApprovalResponse[];

  @ChoiceField(EXPIRY_POLICIES)
  on_expiry: ExpiryPolicy;
}

export class AgentRunPage extends PageOf(AgentRunResponse) {}

export class AgentRunActionResponse {
  @UuidField()
  run_id: string;

  @ChoiceField(['stopping'], { optional: true })
  status?: 'stopping';

  @ChoiceField(APPROVAL_CHOICES, { optional: true })
  choice?: ApprovalChoiceName;

  @IntegerField({ optional: true, description: 'How many questions were answered.' })
  resolved?: number;

  @BooleanField({ optional: true })
  accepted?: boolean;
}

export function toAgentRunResponse(run: AgentRunRecord): AgentRunResponse {
  const { id, status, input, instructions, model, output, origin, jobId, sessionId, usage, error, pending } = run;
  return {
    id,
    run_id: id,
    status,
    input,
    instructions,
    model,
    output,
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    finished_at: run.finishedAt,
    origin,
    job_id: jobId,
    chat_session_id: sessionId,
    usage,
    error,
    pending_approvals: pending.filter(({ taken_at: at }) => !at).map(toPendingResponse),
    on_expiry: run.onExpiry,
  };
}

function toPendingResponse(pending: PendingApproval): AgentApprovalResponse {
  const { request_id, command, description, choices, allow_permanent, expires_at } = pending;
  return { request_id, command, description, choices, allow_permanent, expires_at };
}

/** @throws InvalidRequestError with the code, ValidationError */
export function textOf(value: unknown, field: string, code: string): string {
  if (value === undefined || value === null || (typeof value === 'string' && value.trim() === ''))
    throw new InvalidRequestError(`${field} is required.`, { code });
  if (typeof value !== 'string') throw new ValidationError({ [field]: ['Not a valid string.'] });
  if (value.length > MAX_INPUT)
    throw new ValidationError({ [field]: [`Ensure this field has no more than ${MAX_INPUT} characters.`] });
  // Postgres cannot keep it.
  const text = value.replaceAll('\0', '').toWellFormed().trim();
  if (text === '') throw new InvalidRequestError(`${field} is required.`, { code });
  return text;
}

/** @throws InvalidRequestError `invalid_approval_choice` */
export function choiceOf(value: unknown): ApprovalChoiceName {
  const choice = APPROVAL_CHOICES.find((one) => one === value);
  if (choice) return choice;
  throw new InvalidRequestError(`choice must be one of ${APPROVAL_CHOICES.join(', ')}.`, {
    code: 'invalid_approval_choice',
  });
}
