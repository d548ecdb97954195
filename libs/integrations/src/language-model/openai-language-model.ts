import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  Output,
  generateText,
  jsonSchema,
  streamText,
  type LanguageModel as SdkModel,
  type LanguageModelUsage,
} from 'ai';
import {
  LanguageModel,
  type AnswerStream,
  type GeneratedAnswer,
  type ModelDescriptor,
  type ModelRequest,
  type TokenUsage,
} from './language-model.port.js';
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
        messages: request.messages,
        abortSignal: signal,
        maxRetries: this.options.maxRetries ?? 2,
        ...(request.system === undefined ? {} : { system: request.system }),
        ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
        ...(request.maxOutputTokens === undefined ? {} : { maxOutputTokens: request.maxOutputTokens }),
      },
    };
  }
}

function toUsage(usage: LanguageModelUsage): TokenUsage {
  return { promptTokens: usage.inputTokens ?? 0, completionTokens: usage.outputTokens ?? 0 };
}
