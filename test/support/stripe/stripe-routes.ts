import type Stripe from 'stripe';
import { couponShape, listOf, portalShape, type PriceTerms, productShape } from './catalog-shapes.js';
import { type Form, formAt, listAt, metadataAt, textAt } from './form.js';
import { sessionShape } from './payment-shapes.js';
import { newStripeId, type StripeAccount } from './stripe-account.js';

export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly error: { type: string; code?: string; param?: string; decline_code?: string; message: string },
  ) {
    super(error.message);
  }
}

const invalid = (message: string, rest: { code?: string; param?: string } = {}, status = 400) =>
  new Refusal(status, { type: 'invalid_request_error', message, ...rest });

const missing = (kind: string, id: string) =>
  invalid(
    `No such ${kind}: '${id}'`,
    { code: 'resource_missing', param: kind === 'customer' ? 'customer' : 'id' },
    404,
  );

function need<T>(kind: string, found: T | undefined, id: string): T {
  if (found === undefined) throw missing(kind, id);
  return found;
}

interface Call {
  form: Form;
  id: string;
  account: StripeAccount;
  url: string;
}

interface StripeRoute {
  method: 'GET' | 'POST' | 'DELETE';
  path: RegExp;
  /** What it takes; anything else is refused. */
  takes: readonly string[];
  answer: (call: Call) => object;
}

const takes = <P>(...names: (keyof P & string)[]) => [...names, 'expand'];

/** An amount in the way of Stripe: whole, and of some currencies only in steps. */
function amountOf(text: string | undefined, currency: string, param: string): number {
  const amount = Number(text);
  if (text === undefined || !/^\d+$/.test(text)) throw invalid(`Invalid integer: ${text}`, { param });
  const step = { isk: 100, ugx: 100, kwd: 10, bhd: 10, jod: 10, omr: 10, tnd: 10 }[currency] ?? 1;
  if (amount % step !== 0) throw invalid(`Amounts of ${currency} are multiples of ${step}.`, { param });
  return amount;
}

function priceOf(account: StripeAccount, form: Form | undefined): PriceTerms {
  const given = form && formAt(form, 'price_data');
  const product = textAt(given ?? {}, 'product') ?? '';
  const found = need('product', account.products.get(product), product);
  if (!found.active) throw invalid('The product is not active.', { param: 'price_data[product]' });
  const currency = textAt(given!, 'currency') ?? '';
  const interval = textAt(given!, 'recurring', 'interval');
  if (interval !== 'month' && interval !== 'year') throw invalid('Invalid interval.', { param: 'interval' });
  if (!/^[a-z]{3}$/.test(currency)) throw invalid('Invalid currency.', { param: 'currency' });
  return { product, currency, interval, unit_amount: amountOf(textAt(given!, 'unit_amount'), currency, 'unit_amount') };
}

function quantityOf(item: Form): number {
  const quantity = Number(textAt(item, 'quantity') ?? '1');
  if (!Number.isSafeInteger(quantity) || quantity < 1) throw invalid('Invalid quantity.', { param: 'quantity' });
  return quantity;
}

function createSession({ form, account, url }: Call): Stripe.Checkout.Session {
  const at = account.now();
  const item = listAt(form, 'line_items')[0] as Form;
  const price = priceOf(account, item);
  const expires_at = Number(textAt(form, 'expires_at') ?? at + 86_400);
  if (!(expires_at >= at + 1800 && expires_at <= at + 86_400))
    throw invalid('The `expires_at` timestamp must be between 30 minutes and 24 hours from now.', {
      param: 'expires_at',
    });
  const customer = textAt(form, 'customer') ?? null;
  const customer_email = textAt(form, 'customer_email') ?? null;
  if (customer !== null && customer_email !== null) throw invalid('You may only specify one of these parameters.');
  if (customer !== null && !account.customers.has(customer))
    throw invalid(`No such customer: '${customer}'`, { code: 'resource_missing', param: 'customer' });
  if (customer_email !== null && !/^[^@\s]+@[^@\s]+$/.test(customer_email))
    throw invalid(`Invalid email address: ${customer_email}`, { code: 'email_invalid', param: 'customer_email' });
  const coupon = textAt((listAt(form, 'discounts')[0] as Form | undefined) ?? {}, 'coupon') ?? null;
  if (coupon !== null) need('coupon', account.coupons.get(coupon), coupon);
  const locale = textAt(form, 'locale') ?? 'auto';
  if (!['auto', 'en'].includes(locale)) throw invalid(`Invalid locale: ${locale}`, { param: 'locale' });
  const data = formAt(form, 'subscription_data') ?? {};
  const trialDays = Number(textAt(data, 'trial_period_days') ?? 0);
  const quantity = quantityOf(item);
  const id = newStripeId('cs_test');
  const session = sessionShape(
    {
      id,
      url: `${url}/pay/${id}`,
      expires_at,
      success_url: textAt(form, 'success_url') ?? '',
      cancel_url: textAt(form, 'cancel_url') ?? '',
      client_reference_id: textAt(form, 'client_reference_id') ?? null,
      metadata: metadataAt(form),
      customer,
      customer_email,
      locale,
      currency: price.currency,
      amount: trialDays > 0 ? 0 : price.unit_amount * quantity,
      coupon,
    },
    at,
  );
  account.sessions.set(id, session);
  account.orders.set(id, { price, quantity, trialDays, metadata: metadataAt(data) });
  return session;
}

