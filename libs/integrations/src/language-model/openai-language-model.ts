import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ModelTimeouts } from '@app/config';
import { isPrivateAddress } from '../openai/private-address.js';
import { EndpointFault, toModelError } from './endpoint-fault.js';
import { endpointFetch } from './endpoint-fetch.js';
import { readJsonAnswer, schemaInstruction } from './json-answer.js';
import {
  LanguageModel,
  type AnswerStream,
  type GeneratedAnswer,
  type ModelDescriptor,
  type ModelRequest,
  type StepEnd,
  type StepPart,
  type StepRequest,
  type StepStream,
  type TokenUsage,
} from './language-model.port.js';
import { toProviderPrompt, toProviderTools, type ProviderCall, type ProviderModel } from './provider-prompt.js';
import { StreamWatch } from './stream-watch.js';
import { ToolCallReading } from './tool-call-reading.js';

/** Half a million tokens: more than any model writes at once. */
const MAX_ANSWER_CHARACTERS = 2_000_000;

export interface OpenAiModelOptions {
  /** Ends in /v1. */
  baseUrl: string;
  apiKey?: string;
  model: string;
  /** Where only the last is told, it stands for all. */
  timeouts: Partial<ModelTimeouts> & Pick<ModelTimeouts, 'totalSeconds'>;
  /** True unless told. */
  takesTemperature?: boolean;
  /** What is known of the model beside its address. */
  descriptor?: Partial<ModelDescriptor>;
}

type StreamPart =
  Awaited<ReturnType<ProviderModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/**
 * One try at any endpoint that speaks the OpenAI protocol: hosted ones, vLLM, Ollama, LM Studio, LiteLLM. Failures have
 * an `EndpointFault` as their cause. It calls the provider below `streamText`, which costs a third of it for each piece
 * (test/bench/README.md).
 */
export class OpenAiLanguageModel extends LanguageModel {
  readonly available = true;
  readonly descriptor: ModelDescriptor;
  private readonly model: ProviderModel;
  private readonly timeouts: ModelTimeouts;
  private readonly takesTemperature: boolean;

  constructor({ baseUrl, apiKey, model, timeouts, takesTemperature = true, descriptor }: OpenAiModelOptions) {
    super();
    this.takesTemperature = takesTemperature;
    const { totalSeconds } = timeouts;
    this.timeouts = { firstTokenSeconds: totalSeconds, silenceSeconds: totalSeconds, ...timeouts };
    const host = new URL(baseUrl).hostname;
    this.descriptor = {
      id: 1,
      name: model,
      value: model,
      provider: host,
      capability: 'chat',
      onPremises: isPrivateAddress(host),
      contextWindow: null,
      maxOutputTokens: null,
      supports: { tools: true, structuredOutput: true, images: true, reasoning: true },
      ...descriptor,
    };
    this.model = createOpenAICompatible({
      name: 'openai',
      baseURL: baseUrl.replace(/\/+$/, ''),
      includeUsage: true,
      supportsStructuredOutputs: true,
      fetch: endpointFetch,
      ...(/(?:^|\.)openai\.(?:com|azure\.com)$/.test(host) && { transformRequestBody: withNewTokenLimit }),
      ...(apiKey === undefined ? {} : { apiKey }),
    }).chatModel(model);
  }

  streamAnswer(request: ModelRequest): AnswerStream {
    const step = this.streamStep({ ...request, tools: [] });
    return textOf(step);
  }

  streamStep(request: StepRequest): StepStream {
    let end: StepEnd | null = null;
    const parts = this.parts(request, (ended) => (end = ended));
    return { [Symbol.asyncIterator]: () => parts, end: () => end };
  }

  async generate(request: ModelRequest & { outputSchema?: Record<string, unknown> }): Promise<GeneratedAnswer> {
    const { totalSeconds } = this.timeouts;
    const watch = new StreamWatch({ ...this.timeouts, firstTokenSeconds: totalSeconds }, request.signal);
    const { outputSchema } = request;
    try {
      const call = this.toCall(request, watch.signal, outputSchema);
      const { content, usage: counted } = await this.model.doGenerate(call);
      const usage = toUsage(counted) ?? { promptTokens: 0, completionTokens: 0 };
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      const answer = { text, model: this.descriptor.value, ...usage };
      if (!outputSchema) return answer;
      const object = readJsonAnswer(text);
      if (object === undefined)
        throw new EndpointFault('The model did not answer with JSON.', { isOfEndpoint: false, usage });
      return { ...answer, object };
    } catch (error) {
      throw toModelError(error, watch.signal, request.signal);
    } finally {
      watch.end();
    }
  }

