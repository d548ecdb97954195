import type { ModelDefinition } from '@app/config';
import type { LanguageModel } from '@app/integrations';
import { CallGate } from './call-gate.js';
import type { PriceBook } from '../prices/price-book.js';
import { endpointModel } from './endpoint-model.js';

/** How long an endpoint is passed over after it failed, where another one can answer. */
const REST_MS = 10_000;
const LONGEST_REST_MS = 60_000;

/** One configured model with what is known of its address: how busy it is, and whether it has just failed. */
export class Endpoint {
  readonly model: LanguageModel;
  readonly gate: CallGate;
  private restsUntil = 0;

  constructor(
    readonly definition: ModelDefinition,
    readonly prices: PriceBook,
  ) {
    this.gate = new CallGate(definition.maxConcurrency, definition.requestsPerMinute);
    this.model = endpointModel(definition);
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
  }
}
