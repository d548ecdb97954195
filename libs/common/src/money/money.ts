import * as currencies from 'dinero.js/currencies';

/**
 * By ISO 4217. What `Intl` says of digits is what people write in prices: none of HUF, which has two. Those that are not
 * divided by ten (MGA, MRU) are left out.
 */
const DIGITS: ReadonlyMap<string, number> = new Map(
  Object.values(currencies)
    .filter(({ base }) => base === 10)
    .map(({ code, exponent }) => [code, exponent]),
);

/** Decimal digits of a currency: 2 of EUR, 0 of JPY, 3 of KWD. @throws RangeError for what is no currency */
export function currencyDigits(currency: string): number {
  const digits = DIGITS.get(currency);
  if (digits === undefined) throw new RangeError(`${currency} is no currency of ISO 4217`);
  return digits;
}

/** Whether it is a code of ISO 4217, in capital letters. */
export function isCurrency(text: string): boolean {
  return DIGITS.has(text);
}

/**
 * @param text such as "29", "29.00", never negative @returns whole minor units (cents of EUR, yen of JPY); null for what
 * is no amount of this currency: more digits than it has, or more than a number holds exactly
 */
export function parseMoney(text: string, currency: string): number | null {
  const digits = currencyDigits(currency);
  const found = /^(\d{1,12})(?:\.(\d+))?$/.exec(text);
  if (!found || (found[2] ?? '').length > digits) return null;
  const minor = Number(found[1]) * 10 ** digits + Number((found[2] ?? '').padEnd(digits, '0') || 0);
  return Number.isSafeInteger(minor) ? minor : null;
}

/** @param minor whole minor units, below zero for money that is given back @returns such as "29.00", "-0.05" or, of JPY, "2900" */
export function formatMoney(minor: number, currency: string): string {
  const digits = currencyDigits(currency);
  const text = String(Math.abs(minor)).padStart(digits + 1, '0');
  const sign = minor < 0 ? '-' : '';
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/**
 * A part of an amount, half a unit away from zero: exact for whatever a safe integer holds.
 * @param numerator,denominator whole; the denominator above 0
 */
export function shareOf(minor: number, numerator: number, denominator: number): number {
  const [scaled, by] = [BigInt(minor) * BigInt(numerator) * 2n, BigInt(denominator)];
  const half = scaled < 0n ? -by : by;
  return Number((scaled + half) / (2n * by));
}
