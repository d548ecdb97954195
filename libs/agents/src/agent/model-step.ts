import { BadGatewayError, GatewayTimeoutError } from '@app/common';
import {
  faultOf,
  type ModelMessage,
  type ModelRequest,
  type ModelTool,
  type ProviderData,
  type StepEnd,
  type TokenUsage,
  type ToolCall,
} from '@app/integrations';
import { estimatePromptTokens, isCutShort } from '@app/models';
import { continuationMessages } from '../turn-events/continuation.js';
import type { AgentHost } from './agent-host.js';
import type { AgentModel } from './agent-model.js';
import { SAY_SOMETHING } from './agent-prompt.js';
import { CUT_BEFORE, markCut } from './cut-short.js';
import { StepWriter } from './step-writer.js';

/** However full the window is. */
const LEAST_ANSWER = 256;

/** Further calls for one step whose stream broke off, was cut at the model's limit, or was empty. */
const MAX_FURTHER = 3;

export interface StepRequest {
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ModelTool[];
  /** Of prompt and answer together. */
  contextTokens: number;
  /** False: the tools are only shown, because earlier messages speak of them. */
  mayCall: boolean;
  /** Why it is the last step, for people who get no answer from it. */
  endedBecause?: string;
  reasoningEffort?: ModelRequest['reasoningEffort'];
}

export interface StepResult {
  /** The whole text of the step, told by earlier workers too. */
  text: string;
  calls: ToolCall[];
  usage: TokenUsage;
  /** Who answered. */
  model: string;
  /** Of the stream that came to its end: what one that broke off had thought is lost, and what it was given is never sent. */
  providerData?: ProviderData;
  isFiltered: boolean;
  /** The text ends where the model may write no more. */
  isCut: boolean;
}

/** One step of the model: tells its text, gathers its calls, and goes on where a stream broke off. */
export class ModelStep {
  private readonly usage = { promptTokens: 0, completionTokens: 0, cost: 0 };

  constructor(
    private readonly model: AgentModel,
    private readonly host: AgentHost,
    private readonly request: StepRequest,
  ) {}

  /** @throws BadGatewayError `model_error`, GatewayTimeoutError `model_timeout`, the reason of the host's signal */
  async take(textLength: number): Promise<StepResult> {
    const writer = new StepWriter(this.host, textLength, () => this.host.stage('stage:writing', 'Writing'));
    let further = 0;
    for (let empty: string | null = null; ; further += 1) {
      const messages = this.messagesFor(writer.text, empty);
      const calls: ToolCall[] = [];
      const end = await this.read(messages, writer, calls, further < MAX_FURTHER);
      if (end === 'broken') continue;
      const { text } = writer;
      const isCut = isCutShort(end, this.answerTokens(messages));
      const isDone = calls.length > 0 || (text !== '' && !isCut);
      if (isDone || further >= MAX_FURTHER || end?.reason === 'content_filter') {
        if (text === '' && calls.length === 0 && end?.reason !== 'content_filter') throw this.noAnswer();
        return {
          text,
          calls: isCut ? markCut(calls) : calls,
          usage: this.usage,
          model: end?.model ?? this.model.model.descriptor.value,
          ...(end?.providerData && { providerData: end.providerData }),
          isFiltered: end?.reason === 'content_filter',
          isCut: isCut && calls.length === 0,
        };
      }
      empty = text !== '' ? null : isCut ? CUT_BEFORE : SAY_SOMETHING;
    }
  }

  private noAnswer(): BadGatewayError {
    const { endedBecause } = this.request;
    const message = endedBecause ? `The model gave no answer; ${endedBecause}.` : 'The model gave no answer.';
    return new BadGatewayError(message, { code: 'model_error' });
  }

  private messagesFor(published: string, empty: string | null): ModelMessage[] {
    const { messages } = this.request;
    if (published !== '') return [...messages, ...continuationMessages(published)];
    return empty === null ? [...messages] : [...messages, { role: 'user', content: empty }];
  }

  /** `broken`: the stream broke off after it had begun, and may be asked for again. */
  private async read(
    messages: readonly ModelMessage[],
    writer: StepWriter,
    calls: ToolCall[],
    mayFail: boolean,
  ): Promise<StepEnd | 'broken' | null> {
    const { system, tools, mayCall, reasoningEffort } = this.request;
    const { model, usage } = this.model;
    const maxOutputTokens = this.answerTokens(messages);
    const stream = model.streamStep({
      system,
      messages,
      tools,
      toolChoice: mayCall ? 'auto' : 'none',
      signal: this.host.signal,
      usage,
      ...(maxOutputTokens !== null && { maxOutputTokens }),
      ...(reasoningEffort && { reasoningEffort }),
    });
    let hasBegun = false;
    let written = 0;
    try {
      for await (const part of stream) {
        hasBegun = true;
        if (part.type === 'text') {
          written += part.text.length;
          await writer.write(part.text);
        } else if (part.type === 'tool_call' && mayCall) calls.push(part.call);
      }
    } catch (error) {
      writer.pause();
      const isModels = error instanceof BadGatewayError || error instanceof GatewayTimeoutError;
      // What was too long once is longer still with what was told of it.
      const isWorthIt = faultOf(error)?.isOfEndpoint !== false;
      if (!isModels || !isWorthIt || !hasBegun || !mayFail || this.host.signal.aborted) throw error;
      // Calls whose step did not end are not to be trusted to be all of them.
      calls.length = 0;
      this.count(null, messages, written);
      return 'broken';
    }
    writer.pause();
    const end = stream.end();
    this.count(end?.usage ?? null, messages, written);
    return end;
  }

  /** Endpoints refuse a request whose prompt leaves less room in the window than the answer may take. Null: they decide. */
  private answerTokens(messages: readonly ModelMessage[]): number | null {
    const { maxOutputTokens, model } = this.model;
    if (maxOutputTokens === null || model.descriptor.contextWindow === null) return maxOutputTokens;
    return Math.min(maxOutputTokens, Math.max(LEAST_ANSWER, this.request.contextTokens - this.promptTokens(messages)));
  }

  private promptTokens(messages: readonly ModelMessage[]): number {
    const { system, tools } = this.request;
    return estimatePromptTokens({ system, messages, tools });
  }

  private count(usage: TokenUsage | null, messages: readonly ModelMessage[], written: number): void {
    const known = usage && usage.promptTokens + usage.completionTokens > 0 ? usage : null;
    this.usage.promptTokens += known?.promptTokens ?? this.promptTokens(messages);
    this.usage.cost += known?.cost ?? 0;
    this.usage.completionTokens += known?.completionTokens ?? Math.ceil(written / 4);
  }
}
