import { Clock, newToken } from '@app/common';
import {
  type CancelOptions,
  type CheckoutOrder,
  type CheckoutState,
  type OpenCheckout,
  PaymentDeclinedError,
  PaymentProcessor,
  PaymentProcessorError,
  type ProcessorEvent,
  type ProcessorInvoice,
  type ProcessorSubscription,
  type SubscriptionChange,
  UnknownCustomerError,
} from '@app/integrations';
import { DataSource, type EntityManager } from 'typeorm';
import { changedAmount, settle } from '../money/amounts.js';
import { addInvoice, beginPeriod, periodAmount, voidOpenInvoices, writeSubscription } from './test-billing.js';
import { forgetTestCustomers } from './test-customers.js';
import { TestEvents } from './test-events.js';
import {
  findCheckout,
  findCheckoutByKey,
  findSubscription,
  type KeptOrder,
  listInvoicesOf,
  lockSubscription,
  type TestSubscription,
  toProcessorSubscription,
} from './test-objects.js';
import { TEST_SIGNATURE_HEADER, TestSignatures } from './test-signatures.js';

const PORTAL_MS = 3_600_000;

/** Where its pages are, as browsers reach them. */
export type PageAddress = (path: string) => string;

/**
 * Takes no money: people say on its own pages whether they pay. Its objects are rows of tables of its own, so that
 * everything can be tried, and tested, that a processor does in the course of a subscription (docs/operations/billing.md#trying).
 */
export class TestProcessor extends PaymentProcessor {
  readonly kind = 'test';
  readonly signatureHeader = TEST_SIGNATURE_HEADER;

  constructor(
    private readonly dataSource: DataSource,
    private readonly events: TestEvents,
    private readonly signatures: TestSignatures,
    private readonly address: PageAddress,
    private readonly clock: Clock,
  ) {
    super();
  }

  async openCheckout(order: CheckoutOrder): Promise<OpenCheckout> {
    const { email, idempotencyKey, expiresAt, customerId, reference, ...ordered } = order;
    await this.dataSource.query(
      `INSERT INTO billing_test_checkouts (id, idempotency_key, reference, ordered, email, customer_id, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, to_timestamp($7::float8 / 1000)) ON CONFLICT (idempotency_key) DO NOTHING`,
      [
        `tcs_${newToken()}`,
        idempotencyKey,
        reference,
        JSON.stringify(ordered satisfies KeptOrder),
        email,
        customerId,
        expiresAt,
      ],
    );
    const checkout = await findCheckoutByKey(this.dataSource, idempotencyKey);
    if (checkout === null) throw new PaymentProcessorError('The pay page could not be opened.', true);
    return { id: checkout.id, url: this.address(`checkout/${checkout.id}/`), expiresAt: checkout.expiresAt };
  }

  async readCheckout(id: string): Promise<CheckoutState | null> {
    const checkout = await findCheckout(this.dataSource, id);
    if (checkout === null) return null;
    if (checkout.status === 'open' && checkout.expiresAt <= this.clock.now()) return this.expireCheckout(id);
    return toState(checkout);
  }

  async expireCheckout(id: string): Promise<CheckoutState | null> {
    const [closed] = await this.dataSource.query<[{ revision: number }[], number]>(
      `UPDATE billing_test_checkouts SET status = 'expired', email = '', revision = revision + 1
       WHERE id = $1 AND status = 'open' RETURNING revision`,
      [id],
    );
    if (closed[0]) await this.events.tell('checkout', id, closed[0].revision);
    const checkout = await findCheckout(this.dataSource, id);
    return checkout && toState(checkout);
  }

  async readSubscription(id: string): Promise<ProcessorSubscription | null> {
    const subscription = await findSubscription(this.dataSource, id);
    return subscription && toProcessorSubscription(subscription);
  }

  changeSubscription(id: string, change: SubscriptionChange): Promise<ProcessorSubscription> {
    return this.write(id, async (tx, before) => {
      if (before.changeKey === change.idempotencyKey) return null;
      if (before.status === 'canceled') throw new PaymentProcessorError('The subscription is cancelled.', false);
      const nowMs = this.clock.now();
      const after: TestSubscription = {
        ...before,
        planCode: change.planCode,
        planName: change.planName,
        period: change.period,
        seats: change.seats,
        unitAmount: change.unitAmount,
        currency: change.currency,
        changeKey: change.idempotencyKey,
      };
      // Nothing was paid yet for which something could be given back.
      if (before.status === 'trialing') return after;
      if (before.period !== after.period) return this.beginOtherPeriod(tx, before, after, nowMs);
      const period = { start: before.periodStart, end: before.periodEnd };
      const amounts = { before: periodAmount(before, false), after: periodAmount(after, false) };
      const { due, credit } = settle(changedAmount(amounts, period, nowMs), before.credit);
      if (due > 0 && (await declinesOf(tx, before.customerId)))
        throw new PaymentDeclinedError('The payment was declined.');
      await addInvoice(tx, after, {
        description: `Change to ${after.planName}, ${after.seats === 1 ? '1 seat' : `${after.seats} seats`}`,
        amount: due,
        status: 'paid',
        period: { start: nowMs, end: before.periodEnd },
        couponCode: null,
        nowMs,
      });
      return { ...after, credit };
    });
  }

