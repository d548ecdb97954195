import type { ModelDefinition } from '@app/config';
import { OpenAiLanguageModel } from '@app/integrations';
import { CallGate } from './call-gate.js';

/** How long an endpoint is passed over after it failed, where another one can answer. */
const REST_MS = 10_000;
const LONGEST_REST_MS = 60_000;

/** One configured model with what is known of its address: how busy it is, and whether it has just failed. */
export class Endpoint {
  readonly model: OpenAiLanguageModel;
  readonly gate: CallGate;
  private restsUntil = 0;

  constructor(readonly definition: ModelDefinition) {
    const { id, name, value, provider, capability, onPremises, baseUrl, apiKey, timeouts } = definition;
    const { contextWindow, maxOutputTokens, supports, maxConcurrency, requestsPerMinute } = definition;
    this.gate = new CallGate(maxConcurrency, requestsPerMinute);
    this.model = new OpenAiLanguageModel({
      baseUrl,
      model: value,
      timeouts,
      takesTemperature: definition.takesTemperature,
      ...(apiKey !== null && { apiKey }),
      descriptor: {
        id,
        name,
        provider,
        capability,
        contextWindow,
        maxOutputTokens,
        supports,
        ...(onPremises !== null && { onPremises }),
      },
    });
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
