import { cutText, isFaithful } from '@app/common';
import type { ColumnFormat } from '../columns/table-column.js';
import { problem, type CoercionHints, type CoercionProblem } from './coercion.js';
import { hasThousandths, isCurrency } from './currencies.js';
import { plainSigns } from './plain-signs.js';
import { readNumeral, type AmbiguousNumeral } from './read-numeral.js';

export type NumberUnit = 'currency' | 'percent' | 'measure' | null;
/** A number as it is written: with what unit, and whether the writing alone left no doubt of it. */
export type ReadNumber =
  | { value: number; unit: NumberUnit; unitText: string; sure: boolean }
  | { problem: CoercionProblem; message: string };

/** Longer texts are no numbers: nothing below has to look at them. */
const MAX_LENGTH = 80;
const JSON_NUMBER = /^-?\d+(?:\.\d+)?[eE][+-]?\d{1,3}$/;
/** What is counted: the number stands as it is. */
const MEASURES = new Set(
  (
    'pcs pc pcs. pce ea each x stk stk. stück st. st stck pieces piece units unit items boxes box set sets unités uds ud und kg g mg ' +
    'lb lbs oz km cm mm ft in l ml cl h hr hrs hours hour std std. stunden min s ms d days day tage tag jours kwh mwh kw mw ' +
    'gb mb tb kb ha m² m³ km² °c °f km/h mph pts قطعة قطع وحدة وحدات حبة علبة ساعة ساعات يوم أيام كم كغ كجم متر لتر'
  ).split(' '),
);

/** @param text any text; how it is read depends on nothing but it, the format and the hints */
export function readNumber(text: string, format: ColumnFormat | null, hints: CoercionHints = {}): ReadNumber {
  const plain = plainSigns(text).trim();
  if (plain.length === 0 || plain.length > MAX_LENGTH || !/\d/.test(plain)) return notANumber(text);
  if (JSON_NUMBER.test(plain)) return faithful(plain, text, { unit: null, unitText: '', sure: true });
  const parts = takeApart(plain);
  if (!parts) return notANumber(text);
  if (format === 'percent' && parts.unit !== null && parts.unit !== 'percent') return notANumber(text);
  if (format === 'currency' && parts.unit !== null && parts.unit !== 'currency') return notANumber(text);
  const numeral = readNumeral(parts.digits);
  if (numeral === null) return notANumber(text);
  const digits = numeral.ambiguous ? decide(numeral, format, parts, hints) : numeral.digits;
  if (digits === null)
    return problem('ambiguous_number', `${shown(text)} may be ${byComma(numeral)}. Write it without separators.`);
  return faithful(`${parts.negative ? '-' : ''}${digits}`, text, {
    unit: parts.unit,
    unitText: parts.unitText,
    // Sums of a currency with thousandths are not decided at all.
    sure: !numeral.ambiguous || hints.decimal !== undefined || format === 'currency' || parts.unit === 'currency',
  });
}

const byComma = (numeral: object) =>
  'grouped' in numeral && 'decimal' in numeral ? `${String(numeral.grouped)} or ${String(numeral.decimal)}` : '';

/**
 * `1.234` and `1,234`: as the document has it; else sums have no thousandths, unless their currency has them; else as JSON and
 * English have it: a point before decimals, a comma between thousands.
 */
function decide(
  numeral: AmbiguousNumeral,
  format: ColumnFormat | null,
  { unit, unitText }: Parts,
  hints: CoercionHints,
): string | null {
  if (hints.decimal !== undefined) return hints.decimal === numeral.separator ? numeral.decimal : numeral.grouped;
  if (unit === 'currency' && hasThousandths(unitText)) return null;
  if (format === 'currency' || unit === 'currency') return numeral.grouped;
  return numeral.separator === '.' || format === 'percent' ? numeral.decimal : numeral.grouped;
}

function faithful(
  literal: string,
  text: string,
  rest: { unit: NumberUnit; unitText: string; sure: boolean },
): ReadNumber {
  const value = Number(literal);
  // Fractions are rounded by every computer; more digits than come back are no number that anybody reads as this one.
  const held = digitsOf(literal).length <= 15 || digitsOf(literal) === digitsOf(String(value));
  if (!isFaithful(literal, value) || !held)
    return problem('number_too_long', `${shown(text)} has more digits than a number holds.`);
  return { value: value === 0 ? 0 : value, ...rest };
}

const digitsOf = (literal: string) =>
  literal
    .replace(/e.*$/i, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '');

interface Parts {
  negative: boolean;
  digits: string;
  unit: NumberUnit;
  unitText: string;
}

const SIGNED = /^([+-]?) ?(.*?) ?(-?)$/s;

/** Signs, brackets and the unit around the digits: `-12 €`, `€ -12`, `(12)`, `12-`, `USD (12.50)`, `12,5 %`. */
function takeApart(text: string): Parts | null {
  const first = text.search(/\d|(?<![\p{L}.])[.,٫](?=\d)/u);
  const last = text.search(/\d\D*$/) + 1;
  if (first === -1) return null;
  let before = text.slice(0, first);
  let digits = text.slice(first, last);
  let behind = text.slice(last);
  let negatives = 0;
  if (before.includes('(') || behind.includes(')')) {
    if (!/^[^()]*\([^()]*$/.test(before) || !/^[^()]*\)[^()]*$/.test(behind)) return null;
    before = before.replace('(', ' ');
    behind = behind.replace(')', ' ');
    negatives += 1;
  }
  // German prices without cents: "5,-", "5.--".
  behind = behind.replace(/^[.,](?:--?|=)(?=$| )/, '');
  const [, sign = '', left = '', trailing = ''] = SIGNED.exec(before.trim()) ?? [];
  const [, leading = '', right = '', end = ''] = SIGNED.exec(behind.trim()) ?? [];
  if (sign === '-' || trailing === '-') negatives += 1;
  if (sign !== '' && trailing === '-') return null;
  if (leading === '+' || (leading !== '' && end !== '')) return null;
  if (leading === '-' || end === '-') negatives += 1;
  if (negatives > 1) return null;
  digits = digits.trim();
  const unitText = [left.trim(), right.trim()].filter(Boolean).join(' ');
  const unit = unitOf(left.trim(), right.trim());
  return unit === undefined ? null : { negative: negatives === 1, digits, unit, unitText };
}

/** @returns undefined where something else stands there */
function unitOf(left: string, right: string): NumberUnit | undefined {
  if (left === '' && right === '') return null;
  if (left !== '' && right !== '') return isCurrency(left) && isCurrency(right) ? 'currency' : undefined;
  const unit = left || right;
  if (unit === '%') return 'percent';
  if (isCurrency(unit)) return 'currency';
  return left === '' && MEASURES.has(unit.toLowerCase()) ? 'measure' : undefined;
}

const shown = (text: string) => JSON.stringify(text.length > 60 ? `${cutText(text, 60)}…` : text);
const notANumber = (text: string): ReadNumber => problem('not_a_number', `${shown(text)} is not a number.`);
