import { randomBytes } from 'node:crypto';
import { newToken } from '@app/common';
import type { EntityManager } from 'typeorm';
import { discounted, fullAmount, settle } from '../money/amounts.js';
import { endOfPeriod } from '../money/periods.js';
import type { TestSubscription } from './test-objects.js';

const DAY_MS = 86_400_000;
/** After a payment failed: so many days until it is tried again. When the last try fails, none follows. */
const RETRY_DAYS = [1, 3, 5];
export const MOST_TRIES = RETRY_DAYS.length + 1;

/** What a whole period costs now, the coupon taken off where it (still) applies. */
export function periodAmount(subscription: TestSubscription, isNewPeriod: boolean): number {
  const { unitAmount, seats, coupon, couponApplied, periods } = subscription;
  const full = fullAmount(unitAmount, seats);
  if (coupon === null) return full;
  // One that is good once takes part in the first payment, and in changes of what was paid with it.
  const applies = coupon.duration === 'forever' || (isNewPeriod ? periods === 0 : couponApplied);
  return applies ? discounted(full, coupon) : full;
}

/** Writes what changed of a subscription, with its row locked; an event is due of it. */
export async function writeSubscription(tx: EntityManager, subscription: TestSubscription): Promise<void> {
  await tx.query(
    `UPDATE billing_test_subscriptions SET status = $2, plan_code = $3, plan_name = $4, period = $5, seats = $6,
       unit_amount = $7, currency = $8, coupon_applied = $9, credit = $10, anchor_at = to_timestamp($11::float8 / 1000),
       periods = $12, period_start = to_timestamp($13::float8 / 1000), period_end = to_timestamp($14::float8 / 1000),
       failed_tries = $15, due_at = to_timestamp($16::float8 / 1000), change_key = $17,
       canceled_at = to_timestamp($18::float8 / 1000), trial_end = to_timestamp($19::float8 / 1000), revision = revision + 1
     WHERE id = $1`,
    [
      subscription.id,
      subscription.status,
      subscription.planCode,
      subscription.planName,
      subscription.period,
      subscription.seats,
      subscription.unitAmount,
      subscription.currency,
      subscription.couponApplied,
      subscription.credit,
      subscription.anchorAt,
      subscription.periods,
      subscription.periodStart,
      subscription.periodEnd,
      subscription.failedTries,
      subscription.dueAt,
      subscription.changeKey,
      subscription.canceledAt,
      subscription.trialEnd,
    ],
  );
}

export interface NewInvoice {
  description: string;
  amount: number;
  status: 'paid' | 'failed';
  /** For how long it is. */
  period: { start: number; end: number };
  couponCode: string | null;
  nowMs: number;
}

export async function addInvoice(tx: EntityManager, of: TestSubscription, invoice: NewInvoice): Promise<void> {
  const { nowMs, period, status } = invoice;
  await tx.query(
    `INSERT INTO billing_test_invoices (id, subscription_id, number, status, description, plan_code, period, seats, amount,
       currency, coupon_code, period_start, period_end, created_at, paid_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, to_timestamp($12::float8 / 1000), to_timestamp($13::float8 / 1000),
       to_timestamp($14::float8 / 1000), to_timestamp($15::float8 / 1000))`,
    [
      `tin_${newToken()}`,
      of.id,
      `TEST-${new Date(nowMs).toISOString().slice(0, 10).replaceAll('-', '')}-${randomBytes(4).toString('hex').toUpperCase()}`,
      status,
      invoice.description,
      of.planCode,
      of.period,
      of.seats,
      invoice.amount,
      of.currency,
      invoice.couponCode,
      period.start,
      period.end,
      nowMs,
      status === 'paid' ? nowMs : null,
    ],
  );
}

/**
 * Begins the next period and charges for it; `declines`: the payment fails, and is tried again.
 * @returns the subscription as it is then, which the caller writes
 */
export async function beginPeriod(
  tx: EntityManager,
  of: TestSubscription,
  { startMs, nowMs, declines }: { startMs: number; nowMs: number; declines: boolean },
): Promise<TestSubscription> {
  const amount = periodAmount(of, true);
  const { due, credit } = settle(amount, of.credit);
  const couponApplied = amount < fullAmount(of.unitAmount, of.seats);
  const anchorAt = of.periods === 0 ? startMs : of.anchorAt;
  const begun: TestSubscription = {
    ...of,
    credit,
    couponApplied,
    anchorAt,
    periods: of.periods + 1,
    periodStart: startMs,
    periodEnd: endOfPeriod(anchorAt, of.periods + 1, of.period),
  };
  const isPaid = due === 0 || !declines;
  await addInvoice(tx, begun, {
    description: `${of.planName}, ${of.seats === 1 ? '1 seat' : `${of.seats} seats`}, ${of.period}`,
    amount: due,
    status: isPaid ? 'paid' : 'failed',
    period: { start: begun.periodStart, end: begun.periodEnd },
    couponCode: couponApplied ? (of.coupon?.code ?? null) : null,
    nowMs,
  });
  return isPaid
    ? { ...begun, status: 'active', failedTries: 0, dueAt: begun.periodEnd }
    : { ...begun, status: 'past_due', failedTries: 1, dueAt: nowMs + RETRY_DAYS[0]! * DAY_MS };
}

/** Tries the failed payments again. */
export async function tryAgain(
  tx: EntityManager,
  of: TestSubscription,
  { nowMs, declines }: { nowMs: number; declines: boolean },
): Promise<TestSubscription> {
  if (!declines) {
    await tx.query(
      `UPDATE billing_test_invoices SET status = 'paid', paid_at = to_timestamp($2::float8 / 1000)
       WHERE subscription_id = $1 AND status IN ('failed', 'open')`,
      [of.id, nowMs],
    );
    return { ...of, status: 'active', failedTries: 0, dueAt: of.periodEnd };
  }
  const failedTries = of.failedTries + 1;
  if (failedTries >= MOST_TRIES) return { ...of, status: 'unpaid', failedTries: MOST_TRIES, dueAt: null };
  return { ...of, failedTries, dueAt: nowMs + RETRY_DAYS[failedTries - 1]! * DAY_MS };
}

/** Open invoices of one that is cancelled are not asked for any more. */
export async function voidOpenInvoices(tx: EntityManager, subscriptionId: string): Promise<void> {
  await tx.query(
    `UPDATE billing_test_invoices SET status = 'void' WHERE subscription_id = $1 AND status IN ('failed', 'open')`,
    [subscriptionId],
  );
}
