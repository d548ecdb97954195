import {
  closeOrder,
  findSubscriptionRow,
  listForgettableCustomers,
  listUnendedOf,
  type SubscriptionRow,
} from '@app/entitlements';
import { PaymentProcessor, PaymentProcessorError, Subscriptions } from '@app/integrations';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SubscriptionSync } from '../sync/subscription-sync.js';

/** Ends what an account pays for when it is deleted, that of its organisation too: nobody else's card stands behind it. */
@Injectable()
export class AccountSubscriptions extends Subscriptions {
  private readonly logger = new Logger(AccountSubscriptions.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly processor: PaymentProcessor,
    private readonly sync: SubscriptionSync,
  ) {
    super();
  }

  /** @throws PaymentProcessorError, and goes on when it is called again */
  async endFor(userId: number): Promise<void> {
    for (const id of await listUnendedOf(this.dataSource, userId)) await this.end(id);
    for (const { customer, processor } of await listForgettableCustomers(this.dataSource, userId))
      if (processor === this.processor.kind) await this.processor.forgetCustomer(customer);
  }

  private async end(id: string): Promise<void> {
    const row = await findSubscriptionRow(this.dataSource, id);
    if (row === null || isEnded(row)) return;
    if (row.processor !== this.processor.kind) {
      this.logger.warn(`${id} is ended here alone: ${row.processor} is not asked any more`);
      return this.sync.endUnknown(id);
    }
    const { processorSubscriptionId: subscription, processorCheckoutId: checkout } = row;
    if (subscription === null && (checkout === null || (await this.processor.expireCheckout(checkout)) === null)) {
      // One that got a page meanwhile, or was paid, is ended as that.
      return (await closeOrder(this.dataSource, id, checkout)) ? undefined : this.end(id);
    }
    await this.cancel(id, subscription);
    // A page that was paid a moment ago has a subscription of which the row did not know.
    const now = await findSubscriptionRow(this.dataSource, id);
    if (subscription === null && now?.processorSubscriptionId) await this.cancel(id, now.processorSubscriptionId);
    // Of a page that is being paid there is nothing to cancel yet: without its buyer it would be paid for as long as it lives.
    const after = await findSubscriptionRow(this.dataSource, id);
    if (after !== null && !isEnded(after)) throw new PaymentProcessorError(`${id} has not ended yet.`, true);
  }

  private async cancel(id: string, subscription: string | null): Promise<void> {
    const options = { reason: 'The account was deleted.', idempotencyKey: `cancel-${id}` };
    if (subscription !== null)
      await this.processor.cancelSubscription(subscription, options).catch((error: unknown) => {
        throw error instanceof PaymentProcessorError ? naming(id, error) : error;
      });
    await this.sync.syncRow(id);
  }
}

function isEnded({ status, giveBack }: Pick<SubscriptionRow, 'status' | 'giveBack'>): boolean {
  return (status === 'canceled' || status === 'incomplete_expired') && giveBack !== 'due';
}

/** For whoever reads why an erasure does not end. */
const naming = (id: string, { message, isTransient }: PaymentProcessorError) =>
  new PaymentProcessorError(`The subscription ${id} does not end: ${message}`, isTransient);
