import { isDictionary } from '@app/common';
import { GatewayUnreachableError } from '../gateway/agent-gateway.js';
import { type HermesClient, type Owner, toFailure } from './hermes-client.js';

const FRESH_MS = 60_000;

/** What the gateway says that it can; what it does not say, it cannot. */
export interface HermesFeatures {
  idempotency: boolean;
  events: boolean;
  approvals: boolean;
  steer: boolean;
  stop: boolean;
}

export class FeatureDetection {
  private known: { features: HermesFeatures; until: number } | null = null;

  constructor(private readonly client: HermesClient) {}

  /** @throws GatewayUnreachableError, also for a gateway without runs */
  async get(owner: Owner): Promise<HermesFeatures> {
    if (this.known && Date.now() < this.known.until) return this.known.features;
    const answer = await this.client.call(owner, 'GET', '/v1/capabilities');
    if (answer.status !== 200 || !isDictionary(answer.body?.features)) {
      const failure = toFailure(answer, 'gateway_error');
      throw new GatewayUnreachableError(`The gateway does not say what it can: ${failure.message}`);
    }
    const said = answer.body.features;
    const can = (name: string) => {
      const value = said[name];
      return isDictionary(value) ? value.supported === true : value === true;
    };
    if (!can('run_submission') || !can('run_status')) throw new GatewayUnreachableError('The gateway offers no runs.');
    const features = {
      idempotency: can('runs_idempotency'),
      events: can('run_events_sse'),
      approvals: can('run_approval') || can('run_approval_response'),
      steer: can('run_steer'),
      stop: can('run_stop'),
    };
    this.known = { features, until: Date.now() + FRESH_MS };
    return features;
  }
}
