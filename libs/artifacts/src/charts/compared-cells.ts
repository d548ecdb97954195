import { parseDateTime } from '@app/common';

/** A cell, or a value of a filter, as it is compared in a column. */
interface Compared {
  text: string;
  /** NaN for what is none. */
  number: number;
  /** ISO 8601 in UTC; null for what is none. */
  moment: string | null;
}

/** How cells of a column are compared with values: both are read first, once. */
export interface Comparison {
  read(value: unknown): Compared;
  /** Less than 0, 0, or more; NaN for what cannot be compared. */
  compare(cell: Compared, value: Compared): number;
}

/** A year, a month or a day: all of it. */
const WHOLE = /^\d{4}(-\d{2}){0,2}$/;
/** Digits that JavaScript keeps of any number, and as many as it is worth looking at. */
const [EXACT_DIGITS, MOST_DIGITS] = [15, 100];
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/** By the type of a column, as docs/contract/dashboard-chat.md#filters has it. */
export function comparisonOf(type: string): Comparison {
  if (type === 'integer' || type === 'number')
    return { read: (value) => ({ ...asText(value), number: numberOf(value) }), compare: compareNumbers };
  if (type === 'date' || type === 'datetime')
    return {
      read: (value) => {
        const compared = asText(value);
        return { ...compared, moment: momentOf(compared.text) };
      },
      compare: compareMoments,
    };
  return { read: asText, compare: (cell, value) => order(cell.text, value.text) };
}

const asText = (value: unknown): Compared => ({
  text: typeof value === 'string' ? value : JSON.stringify(value),
  number: NaN,
  moment: null,
});

function compareNumbers(cell: Compared, value: Compared): number {
  if (cell.number !== value.number) return Math.sign(cell.number - value.number);
  // Numbers that JavaScript does not have exactly are texts, and may be the same to it.
  return compareDigits(cell.text.trim(), value.text.trim());
}

function compareDigits(cell: string, value: string): number {
  const longest = Math.max(cell.length, value.length);
  if (longest <= EXACT_DIGITS || longest > MOST_DIGITS) return 0;
  const [one, other] = [scaled(cell), scaled(value)];
  if (one === null || other === null || one === other) return 0;
  return one < other ? -1 : 1;
}

/** A decimal number as a whole one, of which all are as much larger. */
function scaled(text: string): bigint | null {
  const [, sign, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  return whole === undefined ? null : BigInt(`${sign}${whole}${fraction.padEnd(MOST_DIGITS, '0')}`);
}

function compareMoments(cell: Compared, value: Compared): number {
  if (WHOLE.test(value.text)) return order((cell.moment ?? cell.text).slice(0, value.text.length), value.text);
  return cell.moment !== null && value.moment !== null
    ? order(cell.moment, value.moment)
    : order(cell.text, value.text);
}

function order(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN;
}

/** Without a zone it is UTC, as statements have it; a day is its first moment. */
function momentOf(text: string): string | null {
  const date = parseDateTime(WHOLE.test(text) ? `${text}T00:00` : text);
  if (!(date instanceof Date)) return null;
  const moment = date.toISOString();
  // A year of more than four digits is in no order with the others.
  return moment.length === 24 ? moment : null;
}