  async cancelSubscription(id: string, _options: CancelOptions): Promise<ProcessorSubscription> {
    return this.write(id, async (tx, subscription) => {
      if (subscription.status === 'canceled') return null;
      await voidOpenInvoices(tx, id);
      return { ...subscription, status: 'canceled', canceledAt: this.clock.now(), dueAt: null };
    });
  }

  async listInvoices(subscriptionId: string): Promise<ProcessorInvoice[]> {
    const invoices = await listInvoicesOf(this.dataSource, subscriptionId);
    return invoices.map((invoice) => ({ ...invoice, url: this.address(`invoices/${invoice.id}/`) }));
  }

  async refundInvoice(invoiceId: string, _options: { idempotencyKey: string }): Promise<void> {
    const [found] = await this.dataSource.query<[{ id: string }[], number]>(
      `UPDATE billing_test_invoices SET status = CASE status WHEN 'paid' THEN 'refunded' ELSE status END
       WHERE id = $1 RETURNING id`,
      [invoiceId],
    );
    if (found.length === 0) throw new PaymentProcessorError('There is no such invoice.', false);
  }

  async openPortal(customerId: string, { returnUrl }: { returnUrl: string }) {
    const id = `tpo_${newToken()}`;
    const expiresAt = this.clock.now() + PORTAL_MS;
    const opened = await this.dataSource.query<{ id: string }[]>(
      `INSERT INTO billing_test_portals (id, customer_id, return_url, expires_at)
       SELECT $1, c.id, $3, to_timestamp($4::float8 / 1000) FROM billing_test_customers c
       WHERE c.id = $2 AND c.email <> '' RETURNING id`,
      [id, customerId, returnUrl, expiresAt],
    );
    if (opened.length === 0) throw new UnknownCustomerError();
    return { url: this.address(`portal/${id}/`), expiresAt };
  }

  async forgetCustomer(customerId: string): Promise<void> {
    await forgetTestCustomers(this.dataSource, [customerId]);
  }

  verifyEvent(rawBody: Buffer, signature: string, nowMs: number): ProcessorEvent {
    return this.signatures.read(rawBody, signature, nowMs);
  }

  /** What is left of the old period is reckoned in, and the new one begins now. */
  private async beginOtherPeriod(tx: EntityManager, before: TestSubscription, after: TestSubscription, nowMs: number) {
    const period = { start: before.periodStart, end: before.periodEnd };
    const left = changedAmount({ before: periodAmount(before, false), after: 0 }, period, nowMs);
    const { credit } = settle(left, before.credit);
    const declines = await declinesOf(tx, before.customerId);
    const begun = await beginPeriod(
      tx,
      {
        ...after,
        credit,
        anchorAt: nowMs,
        periods: 0,
        coupon: before.coupon?.duration === 'forever' ? before.coupon : null,
      },
      { startMs: nowMs, nowMs, declines },
    );
    if (begun.status !== 'active') throw new PaymentDeclinedError('The payment was declined.');
    return begun;
  }

  private async write(
    id: string,
    change: (tx: EntityManager, of: TestSubscription) => Promise<TestSubscription | null>,
  ): Promise<ProcessorSubscription> {
    const written = await this.dataSource.transaction(async (tx) => {
      const before = await lockSubscription(tx, id);
      if (before === null) throw new PaymentProcessorError('There is no such subscription.', false);
      const after = await change(tx, before);
      if (after !== null) await writeSubscription(tx, after);
      return { subscription: after ?? before, isChanged: after !== null };
    });
    const { subscription, isChanged } = written;
    if (isChanged) await this.events.tell('subscription', id, subscription.revision + 1);
    return toProcessorSubscription(subscription);
  }
}

export async function declinesOf(tx: EntityManager, customerId: string): Promise<boolean> {
  const [customer] = await tx.query<{ declines: boolean }[]>(
    'SELECT declines FROM billing_test_customers WHERE id = $1',
    [customerId],
  );
  return customer?.declines ?? false;
}

/** With nothing of what only the pay page needs. */
function toState({ id, reference, status, customerId, subscriptionId }: CheckoutState): CheckoutState {
  return { id, reference, status, customerId, subscriptionId };
}
