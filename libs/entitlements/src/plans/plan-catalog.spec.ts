import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '@app/common';
import type { AppConfig } from '@app/config';
import { BUILT_IN_OFFERING } from './built-in-offering.js';
import { PlanCatalog } from './plan-catalog.js';

const folder = mkdtempSync(join(tmpdir(), 'atrium-plans-'));
function catalogOf(text: string): PlanCatalog {
  const plansFile = join(folder, 'plans.yaml');
  writeFileSync(plansFile, text);
  return PlanCatalog.of({ kind: 'test', plansFile } as AppConfig['billing']);
}
function mistakeOf(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
  return '';
}

describe('the catalog of plans', () => {
  it('is empty where nothing is sold, whatever the file says', () => {
    const catalog = PlanCatalog.of({ kind: 'none', plansFile: '/nowhere' } as AppConfig['billing']);
    expect(catalog.offering).toBeNull();
    expect([catalog.plans, catalog.find('starter'), catalog.findCoupon('HALF')]).toEqual([[], null, null]);
  });

  it('is the built-in one without a file', () => {
    const catalog = PlanCatalog.of({ kind: 'stripe' } as AppConfig['billing']);
    expect(catalog.plans.map(({ code }) => code)).toEqual(['starter', 'pro', 'enterprise']);
  });

  it('shows what is sold, and knows what was', () => {
    const catalog = catalogOf(
      BUILT_IN_OFFERING.replace('code: starter', 'code: starter\n    retired: true').replace(
        'coupons: []',
        'coupons: [{ code: HALF, percent_off: 50 }, { code: LESS, amount_off: "5" }]',
      ),
    );
    expect(catalog.plans.map(({ code }) => code)).toEqual(['pro', 'enterprise']);
    expect([catalog.find('starter')?.name, catalog.find('pro')?.name, catalog.find('other')]).toEqual([
      'Starter',
      'Pro',
      null,
    ]);
    expect([catalog.findCoupon('LESS')?.amountOff, catalog.findCoupon('half')]).toEqual([500, null]);
  });

  it('does not start with a file that is not there', () => {
    const plansFile = join(folder, 'nowhere.yaml');
    expect(mistakeOf(() => PlanCatalog.of({ kind: 'test', plansFile } as AppConfig['billing']))).toMatch(
      /^PLANS_FILE cannot be read: ENOENT.*nowhere\.yaml/,
    );
  });

  it('does not start with a file that is not right, and says each mistake', () => {
    const twice = BUILT_IN_OFFERING.replace('code: pro', 'code: starter').replace('"29.00"', '"x"');
    expect(mistakeOf(() => catalogOf(twice))).toBe(
      'PLANS_FILE is not right:\n- plans.0.monthly_price: "x" is no amount of EUR\n- plans: "starter" stands there twice',
    );
  });
});
