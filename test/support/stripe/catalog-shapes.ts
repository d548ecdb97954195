import { Stripe } from 'stripe';

/** Objects of Stripe in full, in the shapes that its SDK declares: a field that is wrong or missing does not compile. */

export type Seconds = number;

export const listOf = <T extends { id?: string | undefined }>(data: T[], url: string, has_more = false) =>
  ({ object: 'list', data, has_more, url }) as Stripe.ApiList<T>;

export function productShape(given: Pick<Stripe.Product, 'id' | 'name' | 'metadata'>, at: Seconds): Stripe.Product {
  return {
    object: 'product',
    active: true,
    created: at,
    default_price: null,
    description: null,
    images: [],
    livemode: false,
    marketing_features: [],
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    unit_label: null,
    updated: at,
    url: null,
    ...given,
  };
}

export interface PriceTerms {
  product: string;
  currency: string;
  unit_amount: number;
  interval: 'month' | 'year';
}

export function priceShape(id: string, terms: PriceTerms, at: Seconds): Stripe.Price {
  const { product, currency, unit_amount, interval } = terms;
  return {
    id,
    object: 'price',
    // Those made for one session are not offered to others.
    active: false,
    billing_scheme: 'per_unit',
    created: at,
    currency,
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product,
    recurring: { interval, interval_count: 1, meter: null, trial_period_days: null, usage_type: 'licensed' },
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: 'recurring',
    unit_amount,
    unit_amount_decimal: Stripe.Decimal.from(unit_amount),
  };
}

/** The older form of a price, which Stripe still writes beside it. */
export function planShape({ id, created, currency, product, recurring, unit_amount }: Stripe.Price): Stripe.Plan {
  return {
    id,
    object: 'plan',
    active: false,
    amount: unit_amount,
    amount_decimal: Stripe.Decimal.from(unit_amount!),
    billing_scheme: 'per_unit',
    created,
    currency,
    interval: recurring!.interval,
    interval_count: 1,
    livemode: false,
    metadata: {},
    meter: null,
    nickname: null,
    product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: 'licensed',
  };
}

export function couponShape(
  given: Pick<Stripe.Coupon, 'id' | 'name' | 'amount_off' | 'currency' | 'percent_off' | 'duration' | 'metadata'>,
  at: Seconds,
): Stripe.Coupon {
  return {
    object: 'coupon',
    created: at,
    duration_in_months: null,
    livemode: false,
    max_redemptions: null,
    redeem_by: null,
    times_redeemed: 0,
    valid: true,
    ...given,
  };
}

export function discountShape(
  id: string,
  given: { coupon: string; customer: string; subscription: string },
  at: Seconds,
): Stripe.Discount {
  return {
    id,
    object: 'discount',
    checkout_session: null,
    customer: given.customer,
    customer_account: null,
    end: null,
    invoice: null,
    invoice_item: null,
    promotion_code: null,
    source: { coupon: given.coupon, type: 'coupon' },
    start: at,
    subscription: given.subscription,
    subscription_item: null,
  };
}

export function portalShape(
  id: string,
  given: { customer: string; return_url: string; url: string },
  at: Seconds,
): Stripe.BillingPortal.Session {
  return {
    id,
    object: 'billing_portal.session',
    configuration: 'bpc_1',
    created: at,
    customer_account: null,
    flow: null,
    livemode: false,
    locale: null,
    on_behalf_of: null,
    ...given,
  };
}
