import { coerceValue } from '../coercion/coerce-value.js';
import type { CoercionHints } from '../coercion/coercion.js';
import { isCurrency } from '../coercion/currencies.js';
import { plainSigns } from '../coercion/plain-signs.js';
import { readDate } from '../coercion/read-date.js';
import { readNumber } from '../coercion/read-number.js';
import { isTimes } from '../coercion/read-time.js';
import type { CellValue } from '../columns/table-column.js';
import type { AskedField } from './asked-field.js';
import type { FieldKind } from './field.js';

export type ReadField = { value: CellValue; sure: boolean } | { problem: string };

const MAX_TEXT = 300;
const MAX_PARTY = 120;
/** "The goods are delivered today.": no name ends so, as «e.K.» and "Ltd." do. */
const SENTENCE = /\s\p{Ll}{3,}[.;]$/u;
const CODES = new Map([
  ['€', 'EUR'],
  ['£', 'GBP'],
  ['₹', 'INR'],
  ['₺', 'TRY'],
  ['₪', 'ILS'],
  ['₽', 'RUB'],
]);

/**
 * The value of a field from the words beside its label: what is not of the field's kind is refused, so that no neighbour is
 * taken for the value.
 */
export function readField({ column, kind, field }: AskedField, text: string, hints: CoercionHints): ReadField {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > MAX_TEXT) return { problem: 'value_unreadable' };
  const doubt = refuseFor(column, field === 'bic' ? 'bic' : kind, trimmed, hints);
  if (doubt !== null) return { problem: doubt };
  const coerced = coerceValue(
    column,
    kind === 'code' && column.outputType === 'string' ? currencyCode(trimmed) : trimmed,
    hints,
  );
  if ('problem' in coerced) return { problem: SAYING.has(coerced.problem) ? coerced.problem : 'value_unreadable' };
  if (coerced.value === null) return { problem: 'value_unreadable' };
  return { value: coerced.value, sure: !('decimal' in hints) };
}

function refuseFor(
  { outputType }: AskedField['column'],
  kind: FieldKind | 'bic',
  text: string,
  hints: CoercionHints,
): string | null {
  // "Paid: no" answers who asks whether, though elsewhere an amount stands there; a digit may be one.
  if (outputType === 'boolean') return /^\d+$/.test(text) && kind !== 'text' ? 'value_unreadable' : null;
  return kind === 'bic' ? refuseBic(text) : refuse(kind, text, hints);
}

/** Problems that say more than that there was one. */
const SAYING: ReadonlySet<string> = new Set([
  'ambiguous_number',
  'ambiguous_date',
  'hijri_date',
  'incomplete_date',
  'number_too_long',
  'not_in_enum',
]);

/** Banks have codes of letters that may lack digits. */
const refuseBic = (text: string): string | null =>
  /^[A-Z]{4} ?[A-Z]{2} ?[A-Z\d]{2}(?: ?[A-Z\d]{3})?$/.test(text) ? null : 'value_unreadable';

/** Why the words cannot be of that kind; null: they can. */
function refuse(kind: FieldKind, text: string, hints: CoercionHints): string | null {
  switch (kind) {
    case 'date':
      return refuseDate(text, hints);
    case 'money':
      return refuseNumber(text, 'currency', hints, ['currency', null]);
    case 'percent':
      return refuseNumber(text, 'percent', hints, ['percent', null]);
    case 'number':
      return refuseNumber(text, null, hints, ['measure', 'currency', 'percent', null]);
    case 'identifier':
      return isIdentifier(text) ? null : 'value_unreadable';
    case 'phone':
      return isPhone(text) ? null : 'value_unreadable';
    case 'email':
      return /^\S+@\S+\.\S+$/.test(text) ? null : 'value_unreadable';
    case 'code':
      return isCurrency(text) && currencyCode(text) !== '' ? null : 'value_unreadable';
    case 'party':
      return text.length <= MAX_PARTY && isName(text) ? null : 'value_unreadable';
    case 'iban':
    case 'text':
      return /[\p{L}\p{N}✓✔☑☒☐✗✘]/u.test(text) ? null : 'value_unreadable';
  }
}

function refuseDate(text: string, hints: CoercionHints): string | null {
  const read = readDate(text, hints);
  if ('problem' in read) return SAYING.has(read.problem) ? read.problem : 'value_unreadable';
  return read.rest === '' || isTimes(read.rest) ? null : 'value_unreadable';
}

/** What a document leaves in doubt is nothing that a rule decides. */
function refuseNumber(
  text: string,
  format: 'currency' | 'percent' | null,
  hints: CoercionHints,
  units: readonly (string | null)[],
): string | null {
  const read = readNumber(text, format, hints);
  if ('problem' in read) return SAYING.has(read.problem) ? read.problem : 'value_unreadable';
  if (!units.includes(read.unit)) return 'value_unreadable';
  return read.sure ? null : 'ambiguous_number';
}

/** Numbers of documents: digits, letters, strokes; one word, or a few short ones. Neither a date, a sum nor an address. */
function isIdentifier(text: string): boolean {
  const plain = plainSigns(text);
  if (plain.length > 40 || !/\d/.test(plain) || !/^[\p{L}\p{N}][\p{L}\p{N} ./\\_#:()-]*$/u.test(plain)) return false;
  if ('day' in readDate(plain, { dayFirst: true }) && !/^\d{8}$/.test(plain)) return false;
  if (/[:]/.test(plain) || /\p{Sc}|[%@]/u.test(plain)) return false;
  const words = plain.split(' ');
  if (words.length === 1) return true;
  // "INV 2026 001", "DE 123 456 789": each of a few words is of digits, or of capitals.
  return (
    words.length <= 6 &&
    words.every(
      (word) => /^[\d./-]+$/.test(word) || /^\p{Lu}{1,5}[\d./-]*$/u.test(word) || (/\d/.test(word) && word.length >= 4),
    )
  );
}

function isPhone(text: string): boolean {
  const plain = plainSigns(text).replace(/^(?:tel|phone|t)[.:]? /i, '');
  const digits = plain.replace(/\D/g, '');
  if (!/^\+?[\d ()./-]+(?:(?: ?(?:x|ext\.?) ?)\d{1,5})?$/i.test(plain)) return false;
  return digits.length >= 6 && digits.length <= 16 && !('day' in readDate(plain, { dayFirst: true }));
}

/** Behind a name, as e-mails write it. */
const ADDRESS = /\s*<[^<>\s]+@[^<>\s]+>/gu;

/** A name has letters, more of them than digits, and does not address anybody in a sentence. */
function isName(named: string): boolean {
  const text = named.replace(ADDRESS, '');
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const digits = text.match(/\p{N}/gu)?.length ?? 0;
  if (letters < 2 || digits > letters || /[@:?!]|https?|www\./iu.test(text)) return false;
  const words = text.split(/\s+/).length;
  return words <= 12 && !(words >= 4 && SENTENCE.test(text));
}

function currencyCode(text: string): string {
  const code = text.trim();
  if (/^[A-Z]{3}$/.test(code)) return code;
  const bracketed = /\(([A-Z]{3})\)$/.exec(code)?.[1];
  return bracketed ?? CODES.get(code) ?? '';
}
