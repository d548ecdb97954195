import type { TurnQuestion, TurnView } from '@app/agents';
import {
  AnyField,
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

export class UsageResponse {
  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  prompt_tokens: number;

  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  completion_tokens: number;
}

/** What a waiting turn asks. */
export class TurnInputResponse {
  @StringField({ description: 'Names the question in `POST …/agent/chat/reply/`.' })
  request_id: string;

  @ChoiceField(['clarification', 'missing_param', 'approval'])
  kind: string;

  @StringField()
  message: string;

  @ListField(kinds.object(), { description: '`{value, label}`: the choices there are.' })
  options: { value: string; label: string }[];

  @ListField(kinds.object(), { description: '`{name, label, type, required}`: what is missing.' })
  fields: TurnQuestion['fields'];

  @ObjectField({ optional: true, description: '`{name, title, arguments}`: the call that is to be approved.' })
  tool?: TurnQuestion['tool'];

  @DateTimeField({ nullable: true, description: 'When the turn goes on without a reply.' })
  expires_at: string | null;
}

/** The shared agent reply (docs/contract/chats.md#the-shared-reply). */
export class AgentReplyResponse {
  @ChoiceField(['completed', 'queued', 'missing_param', 'clarification', 'interrupted'])
  status: string;

  @StringField({ description: 'Markdown; as far as it got.' })
  answer: string;

  @StringField({ description: 'The answer, the question of a waiting turn, or a word on the state.' })
  message: string;

  @UuidField()
  turn_id: string;

  @IntegerField({ description: 'Turns of the conversation that come first; 0 unless queued.' })
  queue_position: number;

  @IntegerField()
  chat_session_id: number;

  @StringField({ optional: true, description: 'The chart that the answer came with.' })
  mgid?: string;

  @StringField({ optional: true, description: 'The artifact that the answer came with.' })
  dashboard_id?: string;

  @ListField(kinds.string(), { description: 'Media paths of files that the turn made.' })
  generated_files_urls: string[];

  @ObjectField({
    optional: true,
    description: 'Of table-chat: `{table_id, change_id, count, undo, edits[]}`, as it was recorded.',
  })
  table_changes?: Record<string, unknown>;

  @ListField(kinds.any(), { description: 'What the answer rests on.' })
  sources: unknown[];

  @NestedField(() => UsageResponse, { nullable: true })
  usage: UsageResponse | null;

  @NestedField(() => TurnInputResponse, { nullable: true, description: 'What a waiting turn asks.' })
  input: TurnInputResponse | null;
}

/** @param view of a turn that did not fail; one that works on is shown as queued */
export function toAgentReply(view: TurnView): AgentReplyResponse {
  const { turnId, sessionId, answer, sources, extras, pending, usage } = view;
  const status = replyStatusOf(view);
  return {
    status,
    answer,
    message:
      pending?.message ?? (status === 'queued' ? 'The message waits until the turns before it are done.' : answer),
    turn_id: turnId,
    queue_position: view.queuePosition ?? 0,
    chat_session_id: sessionId,
    ...(extras?.mgid === undefined ? {} : { mgid: extras.mgid }),
    ...(extras?.dashboard_id === undefined ? {} : { dashboard_id: extras.dashboard_id }),
    generated_files_urls: extras?.generated_files_urls ?? [],
    ...(extras?.table_changes === undefined ? {} : { table_changes: extras.table_changes }),
    sources,
    usage: usage && { prompt_tokens: usage.promptTokens, completion_tokens: usage.completionTokens },
    input: pending,
  };
}

function replyStatusOf({ status, pending }: TurnView): AgentReplyResponse['status'] {
  if (pending) return pending.kind === 'missing_param' ? 'missing_param' : 'clarification';
  return status === 'completed' || status === 'interrupted' ? status : 'queued';
}

/** A turn whole, in whatever state (additive). */
export class TurnResponse {
  @UuidField()
  turn_id: string;

  @IntegerField()
  chat_session_id: number;

  @StringField()
  conversation_id: string;

  @StringField()
  kind: string;

  @ChoiceField(['queued', 'running', 'waiting_input', 'completed', 'failed', 'interrupted'])
  status: string;

  @StringField()
  question: string;

  @StringField({ description: 'As far as it got.' })
  answer: string;

  @ListField(kinds.any())
  sources: unknown[];

  @StringField({ nullable: true })
  mgid: string | null;

  @StringField({ nullable: true })
  dashboard_id: string | null;

  @ListField(kinds.string())
  generated_files_urls: string[];

  @StringField({ description: 'Empty until it is known.' })
  model: string;

  @NestedField(() => UsageResponse, { nullable: true })
  usage: UsageResponse | null;

  @AnyField({ nullable: true, description: '`{code, detail}` of a failed turn.' })
  error: { code: string; detail: string } | null;

  @NestedField(() => TurnInputResponse, { nullable: true, description: 'What it waits to be told.' })
  input: TurnInputResponse | null;

  @IntegerField({ nullable: true, description: 'Turns that come first; null unless queued.' })
  queue_position: number | null;

  @UuidField({ nullable: true, description: 'The turn that it was asked for instead of.' })
  replaces: string | null;

  @DateTimeField()
  created_at: Date;

  @DateTimeField({ nullable: true })
  started_at: Date | null;

  @DateTimeField({ nullable: true })
  finished_at: Date | null;
}

export function toTurnResponse(view: TurnView): TurnResponse {
  const { usage, extras } = view;
  return {
    turn_id: view.turnId,
    chat_session_id: view.sessionId,
    conversation_id: view.conversationId,
    kind: view.kind,
    status: view.status,
    question: view.question,
    answer: view.answer,
    sources: view.sources,
    mgid: extras?.mgid ?? null,
    dashboard_id: extras?.dashboard_id ?? null,
    generated_files_urls: extras?.generated_files_urls ?? [],
    model: view.model,
    usage: usage && { prompt_tokens: usage.promptTokens, completion_tokens: usage.completionTokens },
    error: view.error,
    input: view.pending,
    queue_position: view.queuePosition,
    replaces: view.replaces,
    created_at: view.createdAt,
    started_at: view.startedAt,
    finished_at: view.finishedAt,
  };
}
