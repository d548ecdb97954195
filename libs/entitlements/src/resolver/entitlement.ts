import { FEATURES, type FeatureFlags } from '../plans/features.js';
import type { Offering, Plan, PlanLimits, SupportTier } from '../plans/plan.js';
import type { EntitlementSettings } from '../settings.js';
import type { LiveSubscription, Pool } from '../subscriptions/subscription.js';

/** Who asks; the organisation may be a personal one. */
export interface Account {
  readonly userId: number;
  readonly organizationId: number | null;
}

/** What an account may use: of the plan that fills its pool, of the free tier, or of a deployment that sells nothing. */
export interface Entitlement {
  /** As it was sold. Null without a subscription. */
  readonly plan: Plan | null;
  readonly planName: string;
  readonly pool: Pool;
  /** Whether no payment will be tried any more. The plan stays shown, and is no longer active. */
  readonly expired: boolean;
  readonly seats: number;
  readonly supportTier: SupportTier;
  /** Each flag that there is. */
  readonly features: FeatureFlags;
  readonly limits: PlanLimits;
  /** Who bought the plan; null once that account is gone, and without a plan. */
  readonly ownerUserId: number | null;
  /** Until when it is paid for, or tried for nothing; milliseconds since 1970. */
  readonly activeUntil: number | null;
}

const flags = (has: (feature: (typeof FEATURES)[number]) => boolean): FeatureFlags =>
  Object.freeze(Object.fromEntries(FEATURES.map((feature) => [feature, has(feature)]))) as FeatureFlags;

/** Where nothing is sold: all there is, within what the settings say. */
export function unsold(userId: number, { storageQuotaBytes, runHistoryDays }: EntitlementSettings): Entitlement {
  return {
    ...withoutPlan(userId),
    planName: 'Free',
    supportTier: 'community',
    features: EVERYTHING,
    limits: {
      monthlyWorkflowRuns: null,
      includedTokens: null,
      storageBytes: storageQuotaBytes || null,
      runHistoryDays,
      liveBuildSessions: null,
    },
  };
}

const EVERYTHING = flags(() => true);

export function freeTier(userId: number, { free }: Offering, settings: EntitlementSettings): Entitlement {
  return {
    ...withoutPlan(userId),
    planName: free.name,
    supportTier: free.supportTier,
    features: flags((feature) => free.features[feature]),
    limits: withinDeployment(free.limits, settings),
  };
}

export function ofSubscription(
  userId: number,
  subscription: LiveSubscription,
  settings: EntitlementSettings,
): Entitlement {
  const { plan, organizationId, status, trialEnd, currentPeriodEnd } = subscription;
  return {
    plan,
    planName: plan.name,
    pool: organizationId === null ? { type: 'user', userId } : { type: 'organization', organizationId },
    expired: status === 'unpaid',
    seats: subscription.seats,
    supportTier: plan.supportTier,
    // A plan that was sold before there was a feature, or a limit, does not name it.
    features: flags((feature) => plan.features[feature] === true),
    limits: withinDeployment(plan.limits, settings),
    ownerUserId: subscription.ownerUserId,
    activeUntil: status === 'trialing' ? (trialEnd ?? currentPeriodEnd) : currentPeriodEnd,
  };
}

function withoutPlan(userId: number) {
  const pool = { type: 'none', userId } as const;
  return { plan: null, pool, expired: false, seats: 1, ownerUserId: null, activeUntil: null };
}

/** Runs are kept for as long as the plan and the deployment both say. */
function withinDeployment(limits: PlanLimits, { runHistoryDays }: EntitlementSettings): PlanLimits {
  return {
    monthlyWorkflowRuns: limits.monthlyWorkflowRuns ?? null,
    includedTokens: limits.includedTokens ?? null,
    storageBytes: limits.storageBytes ?? null,
    runHistoryDays: Math.min(limits.runHistoryDays ?? Infinity, runHistoryDays),
    liveBuildSessions: limits.liveBuildSessions ?? null,
  };
}
