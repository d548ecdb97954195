import type { FeatureFlags } from '../plans/features.js';
import type { Entitlement } from '../resolver/entitlement.js';
import type { EntitlementResolver } from '../resolver/entitlement-resolver.js';
import { Gates } from './gates.js';

const account = { userId: 1, organizationId: 2 };

function gates(settings: { featureGate?: boolean; subscriptionGate?: boolean }, known: Partial<Entitlement> = {}) {
  let asked = 0;
  const entitlement = { expired: false, features: { flowapps: true, rbac: false }, ...known } as unknown as Entitlement;
  const answer = () => {
    asked += 1;
    return Promise.resolve(entitlement);
  };
  const resolver = { peek: () => undefined, of: answer, ofUser: answer, ofOrganization: answer, readNow: answer };
  const all = {
    storageQuotaBytes: 0,
    runHistoryDays: 1,
    featureGate: false,
    storageGate: true,
    subscriptionGate: false,
    planRequired: false,
    ...settings,
  };
  return { gates: new Gates(resolver as unknown as EntitlementResolver, all), asked: () => asked };
}
const checked = async (settings: object, part: 'core' | 'flowapps' | 'rbac', known: Partial<Entitlement> = {}) => {
  const at = gates(settings, known).gates;
  const outcomes = [
    await Promise.resolve(at.check(account, part)).catch((error: Error) => error),
    await at.checkUser(1, part).catch((error: Error) => error),
    await at.checkOrganization(2, part).catch((error: Error) => error),
    (await at.refusalFor(1, part)) ?? undefined,
    (await at.refusalNow({} as never, 1, part)) ?? undefined,
  ].map((outcome) => (outcome as { code?: string } | undefined)?.code ?? 'passes');
  expect(new Set(outcomes).size).toBe(1);
  return outcomes[0];
};

describe('the gates', () => {
  it('ask nothing where nothing is enforced, nor for what every account has', async () => {
    const off = gates({}, { expired: true });
    await off.gates.check(account, 'rbac');
    await off.gates.checkUser(1, 'rbac');
    await off.gates.checkOrganization(2, 'rbac');
    expect([off.asked(), off.gates.areOpen, off.gates.enforcesFeatures]).toEqual([0, true, false]);
    expect((await off.gates.missingOf(1)).size).toBe(0);
    expect(await off.gates.liveBuildsOf(1, {} as never)).toBeNull();
    const on = gates({ featureGate: true });
    await on.gates.check(account, 'core');
    expect([on.asked(), on.gates.areOpen, on.gates.enforcesFeatures]).toEqual([0, false, true]);
    expect(gates({ subscriptionGate: true }).gates.areOpen).toBe(false);
  });

  it.each([
    ['features', { featureGate: true }, 'flowapps', {}, 'passes'],
    ['features', { featureGate: true }, 'rbac', {}, 'feature_not_in_plan'],
    ['features', { featureGate: true }, 'rbac', { features: { rbac: true } as FeatureFlags }, 'passes'],
    // Expired plans stay shown, and are closed by the other gate alone.
    ['features', { featureGate: true }, 'flowapps', { expired: true }, 'passes'],
    ['subscriptions', { subscriptionGate: true }, 'core', {}, 'passes'],
    ['subscriptions', { subscriptionGate: true }, 'rbac', {}, 'passes'],
    ['subscriptions', { subscriptionGate: true }, 'core', { expired: true }, 'subscription_expired'],
    ['both', { featureGate: true, subscriptionGate: true }, 'rbac', { expired: true }, 'subscription_expired'],
    ['both', { featureGate: true, subscriptionGate: true }, 'rbac', {}, 'feature_not_in_plan'],
  ] as const)('of %s (%j): %s of %j %s', async (_, settings, part, known, outcome) => {
    expect(await checked(settings, part, known)).toBe(outcome);
  });

  it('say what is missing, in words and by name', async () => {
    const { gates: at } = gates({ featureGate: true });
    expect([...(await at.missingOf(1))]).toEqual(['rbac']);
    await expect(at.requireFeature(1, 'rbac')).rejects.toMatchObject({
      message: expect.stringMatching(/^The plan does not include roles in the organization\./),
      extra: { feature: 'rbac' },
    });
    await at.requireFeature(1, 'flowapps');
  });

  it('count builds over the pool, where there is a limit', async () => {
    const pool = { type: 'user', userId: 1 } as const;
    const of = (liveBuildSessions: number | null) =>
      gates({ featureGate: true }, { pool, limits: { liveBuildSessions } as Entitlement['limits'] }).gates.liveBuildsOf(
        1,
        {} as never,
      );
    expect([await of(0), await of(3), await of(null)]).toEqual([{ pool, limit: 0 }, { pool, limit: 3 }, null]);
  });
});
