import { isFaithful } from '@app/common';

/** Beyond these places no double has any. */
const MOST_PLACES = 400;
const NUMBER = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i;

/**
 * The sum on paper of what the texts spell: doubles make 0.30000000000000004 of 0.1 and 0.2. What no number can hold is
 * a text, as everywhere.
 */
export function exactSum(numbers: readonly string[]): number | string {
  let total = 0n;
  let places = 0;
  for (const number of numbers) {
    const read = decimalOf(number);
    if (read.places > places) {
      total *= 10n ** BigInt(read.places - places);
      places = read.places;
    }
    total += read.places === places ? read.digits : read.digits * 10n ** BigInt(places - read.places);
  }
  const text = written(total, places);
  const sum = Number(text);
  return isFaithful(text, sum) ? sum : text;
}

/** `digits` with so many of them behind the point. */
function decimalOf(text: string): { digits: bigint; places: number } {
  const [, sign, whole = '', fraction = '', power = '0'] = NUMBER.exec(text) ?? [];
  const places = fraction.length - Number(power);
  if (whole.length + Math.abs(places) > MOST_PLACES) return decimalOf(String(Number(text)));
  const digits = BigInt(`${whole}${fraction}`) * 10n ** BigInt(Math.max(-places, 0));
  return { digits: sign === '-' ? -digits : digits, places: Math.max(places, 0) };
}

function written(total: bigint, places: number): string {
  const digits = String(total < 0n ? -total : total).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  return `${total < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
