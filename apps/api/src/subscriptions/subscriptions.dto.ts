import type { HistoryEntry, Present } from '@app/billing';
import { formatMoney } from '@app/common';
import { BILLING_PERIODS, type BillingPeriod } from '@app/entitlements';
import type { OpenCheckout } from '@app/integrations';
import { ChoiceField, DateTimeField, IntegerField, NestedField, StringField } from '../http/fields.js';
import { PageOf } from '../http/pagination.js';
import { PlanResponse, toPlanResponse } from './plans.dto.js';
import { dateOf, SubscriptionResponse, toSubscriptionResponse } from './subscription.dto.js';

const PLAN_CODE = { maxLength: 40, example: 'pro' } as const;

export class CheckoutRequest {
  @StringField(PLAN_CODE)
  plan_code: string;

  @ChoiceField(BILLING_PERIODS)
  billing_period: BillingPeriod;

  @IntegerField({ optional: true, description: 'The least that the plan allows, unless told.' })
  seats?: number;

  @StringField({ optional: true, maxLength: 40, allowBlank: true })
  coupon_code?: string;
}

export class CheckoutResponse {
  @StringField({ description: 'The pay page.' })
  url: string;

  @StringField({ description: 'The same.' })
  checkout_url: string;

  @StringField()
  session_id: string;

  @DateTimeField()
  expires_at: Date;
}

export class PlanChangeRequest {
  @StringField(PLAN_CODE)
  plan_code: string;

  @IntegerField({ optional: true, description: 'As many as before, as far as the plan allows, unless told.' })
  seats?: number;
}

export class CancelRequest {
  @StringField({ optional: true, maxLength: 500, allowBlank: true })
  reason?: string;
}

export class PresentPlanResponse {
  @NestedField(() => SubscriptionResponse, { nullable: true, description: 'What the caller lives on.' })
  subscription: SubscriptionResponse | null;

  @NestedField(() => PlanResponse, { nullable: true, description: 'Its plan as it was sold.' })
  plan: PlanResponse | null;

  @NestedField(() => SubscriptionResponse, { nullable: true, description: 'An order whose pay page is open.' })
  order: SubscriptionResponse | null;

  @StringField({ nullable: true, description: 'The pay page of the order.' })
  checkout_url: string | null;
}

export class PortalSessionResponse {
  @StringField({ description: 'Where cards are changed and open invoices are paid.' })
  url: string;

  @DateTimeField()
  expires_at: Date;
}

export class InvoiceResponse {
  @StringField()
  id: string;

  @StringField({ nullable: true })
  invoice_number: string | null;

  @StringField({ allowBlank: true })
  description: string;

  @StringField()
  plan_code: string;

  @StringField()
  plan_name: string;

  @ChoiceField(BILLING_PERIODS)
  billing_period: string;

  @IntegerField()
  seats: number;

  @StringField({ description: 'Such as "290.00".' })
  amount: string;

  @StringField()
  currency: string;

  @ChoiceField(['paid', 'open', 'failed', 'refunded', 'void'])
  status: string;

  @StringField({ nullable: true })
  coupon_code: string | null;

  @DateTimeField({ nullable: true })
  period_start: Date | null;

  @DateTimeField({ nullable: true })
  period_end: Date | null;

  @DateTimeField()
  created_at: Date;

  @DateTimeField({ nullable: true })
  paid_at: Date | null;

  @StringField({ nullable: true, description: 'For people.' })
  invoice_url: string | null;
}

export class InvoicePage extends PageOf(InvoiceResponse) {}

export function toCheckoutResponse({ id, url, expiresAt }: OpenCheckout): CheckoutResponse {
  return { url, checkout_url: url, session_id: id, expires_at: new Date(expiresAt) };
}

export function toPresentPlanResponse({ buyer, live, order }: Present): PresentPlanResponse {
  return {
    subscription: live && toSubscriptionResponse(live, buyer),
    plan: live && toPlanResponse(live.plan, live.plan.code),
    order: order && toSubscriptionResponse(order, buyer),
    checkout_url: order?.checkoutUrl ?? null,
  };
}

export function toInvoiceResponse(
  { invoice, subscription }: HistoryEntry,
  nameOfPlan: (code: string) => string | null,
): InvoiceResponse {
  const code = invoice.planCode ?? subscription.planCode;
  return {
    id: invoice.id,
    invoice_number: invoice.number,
    description: invoice.description,
    plan_code: code,
    plan_name: nameOfPlan(code) ?? (code === subscription.planCode ? subscription.planName : code),
    billing_period: invoice.period ?? subscription.billingPeriod,
    seats: invoice.seats ?? subscription.seats,
    amount: formatMoney(invoice.amount, invoice.currency),
    currency: invoice.currency,
    status: invoice.status,
    coupon_code: invoice.couponCode,
    period_start: dateOf(invoice.periodStart),
    period_end: dateOf(invoice.periodEnd),
    created_at: new Date(invoice.createdAt),
    paid_at: dateOf(invoice.paidAt),
    invoice_url: invoice.url,
  };
}
