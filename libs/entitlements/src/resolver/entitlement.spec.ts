import { FEATURES } from '../plans/features.js';
import { BUILT_IN_OFFERING } from '../plans/built-in-offering.js';
import type { Offering } from '../plans/plan.js';
import { readOffering } from '../plans/read-offering.js';
import type { LiveSubscription } from '../subscriptions/subscription.js';
import { freeTier, ofSubscription, unsold } from './entitlement.js';

let offering: Offering;
beforeAll(() => {
  offering = readOffering(BUILT_IN_OFFERING);
});
const settings = {
  storageQuotaBytes: 500,
  runHistoryDays: 60,
  featureGate: true,
  storageGate: true,
  subscriptionGate: true,
  planRequired: false,
};
const sold = (more: Partial<LiveSubscription> = {}): LiveSubscription => ({
  id: 's',
  status: 'active',
  plan: offering.plans[1]!,
  billingPeriod: 'monthly',
  seats: 3,
  ownerUserId: 7,
  organizationId: null,
  trialEnd: 100,
  currentPeriodEnd: 200,
  ...more,
});
const of = (more?: Partial<LiveSubscription>) => ofSubscription(8, sold(more), settings);

const days = (runHistoryDays: number | null) => {
  const plan = { ...offering.plans[1]!, limits: { ...offering.plans[1]!.limits, runHistoryDays } };
  return of({ plan }).limits.runHistoryDays;
};

describe('what an account may use', () => {
  it('is everything within the settings where nothing is sold', () => {
    const { features, limits, pool, ...rest } = unsold(8, settings);
    expect(Object.values(features)).toEqual(FEATURES.map(() => true));
    expect([limits.storageBytes, limits.runHistoryDays, limits.includedTokens]).toEqual([500, 60, null]);
    expect(unsold(8, { ...settings, storageQuotaBytes: 0 }).limits.storageBytes).toBeNull();
    expect(pool).toEqual({ type: 'none', userId: 8 });
    expect(rest).toEqual({
      plan: null,
      planName: 'Free',
      supportTier: 'community',
      expired: false,
      seats: 1,
      ownerUserId: null,
      activeUntil: null,
    });
  });

  it('is the free tier of the offering without a plan', () => {
    const free = freeTier(8, offering, settings);
    expect(free).toMatchObject({ plan: null, planName: 'Free', supportTier: 'community', activeUntil: null });
    expect(free.features).toEqual(offering.free.features);
    expect(free.limits).toEqual(offering.free.limits);
  });

  it('is the plan as it was sold, in the pool that it fills', () => {
    expect(of()).toMatchObject({ planName: 'Pro', seats: 3, ownerUserId: 7, pool: { type: 'user', userId: 8 } });
    expect(of({ organizationId: 5 }).pool).toEqual({ type: 'organization', organizationId: 5 });
  });

  it.each([
    ['active', false, 200],
    ['past_due', false, 200],
    ['unpaid', true, 200],
    ['trialing', false, 100],
  ] as const)('%s: expired %s', (status, expired, activeUntil) => {
    expect(of({ status })).toMatchObject({ expired, activeUntil });
  });

  it('lasts as long as the period where a trial says no end', () => {
    expect(of({ status: 'trialing', trialEnd: null }).activeUntil).toBe(200);
  });

  it('keeps runs for the smaller of plan and deployment', () => {
    expect([days(7), days(90), days(null)]).toEqual([7, 60, 60]);
  });

  it('tells none from no limit, and knows what a plan of before does not name', () => {
    const [base] = offering.plans as [LiveSubscription['plan']];
    const { rbac: _, ...features } = base.features;
    const plan = { ...base, features, limits: { includedTokens: 0, storageBytes: 0 } } as unknown as typeof base;
    const { limits, features: known } = of({ plan });
    expect(limits).toEqual({
      monthlyWorkflowRuns: null,
      includedTokens: 0,
      storageBytes: 0,
      runHistoryDays: 60,
      liveBuildSessions: null,
    });
    expect(known).toEqual({ ...base.features, rbac: false });
  });
});
