import { FEATURES, type FeatureFlags } from '../plans/features.js';
import type { Entitlement } from '../resolver/entitlement.js';
import type { EntitlementResolver } from '../resolver/entitlement-resolver.js';
import { Gates } from './gates.js';
import { FeatureNotInPlanError, SubscriptionExpiredError } from './refusals.js';

const account = { userId: 1, organizationId: 2 };

function gates(
  settings: { featureGate?: boolean; subscriptionGate?: boolean },
  known: Partial<Entitlement> = {},
  isRemembered = false,
) {
  let asked = 0;
  const entitlement = { expired: false, features: { flowapps: true, rbac: false }, ...known } as unknown as Entitlement;
  const answer = () => {
    asked += 1;
    return Promise.resolve(entitlement);
  };
  const peek = () => (isRemembered ? entitlement : undefined);
  const resolver = { peek, of: answer, ofUser: answer, ofOrganization: answer, readNow: answer };
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
const thrown = (error: unknown) => error ?? { code: 'nothing' };
const checked = async (settings: object, part: 'core' | 'flowapps' | 'rbac', known: Partial<Entitlement> = {}) => {
  const at = gates(settings, known).gates;
  const outcomes = [
    await Promise.resolve(at.check(account, part)).catch(thrown),
    await at.checkUser(1, part).catch(thrown),
    await at.checkOrganization(2, part).catch(thrown),
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
    ['both', { featureGate: true, subscriptionGate: true }, 'core', {}, 'passes'],
  ] as const)('of %s (%j): %s of %j %s', async (_, settings, part, known, outcome) => {
    expect(await checked(settings, part, known)).toBe(outcome);
  });

  it('answer at once where the answer is remembered', () => {
    const { gates: at, asked } = gates({ featureGate: true }, {}, true);
    expect(at.check(account, 'flowapps')).toBeUndefined();
    expect(() => at.check(account, 'rbac')).toThrow(FeatureNotInPlanError);
    expect(asked()).toBe(0);
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

it('says in words what is refused, and how it opens', () => {
  expect([
    ...FEATURES.map((feature) => new FeatureNotInPlanError(feature)),
    new SubscriptionExpiredError(),
  ]).toMatchObject(
    [
      ['flowapps', 'workflows'],
      ['dashboards', 'pages, boards and charts'],
      ['chat_ai', 'chats'],
      ['aes256', 'encryption at rest'],
      ['byo_llm', 'models of your own'],
      ['rbac', 'roles in the organization'],
      ['global_secrets', 'secrets of the organization'],
      ['sso_scim', 'single sign-on and directories'],
      ['audit_logs', 'the audit log'],
      ['on_prem', 'installation on own infrastructure'],
      ['data_integration', 'connected sources of data'],
      ['dedicated_agent', 'a dedicated agent'],
    ]
      .map(([feature, name]): object => ({
        code: 'feature_not_in_plan',
        extra: { feature },
        message:
          feature === 'audit_logs'
            ? 'The plan does not include the audit log. It is written all the same; another plan opens it.'
            : `The plan does not include ${name}. What is there can still be read, exported and deleted; another plan opens the rest.`,
      }))
      .concat({
        code: 'subscription_expired',
        message:
          'The subscription has expired. What is there can still be read, exported and deleted; a payment opens the rest.',
      }),
  );
});
