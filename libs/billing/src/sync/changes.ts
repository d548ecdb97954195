import type { AuditAction } from '@app/audit';
import { isLive, type SubscriptionRow, type WrittenState } from '@app/entitlements';
import type { TemplateName } from '@app/messages';

type Before = Pick<SubscriptionRow, 'status' | 'plan' | 'billingPeriod' | 'seats' | 'giveBack'>;

/** What the audit log tells of a reading that was written; nothing when nothing changed. */
export function auditedChanges(before: Before, after: WrittenState): AuditAction[] {
  const found: AuditAction[] = [];
  if (before.giveBack !== 'done' && after.giveBack === 'done') return ['subscription.given_back'];
  if (before.status !== after.status) {
    if (after.status === 'incomplete_expired') found.push('subscription.checkout_expired');
    if (after.status === 'canceled') found.push('subscription.canceled');
    if (isLive(after.status) && !isLive(before.status)) found.push('subscription.started');
    if (after.status === 'past_due') found.push('subscription.payment_failed');
    if (after.status === 'unpaid') found.push('subscription.expired');
    if (after.status === 'active' && before.status === 'trialing') found.push('subscription.trial_ended');
    if (after.status === 'active' && (before.status === 'past_due' || before.status === 'unpaid'))
      found.push('subscription.payment_recovered');
  }
  const isOtherwise =
    before.plan.code !== after.plan.code ||
    before.billingPeriod !== after.billingPeriod ||
    before.seats !== after.seats;
  if (isOtherwise && isLive(before.status)) found.push('subscription.changed');
  return found;
}

/** The mail to the owner; null for what they did themselves, or need not know. */
export function mailedChange(
  before: Before,
  after: WrittenState,
): Extract<TemplateName, 'payment-failed' | 'plan-unpaid' | 'plan-canceled' | 'payment-given-back'> | null {
  if (before.giveBack !== 'done' && after.giveBack === 'done') return 'payment-given-back';
  if (before.status === after.status) return null;
  if (after.status === 'past_due') return 'payment-failed';
  if (after.status === 'unpaid') return 'plan-unpaid';
  return after.status === 'canceled' && isLive(before.status) ? 'plan-canceled' : null;
}
