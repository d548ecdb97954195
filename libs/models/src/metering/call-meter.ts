import { DomainError, GatewayTimeoutError } from '@app/common';
import { instruments, openSpan, type OpenSpan } from '@app/observability';
import { faultOf, type ModelRequest, type ModelTool, type TokenUsage } from '@app/integrations';
import type { Endpoint } from '../calls/endpoint.js';
import { estimatePromptTokens } from '../calls/token-estimate.js';
import { costOf } from './price.js';
import type { UsageLedger, UsageOutcome } from './usage-ledger.js';

const CHARACTERS_PER_TOKEN = 4;

/** Meters one try of a call: exactly one of its ends counts, the first. */
export class CallMeter {
  private readonly startedAt = performance.now();
  private characters = 0;
  private isOver = false;
  private readonly span: OpenSpan | null;

  constructor(
    private readonly ledger: UsageLedger,
    private readonly endpoint: Endpoint,
    private readonly request: ModelRequest & { tools?: readonly ModelTool[] },
  ) {
    const { value, provider } = endpoint.definition;
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': value,
      'gen_ai.provider.name': provider,
    };
    this.span = openSpan(`chat ${value}`, { kind: 'client', attributes });
  }

  /** A piece of the answer has come. */
  count(characters: number): void {
    this.characters += characters;
  }

  /** @param counted what the endpoint says; null when it does not count @returns the same with its cost, or an estimate */
  complete(counted: TokenUsage | null, pictures = 0): TokenUsage {
    return this.record('completed', null, counted ?? this.estimate(), pictures);
  }

  /** @param error what the model threw */
  fail(error: unknown): void {
    const { signal } = this.request;
    const fault = faultOf(error);
    const isRefused = this.characters === 0 && fault !== null && (fault.status !== null || fault.isUnreached);
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
    const completionTokens = Math.ceil(this.characters / CHARACTERS_PER_TOKEN);
    return { promptTokens: estimatePromptTokens(this.request), completionTokens, isEstimate: true };
  }

  private record(outcome: UsageOutcome, errorCode: string | null, used: TokenUsage, pictures = 0): TokenUsage {
    const { price, id, value } = this.endpoint.definition;
    const usage = { ...used, cost: costOf(price, used, pictures) };
    if (this.isOver) return usage;
    this.isOver = true;
    const durationMs = Math.round(performance.now() - this.startedAt);
    this.span?.set({
      'gen_ai.usage.input_tokens': usage.promptTokens,
      'gen_ai.usage.output_tokens': usage.completionTokens,
    });
    this.span?.end(outcome === 'completed' ? undefined : (errorCode ?? outcome));
    measure(value, this.ledger.currency, { seconds: durationMs / 1000, outcome, errorCode, usage });
    this.ledger.record({
      context: this.request.usage,
      modelId: id,
      model: value,
      usage,
      durationMs,
      outcome,
      errorCode,
    });
    return usage;
  }
}

function measure(
  model: string,
  currency: string,
  call: { seconds: number; outcome: UsageOutcome; errorCode: string | null; usage: TokenUsage },
): void {
  const { promptTokens, completionTokens, cachedTokens = 0, cacheWriteTokens = 0, cost } = call.usage;
  instruments.modelSeconds.observe({ model, outcome: call.outcome }, call.seconds);
  for (const [type, tokens] of Object.entries({
    prompt: promptTokens,
    completion: completionTokens,
    cached: cachedTokens,
    cache_write: cacheWriteTokens,
  }))
    if (tokens > 0) instruments.modelTokens.inc({ model, type }, tokens);
  if (call.errorCode !== null) instruments.modelErrors.inc({ model, code: call.errorCode });
  if (cost) instruments.modelCost.inc({ model, currency }, cost);
}

const nothing: TokenUsage = { promptTokens: 0, completionTokens: 0 };
