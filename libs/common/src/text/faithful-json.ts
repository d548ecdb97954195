import { isUtf8 } from 'node:buffer';

/** Literals that may be more than a double holds; what looks like one is looked at again, digit by digit. */
const DOUBTFUL = /\d{16}|\d[eE][+]?\d{2}|\de-\d{3}/i;
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Beyond them the value is infinite or zero anyway, and powers of ten this large are not worth making. */
const MAX_EXPONENT = 400;

/**
 * Whether JavaScript can hold the number that a JSON literal writes: 1e400 becomes infinite and 2^53+1 another number. A
 * fraction is an approximation everywhere, so only its size counts.
 */
export function isFaithful(literal: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  const [, whole, fraction = '', power = '0'] = NUMBER.exec(literal) ?? [];
  if (whole === undefined) return true;
  if (value === 0) return /^[0.]*$/.test(`${whole}${fraction}`);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true;
  // What is written back is the same number, as with all that JavaScript wrote itself.
  if (decimalOf(literal) === decimalOf(String(value)) || /[1-9]/.test(fraction)) return true;
  const exponent = Number(power) - fraction.length;
  if (Math.abs(exponent) > MAX_EXPONENT) return false;
  const digits = BigInt(whole + fraction);
  const held = BigInt(Math.abs(value));
  return exponent >= 0 ? digits * 10n ** BigInt(exponent) === held : digits === held * 10n ** BigInt(-exponent);
}

/** The same text for two ways to write one decimal number, whatever its sign. */
function decimalOf(literal: string): string {
  const [, whole = '', fraction = '', power = '0'] = NUMBER.exec(literal) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  return `${short}e${Number(power) - fraction.length + digits.length - short.length}`;
}

/** @returns the first number of a JSON text that would be another one here, null when there is none or it is no JSON */
export function findLostNumber(text: string): string | null {
  if (!DOUBTFUL.test(text)) return null;
  let lost: string | null = null;
  const look = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value === 'number' && context?.source !== undefined && !isFaithful(context.source, value))
      lost ??= context.source;
    return value;
  };
  try {
    JSON.parse(text, look);
  } catch {
    // Whoever parses it says why.
    return null;
  }
  return lost;
}

/**
 * For senders that cannot be told to write otherwise: a number that would be another one here becomes the text that was
 * sent, so that ids of 64 bits stay themselves. @throws SyntaxError for what is no JSON
 */
export function parseKeepingNumbers(text: string): unknown {
  if (!DOUBTFUL.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepNumber);
}

/** The same for each value, as what `JSON.parse` calls. */
export function keepNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  const isLost = typeof value === 'number' && context?.source !== undefined && !isFaithful(context.source, value);
  return isLost ? context.source : value;
}

const ESCAPED = /(?:%[0-9a-f]{2})+/gi;

/** Whether what is escaped in a query or a form is UTF-8; what only looks like an escape is a text. */
export function isEncodedUtf8(text: string): boolean {
  for (const [escaped] of text.matchAll(ESCAPED))
    if (!isUtf8(Buffer.from(escaped.replaceAll('%', ''), 'hex'))) return false;
  return true;
}
