import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  Output,
  generateText,
  jsonSchema,
  streamText,
  type FinishReason,
  type LanguageModel as SdkModel,
  type LanguageModelUsage,
} from 'ai';
import {
  LanguageModel,
  type AnswerStream,
  type GeneratedAnswer,
  type ModelDescriptor,
  type ModelRequest,
  type ModelTool,
  type StepEnd,
  type StepPart,
  type StepStream,
  type TokenUsage,
  type ToolCall,
} from './language-model.port.js';
import { toSdkMessages, toSdkTools } from './sdk-messages.js';
import { toModelError } from '../openai/model-errors.js';
import { isPrivateAddress } from '../openai/private-address.js';

export interface OpenAiModelOptions {
  /** Ends in /v1. */
  baseUrl: string;
  apiKey?: string;
  model: string;
  timeoutSeconds: number;
  /** Further tries of a call that was refused with 408, 409, 429 or 5xx, or not connected. Never once text has come. */
  maxRetries?: number;
  /** What is known of the model beside its address. */
  descriptor?: Partial<ModelDescriptor>;
}

/** Any endpoint that speaks the OpenAI protocol: hosted ones, vLLM, Ollama, LM Studio, LiteLLM. */
export class OpenAiLanguageModel extends LanguageModel {
  readonly available = true;
  readonly descriptor: ModelDescriptor;
  private readonly model: SdkModel;

  constructor(private readonly options: OpenAiModelOptions) {
    super();
    const provider = createOpenAICompatible({
      name: 'openai',
      baseURL: options.baseUrl,
      includeUsage: true,
      supportsStructuredOutputs: true,
      ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
    });
    this.model = provider.chatModel(options.model);
    const host = new URL(options.baseUrl).hostname;
    this.descriptor = {
      name: options.model,
      value: options.model,
      provider: host,
      capability: 'chat',
      onPremises: isPrivateAddress(host),
      id: 1,
      contextWindow: null,
      maxOutputTokens: null,
      supports: { tools: true, structuredOutput: true, images: true, reasoning: true },
      ...options.descriptor,
    };
  }

  streamAnswer(request: ModelRequest): AnswerStream {
    let usage: TokenUsage | null = null;
    const pieces = this.pieces(request, (counted) => (usage = counted));
    return { [Symbol.asyncIterator]: () => pieces, usage: () => usage };
  }

  async generate(request: ModelRequest & { outputSchema?: Record<string, unknown> }): Promise<GeneratedAnswer> {
    const { signal, call } = this.call(request);
    try {
      const result = request.outputSchema
        ? await generateText({ ...call, output: Output.object({ schema: jsonSchema(request.outputSchema) }) })
        : await generateText(call);
      const object = request.outputSchema ? { object: result.output as unknown } : {};
      return { text: result.text, ...object, model: this.descriptor.value, ...toUsage(result.totalUsage) };
    } catch (error) {
      throw toModelError(error, signal, request.signal);
    }
  }

  streamStep(
    request: ModelRequest & { tools: readonly ModelTool[]; toolChoice?: 'auto' | 'required' | 'none' },
  ): StepStream {
    let end: StepEnd | null = null;
    const parts = this.parts(request, (ended) => (end = ended));
    return { [Symbol.asyncIterator]: () => parts, end: () => end };
  }

  private async *parts(
    request: Parameters<LanguageModel['streamStep']>[0],
    ended: (end: StepEnd) => void,
  ): AsyncGenerator<StepPart, void> {
    const stopped = new AbortController();
    const { signal, call } = this.call(request, stopped.signal);
    const { tools, toolChoice = 'auto' } = request;
    try {
      const result = streamText({ ...call, tools: toSdkTools(tools), toolChoice, onError: () => undefined });
      for await (const part of result.fullStream) {
        if (part.type === 'text-delta' && part.text !== '') yield { type: 'text', text: part.text };
        else if (part.type === 'reasoning-delta' && part.text !== '') yield { type: 'reasoning', text: part.text };
        else if (part.type === 'tool-call') yield { type: 'tool_call', call: toToolCall(part) };
        else if (part.type === 'error') throw part.error;
        else if (part.type === 'abort') throw signal.reason;
        else if (part.type === 'finish') {
          if (part.finishReason === 'error') throw new Error('The endpoint broke off the answer.');
          ended({ reason: toReason(part.finishReason), usage: toUsage(part.totalUsage), model: this.descriptor.value });
        }
      }
    } catch (error) {
      throw toModelError(error, signal, request.signal);
    } finally {
      stopped.abort();
    }
  }

  private async *pieces(request: ModelRequest, counted: (usage: TokenUsage) => void): AsyncGenerator<string, void> {
    const stopped = new AbortController();
    const { signal, call } = this.call(request, stopped.signal);
    try {
      // Errors arrive as parts of the stream; the default handler would print them.
      const result = streamText({ ...call, onError: () => undefined });
      for await (const part of result.fullStream) {
        if (part.type === 'text-delta' && part.text !== '') yield part.text;
        else if (part.type === 'error') throw part.error;
        else if (part.type === 'abort') throw signal.reason;
        else if (part.type === 'finish') {
          if (part.finishReason === 'error') throw new Error('The endpoint broke off the answer.');
          counted(toUsage(part.totalUsage));
        }
      }
    } catch (error) {
      throw toModelError(error, signal, request.signal);
    } finally {
      stopped.abort();
    }
  }

  private call(request: ModelRequest, stopped?: AbortSignal) {
    const signals = [AbortSignal.timeout(this.options.timeoutSeconds * 1000), request.signal, stopped];
    const signal = AbortSignal.any(signals.filter((one) => one !== undefined));
    return {
      signal,
      call: {
        model: this.model,
        messages: toSdkMessages(request.messages),
        abortSignal: signal,
        maxRetries: this.options.maxRetries ?? 2,
        ...(request.system === undefined ? {} : { system: request.system }),
        ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
        ...(request.reasoningEffort === undefined
          ? {}
          : { providerOptions: { openai: { reasoningEffort: request.reasoningEffort } } }),
        ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
      },
    };
  }
}

function toUsage(usage: LanguageModelUsage): TokenUsage {
  return { promptTokens: usage.inputTokens ?? 0, completionTokens: usage.outputTokens ?? 0 };
}

/** Of a call that the SDK could not read, the arguments are as the model wrote them. */
function toToolCall(part: { toolCallId: string; toolName: string; input: unknown; invalid?: boolean }): ToolCall {
  const { toolCallId: id, toolName: name, input } = part;
  if (typeof input === 'object' && input !== null && !Array.isArray(input))
    return { id, name, input: input as Record<string, unknown> };
  return { id, name, input: {}, problem: 'The arguments are not a JSON object.' };
}

function toReason(reason: FinishReason): StepEnd['reason'] {
  if (reason === 'stop' || reason === 'length') return reason;
  if (reason === 'tool-calls') return 'tool_calls';
  return reason === 'content-filter' ? 'content_filter' : 'other';
}
