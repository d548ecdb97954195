import type { FeatureFlags } from './features.js';

export const TIERS = ['starter', 'pro', 'enterprise'] as const;
export const BILLING_PERIODS = ['monthly', 'yearly'] as const;
export const SUPPORT_TIERS = ['community', 'email', 'priority', 'dedicated'] as const;

export type Tier = (typeof TIERS)[number];
export type BillingPeriod = (typeof BILLING_PERIODS)[number];
export type SupportTier = (typeof SUPPORT_TIERS)[number];

/** Null: unlimited. 0: none. */
export interface PlanLimits {
  readonly monthlyWorkflowRuns: number | null;
  readonly includedTokens: number | null;
  readonly storageBytes: number | null;
  readonly runHistoryDays: number | null;
  readonly liveBuildSessions: number | null;
}

/** What an account may do without a subscription. */
export interface FreeTier {
  readonly name: string;
  readonly supportTier: SupportTier;
  readonly features: FeatureFlags;
  readonly limits: PlanLimits;
}

export interface Plan extends FreeTier {
  /** Stable: subscriptions name it. */
  readonly code: string;
  readonly tier: Tier;
  readonly description: string;
  /** ISO 4217. */
  readonly currency: string;
  /** Of one seat and month, in minor units. */
  readonly monthlyPrice: number;
  /** Of one seat and year, in minor units. */
  readonly yearlyPrice: number;
  readonly trialDays: number;
  readonly seats: { readonly min: number; readonly max: number | null; readonly adjustable: boolean };
  /** Sold by people, not by the pay page. */
  readonly contactSales: boolean;
  /**
   * Whose the quotas are when the buyer belongs to a shared organisation: all of its members' together, or the buyer's
   * alone. Whoever belongs to none has them alone in any case.
   */
  readonly pool: 'organization' | 'user';
  /** No longer sold; who has it keeps it. */
  readonly retired: boolean;
}

export interface Coupon {
  readonly code: string;
  /** One of the two is set. Minor units of the currency of the plans. */
  readonly percentOff: number | null;
  readonly amountOff: number | null;
  /** Codes of plans; null for each. */
  readonly plans: readonly string[] | null;
  readonly maxRedemptions: number | null;
  /** Milliseconds since 1970. */
  readonly expiresAt: number | null;
  /** For how many payments of a subscription. */
  readonly duration: 'once' | 'forever';
}

export interface Offering {
  readonly currency: string;
  readonly yearlyDiscountPercent: number;
  readonly free: FreeTier;
  /** In the order in which people see them. */
  readonly plans: readonly Plan[];
  readonly coupons: readonly Coupon[];
}
