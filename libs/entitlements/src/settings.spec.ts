import type { AppConfig } from '@app/config';
import { toEntitlementSettings } from './settings.js';

const settingsOf = (kind: 'none' | 'test', enforced: boolean) =>
  toEntitlementSettings({
    billing: { kind },
    enforcement: { features: enforced, storage: enforced, subscriptions: enforced, planRequired: enforced },
    storage: { quotaBytes: 500 },
    workflows: { historyDays: 60 },
  } as AppConfig);

describe('what the deployment says of limits', () => {
  it.each([
    // Where nothing is sold nothing of a plan is enforced.
    ['none', true, false, true],
    ['none', false, false, false],
    ['test', true, true, true],
    ['test', false, false, false],
  ] as const)(
    'is enforced with BILLING=%s and the gates %s: plans %s, storage %s',
    (kind, enforced, plans, storage) => {
      expect(settingsOf(kind, enforced)).toEqual({
        storageQuotaBytes: 500,
        runHistoryDays: 60,
        featureGate: plans,
        storageGate: storage,
        subscriptionGate: plans,
        planRequired: plans,
      });
    },
  );

  it('is enforced one by one', () => {
    const enforcement = { features: false, storage: false, subscriptions: false, planRequired: false };
    const enforces = (one: keyof typeof enforcement) => {
      const config = {
        billing: { kind: 'test' },
        storage: {},
        workflows: {},
        enforcement: { ...enforcement, [one]: true },
      };
      const { featureGate, storageGate, subscriptionGate, planRequired } = toEntitlementSettings(config as AppConfig);
      return [featureGate, storageGate, subscriptionGate, planRequired];
    };
    expect((['features', 'storage', 'subscriptions', 'planRequired'] as const).map(enforces)).toEqual([
      [true, false, false, false],
      [false, true, false, false],
      [false, false, true, false],
      [false, false, false, true],
    ]);
  });
});
