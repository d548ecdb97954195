import { Subscriptions } from './subscriptions.port.js';

/** For deployments that sell nothing. */
export class NoSubscriptions extends Subscriptions {
  async cancelFor(): Promise<void> {}
}
