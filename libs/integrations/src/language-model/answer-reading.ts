import { InvalidResponseDataError, type JSONObject } from '@ai-sdk/provider';
import { StreamingToolCallTracker } from '@ai-sdk/provider-utils';
import { z } from 'zod';
import { EndpointFault, brokenOff, toStreamedFault } from './endpoint-fault.js';
import { GivenBack } from './given-back.js';
import { isObject } from './is-object.js';
import type { StepEnd, StepPart, TokenUsage, ToolCall } from './language-model.port.js';
import { toProviderData } from './provider-data.js';
import { TextCallSplitter } from './text-calls.js';
import { ThinkSplitter } from './think-splitter.js';
import { toTokenUsage } from './token-usage.js';
import type { ToolCallReading } from './tool-call-reading.js';

/** Half a million tokens: more than any model writes at once. */
const MAX_ANSWER_CHARACTERS = 2_000_000;
/** Of those that have no name; each is told to the model. */
const MAX_NAMELESS = 32;

const text = z.string().nullable().exactOptional();
/** Some endpoints count their calls, or leave arguments as the object, or whatever else it is, that the model wrote. */
const word = z
  .union([z.string(), z.number().transform(String)])
  .nullable()
  .exactOptional();
const written = z
  .union([z.string(), z.null(), z.unknown().transform((value) => JSON.stringify(value))])
  .exactOptional();
const calledFunction = z.object({ name: word, arguments: written });
const toolCallDeltas = z.array(
  z.object({
    index: z.number().nullable().exactOptional(),
    id: word,
    type: text,
    function: calledFunction.nullable().exactOptional(),
    extra_content: z.record(z.string(), z.unknown()).nullable().exactOptional().catch(null),
  }),
);
type ToolCallDelta = z.infer<typeof toolCallDeltas>[number];
type Json = Record<string, unknown>;
type Member = 'delta' | 'message';

/**
 * Reads the events of one streamed answer: OpenAI's chat completion chunks, and what other endpoints make of them
 * (`reasoning`, contents in parts, calls whose name comes late or never, that stand in the text or in the `function_call`
 * of before, all of it as one message). Text is checked by hand, since it comes with every token.
 */
export class AnswerReading {
  /** Of output, until now. */
  characters = 0;
  /** As the endpoint has it. */
  private reason: string | null = null;
  private hasRefused = false;
  private usage: TokenUsage | null = null;
  private readonly unnamed = new Map<number, ToolCallDelta>();
  private readonly named = new Set<number>();
  /** The arguments of calls that can be told apart from others by nothing. */
  private readonly nameless: string[] = [];
  private functionCall: { name: string; arguments: string } | null = null;
  private readonly calls: StepPart[] = [];
  private readonly textCalls: TextCallSplitter | null;
  private readonly thoughts: ThinkSplitter;
  private readonly givenBack = new GivenBack();
  private readonly tracker = new StreamingToolCallTracker<ToolCallDelta>(
    {
      enqueue: (part) => {
        if (part?.type !== 'tool-call') return;
        const call = this.toolCalls.read(part.toolCallId, part.toolName, part.input);
        const providerData = toProviderData(this.madeBy, part.providerMetadata ?? {});
        this.add({ ...call, ...(providerData && { providerData }) });
      },
    },
    {
      extractMetadata: ({ extra_content: extra }) => (extra ? { extra_content: extra as JSONObject } : undefined),
      buildToolCallProviderMetadata: (metadata) => metadata,
    },
  );

  /**
   * @param madeBy the mark of what is to be given back
   * @param isOpened whether the answer may begin within a thought
   */
  constructor(
    private readonly toolCalls: ToolCallReading,
    private readonly model: string,
    private readonly madeBy = '',
    isOpened = false,
  ) {
    this.thoughts = new ThinkSplitter(isOpened);
    this.textCalls = toolCalls.offersTools ? new TextCallSplitter((call) => toolCalls.isQuoted(call)) : null;
  }

  /** Whether the answer began within a thought; null where it does not tell. */
  get isUnopened(): boolean | null {
    return this.thoughts.isUnopened;
  }

