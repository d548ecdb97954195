import { electronicFormatIBAN, isValidIBAN } from 'ibantools';
import { cutText, fold, parseEmail } from '@app/common';
import type { CellValue, TableColumn } from '../columns/table-column.js';
import { problem, type Coerced, type CoercionHints } from './coercion.js';
import { jsonValue } from './json-value.js';
import { plainSigns } from './plain-signs.js';
import { readBoolean } from './read-boolean.js';
import { readDate } from './read-date.js';
import { readJson, readList } from './read-list.js';
import { readNumber } from './read-number.js';
import { isTimes, readTime } from './read-time.js';

/** How people and models write that there is nothing. In a column of texts it is a text. */
const NOTHING = /^(?:n\/?a\.?|none|null|nil|k\. ?a\.|-+|–|—|\.\.\.|…)$/i;

/**
 * A value as its column has it, from whatever a person, a client, a model or a document wrote. Never throws: what cannot be
 * read without doubt is a problem, and nothing is made up. Nothing (`null`, '', blanks) is null in every column.
 */
export function coerceValue(column: TableColumn, raw: unknown, hints: CoercionHints = {}): Coerced {
  if (raw === null || raw === undefined) return { value: null };
  if (typeof raw === 'string') {
    const text = raw.trim();
    if (text === '' || (column.outputType !== 'string' && NOTHING.test(text))) return { value: null };
  }
  const coerced = byType(column, raw, hints);
  return 'problem' in coerced || column.enum === null
    ? coerced
    : amongValues(column, column.enum, coerced.value, hints);
}

function byType(column: TableColumn, raw: unknown, hints: CoercionHints): Coerced {
  switch (column.outputType) {
    case 'number':
      return toNumber(column, raw, hints);
    case 'boolean':
      return toBoolean(raw);
    case 'list':
      return toList(column, raw, hints);
    case 'object':
      return toObject(raw);
    case 'string':
    case 'reference':
      return toText(column, raw, hints);
  }
}

function toNumber(column: TableColumn, raw: unknown, hints: CoercionHints): Coerced {
  if (typeof raw === 'number' && Number.isFinite(raw)) return { value: raw === 0 ? 0 : raw };
  if (typeof raw !== 'string') return problem('not_a_number', `A ${typeName(raw)} is not a number.`);
  const read = readNumber(raw, column.format, hints);
  return 'problem' in read ? read : { value: read.value };
}

function toBoolean(raw: unknown): Coerced {
  if (typeof raw === 'boolean') return { value: raw };
  const read = typeof raw === 'string' || raw === 0 || raw === 1 ? readBoolean(String(raw)) : null;
  return read === null ? problem('not_a_boolean', `${shown(raw)} is neither yes nor no.`) : { value: read };
}

function toList(column: TableColumn, raw: unknown, hints: CoercionHints): Coerced {
  if (typeof raw === 'object' && !Array.isArray(raw)) return problem('not_a_list', 'An object is not a list.');
  const elements: unknown[] = Array.isArray(raw) ? raw : typeof raw === 'string' ? readList(raw) : [raw];
  const values: CellValue[] = [];
  for (const element of elements) {
    const isText = typeof element === 'string' && column.format !== null;
    const one = isText ? toText(column, element, hints) : jsonValue(element);
    if ('problem' in one) return one;
    if (one.value !== '' && one.value !== null) values.push(one.value);
  }
  return { value: values };
}

function toObject(raw: unknown): Coerced {
  const parsed = typeof raw === 'string' ? readJson(raw) : raw;
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return problem('not_an_object', `${shown(raw)} is not an object.`);
  return jsonValue(parsed);
}

function toText(column: TableColumn, raw: unknown, hints: CoercionHints): Coerced {
  if (typeof raw === 'object') return problem('not_a_text', `A ${typeName(raw)} is not a text.`);
  const clean = jsonValue(typeof raw === 'string' ? raw : String(raw));
  if ('problem' in clean || typeof clean.value !== 'string') return clean;
  const text = clean.value;
  switch (column.format) {
    case 'date':
    case 'datetime':
      // A bare number is the count of days of some program, or a year.
      return typeof raw === 'string'
        ? toDate(column.format, text, hints)
        : problem('not_a_date', `${text} is not a date.`);
    case 'email':
      return toEmail(text);
    case 'iban':
      return toIban(text);
    default:
      return { value: text };
  }
}

function toDate(format: 'date' | 'datetime', text: string, hints: CoercionHints): Coerced {
  const read = readDate(text, hints);
  if ('problem' in read) return read;
  if (format === 'date' && isTimes(read.rest)) return { value: read.day };
  const seconds = read.rest === '' ? null : readTime(read.rest);
  if (read.rest !== '' && seconds === null) return problem('not_a_date', `${shown(text)} is not a date.`);
  if (format === 'date') return { value: read.day };
  if (seconds === null) return problem('no_time', `${shown(text)} does not say the time.`);
  const moment = new Date(Date.parse(`${read.day}T00:00:00Z`) + seconds * 1000);
  return { value: moment.toISOString().replace('.000Z', 'Z') };
}

function toEmail(text: string): Coerced {
  const bare = plainSigns(text)
    .replace(/^mailto:/i, '')
    .replace(/^[^<>]*<([^<>]+)>$/, '$1')
    .trim();
  const read = parseEmail(bare);
  return typeof read === 'string'
    ? { value: read }
    : problem('not_an_email', `${shown(text)} is not an e-mail address.`);
}

function toIban(text: string): Coerced {
  const electronic = electronicFormatIBAN(plainSigns(text).replace(/^IBAN:? ?/i, ''));
  return electronic !== null && isValidIBAN(electronic)
    ? { value: electronic }
    : problem('not_an_iban', `${shown(text)} is not a valid IBAN.`);
}

/** As the column spells it. */
function amongValues(column: TableColumn, allowed: readonly string[], value: CellValue, hints: CoercionHints): Coerced {
  if (value === null || typeof value === 'boolean' || column.outputType === 'object') return { value };
  if (typeof value === 'number') {
    const numbers = allowed.map((one) => readNumber(one, column.format, hints));
    return numbers.some((one) => 'value' in one && one.value === value) ? { value } : notAllowed(value, allowed);
  }
  if (Array.isArray(value)) {
    const values: CellValue[] = [];
    for (const element of value) {
      const one = typeof element === 'string' ? spelled(element, allowed) : undefined;
      if (one === undefined) return notAllowed(element, allowed);
      values.push(one);
    }
    return { value: values };
  }
  const one = typeof value === 'string' ? spelled(value, allowed) : undefined;
  return one === undefined ? notAllowed(value, allowed) : { value: one };
}

const key = (text: string) =>
  fold(text)
    .replace(/[\s\p{P}]+/gu, ' ')
    .trim();

function spelled(text: string, allowed: readonly string[]): string | undefined {
  if (allowed.includes(text)) return text;
  const alike = allowed.filter((one) => key(one) === key(text));
  return alike.length === 1 && key(text) !== '' ? alike[0] : undefined;
}

const notAllowed = (value: unknown, allowed: readonly string[]): Coerced =>
  problem(
    'not_in_enum',
    `${shown(value)} is none of ${allowed.slice(0, 20).join(', ')}${allowed.length > 20 ? ', …' : ''}.`,
  );

const typeName = (raw: unknown) => (Array.isArray(raw) ? 'list' : typeof raw);
function shown(raw: unknown): string {
  const text = typeof raw === 'string' ? raw : typeof raw === 'object' ? typeName(raw) : String(raw);
  return JSON.stringify(text.length > 60 ? `${cutText(text, 60)}…` : text);
}
