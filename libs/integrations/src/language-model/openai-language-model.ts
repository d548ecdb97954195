import { isPrivateAddress, type ModelTimeouts } from '@app/config';
import type { EgressGuard } from '../guarded-fetch/egress-guard.js';
import { endpointAddress } from '../openai/endpoint-address.js';
import { AnswerReading } from './answer-reading.js';
import { type AnyRequest, ChatRequests } from './chat-requests.js';
import { EndpointFault, toModelError } from './endpoint-fault.js';
import { postJson } from './endpoint-post.js';
import { streamEvents } from './endpoint-stream.js';
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
import { makerMark } from './provider-data.js';
import { RequestHabits } from './request-habits.js';
import { StreamWatch } from './stream-watch.js';
import type { WholeAnswer } from './structured-answer.js';
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
  /** Further members of each body. */
  extraBody?: Readonly<Record<string, unknown>>;
  /** Further headers of each request. */
  headers?: Readonly<Record<string, string>>;
  /** What is known of the model beside its address. */
  descriptor?: Partial<ModelDescriptor>;
  /** Where a person chose the address, and not the deployment: what may be called, and over which connections. */
  guard?: EgressGuard;
}

/** These know the limit of an answer under its new name alone. */
const NEW_LIMIT = /(?:^|\.)openai\.(?:com|azure\.com)$/;

/**
 * One try at any endpoint that speaks the OpenAI protocol: hosted ones, vLLM, Ollama, LM Studio, LiteLLM. Failures have
 * an `EndpointFault` as their cause. What an endpoint refuses of a request it is not sent again (`RequestHabits`).
 */
export class OpenAiLanguageModel extends LanguageModel {
  readonly available = true;
  readonly descriptor: ModelDescriptor;
  private readonly requests: ChatRequests;
  private readonly habits: RequestHabits;
  private readonly endpoint: { url: string; headers: Record<string, string>; guard?: EgressGuard };
  private readonly timeouts: ModelTimeouts;
  private readonly madeBy: string;
  /** Whether its last answer that told so began within a thought: the next one waits for the end of it. */
  private thinksUnopened = false;

  constructor(options: OpenAiModelOptions) {
    super();
    const { baseUrl, apiKey, model, timeouts, takesTemperature = true, extraBody = {}, descriptor } = options;
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
      supports: { tools: true, structuredOutput: true, images: true, reasoning: true },
      ...descriptor,
    };
    const { url, headers } = endpointAddress(baseUrl, apiKey);
    this.endpoint = {
      url: url('/chat/completions'),
      headers: { ...headers, ...options.headers },
      ...(options.guard && { guard: options.guard }),
    };
    this.madeBy = makerMark('chat', baseUrl, model);
    this.habits = new RequestHabits(NEW_LIMIT.test(host) ? ['max_tokens'] : []);
    this.requests = new ChatRequests({ ...this.descriptor, value: model }, this.madeBy, takesTemperature, extraBody);
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

  generate(request: WholeRequest): Promise<GeneratedAnswer> {
    const served = { model: this.descriptor.value, timeouts: this.timeouts };
    return generateWhole(request, served, (one, signal, schema) => this.whole(one, signal, schema));
  }

  private async whole(
    request: ModelRequest,
    signal: AbortSignal,
    schema?: Record<string, unknown>,
  ): Promise<WholeAnswer> {
    for (const trial = this.habits.begin(); ;) {
      const form = { isStreamed: false, ...(schema && { schema }) };
      const { body, sent } = await this.requests.write(request, trial, form);
      try {
        const answer = await postJson({ ...this.endpoint, body, signal });
        trial.keep();
        // Nothing of it is told yet.
        const reading = this.readingOf(request, true);
        const told = reading.readWhole(answer);
        const { calls, end } = reading.end();
        const text = [...told, ...calls].map((part) => (part.type === 'text' ? part.text : '')).join('');
        return { text, reason: end.reason, usage: end.usage };
      } catch (error) {
        if (!(error instanceof EndpointFault) || !trial.adapt(error, sent)) throw error;
      }
    }
  }

  private async *parts(request: StepRequest, ended: (end: StepEnd) => void): AsyncGenerator<StepPart, void> {
    const watch = new StreamWatch(this.timeouts, request.signal);
    try {
      request.signal?.throwIfAborted();
      const reading = this.readingOf(request, this.thinksUnopened);
      watch.waits();
      for await (const data of await this.events(request, watch.signal)) {
        const before = reading.characters;
        const parts = reading.read(data);
        watch.got(reading.characters > before);
        yield* parts;
        watch.waits();
      }
      const { calls, end } = reading.end();
      this.thinksUnopened = reading.isUnopened ?? this.thinksUnopened;
      yield* calls;
      ended(end);
    } catch (error) {
      throw toModelError(error, watch.signal, request.signal);
    } finally {
      watch.end();
    }
  }

  /** Of the first request that the endpoint takes. */
  private async events(request: StepRequest, signal: AbortSignal): Promise<AsyncIterable<string>> {
    for (const trial = this.habits.begin(); ;) {
      const { body, sent } = await this.requests.write(request, trial, { isStreamed: true });
      try {
        const events = await streamEvents({ ...this.endpoint, body, signal });
        trial.keep();
        return events;
      } catch (error) {
        if (!(error instanceof EndpointFault) || !trial.adapt(error, sent)) throw error;
      }
    }
  }

  private readingOf({ tools = [], messages }: AnyRequest, isOpened: boolean): AnswerReading {
    return new AnswerReading(new ToolCallReading(tools, messages), this.descriptor.value, this.madeBy, isOpened);
  }
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
    reason: () => step.end()?.reason ?? null,
  };
}
