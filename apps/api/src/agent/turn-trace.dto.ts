import type { KeptText, ModelContent, TraceEntry, TracedMessage, TurnTrace } from '@app/agents';
import {
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
import { PageOf } from '../http/pagination.js';

type CallRequest = ModelContent['answer']['calls'][number];

export class TraceTextResponse {
  @StringField({ description: 'Shorter than `characters` where it was cut.' })
  text: string;

  @IntegerField()
  characters: number;
}

export class TraceCallRequestResponse {
  @StringField()
  id: string;

  @StringField()
  tool: string;

  @NestedField(() => TraceTextResponse, { description: 'JSON.' })
  arguments: TraceTextResponse;
}

export class TraceMessageResponse {
  @ChoiceField(['user', 'assistant', 'tool'])
  role: string;

  @NestedField(() => TraceTextResponse)
  content: TraceTextResponse;

  @ListField(() => TraceCallRequestResponse, { description: 'Of an assistant: the tools it asked for.' })
  tool_calls: TraceCallRequestResponse[];

  @StringField({ nullable: true, description: 'Of a tool: the id of the call that it answers.' })
  tool_call_id: string | null;

  @BooleanField()
  is_error: boolean;

  @ListField(kinds.object(), { description: '`{media_type, bytes}`: pictures that came with it.' })
  images: { media_type: string; bytes: number }[];
}

export class TraceContinuesResponse {
  @UuidField({ description: 'An entry before.' })
  entry_id: string;

  @IntegerField({ description: 'How many of the messages sent there come first.' })
  messages: number;
}

export class TracePromptResponse {
  @NestedField(() => TraceContinuesResponse, {
    nullable: true,
    description: 'The prompt begins with the messages of another one, which are not told again.',
  })
  continues: TraceContinuesResponse | null;

  @NestedField(() => TraceTextResponse, { nullable: true, description: 'Null: that of `continues`.' })
  system: TraceTextResponse | null;

  @ListField(kinds.string(), { nullable: true, description: 'Names. Null: those of `continues`.' })
  tools: string[] | null;

  @ListField(() => TraceMessageResponse, { description: 'After those of `continues`.' })
  messages: TraceMessageResponse[];
}

export class TraceAnswerResponse {
  @NestedField(() => TraceTextResponse)
  text: TraceTextResponse;

  @NestedField(() => TraceTextResponse)
  reasoning: TraceTextResponse;

  @ListField(() => TraceCallRequestResponse)
  tool_calls: TraceCallRequestResponse[];

  @StringField({ nullable: true, description: '`stop`, `tool_calls`, `length`, `content_filter`; null: it broke off.' })
  finish_reason: string | null;
}

export class TraceUsageResponse {
  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  prompt_tokens: number;

  @IntegerField({ max: Number.MAX_SAFE_INTEGER })
  completion_tokens: number;

  @IntegerField({ max: Number.MAX_SAFE_INTEGER, description: 'Of the prompt, read from the cache of the endpoint.' })
  cached_tokens: number;

  @IntegerField({ max: Number.MAX_SAFE_INTEGER, description: 'Of the prompt, written to the cache of the endpoint.' })
  cache_write_tokens: number;

  @NumberField({ nullable: true, description: 'Null: the model has no price.' })
  cost: number | null;
}

export class TraceModelCallResponse extends TraceUsageResponse {
  @StringField({ description: '`agent`, `chat`; of helpers `query`, `summary`, `title`, `memory`.' })
  purpose: string;

  @StringField({ description: 'Who answered.' })
  model: string;

  @StringField({ nullable: true, description: 'Who was to answer: another one where `model` stood in.' })
  asked_model: string | null;

  @UuidField({ nullable: true, description: 'The same for all tries of one call.' })
  call_id: string | null;

  @IntegerField({ nullable: true, description: 'From 1.' })
  attempt: number | null;

  @IntegerField({ nullable: true, description: 'Null: nothing came, or it came at once.' })
  first_token_ms: number | null;

  @IntegerField()
  duration_ms: number;

  @ChoiceField(['completed', 'failed', 'aborted', 'timeout'])
  outcome: string;

  @StringField({ nullable: true })
  error_code: string | null;

  @BooleanField({ description: 'The tokens are reckoned from the length of the texts.' })
  is_estimate: boolean;

  @NestedField(() => TracePromptResponse, { nullable: true, description: 'Null: it is kept no longer.' })
  prompt: TracePromptResponse | null;

  @NestedField(() => TraceAnswerResponse, { nullable: true, description: 'Null: it is kept no longer.' })
  answer: TraceAnswerResponse | null;
}

export class TraceToolCallResponse {
  @StringField({ description: 'The step and the place in it, as `stage:tool_started` has it.' })
  step_id: string;

  @StringField({ description: 'As the model names the call.' })
  tool_call_id: string;

  @StringField()
  tool: string;

  @NestedField(() => TraceTextResponse, { description: 'JSON.' })
  arguments: TraceTextResponse;

  @NestedField(() => TraceTextResponse, { nullable: true, description: 'As the model read it.' })
  result: TraceTextResponse | null;

  @ChoiceField(['completed', 'failed', 'refused', 'waiting'], {
    description: '`refused`: it was not carried out. `waiting`: for a person, or for the calls before it.',
  })
  outcome: string;

  @IntegerField({ nullable: true })
  duration_ms: number | null;
}

export class TraceEntryResponse {
  @UuidField()
  id: string;

  @ChoiceField(['model_call', 'tool_call'])
  type: string;

  @DateTimeField()
  began_at: Date;

  @NestedField(() => TraceModelCallResponse, { nullable: true })
  model_call: TraceModelCallResponse | null;

  @NestedField(() => TraceToolCallResponse, { nullable: true })
  tool_call: TraceToolCallResponse | null;
}

export class TraceTotalsResponse extends TraceUsageResponse {
  @IntegerField({ description: 'To endpoints of models; one that was tried again counts each time.' })
  requests: number;

  @IntegerField({ description: 'Requests without a price: `cost` is a floor.' })
  unpriced_requests: number;

  @StringField({ nullable: true })
  currency: string | null;
}

export class TurnTracePage extends PageOf(TraceEntryResponse) {
  @UuidField()
  turn_id: string;

  @ChoiceField(['queued', 'running', 'waiting_input', 'completed', 'failed', 'interrupted'])
  status: string;

  @NestedField(() => TraceTotalsResponse, { description: 'Of the whole turn, as the ledger has it.' })
  totals: TraceTotalsResponse;
}

export function toTotalsResponse({ totals, currency }: TurnTrace): TraceTotalsResponse {
  return {
    requests: totals.requests,
    prompt_tokens: totals.promptTokens,
    completion_tokens: totals.completionTokens,
    cached_tokens: totals.cachedTokens,
    cache_write_tokens: totals.cacheWriteTokens,
    cost: totals.cost,
    unpriced_requests: totals.unpriced,
    currency,
  };
}

export function toEntryResponse(entry: TraceEntry): TraceEntryResponse {
  const { id, type, beganAt } = entry;
  const own = { id, type, began_at: beganAt, model_call: null, tool_call: null };
  return entry.type === 'model_call'
    ? { ...own, model_call: toModelCall(entry) }
    : { ...own, tool_call: toToolCall(entry) };
}

function toModelCall({ used, content }: Extract<TraceEntry, { type: 'model_call' }>): TraceModelCallResponse {
  return {
    purpose: used.purpose,
    model: used.model,
    asked_model: content?.asked ?? null,
    call_id: content?.callId ?? null,
    attempt: content?.attempt ?? null,
    prompt_tokens: used.promptTokens,
    completion_tokens: used.completionTokens,
    cached_tokens: used.cachedTokens,
    cache_write_tokens: used.cacheWriteTokens,
    cost: used.cost,
    is_estimate: used.isEstimate,
    first_token_ms: content?.firstTokenMs ?? null,
    duration_ms: used.durationMs,
    outcome: used.outcome,
    error_code: used.errorCode,
    prompt: content && toPrompt(content.prompt),
    answer: content && {
      text: toText(content.answer.text),
      reasoning: toText(content.answer.reasoning),
      tool_calls: content.answer.calls.map(toCallRequest),
      finish_reason: content.reason,
    },
  };
}

function toToolCall({ content }: Extract<TraceEntry, { type: 'tool_call' }>): TraceToolCallResponse {
  const { place, callId, tool, result, outcome, durationMs } = content;
  return {
    step_id: place,
    tool_call_id: callId,
    tool,
    arguments: toText(content.arguments),
    result: result && toText(result),
    outcome,
    duration_ms: durationMs,
  };
}

function toPrompt({ after, system, tools, messages }: ModelContent['prompt']): TracePromptResponse {
  return {
    continues: after && { entry_id: after.entryId, messages: after.messages },
    system: system && toText(system),
    tools,
    messages: messages.map(toMessage),
  };
}

function toMessage({ role, content, calls = [], callId, isError, images = [] }: TracedMessage): TraceMessageResponse {
  return {
    role,
    content: toText(content),
    tool_calls: calls.map(toCallRequest),
    tool_call_id: callId ?? null,
    is_error: isError ?? false,
    images: images.map(({ mediaType, bytes }) => ({ media_type: mediaType, bytes })),
  };
}

function toCallRequest({ id, name, arguments: given }: CallRequest): TraceCallRequestResponse {
  return { id, tool: name, arguments: toText(given) };
}

const toText = ({ text, characters }: KeptText): TraceTextResponse => ({ text, characters });
