import { PlanCatalog, readOffering } from '@app/entitlements';
import { requireChargeable } from './require-chargeable.js';

const LIMITS =
  'limits: { monthly_workflow_runs: null, included_tokens: null, storage: null, run_history_days: null, live_build_sessions: null }';

/** With a yearly price that is reckoned: 20 % less. */
const catalogOf = (currency: string, price: string, amountOff: string, more = '') =>
  new PlanCatalog(
    readOffering(`
currency: ${currency}
free: { name: Free, features: [], ${LIMITS} }
plans:
  - { code: a, name: A, tier: starter, monthly_price: "${price}", features: [], ${LIMITS}${more} }
coupons:
  - { code: LESS, amount_off: "${amountOff}" }
`),
  );
/** As Stripe: the last of three digits is 0. */
const processor = { canCharge: (minor: number, currency: string) => currency !== 'KWD' || minor % 10 === 0 };

describe('what is sold', () => {
  it('is named where it cannot be charged to its last digit', () => {
    const odd = catalogOf('KWD', '10.005', '0.011');
    expect(() => requireChargeable(odd, processor)).toThrow(
      [
        'plans.a: the monthly price, 10.005 KWD',
        'plans.a: the yearly price, 96.048 KWD',
        'coupons.LESS: amount_off, 0.011 KWD',
      ].join('\n- '),
    );
    expect(() => requireChargeable(catalogOf('KWD', '10.50', '0.010'), processor)).not.toThrow();
  });

  it.each([
    ['EUR', '9.99'],
    ['JPY', '999'],
  ])('starts with %s', (currency, price) => {
    expect(() => requireChargeable(catalogOf(currency, price, price), processor)).not.toThrow();
  });

  it('starts where nothing is sold, or people sell it', () => {
    expect(() => requireChargeable(new PlanCatalog(null), processor)).not.toThrow();
    const bySales = catalogOf('KWD', '10.005', '0.010', ', contact_sales: true');
    expect(() => requireChargeable(bySales, processor)).not.toThrow();
  });
});
