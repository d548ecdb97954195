import { isUtf8 } from 'node:buffer';
import { cutText } from '@app/common';
import type { AppConfig } from '@app/config';
import type Stripe from 'stripe';
import {
  type CancelOptions,
  type CheckoutOrder,
  type CheckoutState,
  InvalidEventError,
  type OpenCheckout,
  PaymentDeclinedError,
  PaymentProcessor,
  PaymentProcessorError,
  type PricedPlan,
  type ProcessorEvent,
  type ProcessorInvoice,
  type ProcessorSubscription,
  type SubscriptionChange,
  UnknownCustomerError,
} from '../payment-processor.port.js';
import {
  idOf,
  type OurMetadata,
  type PaymentOutcomes,
  paymentIntentsOf,
  planItem,
  readInvoice,
  readSession,
  readSubscription,
} from './read-objects.js';
import { StripeCatalog } from './stripe-catalog.js';
import {
  asking,
  createStripe,
  findAt,
  hasNoCard,
  isOfMissing,
  isStripeError,
  readSigned,
  type StripeSettings,
  TOLERANCE_SECONDS,
} from './stripe-client.js';
import { readEvent } from './read-event.js';
import { isChargeable, toStripeAmount } from './stripe-money.js';

const PAGE = 100;
/** Stripe keeps a pay page open for so long. */
const SHORTEST_CHECKOUT_MS = 30 * 60_000;
const LONGEST_CHECKOUT_MS = 24 * 60 * 60_000;
/** A portal that nobody enters closes; Stripe does not say when. */
const PORTAL_MS = 5 * 60_000;
const LONGEST_COMMENT = 500;
/** The money is back already, from us or by the bank of who paid. */
const BACK_ALREADY: ReadonlySet<string> = new Set(['charge_already_refunded', 'charge_disputed']);
/** With what the port tells of a subscription. */
const WITH_PRODUCT = { expand: ['items.data.price.product'] };

/** Stripe: Checkout, the customer portal, signed webhooks. */
export class StripePaymentProcessor extends PaymentProcessor {
  readonly kind = 'stripe';
  readonly signatureHeader = 'stripe-signature';
  private readonly stripe: Stripe;
  private readonly catalog: StripeCatalog;

  constructor(private readonly settings: StripeSettings) {
    super();
    this.stripe = createStripe(settings);
    this.catalog = new StripeCatalog(this.stripe);
  }

  override canCharge(minor: number, currency: string): boolean {
    return isChargeable(minor, currency);
  }

  async openCheckout(order: CheckoutOrder): Promise<OpenCheckout> {
    const item = { price_data: await this.priceOf(order), quantity: order.seats };
    const coupon = order.coupon && (await this.catalog.coupon(order.coupon, order.currency));
    const metadata = metadataOf(order.reference, order);
    const params: Stripe.Checkout.SessionCreateParams = {
      mode: 'subscription',
      line_items: [item],
      client_reference_id: order.reference,
      metadata,
      subscription_data: { metadata, ...(order.trialDays > 0 && { trial_period_days: order.trialDays }) },
      ...(coupon && { discounts: [{ coupon }] }),
      // A card is asked for in a trial, too: it is charged when that ends.
      payment_method_collection: 'always',
      // Stripe has no Arabic; then it speaks as the browser asks.
      locale: order.language === 'en' ? 'en' : 'auto',
      success_url: order.successUrl,
      cancel_url: order.cancelUrl,
      expires_at: Math.floor(closingTime(order.expiresAt) / 1000),
    };
    const session = await this.createSession(params, order);
    if (!session.url) throw new PaymentProcessorError('Stripe gave a pay page without an address.', false);
    return { id: session.id, url: session.url, expiresAt: session.expires_at * 1000 };
  }

  async readCheckout(id: string): Promise<CheckoutState | null> {
    const session = await findAt(() => this.stripe.checkout.sessions.retrieve(id));
    return session && readSession(session);
  }

