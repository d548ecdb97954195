import type { ModelDefinition } from '@app/config';
import { type EgressGuard, type EndpointFault, faultOf, type LanguageModel } from '@app/integrations';
import { CallGate } from './call-gate.js';
import type { PriceBook } from '../prices/price-book.js';
import { LearntWindow } from './learnt-window.js';
import { endpointModel } from './endpoint-model.js';

/** How long an endpoint is passed over after it failed, where another one can answer. */
const REST_MS = 10_000;
const LONGEST_REST_MS = 60_000;
/** After so many calls in a row that nobody answered, one of a person is not asked for a while: each would hold a place. */
const MOST_SILENCES = 3;
const BROKEN_MS = 15_000;

export interface EndpointSettings {
  /** Of endpoints that a person or an organisation registered: what may be called. */
  guard?: EgressGuard;
}

/** One model with what is known of its address: how busy it is, and whether it has just failed. */
export class Endpoint {
  readonly model: LanguageModel;
  readonly gate: CallGate;
  readonly window = new LearntWindow();
  /** Whether it is asked with a key of a person or an organisation. */
  readonly isOwn: boolean;
  private restsUntil = 0;
  private silences = 0;
  private broken: { until: number; error: Error } | null = null;

  constructor(
    readonly definition: ModelDefinition,
    readonly prices: PriceBook,
    { guard }: EndpointSettings = {},
  ) {
    this.isOwn = guard !== undefined;
    this.gate = new CallGate(definition.maxConcurrency, definition.requestsPerMinute);
    this.model = endpointModel(definition, guard ? { guard } : {});
  }

  get descriptor() {
    return this.model.descriptor;
  }

  get isResting(): boolean {
    return Date.now() < this.restsUntil;
  }

  /** @param wantedMs how long the endpoint wants to be left alone */
  rest(wantedMs: number | null): void {
    this.restsUntil = Date.now() + Math.min(wantedMs ?? REST_MS, LONGEST_REST_MS);
  }

  recover(): void {
    this.restsUntil = 0;
    this.silences = 0;
    this.broken = null;
  }

  /** @throws what it failed with last, while it is not worth asking; then one call at a time finds out */
  requireAlive(): void {
    if (!this.broken) return;
    if (Date.now() < this.broken.until) throw this.broken.error;
    this.broken.until = Date.now() + BROKEN_MS;
  }

  /** A try has failed. */
  noteFailure(error: unknown): void {
    const fault = faultOf(error);
    if (!this.isOwn || !fault || !(error instanceof Error)) return;
    this.silences = isSilence(fault) ? this.silences + 1 : 0;
    this.broken = this.silences < MOST_SILENCES ? null : { until: Date.now() + BROKEN_MS, error };
  }
}

/** Nobody was there, or nobody answered in time. */
function isSilence({ isUnreached, status, isPassing, isOfEndpoint }: EndpointFault): boolean {
  return isUnreached || (status === null && !isPassing && isOfEndpoint);
}
