import { ValidationError } from '@app/common';
import { type Coupon, type Plan, PlanCatalog } from '@app/entitlements';
import { getCoupon, getSoldPlan, seatsOf, toOrdered } from './wanted-plan.js';

const plan = (seats: Plan['seats'], more: Partial<Plan> = {}) =>
  ({ code: 'pro', name: 'Pro', yearlyPrice: 100, seats, ...more }) as Plan;
const fixed = plan({ min: 1, max: 1, adjustable: false });
const free = plan({ min: 2, max: 9, adjustable: true });
const open = plan({ min: 2, max: null, adjustable: true });
const words = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    if (error instanceof ValidationError) return error.fields;
    throw error;
  }
};

const catalog = (found: Coupon | null, sold: Plan | null = null) =>
  Object.assign(Object.create(PlanCatalog.prototype) as PlanCatalog, {
    findCoupon: (code: string) => (code === 'HALF' ? found : null),
    find: () => sold,
  });

describe('seats of an order', () => {
  it.each([
    ['one for a plan of one', fixed, undefined, 0, 1],
    ['the least', free, undefined, 0, 2],
    ['as many as there are members', free, undefined, 5, 5],
    ['those that are wanted', free, 9, 9, 9],
    ['any number', open, 99_999, 3, 99_999],
  ] as const)('are %s', (_, of, wanted, members, seats) => {
    expect(seatsOf(of, wanted, members)).toBe(seats);
  });

  it.each([
    [fixed, 2, 0, /has one seat/],
    [plan({ min: 5, max: 5, adjustable: false }), 4, 0, /has 5 seats\./],
    [fixed, undefined, 2, /has 2 members, so 2 seats/],
    [free, 1, 0, /2 seats at least/],
    [free, 10, 0, /9 seats at most/],
    [free, undefined, 10, /10 members/],
    [free, 3, 4, /4 members, so 4 seats/],
    [open, 0, 0, /1 at least/],
    [open, -1, 0, /1 at least/],
    [open, 1.5, 0, /whole number/],
    [open, Number.MAX_SAFE_INTEGER, 0, /cannot be bought at once/],
  ] as const)('of %j are not %j with %j members', (of, wanted, members, pattern) => {
    expect(words(() => seatsOf(of, wanted, members))).toEqual({ seats: [expect.stringMatching(pattern)] });
  });
});

describe('coupons and plans of an order', () => {
  const coupon: Coupon = {
    code: 'HALF',
    percentOff: 50,
    amountOff: null,
    plans: ['pro'],
    maxRedemptions: null,
    expiresAt: 100,
    duration: 'once',
  };
  it('are good as they are written', () => {
    expect(getCoupon(catalog(coupon), ' half ', free, 99)).toBe(coupon);
    expect(getCoupon(catalog({ ...coupon, plans: null, expiresAt: null }), 'HALF', free, 1e15)).toBeDefined();
    expect(toOrdered(coupon)).toEqual({ code: 'HALF', percentOff: 50, amountOff: null, duration: 'once' });
    expect(getSoldPlan(catalog(null, free), 'pro')).toBe(free);
  });

  it('are refused in words', () => {
    expect(words(() => getCoupon(catalog(null), 'HALF', free, 0))).toEqual({
      coupon_code: ['There is no such coupon.'],
    });
    expect(words(() => getCoupon(catalog(coupon), 'HALF', free, 100))).toEqual({
      coupon_code: ['This coupon has expired.'],
    });
    expect(words(() => getCoupon(catalog({ ...coupon, plans: ['x'] }), 'HALF', free, 0))).toEqual({
      coupon_code: ['This coupon is not for the plan "Pro".'],
    });
    expect(words(() => getSoldPlan(catalog(null), 'nothing'))).toEqual({ plan_code: ['There is no plan "nothing".'] });
    expect(words(() => getSoldPlan(catalog(null), 'x'.repeat(1000)))).toEqual({
      plan_code: [`There is no plan "${'x'.repeat(40)}".`],
    });
    expect(words(() => getSoldPlan(catalog(null, plan(free.seats, { retired: true })), 'pro'))).toEqual({
      plan_code: ['The plan "Pro" is no longer sold.'],
    });
    expect(words(() => getSoldPlan(catalog(null, plan(free.seats, { contactSales: true })), 'pro'))).toEqual({
      plan_code: [expect.stringContaining('sales team')],
    });
  });
});
