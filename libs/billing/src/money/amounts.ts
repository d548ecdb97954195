import { shareOf } from '@app/common';
import type { OrderedCoupon } from '@app/integrations';

type Discount = Pick<OrderedCoupon, 'percentOff' | 'amountOff'>;

/** What a period costs before anything is taken off; minor units. @throws RangeError for more than a number holds exactly */
export function fullAmount(unitAmount: number, seats: number): number {
  const amount = BigInt(unitAmount) * BigInt(seats);
  if (amount > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError('No amount is so large.');
  return Number(amount);
}

/** What remains of an amount with a coupon; never below nothing. */
export function discounted(amount: number, coupon: Discount | null): number {
  if (coupon === null) return amount;
  if (coupon.percentOff !== null) return amount - shareOf(amount, coupon.percentOff, 100);
  return Math.max(0, amount - (coupon.amountOff ?? 0));
}

/** The part of a period's amount that falls on what is left of it at a time; milliseconds since 1970. */
export function remainingShare(amount: number, period: { start: number; end: number }, atMs: number): number {
  const length = period.end - period.start;
  const left = Math.min(length, Math.max(0, period.end - atMs));
  return length > 0 ? shareOf(amount, left, length) : 0;
}

export interface Settlement {
  /** To be paid now. */
  due: number;
  /** What is left to make the next payments less. */
  credit: number;
}

/** What is due of an amount when there is credit; an amount below nothing becomes credit. */
export function settle(amount: number, credit: number): Settlement {
  const open = amount - credit;
  return open >= 0 ? { due: open, credit: 0 } : { due: 0, credit: -open };
}

/**
 * A change within a period that is paid for: what is left of it at the new price, less what is left of it at the old one.
 * @param before,after what the whole period costs, coupons taken off
 */
export function changedAmount(
  { before, after }: { before: number; after: number },
  period: { start: number; end: number },
  atMs: number,
): number {
  return remainingShare(after, period, atMs) - remainingShare(before, period, atMs);
}
