import { GatewayTimeoutError } from '@app/common';
import { type CallBudgets, NOTHING_USED } from '../budget/call-budgets.js';
import type { HeldCall } from '../budget/call-budget.js';
import { faultOf, type EndpointFault, type ModelRequest, type ModelTool } from '@app/integrations';
import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { needOf } from './call-need.js';
import type { Endpoint } from './endpoint.js';
import { misfitOf } from './request-fit.js';
import { retryDelay } from './retry-delay.js';

/** With another endpoint to turn to, nobody waits longer than this for one that is busy. */
const TIMEOUT_MS = 2_000;

export interface Admission {
  endpoint: Endpoint;
  /** What was set aside for the try; null where nobody counts. */
  held: HeldCall | null;
  /** Gives the place at the endpoint back. */
  leave(): void;
}

/** The tries of one call: the chosen endpoint as often as is worth it, then those that stand in for it. */
export class CallRoute {
  private readonly logger = new Logger('LanguageModels');
  private readonly startedAt = performance.now();
  private at = 0;
  private failures = 0;

  /** @throws InvalidRequestError when the chosen model cannot take the request */
  constructor(
    private readonly endpoints: readonly Endpoint[],
    private readonly request: ModelRequest & { tools?: readonly ModelTool[] },
    private readonly budgets: CallBudgets,
  ) {
    const misfit = misfitOf(endpoints[0]!.descriptor, request);
    if (misfit) throw misfit;
    if (endpoints[0]!.isResting) this.at = this.nextAwake() ?? 0;
  }

  /**
   * The endpoint of the next try, once it has a place.
   * @param failure of the try before; null for the first
   * @throws `failure`, when no further try is worth it, or what the endpoint failed with before, where it is not worth asking; the reason of the request's signal; ConflictError `budget_exceeded`
   */
  async next(failure: unknown): Promise<Admission> {
    if (failure !== null) await this.afterFailure(failure);
    for (;;) {
      const endpoint = this.endpoints[this.at]!;
      endpoint.requireAlive();
      // Before it waits for its place, which somebody else could have meanwhile.
      const held = await this.budgets.hold(this.request, () =>
        needOf(endpoint.definition, this.request, endpoint.prices),
      );
      try {
        return { endpoint, held, leave: await this.enter(endpoint) };
      } catch (error) {
        held?.settle(NOTHING_USED);
        this.request.signal?.throwIfAborted();
        const other = this.nextAwake();
        if (other === null) throw error;
        this.turnTo(other, 'is busy');
      }
    }
  }

  private enter({ gate, definition }: Endpoint): Promise<() => void> {
    const hasOther = this.nextAwake() !== null;
    const timeout = new AbortController();
    const timeoutMs = hasOther ? TIMEOUT_MS : definition.timeouts.totalSeconds * 1000;
    const busy = new GatewayTimeoutError('The model is too busy to answer in time.', { code: 'model_timeout' });
    const timer = setTimeout(() => timeout.abort(busy), timeoutMs);
    const { signal } = this.request;
    const entered = gate.enter(signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal);
    return entered.finally(() => clearTimeout(timer));
  }

  private async afterFailure(failure: unknown): Promise<void> {
    const { signal } = this.request;
    signal?.throwIfAborted();
    const fault = faultOf(failure);
    if (!fault) throw failure;
    this.failures += 1;
    const endpoint = this.endpoints[this.at]!;
    endpoint.noteFailure(failure);
    const pause = this.pauseOf(fault, endpoint);
    if (pause !== null) {
      this.logger.warn(`${nameOf(endpoint)}: ${fault.message} Asked again in ${Math.round(pause)} ms.`);
      await sleep(pause, undefined, signal ? { signal } : {}).catch(() => undefined);
      signal?.throwIfAborted();
      return;
    }
    // What the model lacks is no reason to leave it alone.
    if (fault.isOfEndpoint && fault.lack === null) endpoint.rest(fault.retryAfterMs);
    const other = fault.isOfEndpoint ? this.nextAwake() : null;
    if (other === null) {
      this.logger.warn(`${nameOf(endpoint)}: ${fault.message}`);
      throw failure;
    }
    this.turnTo(other, fault.message);
  }

  /** Before the same endpoint is asked again; null: it is not. */
  private pauseOf(fault: EndpointFault, { definition }: Endpoint): number | null {
    if (!fault.isPassing || this.failures > definition.maxRetries) return null;
    const pause = retryDelay(fault, this.failures);
    if (pause === null) return null;
    if (pause > TIMEOUT_MS && this.nextAwake() !== null) return null;
    const leftMs = definition.timeouts.totalSeconds * 1000 - (performance.now() - this.startedAt);
    return pause < leftMs ? pause : null;
  }

  private turnTo(at: number, why: string): void {
    this.logger.warn(`${nameOf(this.endpoints[this.at]!)}: ${why} ${nameOf(this.endpoints[at]!)} answers instead.`);
    this.at = at;
    this.failures = 0;
  }

  /** The place of the next one in line that can take the request and has not just failed. */
  private nextAwake(): number | null {
    const at = this.endpoints.findIndex(
      (endpoint, index) =>
        index > this.at && !endpoint.isResting && misfitOf(endpoint.descriptor, this.request) === null,
    );
    return at === -1 ? null : at;
  }
}

function nameOf({ descriptor }: Endpoint): string {
  return `Model ${descriptor.id} (${descriptor.name})`;
}
