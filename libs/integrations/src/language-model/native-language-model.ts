import type { LanguageModelV4 } from '@ai-sdk/provider';
import { isPrivateAddress, type ModelTimeouts } from '@app/config';
import type { AnyRequest } from './chat-requests.js';
import { toFault, toModelError } from './endpoint-fault.js';
import { generateWhole, type WholeRequest } from './generate-whole.js';
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
import { createNative, type NativeProtocol } from './native-provider.js';
import { NativeReading } from './native-reading.js';
import { NativeRequests, type WrittenCall } from './native-requests.js';
import { type OpenAiModelOptions, textOf } from './openai-language-model.js';
import { makerMark } from './provider-data.js';
import { RequestHabits } from './request-habits.js';
import { StreamWatch } from './stream-watch.js';
import type { WholeAnswer } from './structured-answer.js';
import { ToolCallReading } from './tool-call-reading.js';

export interface NativeModelOptions extends OpenAiModelOptions {
  protocol: NativeProtocol;
  /** Of Bedrock, where the key is the secret of an access key. */
  accessKeyId?: string;
}

/**
 * One try at an endpoint of a vendor's own protocol: Anthropic, Gemini, Bedrock, and OpenAI's (and Azure's) responses. The
 * AI SDK's provider writes and reads the wire; tries, time and faults are those of `OpenAiLanguageModel`.
 */
export class NativeLanguageModel extends LanguageModel {
  readonly available = true;
  readonly descriptor: ModelDescriptor;
  private readonly requests: NativeRequests;
  private readonly habits = new RequestHabits();
  private readonly timeouts: ModelTimeouts;
  private readonly madeBy: string;
  private loading: Promise<LanguageModelV4> | null = null;

  constructor(private readonly options: NativeModelOptions) {
    super();
    const { protocol, baseUrl, model, timeouts, takesTemperature = true, descriptor } = options;
    const { totalSeconds } = timeouts;
    this.timeouts = {
      firstTokenSeconds: totalSeconds,
      silenceSeconds: totalSeconds,
      answerSeconds: totalSeconds,
      ...timeouts,
    };
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
      supports: { tools: true, structuredOutput: true, images: true, reasoning: true, documents: true },
      ...descriptor,
    };
    this.madeBy = makerMark(protocol, baseUrl, model);
    this.requests = new NativeRequests(protocol, this.descriptor, this.madeBy, takesTemperature);
  }

  streamAnswer(request: ModelRequest): AnswerStream {
    return textOf(this.streamStep({ ...request, tools: [] }));
  }

  streamStep(request: StepRequest): StepStream {
    let end: StepEnd | null = null;
    const parts = this.parts(request, (ended) => (end = ended));
    return { [Symbol.asyncIterator]: () => parts, end: () => end };
  }

  generate(request: WholeRequest): Promise<GeneratedAnswer> {
    const served = { model: this.descriptor.value, timeouts: this.timeouts };
    return generateWhole(request, served, (one, signal, schema) => this.whole(one, signal, schema));
  }

  private async whole(
    request: ModelRequest,
    signal: AbortSignal,
    schema?: Record<string, unknown>,
  ): Promise<WholeAnswer> {
    const answer = await this.accepted(request, signal, schema, (model, { call }) => model.doGenerate(call));
    const reading = this.readingOf(request);
    const parts = reading.readWhole(answer.content, answer.finishReason.unified, answer.usage);
    const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    return { text, ...reading.end().end };
  }

  private async *parts(request: StepRequest, ended: (end: StepEnd) => void): AsyncGenerator<StepPart, void> {
    const watch = new StreamWatch(this.timeouts, request.signal);
    try {
      request.signal?.throwIfAborted();
      const reading = this.readingOf(request);
      watch.waits();
      const streamed = await this.accepted(request, watch.signal, undefined, (model, { call }) => model.doStream(call));
      for await (const part of streamed.stream) {
        const before = reading.characters;
        const parts = reading.read(part);
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

  /** What the first request brings that the endpoint takes. */
  private async accepted<T>(
    request: AnyRequest,
    signal: AbortSignal,
    schema: Record<string, unknown> | undefined,
    ask: (model: LanguageModelV4, written: WrittenCall) => PromiseLike<T>,
  ): Promise<T> {
    const { protocol, headers = {}, extraBody = {}, ...endpoint } = this.options;
    const model = await (this.loading ??= createNative(protocol, { ...endpoint, headers, extraBody }));
    for (const trial = this.habits.begin(); ;) {
      const written = this.requests.write(request, trial, signal, schema);
      try {
        const answer = await ask(model, written);
        trial.keep();
        return answer;
      } catch (error) {
        if (signal.aborted || !trial.adapt(toFault(error), written.sent)) throw error;
      }
    }
  }

  private readingOf({ tools = [], messages }: AnyRequest): NativeReading {
    return new NativeReading(new ToolCallReading(tools, messages), this.descriptor.value, this.madeBy);
  }
}
