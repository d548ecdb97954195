import type { BillingPeriod, Plan } from '../plans/plan.js';

export const SUBSCRIPTION_STATUSES = [
  /** The pay page was opened. */
  'incomplete',
  /** The pay page was left unpaid. */
  'incomplete_expired',
  'trialing',
  'active',
  /** A payment failed, and is tried again; everything stays open. */
  'past_due',
  /** No payment will be tried any more: expired. */
  'unpaid',
  'canceled',
] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** Those that fill a pool. A pool has one at most. */
export const LIVE_STATUSES = ['trialing', 'active', 'past_due', 'unpaid'] as const satisfies SubscriptionStatus[];
/** SQL: whether the row `s` of `subscriptions` fills a pool. */
export const SUBSCRIPTION_LIVE = `s.status IN ('trialing', 'active', 'past_due', 'unpaid')`;

/** Whose quotas these are: all members' together, one account's, or (the free tier) one account's that pays nothing. */
export type Pool =
  | { readonly type: 'organization'; readonly organizationId: number }
  | { readonly type: 'user' | 'none'; readonly userId: number };

/** A subscription that fills a pool, as this deployment last read it from the processor. Times in milliseconds. */
export interface LiveSubscription {
  readonly id: string;
  readonly status: (typeof LIVE_STATUSES)[number];
  /** As it was sold. */
  readonly plan: Plan;
  readonly billingPeriod: BillingPeriod;
  readonly seats: number;
  /** Null once that account is gone. */
  readonly ownerUserId: number | null;
  readonly organizationId: number | null;
  readonly trialEnd: number | null;
  readonly currentPeriodEnd: number | null;
}