function createCoupon({ form, account }: Call): Stripe.Coupon {
  const id = textAt(form, 'id') ?? newStripeId('coupon');
  if (account.coupons.has(id)) throw invalid('Coupon already exists.', { code: 'resource_already_exists' });
  const duration = textAt(form, 'duration') ?? 'once';
  const [percent, amount] = [textAt(form, 'percent_off'), textAt(form, 'amount_off')];
  if ((percent === undefined) === (amount === undefined)) throw invalid('Either percent_off or amount_off.');
  const currency = textAt(form, 'currency') ?? null;
  const name = textAt(form, 'name') ?? null;
  if (name !== null && name.length > 40) throw invalid('Invalid string: at most 40 characters', { param: 'name' });
  const terms = {
    amount_off: amount === undefined ? null : amountOf(amount, currency ?? '', 'amount_off'),
    percent_off: percent === undefined ? null : Number(percent),
  };
  const coupon = couponShape({ id, name, currency, duration, metadata: metadataAt(form), ...terms }, account.now());
  account.coupons.set(id, coupon);
  return coupon;
}

function updateSubscription({ form, account, id }: Call): Stripe.Subscription {
  const subscription = need('subscription', account.subscriptions.get(id), id);
  if (subscription.status === 'canceled') throw invalid('A canceled subscription can only update its metadata.');
  const item = listAt(form, 'items')[0] as Form;
  const itemId = textAt(item, 'id') ?? '';
  if (subscription.items.data[0]!.id !== itemId) throw missing('subscription_item', itemId);
  if (!account.change(subscription, priceOf(account, item), quantityOf(item), metadataAt(form)))
    throw new Refusal(402, {
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'insufficient_funds',
      message: 'Your card has insufficient funds.',
    });
  return subscription;
}

/** @param newest first */
function page<T extends { id?: string | undefined }>(form: Form, newest: readonly T[], url: string): Stripe.ApiList<T> {
  const limit = Number(textAt(form, 'limit') ?? 10);
  if (!(limit >= 1 && limit <= 100)) throw invalid('Invalid limit.', { param: 'limit' });
  const after = textAt(form, 'starting_after');
  const start = after === undefined ? 0 : newest.findIndex(({ id }) => id === after) + 1;
  return listOf(newest.slice(start, start + limit), url, newest.length > start + limit);
}

