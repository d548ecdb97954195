import { cutText, type FieldErrors, ValidationError } from '@app/common';
import type { BillingPeriod, Coupon, Plan, PlanCatalog } from '@app/entitlements';
import type { OrderedCoupon } from '@app/integrations';
import { fullAmount } from '../money/amounts.js';

export interface Wanted {
  planCode: string;
  billingPeriod: BillingPeriod;
  /** The least that the plan has, unless told. */
  seats?: number | undefined;
  couponCode?: string | undefined;
}

/** A plan that can be bought. @throws ValidationError (`plan_code`) */
export function getSoldPlan(catalog: PlanCatalog, code: string): Plan {
  const plan = catalog.find(code);
  if (plan === null) throw refused('plan_code', `There is no plan "${cutText(code, 40)}".`);
  if (plan.retired) throw refused('plan_code', `The plan "${plan.name}" is no longer sold.`);
  if (plan.contactSales)
    throw refused('plan_code', `The plan "${plan.name}" is sold by our sales team: please contact them.`);
  return plan;
}

/** @param members who need a seat; 0 for a plan of one person @throws ValidationError (`seats`) */
export function seatsOf(plan: Plan, wanted: number | undefined, members: number): number {
  const { min, max, adjustable } = plan.seats;
  const seats = wanted ?? (adjustable ? Math.max(min, Math.min(members, max ?? members)) : min);
  if (!Number.isSafeInteger(seats) || seats < 1)
    throw refused('seats', 'Ensure this value is a whole number, 1 at least.');
  if (!adjustable && seats !== min)
    throw refused('seats', `The plan "${plan.name}" has ${min === 1 ? 'one seat' : `${min} seats`}.`);
  if (seats < min) throw refused('seats', `The plan "${plan.name}" has ${min} seats at least.`);
  if (max !== null && seats > max) throw refused('seats', `The plan "${plan.name}" has ${max} seats at most.`);
  if (seats < members)
    throw refused('seats', `Your organization has ${members} members, so ${members} seats are needed at least.`);
  try {
    fullAmount(plan.yearlyPrice, seats);
  } catch {
    throw refused('seats', 'So many seats cannot be bought at once.');
  }
  return seats;
}

/** @throws ValidationError (`coupon_code`) for one that is not good for the plan now, but for how often it was used */
export function getCoupon(catalog: PlanCatalog, code: string, plan: Plan, nowMs: number): Coupon {
  // People type them by hand.
  const coupon = catalog.findCoupon(code.trim().toUpperCase());
  if (coupon === null) throw refused('coupon_code', 'There is no such coupon.');
  if (coupon.expiresAt !== null && coupon.expiresAt <= nowMs) throw refused('coupon_code', 'This coupon has expired.');
  if (coupon.plans !== null && !coupon.plans.includes(plan.code))
    throw refused('coupon_code', `This coupon is not for the plan "${plan.name}".`);
  return coupon;
}

export function usedUp(): ValidationError {
  return refused('coupon_code', 'This coupon was used as often as it may be.');
}

export function toOrdered({ code, percentOff, amountOff, duration }: Coupon): OrderedCoupon {
  return { code, percentOff, amountOff, duration };
}

function refused(field: 'plan_code' | 'seats' | 'coupon_code', message: string): ValidationError {
  const fields: FieldErrors = { [field]: [message] };
  return new ValidationError(fields);
}
