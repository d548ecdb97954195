import type Stripe from 'stripe';
import type { CheckoutState, ProcessorInvoice, ProcessorSubscription } from '../payment-processor.port.js';
import { fromStripeAmount } from './stripe-money.js';

/** What we write on objects of Stripe, and read there again. */
export interface OurMetadata {
  /** Of our subscription. */
  reference: string;
  plan_code: string;
  billing_period: 'monthly' | 'yearly';
}

const PRODUCT_PREFIX = 'atrium_plan_';
/** The same for each call, so that a plan has one product however often it is asked for. */
export const productIdOf = (planCode: string) => `${PRODUCT_PREFIX}${planCode}`;

export const idOf = (object: string | { id: string }): string => (typeof object === 'string' ? object : object.id);
export const inMs = (seconds: number | null): number | null => (seconds === null ? null : seconds * 1000);

const STATUSES = {
  incomplete: 'incomplete',
  incomplete_expired: 'incomplete_expired',
  trialing: 'trialing',
  active: 'active',
  past_due: 'past_due',
  unpaid: 'unpaid',
  canceled: 'canceled',
  // A trial that ended without a means of payment.
  paused: 'unpaid',
} as const satisfies Record<string, ProcessorSubscription['status']>;

const PAGES = { open: 'open', complete: 'complete', expired: 'expired' } as const;

export function readSession(session: Stripe.Checkout.Session): CheckoutState | null {
  const reference = session.client_reference_id ?? session.metadata?.reference;
  // Others may sell something else with the same account.
  if (!reference || session.mode !== 'subscription') return null;
  const { status, customer, subscription } = session;
  return {
    id: session.id,
    reference,
    status: PAGES[status as keyof typeof PAGES] ?? 'open',
    customerId: customer && idOf(customer),
    subscriptionId: subscription && idOf(subscription),
  };
}

/** The item that is the plan; people at the dashboard may have added others. */
export function planItem({ items }: Stripe.Subscription): Stripe.SubscriptionItem | undefined {
  return items.data.find(({ price }) => planCodeOf(price.product) !== null) ?? items.data[0];
}

/** @param product with what it is, or its id alone */
function planCodeOf(product: string | Stripe.Product | Stripe.DeletedProduct): string | null {
  const named = typeof product === 'object' && !product.deleted ? product.metadata.plan_code : undefined;
  if (named) return named;
  const id = idOf(product);
  return id.startsWith(PRODUCT_PREFIX) ? id.slice(PRODUCT_PREFIX.length) : null;
}

/** Null for one that is of no plan of ours, or no longer sold in a way that we know. */
export function readSubscription(subscription: Stripe.Subscription): ProcessorSubscription | null {
  const { reference, plan_code: noted } = subscription.metadata;
  const item = planItem(subscription);
  const status = STATUSES[subscription.status as keyof typeof STATUSES];
  const planCode = (item && planCodeOf(item.price.product)) ?? noted;
  if (!item || !status || !planCode) return null;
  return {
    id: subscription.id,
    reference: reference || null,
    customerId: idOf(subscription.customer),
    status,
    planCode,
    period: item.price.recurring?.interval === 'year' ? 'yearly' : 'monthly',
    seats: item.quantity ?? 1,
    trialEnd: inMs(subscription.trial_end),
    // It stands on the items since 2025: each may have its own.
    currentPeriodEnd: inMs(item.current_period_end),
    // While it runs to the end of a period, Stripe already says when that was asked for.
    canceledAt: status === 'canceled' ? inMs(subscription.ended_at ?? subscription.canceled_at) : null,
  };
}

/** What became of payments, by their payment intents. */
export interface PaymentOutcomes {
  /** Given back in full. */
  refunded: ReadonlySet<string>;
  /** Under way, as debits of a bank account are for days. */
  pending: ReadonlySet<string>;
}

/** Null for a draft, which may still change, and for what belongs to no subscription. */
export function readInvoice(invoice: Stripe.Invoice, outcomes: PaymentOutcomes): ProcessorInvoice | null {
  const details = invoice.parent?.subscription_details;
  if (!details || !invoice.id || invoice.status === 'draft') return null;
  const currency = invoice.currency.toUpperCase();
  const line = invoice.lines.data.findLast((one) => !isProration(one)) ?? invoice.lines.data.at(-1);
  const product = line?.pricing?.price_details?.product;
  const noted = details.metadata?.billing_period;
  return {
    id: invoice.id,
    subscriptionId: idOf(details.subscription),
    number: invoice.number,
    status: statusOf(invoice, outcomes),
    description: invoice.description ?? line?.description ?? '',
    planCode: (product ? planCodeOf(product) : null) ?? details.metadata?.plan_code ?? null,
    period: noted === 'monthly' || noted === 'yearly' ? noted : null,
    seats: line?.quantity ?? null,
    amount: fromStripeAmount(invoice.amount_due, currency),
    currency,
    couponCode: couponOf(invoice),
    periodStart: inMs(line?.period.start ?? null),
    periodEnd: inMs(line?.period.end ?? null),
    createdAt: invoice.created * 1000,
    paidAt: inMs(invoice.status_transitions.paid_at),
    url: invoice.hosted_invoice_url ?? null,
  };
}

const isProration = ({ parent }: Stripe.InvoiceLineItem): boolean =>
  parent?.subscription_item_details?.proration ?? parent?.invoice_item_details?.proration ?? false;

function statusOf(invoice: Stripe.Invoice, { refunded, pending }: PaymentOutcomes): ProcessorInvoice['status'] {
  if (invoice.status === 'paid') return paymentIntentsOf(invoice).some((id) => refunded.has(id)) ? 'refunded' : 'paid';
  if (invoice.status === 'void') return 'void';
  if (invoice.status === 'uncollectible') return 'failed';
  const isUnderWay = paymentIntentsOf(invoice, 'open').some((id) => pending.has(id));
  return invoice.attempt_count > 0 && !isUnderWay ? 'failed' : 'open';
}

/** By which it was paid, or (`open`) is to be. */
export function paymentIntentsOf({ payments }: Stripe.Invoice, as: 'paid' | 'open' = 'paid'): string[] {
  return (payments?.data ?? [])
    .filter(({ status }) => status === as)
    .flatMap(({ payment }) => (payment.payment_intent ? [idOf(payment.payment_intent)] : []));
}

function couponOf({ discounts }: Stripe.Invoice): string | null {
  for (const discount of discounts) {
    const coupon = typeof discount === 'object' ? discount.source.coupon : null;
    if (coupon && typeof coupon === 'object') return coupon.metadata?.coupon_code ?? coupon.name ?? coupon.id;
  }
  return null;
}
