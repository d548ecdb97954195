import { formatMoney, parseMoney, shareOf } from '@app/common';
import { seedOf } from '../seeded-random.spec-support.js';
import { changedAmount, discounted, fullAmount, remainingShare, settle } from './amounts.js';
import { endOfPeriod } from './periods.js';
import { rounds } from '../../../../test/support/long.js';

/**
 * The same rules, written another way: long division by hand on BigInt, halves looked at as remainders. It shares no line
 * with what it checks.
 */
const model = {
  rounded(numerator: bigint, denominator: bigint): bigint {
    const isNegative = numerator < 0n;
    const size = isNegative ? -numerator : numerator;
    let whole = size / denominator;
    if (2n * (size % denominator) >= denominator) whole += 1n;
    return isNegative ? -whole : whole;
  },
  full: (unit: bigint, seats: bigint): bigint => {
    let sum = 0n;
    for (let bit = 0n, left = seats; left > 0n; bit += 1n, left >>= 1n) if (left & 1n) sum += unit << bit;
    return sum;
  },
  percentOff: (amount: bigint, percent: bigint): bigint => amount - model.rounded(amount * percent, 100n),
  amountOff: (amount: bigint, off: bigint): bigint => (amount > off ? amount - off : 0n),
  left: (amount: bigint, start: bigint, end: bigint, at: bigint): bigint => {
    const gone = at <= start ? 0n : at >= end ? end - start : at - start;
    return model.rounded(amount * (end - start - gone), end - start);
  },
};

describe('amounts, against another model in whole numbers', () => {
  const ROUNDS = rounds(50_000, 5_000, 1_000);

  it('of seats, coupons and yearly prices', () => {
    const { below } = seedOf(1);
    for (let round = 0; round < ROUNDS; round += 1) {
      const [unit, seats, percent, off] = [below(10_000_000), 1 + below(100_000), 1 + below(100), below(1_000_000_000)];
      const full = fullAmount(unit, seats);
      expect(BigInt(full)).toBe(model.full(BigInt(unit), BigInt(seats)));
      expect(BigInt(discounted(full, { percentOff: percent, amountOff: null }))).toBe(
        model.percentOff(BigInt(full), BigInt(percent)),
      );
      expect(BigInt(discounted(full, { percentOff: null, amountOff: off }))).toBe(
        model.amountOff(BigInt(full), BigInt(off)),
      );
      expect(discounted(full, null)).toBe(full);
      expect(BigInt(shareOf(unit * 12, 100 - (percent % 100), 100))).toBe(
        model.rounded(BigInt(unit) * 12n * BigInt(100 - (percent % 100)), 100n),
      );
    }
  });

  it('of what is left of a period, and of changes within it', () => {
    const { below } = seedOf(2);
    for (let round = 0; round < ROUNDS; round += 1) {
      const start = 1_700_000_000_000 + below(2_000_000_000);
      const end = start + 1 + below(31_622_400_000);
      const at = start - 1000 + below(end - start + 2000);
      const [before, after] = [below(1_000_000_000_000), below(1_000_000_000_000)];
      const [from, to, now] = [BigInt(start), BigInt(end), BigInt(at)];
      const left = model.left(BigInt(before), from, to, now);
      expect(BigInt(remainingShare(before, { start, end }, at))).toBe(left);
      const changed = changedAmount({ before, after }, { start, end }, at);
      expect(BigInt(changed)).toBe(model.left(BigInt(after), from, to, now) - left);
      // There and back at the same moment costs nothing.
      expect(changed + changedAmount({ before: after, after: before }, { start, end }, at)).toBe(0);
    }
  });

  it('of credit: nothing is lost and nothing is made', () => {
    const { below } = seedOf(3);
    for (let round = 0; round < ROUNDS; round += 1) {
      const [amount, credit] = [below(2_000_000) - 1_000_000, below(1_000_000)];
      const settled = settle(amount, credit);
      expect(settled.due - settled.credit).toBe(amount - credit);
      expect(settled.due >= 0 && settled.credit >= 0 && (settled.due === 0 || settled.credit === 0)).toBe(true);
    }
  });

  it('of credit that pays exactly what is due: nothing is left on either side', () => {
    expect(settle(500, 500)).toEqual({ due: 0, credit: 0 });
  });

  it('in currencies of none, two and three decimals are written and read without a loss', () => {
    const { below } = seedOf(4);
    for (const [currency, pattern] of [
      ['JPY', /^\d+$/],
      ['EUR', /^\d+\.\d{2}$/],
      ['KWD', /^\d+\.\d{3}$/],
    ] as const)
      for (let round = 0; round < 1000; round += 1) {
        const amount = below(1_000_000_000);
        expect(formatMoney(amount, currency)).toMatch(pattern);
        expect(parseMoney(formatMoney(amount, currency), currency)).toBe(amount);
      }
  });

  it('are refused where no number holds them', () => {
    expect(() => fullAmount(Number.MAX_SAFE_INTEGER, 2)).toThrow(RangeError);
    expect(fullAmount(Number.MAX_SAFE_INTEGER, 1)).toBe(Number.MAX_SAFE_INTEGER);
    expect(remainingShare(100, { start: 5, end: 5 }, 5)).toBe(0);
  });
});

describe('periods', () => {
  it.each([
    ['2026-01-31T10:00:00.000Z', 1, 'monthly', '2026-02-28T10:00:00.000Z'],
    ['2026-01-31T10:00:00.000Z', 2, 'monthly', '2026-03-31T10:00:00.000Z'],
    ['2026-01-31T10:00:00.000Z', 25, 'monthly', '2028-02-29T10:00:00.000Z'],
    ['2026-12-15T23:59:59.999Z', 1, 'monthly', '2027-01-15T23:59:59.999Z'],
    ['2028-02-29T00:00:00.000Z', 1, 'yearly', '2029-02-28T00:00:00.000Z'],
    ['2028-02-29T00:00:00.000Z', 4, 'yearly', '2032-02-29T00:00:00.000Z'],
  ] as const)('of %s: %s %s end at %s', (anchor, periods, period, end) => {
    expect(new Date(endOfPeriod(Date.parse(anchor), periods, period)).toISOString()).toBe(end);
  });

  it('follow each other without gaps, whichever day they began', () => {
    const { below } = seedOf(5);
    for (let round = 0; round < 2000; round += 1) {
      const anchor = Date.UTC(2024, 0, 1) + below(4 * 365 * 86_400) * 1000;
      const ends = [1, 2, 3, 13].map((count) => endOfPeriod(anchor, count, 'monthly'));
      expect(ends.toSorted((a, b) => a - b)).toEqual(ends);
      const days = (ends[0]! - anchor) / 86_400_000;
      expect(days >= 28 && days <= 31).toBe(true);
      expect(endOfPeriod(anchor, 1, 'yearly')).toBe(endOfPeriod(anchor, 12, 'monthly'));
    }
  });
});
