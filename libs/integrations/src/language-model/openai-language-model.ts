import { OpenAICompatibleChatLanguageModel } from '@ai-sdk/openai-compatible';
import { isPrivateAddress } from '@app/config';
import type { ModelTimeouts } from '@app/config';
import { endpointAddress } from '../openai/endpoint-address.js';
import { AnswerReading } from './answer-reading.js';
import { EndpointFault, toModelError } from './endpoint-fault.js';
import { endpointFetch } from './endpoint-fetch.js';
import { streamEvents } from './endpoint-stream.js';
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
} from './language-model.port.js';
import { toProviderPrompt, toProviderTools, type ProviderCall } from './provider-prompt.js';
import { StreamWatch } from './stream-watch.js';
import { toTokenUsage } from './token-usage.js';
import { ToolCallReading } from './tool-call-reading.js';

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

/**
 * One try at any endpoint that speaks the OpenAI protocol: hosted ones, vLLM, Ollama, LM Studio, LiteLLM. Failures have
 * an `EndpointFault` as their cause. The provider of the AI SDK writes the requests and reads whole answers; streamed ones
 * are read below it, where a token costs a fraction (test/bench/README.md).
 */
export class OpenAiLanguageModel extends LanguageModel {
  readonly available = true;
  readonly descriptor: ModelDescriptor;
  private readonly model: OpenAICompatibleChatLanguageModel;
  private readonly endpoint: { url: string; headers: Record<string, string> };
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
    const { url, headers } = endpointAddress(baseUrl, apiKey);
    this.endpoint = { url: url('/chat/completions'), headers };
    this.model = new OpenAICompatibleChatLanguageModel(model, {
      provider: 'openai',
      url: () => this.endpoint.url,
      headers: this.endpoint.headers,
      supportsStructuredOutputs: true,
      fetch: endpointFetch,
      ...(/(?:^|\.)openai\.(?:com|azure\.com)$/.test(host) && { transformRequestBody: withNewTokenLimit }),
    });
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
      const { inputTokens: read, outputTokens: written } = counted;
      const usage = toTokenUsage(read.total, written.total, read.cacheRead) ?? { promptTokens: 0, completionTokens: 0 };
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
    const watch = new StreamWatch(this.timeouts, request.signal);
    try {
      request.signal?.throwIfAborted();
      const reading = new AnswerReading(new ToolCallReading(request.tools, request.messages), this.descriptor.value);
      const { body } = await this.model.prepareRequest(this.toStepCall(request, watch.signal));
      const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
      watch.waits();
      for await (const data of streamEvents({ ...this.endpoint, body: streamed, signal: watch.signal })) {
        const before = reading.characters;
        const parts = reading.read(data);
        watch.got(reading.characters > before);
        yield* parts;
        watch.waits();
      }
      const { calls, end } = reading.end();
      yield* calls;
      ended(end);
    } catch (error) {
      throw toModelError(error, watch.signal, request.signal);
    } finally {
      watch.end();
    }
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