  /** @throws EndpointFault for an event that tells of an error, is none of the protocol, or one too many */
  read(data: string): StepPart[] {
    return this.readChunk(parseObject(data), 'delta');
  }

  /** The whole answer of one request that was not streamed. */
  readWhole(answer: Json): StepPart[] {
    this.reason = 'stop';
    return this.readChunk(answer, 'message');
  }

  private readChunk(chunk: Json, member: Member): StepPart[] {
    // As vLLM told of it for long.
    if (chunk.object === 'error') throw toStreamedFault(chunk);
    if (chunk.error) throw toStreamedFault(isObject(chunk.error) ? chunk.error : { message: chunk.error });
    if (!Array.isArray(chunk.choices) && (member === 'message' || !isBesideTheAnswer(chunk)))
      throw unreadable('no choices');
    const { usage } = chunk;
    if (isObject(usage)) {
      const { prompt_tokens_details: details } = usage;
      const known = isObject(details) ? details : {};
      this.usage = toTokenUsage(usage.prompt_tokens, usage.completion_tokens, {
        cached: known.cached_tokens ?? usage.prompt_cache_hit_tokens,
        written: known.cache_write_tokens,
      });
    }
    const [choice] = Array.isArray(chunk.choices) ? (chunk.choices as unknown[]) : [];
    if (!isObject(choice)) return [];
    if (typeof choice.finish_reason === 'string') this.reason = choice.finish_reason;
    // A server that does not stream answers with the whole message.
    const delta = choice[member] ?? choice.message;
    const parts = isObject(delta) ? this.readDelta(delta) : [];
    if (this.characters > MAX_ANSWER_CHARACTERS)
      throw new EndpointFault('The answer of the model is too long.', { isOfEndpoint: false });
    return parts;
  }

  /** The calls of tools, which are whole now. @throws EndpointFault where the answer has broken off */
  end(): { calls: StepPart[]; end: StepEnd } {
    if (this.reason === null) throw brokenOff();
    this.tracker.flush();
    this.addNameless();
    const { functionCall } = this;
    // Some tell the same call under both names.
    if (this.calls.length === 0 && functionCall)
      this.add(this.toolCalls.read('', functionCall.name, functionCall.arguments));
    const rest = this.thoughts.end().flatMap((part) => this.shown(part));
    const told = this.endText();
    const providerData = toProviderData(this.madeBy, this.givenBack.members());
    const { usage, model } = this;
    const end = { reason: this.toReason(this.reason), usage, model, ...(providerData && { providerData }) };
    return { calls: [...rest, ...told, ...this.calls], end };
  }

  private add(call: ToolCall): void {
    this.calls.push({ type: 'tool_call', call });
  }

  /** The model is told of them; but what has neither name nor arguments is no call beside others that have. */
  private addNameless(): void {
    for (const delta of this.unnamed.values()) this.noteNameless(delta);
    const [first] = this.nameless;
    const written = this.nameless.filter((given) => given.trim() !== '');
    const isAlone = this.calls.length === 0 && written.length === 0 && first !== undefined;
    for (const given of isAlone ? [first] : written) this.add(this.toolCalls.read('', '', given));
  }

  /** What of the text is told: a call that stands in it is none of it. */
  private shown(part: StepPart): StepPart[] {
    if (part.type !== 'text' || this.textCalls === null) return [part];
    const text = this.textCalls.push(part.text);
    return text === '' ? [] : [{ type: 'text', text }];
  }

  /** Calls of the text count where the server knows of none, as those of a server that had read them itself. */
  private endText(): StepPart[] {
    if (this.textCalls === null) return [];
    const { text, calls, objects } = this.textCalls.end(this.reason === 'length');
    const read = calls.map((one) => this.toolCalls.readText(one));
    const alone = objects?.calls.map((one) => this.toolCalls.readText(one)) ?? [];
    const areCalls = alone.length > 0 && alone.every(({ problem }) => problem === undefined);
    if (this.calls.length === 0) for (const call of areCalls ? alone : read) this.add(call);
    const told = areCalls ? text : text + (objects?.text ?? '');
    return told === '' ? [] : [{ type: 'text', text: told }];
  }

