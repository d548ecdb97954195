import type { LanguageModelV4Content, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import { EndpointFault, brokenOff, toStreamedFault } from './endpoint-fault.js';
import { isObject } from './is-object.js';
import type { ProviderData, StepEnd, StepPart } from './language-model.port.js';
import { toProviderData } from './provider-data.js';
import { toTokenUsage } from './token-usage.js';
import type { ToolCallReading } from './tool-call-reading.js';

type Meta = Record<string, Record<string, unknown>>;

/** A part of an answer as its provider wants it back; texts are those of the message, in the same order. */
export type KeptPart =
  | { type: 'reasoning'; text: string; meta?: Meta }
  | { type: 'text'; length: number; meta?: Meta }
  | { type: 'call' };

const MAX_ANSWER_CHARACTERS = 2_000_000;

/** Reads an answer of one of the AI SDK's providers, part by part, and keeps what has to go back as it came. */
export class NativeReading {
  /** Of output, until now. */
  characters = 0;
  private readonly kept: KeptPart[] = [];
  private readonly open = new Map<string, KeptPart>();
  private readonly calls: StepPart[] = [];
  private end_: StepEnd | null = null;

  constructor(
    private readonly toolCalls: ToolCallReading,
    private readonly model: string,
    private readonly madeBy: string,
  ) {}

  /** @throws EndpointFault for a part that tells of an error, or one too many */
  read(part: LanguageModelV4StreamPart): StepPart[] {
    switch (part.type) {
      case 'reasoning-start':
      case 'text-start':
        this.begin(part.type === 'text-start' ? 'text' : 'reasoning', part.id, part.providerMetadata);
        return [];
      case 'reasoning-delta':
      case 'text-delta': {
        const type = part.type === 'text-delta' ? 'text' : 'reasoning';
        return this.write(type, part.id, part.delta, part.providerMetadata);
      }
      case 'reasoning-end':
      case 'text-end':
        addMeta(this.open.get(part.id), part.providerMetadata);
        this.open.delete(part.id);
        return [];
      case 'tool-call':
        this.call(part);
        return [];
      case 'finish':
        this.finish(part.finishReason.unified, part.usage);
        return [];
      case 'error':
        throw part.error instanceof Error ? part.error : toStreamedFault(isObject(part.error) ? part.error : {});
      default:
        return [];
    }
  }

  /** The whole answer of a request that was not streamed. */
  readWhole(content: readonly LanguageModelV4Content[], reason: StopReason, usage: LanguageModelV4Usage): StepPart[] {
    const parts = content.flatMap((one, index): StepPart[] => {
      if (one.type === 'tool-call') this.call(one);
      if (one.type !== 'text' && one.type !== 'reasoning') return [];
      this.begin(one.type, String(index), one.providerMetadata);
      return this.write(one.type, String(index), one.text, undefined);
    });
    this.finish(reason, usage);
    return parts;
  }

  /** @throws EndpointFault where the answer has broken off */
  end(): { calls: StepPart[]; end: StepEnd } {
    if (!this.end_) throw brokenOff();
    const providerData = this.providerData();
    return { calls: this.calls, end: { ...this.end_, ...(providerData && { providerData }) } };
  }

  private providerData(): ProviderData | null {
    return this.kept.length === 0 ? null : toProviderData(this.madeBy, { parts: this.kept });
  }

  private begin(type: 'text' | 'reasoning', id: string, meta: unknown): void {
    const part: KeptPart = type === 'text' ? { type, length: 0 } : { type, text: '' };
    addMeta(part, meta);
    this.kept.push(part);
    this.open.set(id, part);
  }

  private write(type: 'text' | 'reasoning', id: string, text: string, meta: unknown): StepPart[] {
    if (!this.open.has(id)) this.begin(type, id, undefined);
    const part = this.open.get(id)!;
    addMeta(part, meta);
    if (part.type === 'text') part.length += text.length;
    else if (part.type === 'reasoning') part.text += text;
    this.characters += text.length;
    if (this.characters > MAX_ANSWER_CHARACTERS)
      throw new EndpointFault('The answer of the model is too long.', { isOfEndpoint: false });
    return text === '' ? [] : [{ type, text }];
  }

  private call(part: { toolCallId: string; toolName: string; input: string; providerMetadata?: unknown }): void {
    this.characters += part.input.length;
    this.kept.push({ type: 'call' });
    const call = this.toolCalls.read(part.toolCallId, part.toolName, part.input);
    const meta = isObject(part.providerMetadata) ? part.providerMetadata : {};
    const providerData = toProviderData(this.madeBy, meta);
    this.calls.push({ type: 'tool_call', call: { ...call, ...(providerData && { providerData }) } });
  }

  private finish(reason: StopReason, { inputTokens: read, outputTokens: written }: LanguageModelV4Usage): void {
    const usage = toTokenUsage(read.total, written.total, { cached: read.cacheRead, written: read.cacheWrite });
    this.end_ = { reason: REASONS[reason] ?? 'other', usage, model: this.model };
  }
}

type StopReason = Extract<LanguageModelV4StreamPart, { type: 'finish' }>['finishReason']['unified'];

const REASONS: Partial<Record<StopReason, StepEnd['reason']>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
};

function addMeta(part: KeptPart | undefined, meta: unknown): void {
  if (!part || part.type === 'call' || !isObject(meta)) return;
  const own = (part.meta ??= {});
  for (const [provider, values] of Object.entries(meta))
    if (isObject(values)) own[provider] = { ...own[provider], ...values };
}
