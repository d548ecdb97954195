import { Stripe } from 'stripe';
import { listOf, type Seconds } from './catalog-shapes.js';

export interface LineTerms {
  amount: number;
  description: string;
  price: Stripe.Price;
  quantity: number;
  period: { start: Seconds; end: Seconds };
  isProration: boolean;
}

export function lineShape(
  id: string,
  of: Stripe.Subscription,
  invoice: string,
  terms: LineTerms,
): Stripe.InvoiceLineItem {
  const { amount, description, price, quantity, period, isProration } = terms;
  return {
    id,
    object: 'line_item',
    amount,
    currency: of.currency,
    description,
    discount_amounts: [],
    discountable: !isProration,
    discounts: [],
    invoice,
    livemode: false,
    metadata: of.metadata,
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: isProration,
        proration_details: isProration ? { credited_items: null } : null,
        subscription: of.id,
        subscription_item: of.items.data[0]!.id,
      },
      type: 'subscription_item_details',
    },
    period,
    pretax_credit_amounts: [],
    pricing: {
      price_details: { price: price.id, product: price.product as string },
      type: 'price_details',
      unit_amount_decimal: price.unit_amount_decimal,
    },
    quantity,
    quantity_decimal: Stripe.Decimal.from(quantity),
    subscription: of.id,
    subtotal: amount,
    taxes: [],
  };
}

export interface InvoiceTerms {
  id: string;
  number: string;
  reason: Stripe.Invoice.BillingReason;
  lines: Stripe.InvoiceLineItem[];
  discount: number;
  discounts: string[];
  url: string;
  customerEmail: string | null;
}

/** Open, and nothing tried yet. */
export function invoiceShape(of: Stripe.Subscription, terms: InvoiceTerms, at: Seconds): Stripe.Invoice {
  const subtotal = terms.lines.reduce((sum, { amount }) => sum + amount, 0);
  const total = subtotal - terms.discount;
  const due = Math.max(0, total);
  const { start, end } = terms.lines.at(-1)!.period;
  return {
    id: terms.id,
    object: 'invoice',
    account_country: 'DE',
    account_name: 'Atrium',
    account_tax_ids: null,
    amount_due: due,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: due,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
    automatically_finalizes_at: null,
    billing_reason: terms.reason,
    collection_method: 'charge_automatically',
    created: at,
    currency: of.currency,
    custom_fields: null,
    customer: of.customer as string,
    customer_account: null,
    customer_address: null,
    customer_email: terms.customerEmail,
    customer_name: null,
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: terms.discounts,
    due_date: null,
    effective_at: at,
    ending_balance: 0,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: terms.url,
    invoice_pdf: `${terms.url}/pdf`,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: listOf(terms.lines, `/v1/invoices/${terms.id}/lines`),
    livemode: false,
    metadata: {},
    next_payment_attempt: null,
    number: terms.number,
    on_behalf_of: null,
    parent: {
      quote_details: null,
      subscription_details: { metadata: { ...of.metadata }, subscription: of.id },
      type: 'subscription_details',
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: end,
    period_start: start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: 'open',
    status_transitions: { finalized_at: at, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal,
    subtotal_excluding_tax: subtotal,
    test_clock: null,
    total,
    total_discount_amounts: [],
    total_excluding_tax: total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: null,
  };
}

export function invoicePaymentShape(
  id: string,
  invoice: Stripe.Invoice,
  payment_intent: string,
  at: Seconds,
): Stripe.InvoicePayment {
  return {
    id,
    object: 'invoice_payment',
    amount_paid: invoice.amount_due,
    amount_requested: invoice.amount_due,
    created: at,
    currency: invoice.currency,
    invoice: invoice.id!,
    is_default: true,
    livemode: false,
    payment: { payment_intent, type: 'payment_intent' },
    status: 'paid',
    status_transitions: { canceled_at: null, paid_at: at },
  };
}
