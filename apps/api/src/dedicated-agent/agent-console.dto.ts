import type { ActivityEntry } from '@app/dedicated-agent';
import type { ChatMessage } from '@app/agents';
import { InvalidRequestError, isUuid } from '@app/common';
import {
  AnyField,
  BooleanField,
  ChoiceField,
  DateTimeField,
  IntegerField,
  kinds,
  ListField,
  NestedField,
  NumberField,
  StringField,
  UuidField,
} from '../http/fields.js';

const MAX_FILES = 10;
const ORIGINS = ['api', 'chat', 'job'] as const;

export class ConsoleCallRequest {
  // Missing and blank messages have an error code of their own, so they are judged by the handler.
  @AnyField({ optional: true, nullable: true, description: 'What is said: 1 to 100,000 characters.' })
  message?: unknown;

  @ListField(kinds.object(), {
    optional: true,
    nullable: true,
    maxItems: MAX_FILES,
    description: '`{uid}` of documents, tables and files that the caller may read.',
  })
  attached_files?: Record<string, unknown>[] | null;
}

export class ConsoleStreamRequest extends ConsoleCallRequest {
  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    description: 'A session of the kind `dedicated-agent`; a new one when absent.',
  })
  chat_session_id?: number | null;
}

export class ConsoleWaitQuery {
  @IntegerField({ min: 1, max: 300, default: 300, description: 'Seconds to wait for the answer.' })
  timeout: number;
}

export class ConsoleStartedResponse {
  @ChoiceField(['started'])
  status: 'started';

  @IntegerField()
  chat_session_id: number;

  @StringField({ nullable: true, description: 'What the conversation is called.' })
  session_id: string | null;

  @UuidField({ description: 'Names its frames on the socket, and the run under `runs/`.' })
  run_id: string;

  @UuidField({ description: 'Of the socket.' })
  agent_id: string;
}

export class ConsoleAnswerResponse {
  @StringField()
  answer: string;

  @StringField({ nullable: true, description: 'What the conversation is called.' })
  session_id: string | null;

  @ListField(kinds.string())
  generated_files_urls: string[];

  @UuidField()
  run_id: string;

  @IntegerField()
  chat_session_id: number;
}

export class ConsoleMessagesQuery {
  @IntegerField({ min: 1, max: 500, default: 100 })
  limit: number;
}

/** What the agent told by itself: how a job ended, or why it did not run. */
export class ConsoleJobResponse {
  @UuidField()
  id: string;

  @StringField({ description: 'As it was called then.' })
  name: string;

  @ChoiceField(['ok', 'error', 'blocked_config', 'skipped'])
  status: string;

  @UuidField({ nullable: true, description: 'Null where it did not run.' })
  run_id: string | null;
}

export class ConsoleMessageResponse {
  @IntegerField({ description: 'Rises with time, over all conversations.' })
  id: number;

  @ChoiceField(['user', 'assistant'])
  role: 'user' | 'assistant';

  @StringField({ description: 'Of an answer that is being written, as far as it got.' })
  message: string;

  @StringField({ description: 'Of the turn, for an answer.' })
  status: string;

  @IntegerField()
  chat_session_id: number;

  @UuidField()
  turn_id: string;

  @ListField(kinds.string())
  generated_files_urls: string[];

  @NestedField(() => ConsoleJobResponse, {
    nullable: true,
    description: 'The job that it tells of; null of a conversation.',
  })
  job: ConsoleJobResponse | null;

  @DateTimeField()
  created_at: Date;
}

export class ConsoleMessagesResponse {
  @UuidField()
  agent_id: string;

  @ListField(() => ConsoleMessageResponse, { description: 'Oldest first: the last ones of all conversations.' })
  messages: ConsoleMessageResponse[];
}

export class ActivityQuery {
  @IntegerField({ min: 1, max: 200, default: 50 })
  limit: number;
}

export class ActivityEntryResponse {
  @StringField({ description: 'The tool that was called, or what happened, such as `run.started`.' })
  tool_name: string;

  @BooleanField()
  success: boolean;

  @IntegerField()
  duration_ms: number;

  @DateTimeField()
  ts: Date;

  @UuidField({ nullable: true })
  run_id: string | null;

  @ChoiceField(ORIGINS, { nullable: true, description: 'Who asked for the run.' })
  origin: (typeof ORIGINS)[number] | null;
}

export class SpendResponse {
  @NumberField({ description: 'Of the models, since the first of the month.' })
  spend: number;

  @NumberField({ nullable: true })
  soft_budget: number | null;
}

export class ActivityResponse {
  @UuidField()
  agent_id: string;

  @ChoiceField(['provisioning', 'running', 'paused', 'stopped'])
  status: 'provisioning' | 'running' | 'paused' | 'stopped';

  @ListField(() => ActivityEntryResponse, { description: 'Newest first.' })
  activity: ActivityEntryResponse[];

  @NestedField(() => SpendResponse, { nullable: true, description: 'Null where use is not written down.' })
  spend: SpendResponse | null;
}

/** @throws InvalidRequestError `invalid_attachment` */
export function fileUidsOf(files: readonly Record<string, unknown>[] | null | undefined): string[] {
  return (files ?? []).map(({ uid }) => {
    if (isUuid(uid)) return uid;
    throw new InvalidRequestError('Each attached file needs a uid.', { code: 'invalid_attachment' });
  });
}

/** An answer of which nothing is told yet is no message. */
const isTold = ({ role, text, status }: ChatMessage): boolean =>
  role === 'user' || text !== '' || !['queued', 'running', 'waiting_input'].includes(status);

export function toConsoleMessages(
  messages: readonly (ChatMessage & { sessionId: number })[],
): ConsoleMessageResponse[] {
  return messages.filter(isTold).map((message) => ({
    id: message.id,
    role: message.role,
    message: message.text,
    status: message.status,
    chat_session_id: message.sessionId,
    turn_id: message.turnId,
    generated_files_urls: message.extras.generated_files_urls ?? [],
    job: message.job,
    created_at: message.createdAt,
  }));
}

export function toActivityEntry({
  name,
  success,
  durationMs,
  at,
  runId,
  origin,
}: ActivityEntry): ActivityEntryResponse {
  return { tool_name: name, success, duration_ms: durationMs, ts: at, run_id: runId, origin };
}
