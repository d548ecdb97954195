import { DomainError, GatewayTimeoutError } from '@app/common';
import { instruments, type OpenSpan } from '@app/observability';
import {
  faultOf,
  type ModelRequest,
  type ModelTool,
  type StepEnd,
  type StepPart,
  type TokenUsage,
} from '@app/integrations';
import type { HeldCall } from '../budget/call-budget.js';
import type { Endpoint } from '../calls/endpoint.js';
import { estimatePromptTokens } from '../calls/token-estimate.js';
import { AnswerRecord } from './answer-record.js';
import { endChatSpan, openChatSpan } from './chat-span.js';
import type { Attempt, UsageOutcome } from './observed-call.js';
import type { PricedCall } from '../prices/price-book.js';
import type { UsageLedger } from './usage-ledger.js';

const CHARACTERS_PER_TOKEN = 4;

/** Meters one try of a call: exactly one of its ends counts, the first. */
export class CallMeter {
  private readonly startedAt = performance.now();
  private readonly beganAt = new Date();
  private firstTokenMs: number | null = null;
  private reason: StepEnd['reason'] | null = null;
  private isOver = false;
  private readonly answer: AnswerRecord;
  private readonly span: OpenSpan | null;

  constructor(
    private readonly ledger: UsageLedger,
    private readonly endpoint: Endpoint,
    private readonly request: ModelRequest & { tools?: readonly ModelTool[] },
    private readonly tries: Attempt,
    private readonly held: HeldCall | null = null,
  ) {
    this.answer = new AnswerRecord(this.isTraced);
    this.span = openChatSpan(endpoint.definition, request, tries);
  }

  /** A piece of the answer has come. */
  take(part: StepPart): void {
    this.firstTokenMs ??= Math.round(performance.now() - this.startedAt);
    this.answer.take(part);
  }

  /** All of it has come at once. */
  takeWhole(text: string): void {
    this.answer.take({ type: 'text', text });
  }

  /** Why the answer ends, as the endpoint says. */
  ends(reason: StepEnd['reason']): void {
    this.reason = reason;
  }

  /** @param counted what the endpoint says; null when it does not count @returns the same with its cost, or an estimate */
  complete(counted: TokenUsage | null, pictures = 0): TokenUsage {
    return this.record('completed', null, counted ?? this.estimate(), pictures);
  }

  /** @param error what the model threw */
  fail(error: unknown): void {
    const { signal } = this.request;
    const fault = faultOf(error);
    const isRefused = this.answer.characters === 0 && fault !== null && (fault.status !== null || fault.isUnreached);
    const usage = fault?.usage ?? (isRefused ? nothing : this.estimate());
    const code = error instanceof DomainError ? error.code : null;
    if (signal?.aborted) this.record('aborted', null, usage);
    else this.record(error instanceof GatewayTimeoutError ? 'timeout' : 'failed', code ?? 'internal_error', usage);
  }

  /** The reader left in the middle. */
  abandon(): void {
    if (!this.isOver) this.record('aborted', null, this.estimate());
  }

  private estimate(): TokenUsage {
    const completionTokens = Math.ceil(this.answer.characters / CHARACTERS_PER_TOKEN);
    return { promptTokens: estimatePromptTokens(this.request), completionTokens, isEstimate: true };
  }

  private record(outcome: UsageOutcome, errorCode: string | null, used: TokenUsage, pictures = 0): TokenUsage {
    const { definition, prices } = this.endpoint;
    const { id, value } = definition;
    const price = prices.priceOf(definition, used, pictures, this.beganAt);
    const usage = { ...used, cost: prices.inOwnCurrency(price) };
    if (this.isOver) return usage;
    this.isOver = true;
    this.held?.settle(usage);
    const durationMs = Math.round(performance.now() - this.startedAt);
    const failure = outcome === 'completed' ? undefined : (errorCode ?? outcome);
    endChatSpan(this.span, { model: value, usage, reason: this.reason, firstTokenMs: this.firstTokenMs, failure });
    // Names that people give would be as many series of metrics.
    const measured = this.endpoint.isOwn ? 'own' : value;
    measure(measured, price, { seconds: durationMs / 1000, outcome, errorCode, usage });
    const rowId = this.ledger.record({
      context: this.request.usage,
      modelId: id,
      model: value,
      usage,
      price,
      durationMs,
      outcome,
      errorCode,
      isOwnKey: this.endpoint.isOwn,
    });
    if (this.isTraced) this.tell(rowId, outcome, durationMs);
    return usage;
  }

  /** What is asked on behalf of a turn can be looked at by its owner. */
  private get isTraced(): boolean {
    return this.ledger.isObserved && this.request.usage?.turnId !== undefined;
  }

  private tell(id: string, outcome: UsageOutcome, durationMs: number): void {
    const { text, reasoning, toolCalls } = this.answer;
    this.ledger.tell({
      id,
      ...this.tries,
      model: this.endpoint.definition.value,
      context: this.request.usage!,
      request: this.request,
      answer: { text, reasoning, toolCalls, reason: this.reason },
      beganAt: this.beganAt,
      firstTokenMs: this.firstTokenMs,
      durationMs,
      outcome,
    });
  }
}

function measure(
  model: string,
  { cost, currency }: PricedCall,
  call: { seconds: number; outcome: UsageOutcome; errorCode: string | null; usage: TokenUsage },
): void {
  const { promptTokens, completionTokens, cachedTokens = 0, cacheWriteTokens = 0 } = call.usage;
  instruments.modelSeconds.observe({ model, outcome: call.outcome }, call.seconds);
  for (const [type, tokens] of Object.entries({
    prompt: promptTokens,
    completion: completionTokens,
    cached: cachedTokens,
    cache_write: cacheWriteTokens,
  }))
    if (tokens > 0) instruments.modelTokens.inc({ model, type }, tokens);
  if (call.errorCode !== null) instruments.modelErrors.inc({ model, code: call.errorCode });
  if (cost?.total) instruments.modelCost.inc({ model, currency }, cost.total);
}

const nothing: TokenUsage = { promptTokens: 0, completionTokens: 0 };