  async expireCheckout(id: string): Promise<CheckoutState | null> {
    try {
      return readSession(await this.stripe.checkout.sessions.expire(id));
    } catch (error) {
      // Paid, or closed before; which of them only the page itself tells.
      if (isStripeError(error) && error.statusCode === 400) return this.readCheckout(id);
      return findAt(() => Promise.reject(error));
    }
  }

  async readSubscription(id: string): Promise<ProcessorSubscription | null> {
    const subscription = await findAt(() => this.stripe.subscriptions.retrieve(id, WITH_PRODUCT));
    return subscription && readSubscription(subscription);
  }

  async changeSubscription(id: string, change: SubscriptionChange): Promise<ProcessorSubscription> {
    const before = await asking(() => this.stripe.subscriptions.retrieve(id, WITH_PRODUCT));
    const item = planItem(before);
    if (!item) throw unreadable(id);
    const params: Stripe.SubscriptionUpdateParams = {
      ...WITH_PRODUCT,
      items: [{ id: item.id, price_data: await this.priceOf(change), quantity: change.seats }],
      metadata: metadataOf(before.metadata.reference ?? '', change),
      // At once: who may cancel at any time would else have what was never paid. Declined: it stays as it was.
      proration_behavior: 'always_invoice',
      payment_behavior: 'error_if_incomplete',
    };
    const { idempotencyKey } = change;
    return asking(async () => {
      try {
        return ours(id, await this.stripe.subscriptions.update(id, params, { idempotencyKey }));
      } catch (error) {
        throw hasNoCard(error) ? new PaymentDeclinedError('The customer has no card at Stripe.') : error;
      }
    });
  }

  async cancelSubscription(id: string, { reason, idempotencyKey }: CancelOptions): Promise<ProcessorSubscription> {
    const params: Stripe.SubscriptionCancelParams = {
      ...WITH_PRODUCT,
      invoice_now: false,
      prorate: false,
      ...(reason && { cancellation_details: { comment: cutText(reason, LONGEST_COMMENT) } }),
    };
    try {
      return ours(id, await this.stripe.subscriptions.cancel(id, params, { idempotencyKey }));
    } catch (error) {
      // One that is cancelled is answered as if it were not there.
      const found = await this.readSubscription(id);
      if (found?.status === 'canceled' || found?.status === 'incomplete_expired') return found;
      return asking(() => Promise.reject(error));
    }
  }

  async listInvoices(subscriptionId: string): Promise<ProcessorInvoice[]> {
    return asking(async () => {
      const expand = ['data.payments', 'data.discounts.source.coupon'];
      const invoices = await this.all(this.stripe.invoices.list({ subscription: subscriptionId, limit: PAGE, expand }));
      const outcomes = await this.paymentOutcomes(invoices);
      return invoices.map((invoice) => readInvoice(invoice, outcomes)).filter((invoice) => invoice !== null);
    });
  }

  async refundInvoice(invoiceId: string, { idempotencyKey }: { idempotencyKey: string }): Promise<void> {
    const invoice = await asking(() => this.stripe.invoices.retrieve(invoiceId, { expand: ['payments'] }));
    for (const payment_intent of paymentIntentsOf(invoice))
      await asking(async () => {
        try {
          const params = { payment_intent, reason: 'duplicate' as const };
          await this.stripe.refunds.create(params, { idempotencyKey: `${idempotencyKey}:${payment_intent}` });
        } catch (error) {
          if (!isStripeError(error) || !BACK_ALREADY.has(error.code ?? '')) throw error;
        }
      });
  }

  async openPortal(
    customer: string,
    { returnUrl }: { returnUrl: string },
  ): Promise<{ url: string; expiresAt: number }> {
    const params = { customer, return_url: returnUrl };
    const { url, created } = await asking(async () => {
      try {
        return await this.stripe.billingPortal.sessions.create(params);
      } catch (error) {
        throw isOfMissing(error) ? new UnknownCustomerError() : error;
      }
    });
    return { url, expiresAt: created * 1000 + PORTAL_MS };
  }

  async forgetCustomer(customerId: string): Promise<void> {
    await findAt(() => this.stripe.customers.del(customerId));
  }