  private async *parts(request: StepRequest, ended: (end: StepEnd) => void): AsyncGenerator<StepPart, void> {
    const stopped = new AbortController();
    const watch = new StreamWatch(this.timeouts, request.signal, stopped.signal);
    try {
      request.signal?.throwIfAborted();
      const calls = new ToolCallReading(request.tools, request.messages);
      const { stream } = await this.model.doStream(this.toStepCall(request, watch.signal));
      const reader = stream.getReader();
      let length = 0;
      for (;;) {
        watch.waits();
        const { done, value: part } = await reader.read();
        if (done) throw new EndpointFault('The endpoint broke off its answer.', { isPassing: true });
        const size = sizeOf(part);
        watch.got(size > 0);
        length += size;
        if (length > MAX_ANSWER_CHARACTERS)
          throw new EndpointFault('The answer of the model is too long.', { isOfEndpoint: false });
        if (part.type === 'text-delta' && part.delta !== '') yield { type: 'text', text: part.delta };
        else if (part.type === 'reasoning-delta' && part.delta !== '') yield { type: 'reasoning', text: part.delta };
        else if (part.type === 'tool-call')
          yield { type: 'tool_call', call: calls.read(part.toolCallId, part.toolName, part.input) };
        else if (part.type === 'error') throw part.error;
        else if (part.type === 'finish') return ended(this.toEnd(part));
      }
    } catch (error) {
      throw toModelError(error, watch.signal, request.signal);
    } finally {
      watch.end();
      stopped.abort();
    }
  }

  private toEnd({ finishReason, usage }: Extract<StreamPart, { type: 'finish' }>): StepEnd {
    if (finishReason.unified === 'error')
      throw new EndpointFault('The endpoint broke off its answer.', { isPassing: true });
    return { reason: toReason(finishReason.unified), usage: toUsage(usage), model: this.descriptor.value };
  }

  private toStepCall(request: StepRequest, signal: AbortSignal): ProviderCall {
    const { tools, toolChoice = 'auto' } = request;
    const call = this.toCall(request, signal);
    return tools.length === 0 ? call : { ...call, tools: toProviderTools(tools), toolChoice: { type: toolChoice } };
  }

  private toCall(request: ModelRequest, abortSignal: AbortSignal, schema?: Record<string, unknown>): ProviderCall {
    const { temperature, reasoningEffort, messages } = request;
    const { supports, maxOutputTokens: most } = this.descriptor;
    const isTold = schema !== undefined && !supports.structuredOutput;
    const system = isTold ? [request.system, schemaInstruction(schema)].filter(Boolean).join('\n\n') : request.system;
    const wanted = request.maxOutputTokens;
    return {
      prompt: toProviderPrompt(system, messages),
      abortSignal,
      ...(temperature !== undefined && this.takesTemperature && { temperature }),
      ...(reasoningEffort !== undefined && supports.reasoning && { providerOptions: { openai: { reasoningEffort } } }),
      ...(wanted !== undefined && { maxOutputTokens: Math.min(wanted, most ?? wanted) }),
      ...(schema !== undefined && !isTold && { responseFormat: { type: 'json', schema } }),
    };
  }
}

/** OpenAI's own models of today refuse the name by which all others know the limit. */
function withNewTokenLimit({ max_tokens, ...body }: Record<string, unknown>): Record<string, unknown> {
  return max_tokens === undefined ? body : { ...body, max_completion_tokens: max_tokens };
}

/** The text of a step, as an answer. */
export function textOf(step: StepStream): AnswerStream {
  async function* pieces(): AsyncGenerator<string, void> {
    for await (const part of step) if (part.type === 'text') yield part.text;
  }
  const iterator = pieces();
  return {
    [Symbol.asyncIterator]: () => iterator,
    usage: () => step.end()?.usage ?? null,
    answeredBy: () => step.end()?.model ?? null,
  };
}

/** Characters of output. */
function sizeOf(part: StreamPart): number {
  if (part.type === 'text-delta' || part.type === 'reasoning-delta' || part.type === 'tool-input-delta')
    return part.delta.length;
  return part.type === 'tool-call' ? 1 : 0;
}

/** Null when the endpoint does not count. */
function toUsage({ inputTokens, outputTokens }: Extract<StreamPart, { type: 'finish' }>['usage']): TokenUsage | null {
  if (!inputTokens.total && !outputTokens.total) return null;
  const cachedTokens = inputTokens.cacheRead ?? 0;
  return {
    promptTokens: toCount(inputTokens.total),
    completionTokens: toCount(outputTokens.total),
    ...(cachedTokens > 0 && { cachedTokens: Math.min(toCount(cachedTokens), toCount(inputTokens.total)) }),
  };
}

/** Endpoints may count anything. */
function toCount(tokens: number | undefined): number {
  return Number.isFinite(tokens) ? Math.min(Math.max(0, Math.round(tokens!)), 1_000_000_000) : 0;
}

function toReason(reason: string): StepEnd['reason'] {
  if (reason === 'stop' || reason === 'length') return reason;
  if (reason === 'tool-calls') return 'tool_calls';
  return reason === 'content-filter' ? 'content_filter' : 'other';
}
