import { BUILT_IN_OFFERING } from './built-in-offering.js';
import { OfferingError, pricesOf, readOffering } from './read-offering.js';

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

  it.each([
    ['is no YAML', () => '{', /^it is not YAML/],
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