export const STRIPE_ROUTES: readonly StripeRoute[] = [
  {
    method: 'POST',
    path: /^\/v1\/products$/,
    takes: takes<Stripe.ProductCreateParams>('id', 'name', 'metadata'),
    answer({ form, account }) {
      const id = textAt(form, 'id') ?? newStripeId('prod');
      if (account.products.has(id)) throw invalid('Product already exists.', { code: 'resource_already_exists' });
      const product = productShape({ id, name: textAt(form, 'name') ?? '', metadata: metadataAt(form) }, account.now());
      account.products.set(id, product);
      return product;
    },
  },
  {
    method: 'GET',
    path: /^\/v1\/products\/([^/]+)$/,
    takes: takes(),
    answer: ({ account, id }) => need('product', account.products.get(id), id),
  },
  {
    method: 'POST',
    path: /^\/v1\/products\/([^/]+)$/,
    takes: takes<Stripe.ProductUpdateParams>('name', 'active', 'metadata'),
    answer({ form, account, id }) {
      const product = need('product', account.products.get(id), id);
      const name = textAt(form, 'name') ?? product.name;
      const active = (textAt(form, 'active') ?? String(product.active)) === 'true';
      return Object.assign(product, { name, active, metadata: { ...product.metadata, ...metadataAt(form) } });
    },
  },
  {
    method: 'POST',
    path: /^\/v1\/coupons$/,
    takes: takes<Stripe.CouponCreateParams>(
      'id',
      'name',
      'metadata',
      'duration',
      'percent_off',
      'amount_off',
      'currency',
    ),
    answer: createCoupon,
  },
  {
    method: 'GET',
    path: /^\/v1\/coupons\/([^/]+)$/,
    takes: takes(),
    answer: ({ account, id }) => need('coupon', account.coupons.get(id), id),
  },
  {
    method: 'POST',
    path: /^\/v1\/checkout\/sessions$/,
    takes: takes<Stripe.Checkout.SessionCreateParams>(
      'mode',
      'line_items',
      'client_reference_id',
      'metadata',
      'subscription_data',
      'discounts',
      'payment_method_collection',
      'locale',
      'success_url',
      'cancel_url',
      'expires_at',
      'customer',
      'customer_email',
    ),
    answer: createSession,
  },
  {
    method: 'GET',
    path: /^\/v1\/checkout\/sessions\/([^/]+)$/,
    takes: takes(),
    answer: ({ account, id }) => need('checkout.session', account.sessions.get(id), id),
  },
  {
    method: 'POST',
    path: /^\/v1\/checkout\/sessions\/([^/]+)\/expire$/,
    takes: takes(),
    answer({ account, id }) {
      const session = need('checkout.session', account.sessions.get(id), id);
      if (session.status !== 'open') throw invalid('Only Checkout Sessions with a status in ["open"] can be expired.');
      account.expire(id);
      return session;
    },
  },
  {
    method: 'GET',
    path: /^\/v1\/subscriptions\/([^/]+)$/,
    takes: takes(),
    answer: ({ account, id }) => need('subscription', account.subscriptions.get(id), id),
  },
  {
    method: 'POST',
    path: /^\/v1\/subscriptions\/([^/]+)$/,
    takes: takes<Stripe.SubscriptionUpdateParams>('items', 'metadata', 'proration_behavior', 'payment_behavior'),
    answer: updateSubscription,
  },
  {
    method: 'DELETE',
    path: /^\/v1\/subscriptions\/([^/]+)$/,
    takes: takes<Stripe.SubscriptionCancelParams>('invoice_now', 'prorate', 'cancellation_details'),
    answer({ form, account, id }) {
      const subscription = account.subscriptions.get(id);
      if (!subscription || subscription.status === 'canceled') throw missing('subscription', id);
      account.cancel(subscription, textAt(form, 'cancellation_details', 'comment') ?? null);
      return subscription;
    },
  },
  {
    method: 'GET',
    path: /^\/v1\/invoices$/,
    takes: takes<Stripe.InvoiceListParams>('subscription', 'limit', 'starting_after'),
    answer: ({ form, account }) => page(form, account.invoicesOf(textAt(form, 'subscription') ?? ''), '/v1/invoices'),
  },
  {
    method: 'GET',
    path: /^\/v1\/invoices\/([^/]+)$/,
    takes: takes(),
    answer: ({ account, id }) => need('invoice', account.invoices.get(id), id),
  },
  {
    method: 'GET',
    path: /^\/v1\/charges$/,
    takes: takes<Stripe.ChargeListParams>('customer', 'limit', 'starting_after'),
    answer({ form, account }) {
      const of = [...account.charges.values()].filter(({ customer }) => customer === textAt(form, 'customer'));
      return page(form, of.toReversed(), '/v1/charges');
    },
  },
  {
    method: 'POST',
    path: /^\/v1\/refunds$/,
    takes: takes<Stripe.RefundCreateParams>('payment_intent', 'reason'),
    answer({ form, account }) {
      const refund = account.refund(textAt(form, 'payment_intent') ?? '');
      if (!refund) throw invalid('Charge has already been refunded.', { code: 'charge_already_refunded' });
      return refund;
    },
  },
  {
    method: 'DELETE',
    path: /^\/v1\/customers\/([^/]+)$/,
    takes: takes(),
    answer({ account, id }) {
      if (!account.customers.has(id)) throw missing('customer', id);
      for (const subscription of account.subscriptions.values())
        if (subscription.customer === id && subscription.status !== 'canceled') account.cancel(subscription, null);
      account.customers.delete(id);
      return { id, object: 'customer', deleted: true } satisfies Stripe.DeletedCustomer;
    },
  },
  {
    method: 'POST',
    path: /^\/v1\/billing_portal\/sessions$/,
    takes: takes<Stripe.BillingPortal.SessionCreateParams>('customer', 'return_url'),
    answer({ form, account, url }) {
      const customer = textAt(form, 'customer') ?? '';
      if (!account.customers.has(customer)) throw missing('customer', customer);
      const id = newStripeId('bps');
      const given = { customer, return_url: textAt(form, 'return_url') ?? '', url: `${url}/portal/${id}` };
      return portalShape(id, given, account.now());
    },
  },
];
