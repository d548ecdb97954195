import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import { discountShape, type PriceTerms, priceShape } from './catalog-shapes.js';
import { invoicePaymentShape, invoiceShape, type LineTerms, lineShape } from './invoice-shapes.js';
import { chargeShape, itemShape, refundShape, subscriptionShape } from './payment-shapes.js';

export interface Ordered {
  price: PriceTerms;
  quantity: number;
  trialDays: number;
  metadata: Stripe.Metadata;
}

export interface SentEvent {
  id: string;
  type: Stripe.Event.Type;
  body: string;
}

type Renewal = 'paid' | 'failed' | 'given up';

export const newStripeId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`;
const DAY = 86_400;

/** What happens at an account of Stripe, as far as this project sees it. Everything that happens makes its events. */
export class StripeAccount {
  readonly products = new Map<string, Stripe.Product>();
  readonly coupons = new Map<string, Stripe.Coupon>();
  readonly discounts = new Map<string, Stripe.Discount>();
  /** With their addresses. */
  readonly customers = new Map<string, string>();
  readonly sessions = new Map<string, Stripe.Checkout.Session>();
  /** What each session sells. */
  readonly orders = new Map<string, Ordered>();
  readonly subscriptions = new Map<string, Stripe.Subscription>();
  readonly invoices = new Map<string, Stripe.Invoice>();
  readonly charges = new Map<string, Stripe.Charge>();
  readonly refunds = new Map<string, Stripe.Refund>();
  readonly events: SentEvent[] = [];
  /** What was charged too much in advance, per customer; the next invoice is lower by it. */
  readonly credits = new Map<string, number>();
  /** Whether the next payment is declined. */
  declines = false;
  /** Whether payments are bank debits, which are under way for days. */
  debits = false;

  constructor(
    private readonly url: () => string,
    readonly apiVersion: string,
  ) {}

  now = () => Math.floor(Date.now() / 1000);

  /** At the pay page: somebody gives a card that is good. */
  pay(sessionId: string): void {
    const session = this.open(sessionId);
    const order = this.orders.get(sessionId)!;
    const at = this.now();
    const customer = (session.customer as string | null) ?? this.newCustomer(session.customer_email!);
    const trialEnd = order.trialDays > 0 ? at + order.trialDays * DAY : null;
    const id = newStripeId('sub');
    const price = priceShape(newStripeId('price'), order.price, at);
    const period = { start: at, end: trialEnd ?? after(at, order.price.interval) };
    const item = itemShape(newStripeId('si'), { price, quantity: order.quantity, subscription: id, period }, at);
    const coupon = session.discounts?.[0]?.coupon as string | undefined;
    const discounts = coupon ? [this.newDiscount(coupon, customer, id)] : [];
    const terms = { id, customer, currency: order.price.currency, metadata: order.metadata, trial_end: trialEnd };
    const status = trialEnd === null ? 'active' : 'trialing';
    const subscription = subscriptionShape({ ...terms, status, discounts, item }, at);
    this.subscriptions.set(id, subscription);
    session.customer = customer;
    session.subscription = id;
    session.status = 'complete';
    session.url = null;
    session.payment_status = trialEnd === null ? 'paid' : 'no_payment_required';
    this.tell('customer.subscription.created', subscription);
    session.invoice = this.bill(subscription, 'subscription_create', [this.line(subscription, trialEnd !== null)]).id!;
    this.tell('checkout.session.completed', session);
  }

  expire(sessionId: string): void {
    const session = this.open(sessionId);
    session.status = 'expired';
    session.url = null;
    this.tell('checkout.session.expired', session);
  }

  /** The end of a period, or of a trial. */
  renew(subscriptionId: string, outcome: Renewal): void {
    const subscription = this.living(subscriptionId);
    const item = subscription.items.data[0]!;
    if (outcome === 'given up') {
      subscription.status = 'unpaid';
      return this.tell('customer.subscription.updated', subscription);
    }
    item.current_period_start = item.current_period_end;
    item.current_period_end = after(item.current_period_start, item.price.recurring!.interval as 'month');
    this.declines = outcome === 'failed';
    const invoice = this.bill(subscription, 'subscription_cycle', [this.line(subscription)]);
    this.declines = false;
    subscription.status = invoice.status === 'paid' ? 'active' : 'past_due';
    this.tell('customer.subscription.updated', subscription);
  }

  /** A payment that failed is made up for. */
  settle(subscriptionId: string): void {
    const subscription = this.living(subscriptionId);
    for (const invoice of this.invoicesOf(subscriptionId)) if (invoice.status === 'open') this.collect(invoice);
    subscription.status = 'active';
    this.tell('customer.subscription.updated', subscription);
  }

  /** Bank debits that were under way come in, or (`false`) are sent back. */
  clear(arrives: boolean): void {
    for (const charge of this.charges.values()) {
      if (charge.status !== 'pending') continue;
      Object.assign(charge, { status: arrives ? 'succeeded' : 'failed', paid: arrives, captured: arrives });
      const invoice = [...this.invoices.values()].find(({ payments }) =>
        payments?.data.some(({ payment }) => payment.payment_intent === charge.payment_intent),
      )!;
      if (!arrives) {
        this.tell('invoice.payment_failed', invoice);
        continue;
      }
      invoice.payments!.data[0]!.status = 'paid';
      this.markPaid(invoice);
    }
  }

  /** @returns null when the card was declined: nothing has changed then */
  change(subscription: Stripe.Subscription, terms: PriceTerms, quantity: number, metadata: Stripe.Metadata): boolean {
    const at = this.now();
    const item = subscription.items.data[0]!;
    const { price: before, quantity: seats = 1 } = item;
    const isInTrial = subscription.status === 'trialing';
    const price = priceShape(newStripeId('price'), terms, at);
    const [start, end] = [item.current_period_start, item.current_period_end];
    const restarts = before.recurring!.interval !== terms.interval && !isInTrial;
    const left = isInTrial ? 0 : (end - at) / (end - start);
    const period = restarts ? { start: at, end: after(at, terms.interval) } : { start: at, end };
    const credit = -Math.round(before.unit_amount! * seats * left);
    const charge = Math.round(terms.unit_amount * quantity * (restarts ? 1 : left));
    const lines = [
      prorated({ amount: credit, description: 'Unused time', price: before, quantity: seats }, period),
      prorated({ amount: charge, description: 'Remaining time', price, quantity }, period),
    ];
    if (this.declines && credit + charge > 0) {
      this.declines = false;
      return false;
    }
    Object.assign(item, { price, quantity, plan: { ...item.plan, id: price.id, product: price.product } });
    if (restarts) [item.current_period_start, item.current_period_end] = [period.start, period.end];
    subscription.metadata = { ...subscription.metadata, ...metadata };
    if (!isInTrial) this.bill(subscription, 'subscription_update', lines);
    this.tell('customer.subscription.updated', subscription);
    return true;
  }

  cancel(subscription: Stripe.Subscription, comment: string | null): void {
    subscription.status = 'canceled';
    subscription.canceled_at = this.now();
    subscription.ended_at = this.now();
    subscription.cancellation_details = {
      comment,
      feedback: null,
      feedback_option: null,
      reason: 'cancellation_requested',
    };
    this.tell('customer.subscription.deleted', subscription);
  }

  refund(paymentIntent: string): Stripe.Refund | null {
    const charge = [...this.charges.values()].find(
      ({ payment_intent, paid }) => payment_intent === paymentIntent && paid,
    );
    if (!charge || charge.refunded) return null;
    charge.refunded = true;
    charge.amount_refunded = charge.amount;
    const refund = refundShape(newStripeId('re'), charge, this.now());
    this.refunds.set(refund.id, refund);
    this.tell('charge.refunded', charge);
    return refund;
  }

  invoicesOf(subscriptionId: string): Stripe.Invoice[] {
    return [...this.invoices.values()]
      .filter(({ parent }) => parent?.subscription_details?.subscription === subscriptionId)
      .toReversed();
  }

  newCustomer(email: string): string {
    const id = newStripeId('cus');
    this.customers.set(id, email);
    return id;
  }

  private bill(of: Stripe.Subscription, reason: Stripe.Invoice.BillingReason, lines: LineTerms[]): Stripe.Invoice {
    const id = newStripeId('in');
    const at = this.now();
    const full = lines.reduce((sum, { amount }) => sum + amount, 0);
    const discount = Math.max(0, Math.min(full, this.discountOn(of, full, reason)));
    const customer = of.customer as string;
    const invoice = invoiceShape(
      of,
      {
        id,
        reason,
        number: `ATR-${String(this.invoices.size + 1).padStart(4, '0')}`,
        lines: lines.map((line) => lineShape(newStripeId('il'), of, id, line)),
        discount,
        discounts: discount > 0 ? (of.discounts as string[]) : [],
        url: `${this.url()}/invoice/${id}`,
        customerEmail: this.customers.get(customer) ?? null,
      },
      at,
    );
    if (invoice.total < 0) this.credits.set(customer, (this.credits.get(customer) ?? 0) - invoice.total);
    const credit = Math.min(this.credits.get(customer) ?? 0, invoice.amount_due);
    if (credit > 0 && invoice.total > 0) {
      invoice.starting_balance = -credit;
      invoice.amount_due -= credit;
      invoice.amount_remaining = invoice.amount_due;
      this.credits.set(customer, this.credits.get(customer)! - credit);
    }
    this.invoices.set(id, invoice);
    of.latest_invoice = id;
    if (this.declines) this.decline(invoice);
    else if (this.debits && invoice.amount_due > 0) this.debit(invoice);
    else this.collect(invoice);
    return invoice;
  }

  private debit(invoice: Stripe.Invoice): void {
    const charge = this.charge(invoice, false);
    Object.assign(charge, { status: 'pending', failure_code: null });
    invoice.payments!.data[0]!.status = 'open';
    this.tell('charge.pending', charge);
  }

  private charge(invoice: Stripe.Invoice, paid: boolean): Stripe.Charge {
    const at = this.now();
    const { amount_due: amount, currency, id } = invoice;
    const payment_intent = newStripeId('pi');
    const given = { amount, currency, customer: invoice.customer as string, payment_intent, paid };
    const made = chargeShape(newStripeId('ch'), given, at);
    this.charges.set(made.id, made);
    const payment = invoicePaymentShape(newStripeId('inpay'), invoice, payment_intent, at);
    invoice.payments = { object: 'list', data: [payment], has_more: false, url: `/v1/invoices/${id}/payments` };
    invoice.attempt_count += 1;
    invoice.attempted = true;
    return made;
  }

  private collect(invoice: Stripe.Invoice): void {
    if (invoice.amount_due > 0) this.charge(invoice, true);
    this.markPaid(invoice);
  }

  private markPaid(invoice: Stripe.Invoice): void {
    Object.assign(invoice, { status: 'paid', amount_paid: invoice.amount_due, amount_remaining: 0 });
    invoice.status_transitions.paid_at = this.now();
    this.tell('invoice.paid', invoice);
  }

  private decline(invoice: Stripe.Invoice): void {
    invoice.attempt_count += 1;
    invoice.attempted = true;
    this.tell('invoice.payment_failed', invoice);
  }

  private discountOn(of: Stripe.Subscription, full: number, reason: Stripe.Invoice.BillingReason): number {
    const discount = this.discounts.get((of.discounts[0] as string | undefined) ?? '');
    const coupon = this.coupons.get((discount?.source.coupon as string | undefined) ?? '');
    if (!coupon || (coupon.duration === 'once' && reason !== 'subscription_create')) return 0;
    return coupon.percent_off === null ? coupon.amount_off! : Math.round((full * coupon.percent_off) / 100);
  }

  private newDiscount(coupon: string, customer: string, subscription: string): string {
    const id = newStripeId('di');
    this.discounts.set(id, discountShape(id, { coupon, customer, subscription }, this.now()));
    return id;
  }

  private line(of: Stripe.Subscription, isFree = false): LineTerms {
    const { price, quantity = 1, current_period_start: start, current_period_end: end } = of.items.data[0]!;
    const amount = isFree ? 0 : price.unit_amount! * quantity;
    const name = this.products.get(price.product as string)?.name ?? '';
    const description = isFree ? `Trial period for ${name}` : `${quantity} × ${name}`;
    return { amount, description, price, quantity, period: { start, end }, isProration: false };
  }

  private open(id: string): Stripe.Checkout.Session {
    const session = this.sessions.get(id);
    if (session?.status !== 'open') throw new Error(`The pay page ${id} is ${session?.status ?? 'unknown'}.`);
    return session;
  }

  private living(id: string): Stripe.Subscription {
    const subscription = this.subscriptions.get(id);
    if (!subscription || subscription.status === 'canceled') throw new Error(`${id} does not live.`);
    return subscription;
  }

  private tell(type: Stripe.Event.Type, object: { id?: string | undefined }): void {
    const id = newStripeId('evt');
    const event: Omit<Stripe.EventBase, 'data'> & { data: { object: object } } = {
      id,
      object: 'event',
      api_version: this.apiVersion,
      created: this.now(),
      data: { object },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    };
    this.events.push({ id, type, body: JSON.stringify(event, null, 2) });
  }
}

const prorated = (line: Omit<LineTerms, 'period' | 'isProration'>, period: LineTerms['period']): LineTerms => ({
  ...line,
  period,
  isProration: true,
});

/** A month of a calendar, or a year of one. */
function after(at: number, interval: 'month' | 'year'): number {
  const date = new Date(at * 1000);
  if (interval === 'year') date.setUTCFullYear(date.getUTCFullYear() + 1);
  else date.setUTCMonth(date.getUTCMonth() + 1);
  return date.getTime() / 1000;
}