  verifyEvent(rawBody: Buffer, signature: string, nowMs: number): ProcessorEvent {
    // What is no text would be signed as if it were another.
    if (!isUtf8(rawBody)) throw new InvalidEventError('The body is no text.');
    const signedAt = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature)?.[1]);
    // The SDK refuses what is too old, and takes what is from the future.
    if (!(signedAt - nowMs / 1000 <= TOLERANCE_SECONDS)) throw new InvalidEventError('It was not signed lately.');
    let event: unknown;
    try {
      event = readSigned(rawBody.toString('utf8'), signature, this.settings.webhookSecret, nowMs);
    } catch {
      // Its message quotes the body.
      throw new InvalidEventError('Stripe did not sign it, or not lately.');
    }
    return readEvent(event);
  }

  private async priceOf(plan: PricedPlan) {
    return {
      currency: plan.currency.toLowerCase(),
      product: await this.catalog.product(plan),
      unit_amount: toStripeAmount(plan.unitAmount, plan.currency),
      recurring: { interval: plan.period === 'yearly' ? ('year' as const) : ('month' as const) },
    };
  }

  /** A customer that people removed at the dashboard is made anew. */
  private async createSession(
    params: Stripe.Checkout.SessionCreateParams,
    { customerId, email, idempotencyKey }: CheckoutOrder,
  ): Promise<Stripe.Checkout.Session> {
    const { sessions } = this.stripe.checkout;
    return asking(async () => {
      if (customerId !== null)
        try {
          return await sessions.create({ ...params, customer: customerId }, { idempotencyKey });
        } catch (error) {
          if (!isStripeError(error) || error.param !== 'customer') throw error;
        }
      const key = customerId === null ? idempotencyKey : `${idempotencyKey}:anew`;
      return sessions.create({ ...params, customer_email: email }, { idempotencyKey: key });
    });
  }

  /** Of these invoices; people may give payments back at the dashboard, too. */
  private async paymentOutcomes([first]: readonly Stripe.Invoice[]): Promise<PaymentOutcomes> {
    const charges = first?.customer
      ? await this.all(this.stripe.charges.list({ customer: idOf(first.customer), limit: PAGE }))
      : [];
    const those = (are: (charge: Stripe.Charge) => boolean) =>
      new Set(charges.flatMap((charge) => (are(charge) && charge.payment_intent ? [idOf(charge.payment_intent)] : [])));
    return { refunded: those(({ refunded }) => refunded), pending: those(({ status }) => status === 'pending') };
  }

  /** None of what Stripe does not know: one subscription of another account would hide the invoices of all others. */
  private async all<T>(list: AsyncIterable<T>): Promise<T[]> {
    const found: T[] = [];
    try {
      for await (const one of list) found.push(one);
    } catch (error) {
      if (!isOfMissing(error)) throw error;
    }
    return found;
  }
}

const metadataOf = (reference: string, { planCode, period }: PricedPlan): OurMetadata & Record<string, string> => ({
  reference,
  plan_code: planCode,
  billing_period: period,
});

/** A time that Stripe takes. One that it takes already stays, so that a repeated order is the same. */
function closingTime(wanted: number): number {
  const now = Date.now();
  // A second for the way.
  return Math.min(Math.max(wanted, now + SHORTEST_CHECKOUT_MS + 1000), now + LONGEST_CHECKOUT_MS - 1000);
}

function ours(id: string, subscription: Stripe.Subscription): ProcessorSubscription {
  const found = readSubscription(subscription);
  if (!found) throw unreadable(id);
  return found;
}

const unreadable = (id: string) =>
  new PaymentProcessorError(`The subscription ${id} of Stripe is none of ours.`, false);

/** As the deployment says. */
export function createStripeProcessor({ billing }: AppConfig): StripePaymentProcessor {
  const { stripeSecretKey: secretKey, stripeWebhookSecret: webhookSecret, stripeUrl: baseUrl } = billing;
  if (!secretKey || !webhookSecret)
    throw new Error('BILLING=stripe needs STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.');
  return new StripePaymentProcessor({ secretKey, webhookSecret, ...(baseUrl && { baseUrl }) });
}
