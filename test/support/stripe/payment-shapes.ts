import { Stripe } from 'stripe';
import { listOf, planShape, type Seconds } from './catalog-shapes.js';

export interface SessionTerms {
  id: string;
  url: string;
  expires_at: Seconds;
  success_url: string;
  cancel_url: string;
  client_reference_id: string | null;
  metadata: Stripe.Metadata;
  customer: string | null;
  customer_email: string | null;
  locale: Stripe.Checkout.Session.Locale;
  currency: string;
  amount: number;
  coupon: string | null;
}

export function sessionShape(terms: SessionTerms, at: Seconds): Stripe.Checkout.Session {
  const { amount, coupon, ...given } = terms;
  return {
    object: 'checkout.session',
    adaptive_pricing: null,
    after_expiration: null,
    allow_promotion_codes: null,
    allowed_payment_method_types: null,
    amount_subtotal: amount,
    amount_total: amount,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: at,
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer_account: null,
    customer_creation: given.customer === null ? 'always' : null,
    customer_details: null,
    discounts: coupon === null ? [] : [{ coupon, promotion_code: null }],
    integration_identifier: null,
    invoice: null,
    invoice_creation: null,
    livemode: false,
    managed_payments: { enabled: false },
    mode: 'subscription',
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: 'always',
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ['card'],
    payment_status: 'unpaid',
    permissions: null,
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: null,
    subscription: null,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    wallet_options: null,
    ...given,
  };
}

export function itemShape(
  id: string,
  given: { price: Stripe.Price; quantity: number; subscription: string; period: { start: Seconds; end: Seconds } },
  at: Seconds,
): Stripe.SubscriptionItem {
  const { price, quantity, subscription, period } = given;
  return {
    id,
    object: 'subscription_item',
    billing_thresholds: null,
    created: at,
    current_period_end: period.end,
    current_period_start: period.start,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planShape(price),
    price,
    quantity,
    subscription,
    tax_rates: [],
  };
}

export interface SubscriptionTerms {
  id: string;
  customer: string;
  currency: string;
  metadata: Stripe.Metadata;
  status: Stripe.Subscription.Status;
  trial_end: Seconds | null;
  discounts: string[];
  item: Stripe.SubscriptionItem;
}

export function subscriptionShape({ item, ...given }: SubscriptionTerms, at: Seconds): Stripe.Subscription {
  return {
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: given.trial_end ?? at,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: null, type: 'classic' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: 'charge_automatically',
    created: at,
    customer_account: null,
    days_until_due: null,
    default_payment_method: 'pm_1',
    default_source: null,
    default_tax_rates: [],
    description: null,
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: listOf([item], `/v1/subscription_items?subscription=${given.id}`),
    latest_invoice: null,
    livemode: false,
    managed_payments: { enabled: false },
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: { payment_method_options: null, payment_method_types: null, save_default_payment_method: 'off' },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: at,
    test_clock: null,
    transfer_data: null,
    trial_settings: { end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' } },
    trial_start: given.trial_end === null ? null : at,
    ...given,
  };
}

export function chargeShape(
  id: string,
  given: { amount: number; currency: string; customer: string; payment_intent: string; paid: boolean },
  at: Seconds,
): Stripe.Charge {
  return {
    id,
    object: 'charge',
    amount_captured: given.paid ? given.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    calculated_statement_descriptor: null,
    captured: given.paid,
    created: at,
    description: null,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: given.paid ? null : 'card_declined',
    failure_message: null,
    fraud_details: {},
    livemode: false,
    metadata: {},
    on_behalf_of: null,
    outcome: null,
    payment_method: 'pm_1',
    payment_method_details: null,
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: given.paid ? 'succeeded' : 'failed',
    transfer_data: null,
    transfer_group: null,
    ...given,
  };
}

export function refundShape(id: string, charge: Stripe.Charge, at: Seconds): Stripe.Refund {
  const { amount, currency, payment_intent } = charge;
  return {
    id,
    object: 'refund',
    amount,
    balance_transaction: null,
    charge: charge.id,
    created: at,
    currency,
    customer: null,
    customer_account: null,
    metadata: {},
    payment_intent,
    payment_method: null,
    reason: 'duplicate',
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
}
