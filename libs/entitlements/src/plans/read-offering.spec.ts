import { BUILT_IN_OFFERING } from './built-in-offering.js';
import { FEATURES } from './features.js';
import { OfferingError, pricesOf, readOffering } from './read-offering.js';

const NO_LIMITS =
  '{ monthly_workflow_runs: null, included_tokens: null, storage: null, run_history_days: null, live_build_sessions: null }';
const changed = (from: string | RegExp, to: string) => BUILT_IN_OFFERING.replace(from, to);

function mistakesOf(text: string): readonly string[] {
  try {
    readOffering(text);
  } catch (error) {
    if (error instanceof OfferingError) return error.mistakes;
    throw error;
  }
  return [];
}

describe('readOffering', () => {
  it('says what is missing', () => {
    expect(mistakesOf(changed(/^free:\n( .*\n)+/m, ''))).toEqual(['free: it is missing']);
    expect(mistakesOf(changed(', storage: 20 GiB', ''))).toEqual(['plans.0.limits.storage: it is missing']);
  });

  it('reads the built-in offering', () => {
    const { plans, currency, free, yearlyDiscountPercent } = readOffering(BUILT_IN_OFFERING);
    expect([currency, yearlyDiscountPercent]).toEqual(['EUR', 20]);
    expect(plans.map(({ code, seats }) => [code, seats])).toEqual([
      ['starter', { min: 1, max: 1, adjustable: false }],
      ['pro', { min: 1, max: 100, adjustable: true }],
      ['enterprise', { min: 50, max: 50, adjustable: false }],
    ]);
    expect(plans.map(pricesOf)).toEqual([
      { monthly: '29.00', yearly: '278.40' },
      { monthly: '79.00', yearly: '758.40' },
      { monthly: '990.00', yearly: '9504.00' },
    ]);
    expect(free.limits.storageBytes).toBe(1024 ** 3);
    expect(plans[2]!.limits.storageBytes).toBeNull();
    expect(free.features).toMatchObject({ chat_ai: true, byo_llm: false, rbac: false });
  });

  it('reads currencies without decimals, prices of its own for a year, and coupons', () => {
    const { plans, coupons } = readOffering(
      changed('EUR', 'JPY')
        .replace('"29.00"', '"2900"\n    yearly_price: "30000"')
        .replace('"79.00"', '"7901"')
        .replace('"990.00"', '"99000"')
        .replace(
          'coupons: []',
          'coupons: [{ code: HALF, percent_off: 50, plans: [pro], max_redemptions: 2, expires_at: "2030-01-01T00:00:00Z" }, { code: LESS, amount_off: "500", duration: forever }]',
        ),
    );
    expect(plans.map(pricesOf).slice(0, 2)).toEqual([
      { monthly: '2900', yearly: '30000' },
      { monthly: '7901', yearly: '75850' },
    ]);
    expect(coupons).toEqual([
      {
        code: 'HALF',
        percentOff: 50,
        amountOff: null,
        plans: ['pro'],
        maxRedemptions: 2,
        expiresAt: 1893456000000,
        duration: 'once',
      },
      {
        code: 'LESS',
        percentOff: null,
        amountOff: 500,
        plans: null,
        maxRedemptions: null,
        expiresAt: null,
        duration: 'forever',
      },
    ]);
  });

  it('reads all that a plan says, and what it means where it says nothing', () => {
    const { plans } = readOffering(`
currency: EUR
yearly_discount_percent: 0
free: { name: Free, features: [], limits: ${NO_LIMITS} }
plans:
  - code: all
    name: All
    tier: enterprise
    description: For all.
    monthly_price: "10.00"
    yearly_price: "99.00"
    trial_days: 30
    seats: { min: 2, max: 2 }
    support_tier: dedicated
    pool: organization
    contact_sales: true
    retired: true
    features: [rbac, on_prem]
    limits: { monthly_workflow_runs: 1, included_tokens: 2, storage: 3 KiB, run_history_days: 4, live_build_sessions: 5 }
  - { code: least, name: Least, tier: starter, monthly_price: "0.00", features: [], limits: ${NO_LIMITS} }`);
    expect(plans[0]).toEqual({
      code: 'all',
      name: 'All',
      tier: 'enterprise',
      description: 'For all.',
      currency: 'EUR',
      monthlyPrice: 1000,
      yearlyPrice: 9900,
      trialDays: 30,
      seats: { min: 2, max: 2, adjustable: false },
      supportTier: 'dedicated',
      pool: 'organization',
      contactSales: true,
      retired: true,
      features: Object.fromEntries(FEATURES.map((name) => [name, name === 'rbac' || name === 'on_prem'])),
      limits: {
        monthlyWorkflowRuns: 1,
        includedTokens: 2,
        storageBytes: 3072,
        runHistoryDays: 4,
        liveBuildSessions: 5,
      },
    });
    expect(plans[1]).toMatchObject({
      description: '',
      monthlyPrice: 0,
      yearlyPrice: 0,
      trialDays: 0,
      seats: { min: 1, max: 1, adjustable: false },
      supportTier: 'community',
      pool: 'user',
      contactSales: false,
      retired: false,
      limits: { storageBytes: null, runHistoryDays: null },
    });
  });

  it.each([
    ['0', 0],
    ['500', 500],
    ['12 B', 12],
    ['3KiB', 3 * 1024],
    ['4 MiB', 4 * 1024 ** 2],
    ['20 GiB', 20 * 1024 ** 3],
    ['999999 TiB', 999_999 * 1024 ** 4],
  ])('reads %s as bytes', (given, storage) => {
    expect(readOffering(changed('storage: 1 GiB', `storage: ${given}`)).free.limits.storageBytes).toBe(storage);
  });

  it.each([
    ['adjustable: true', { min: 1, max: null, adjustable: true }],
    ['adjustable: true, max: null', { min: 1, max: null, adjustable: true }],
    ['min: 3', { min: 3, max: 3, adjustable: false }],
    ['min: 3, max: 9', { min: 3, max: 9, adjustable: false }],
    ['max: null', { min: 1, max: null, adjustable: false }],
  ])('reads seats of %s', (given, seats) => {
    expect(readOffering(changed('min: 1, max: 100, adjustable: true', given)).plans[1]!.seats).toEqual(seats);
  });

  it('says all mistakes at once, each once', () => {
    const text = changed('"29.00"', '"29"')
      .replace('"990.00"', '"-1"')
      .replace('seats: { min: 50 }', 'yearly_price: "1 EUR"\n    seats: { min: 50, max: 49 }')
      .replace(/code: (pro|enterprise)/g, 'code: starter')
      .replace(
        'coupons: []',
        'coupons: [{ code: ABC, percent_off: 5, amount_off: "1.234" }, { code: ABC, percent_off: 5, plans: [p, starter, q] }]',
      );
    expect(mistakesOf(text)).toEqual([
      'plans.2.monthly_price: "-1" is no amount of EUR',
      'plans.2.yearly_price: "1 EUR" is no amount of EUR',
      'plans.2.seats: max is below min',
      'coupons.0: it needs either percent_off or amount_off',
      'coupons.0.amount_off: "1.234" is no amount of EUR',
      'coupons.1.plans: there is no plan "p"',
      'coupons.1.plans: there is no plan "q"',
      'plans: "starter" stands there twice',
      'coupons: "ABC" stands there twice',
    ]);
    expect(new OfferingError(['one', 'two']).message).toBe('one\ntwo');
  });

  it.each([
    ['is no YAML', () => '{', /^it is not YAML: [^\n]{20,}$/],
    ['is empty', () => '', /^the file: /],
    ['has an unknown field', () => changed('yearly_discount_percent', 'yearly_discont'), /^the file: .*yearly_discont/],
    ['has an unknown feature', () => changed('flowapps', 'flowaps'), /^free\.features\.0: /],
    ['has a number for a price', () => changed('"29.00"', '29.00'), /^plans\.0\.monthly_price: put amounts in quotes/],
    [
      'has fractions of a cent',
      () => changed('"29.00"', '"29.005"'),
      /^plans\.0\.monthly_price: "29.005" is no amount of EUR/,
    ],
    ['has a plan twice', () => changed('code: pro', 'code: starter'), /^plans: "starter" stands there twice/],
    [
      'sells seats to one person',
      () => changed('pool: organization', 'pool: user'),
      /^plans\.1\.seats: a plan with more/,
    ],
    [
      'sells any number of seats to one person',
      () => changed('"29.00"', '"29.00"\n    seats: { adjustable: true }'),
      /^plans\.0\.seats: a plan with more than one seat needs "pool: organization"$/,
    ],
    [
      'repeats a part by an alias',
      () => changed('features: [flowapps', 'features: &a [flowapps') + 'x: *a',
      /^it is not YAML: [^\n]{20,}$/,
    ],
    [
      'has more seats at least than at most',
      () => changed('min: 1, max: 100', 'min: 9, max: 8'),
      /^plans\.1\.seats: max/,
    ],
    ['has a currency that nobody knows', () => changed('EUR', 'EURO'), /^currency: three capital letters/],
    [
      'has a coupon of nothing',
      () => changed('coupons: []', 'coupons: [{ code: ABC }]'),
      /^coupons\.0: it needs either/,
    ],
    [
      'has a coupon for no plan',
      () => changed('coupons: []', 'coupons: [{ code: ABC, percent_off: 5, plans: [p] }]'),
      /there is no plan "p"/,
    ],
  ])('refuses a file that %s', (_, text, words) => {
    expect(mistakesOf(text())).toEqual([expect.stringMatching(words)]);
  });
});