  private readDelta(delta: Json): StepPart[] {
    const parts: StepPart[] = [];
    const { thoughts } = this;
    const add = (type: 'text' | 'reasoning', written: unknown) => {
      if (typeof written !== 'string' || written === '') return;
      this.characters += written.length;
      if (type === 'reasoning') parts.push({ type, text: written });
      else if (thoughts.isPassing) parts.push(...this.shown({ type, text: written }));
      else for (const part of thoughts.push(written)) parts.push(...this.shown(part));
    };
    add('reasoning', this.givenBack.read(delta));
    for (const part of toList(delta.content)) {
      if (!isObject(part)) add('text', part);
      else if (part.type === 'text') add('text', part.text);
      else if (part.type === 'thinking')
        for (const thought of toList(part.thinking)) add('reasoning', isObject(thought) && thought.text);
    }
    if (typeof delta.refusal === 'string' && delta.refusal !== '') this.hasRefused = true;
    add('text', delta.refusal);
    if (delta.tool_calls) this.readCalls(delta.tool_calls);
    if (delta.function_call) this.readFunctionCall(delta.function_call);
    return parts;
  }

  /** As calls were told before there could be several of them. */
  private readFunctionCall(delta: unknown): void {
    const read = calledFunction.safeParse(delta);
    if (!read.success) throw unreadable('a call of another kind');
    const { name, arguments: given } = read.data;
    const begun = this.functionCall ?? { name: '', arguments: '' };
    this.characters += given?.length ?? 0;
    this.functionCall = { name: begun.name || (name ?? ''), arguments: begun.arguments + (given ?? '') };
  }

  private readCalls(deltas: unknown): void {
    const read = toolCallDeltas.safeParse(deltas);
    if (!read.success) throw unreadable('calls of another kind');
    for (const delta of read.data) {
      this.characters += delta.function?.arguments?.length ?? 0;
      const whole = this.withName(delta);
      if (whole) this.track(whole);
    }
  }

  private track(delta: ToolCallDelta): void {
    try {
      this.tracker.processDelta(delta);
    } catch (error) {
      // The only thing that it wants of a call.
      if (!(error instanceof InvalidResponseDataError)) throw error;
      this.noteNameless(delta);
    }
  }

  private noteNameless({ function: begun }: ToolCallDelta): void {
    if (this.nameless.length < MAX_NAMELESS) this.nameless.push(begun?.arguments ?? '');
  }

  /** Some endpoints tell the name of a call after they have begun with it, and until then an empty one. */
  private withName(delta: ToolCallDelta): ToolCallDelta | null {
    const { index } = delta;
    const name = delta.function?.name?.trim() || null;
    const told = delta.function ? { ...delta, function: { ...delta.function, name } } : delta;
    if (index === null || index === undefined || this.named.has(index)) return told;
    const begun = this.unnamed.get(index);
    const written = (begun?.function?.arguments ?? '') + (delta.function?.arguments ?? '');
    const extra_content = delta.extra_content ?? begun?.extra_content ?? null;
    const whole = {
      index,
      extra_content,
      id: begun?.id ?? delta.id ?? null,
      function: { name, arguments: written },
    };
    if (name === null) {
      this.unnamed.set(index, whole);
      return null;
    }
    this.unnamed.delete(index);
    this.named.add(index);
    return whole;
  }

  private toReason(reason: string): StepEnd['reason'] {
    if (reason === 'stop') return this.hasRefused ? 'content_filter' : 'stop';
    if (reason === 'length' || reason === 'content_filter' || reason === 'tool_calls') return reason;
    return reason === 'function_call' ? 'tool_calls' : 'other';
  }
}

function parseObject(data: string): Json {
  try {
    const value: unknown = JSON.parse(data);
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw unreadable('no JSON object');
}

/** Chunks that come without choices, such as counts, and pings of the connection. */
function isBesideTheAnswer({ choices, usage, type, object }: Json): boolean {
  return choices === null || isObject(usage) || type === 'ping' || object === 'chat.completion.chunk';
}

function unreadable(what: string): EndpointFault {
  return new EndpointFault(`The answer of the endpoint could not be read (${what}).`, { isPassing: true });
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}
