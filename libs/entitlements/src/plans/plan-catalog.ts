import type { AppConfig } from '@app/config';
import { loadOffering } from './load-offering.js';
import type { Coupon, Offering, Plan } from './plan.js';

/** What this deployment sells. */
export class PlanCatalog {
  constructor(
    /** Null where nothing is sold: everything is unlimited but for the settings. */
    readonly offering: Offering | null,
  ) {}

  /** @throws StartupError for a file that is not right */
  static of({ kind, plansFile }: AppConfig['billing']): PlanCatalog {
    return new PlanCatalog(kind === 'none' ? null : loadOffering(plansFile));
  }

  /** Those that are sold, in the order in which people see them. */
  get plans(): readonly Plan[] {
    return this.offering?.plans.filter(({ retired }) => !retired) ?? [];
  }

  /** One that is sold, or was; null for one that the file does not have (any more). */
  find(code: string): Plan | null {
    return this.offering?.plans.find((plan) => plan.code === code) ?? null;
  }

  findCoupon(code: string): Coupon | null {
    return this.offering?.coupons.find((coupon) => coupon.code === code) ?? null;
  }
}
