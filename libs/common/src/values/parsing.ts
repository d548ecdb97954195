import { isFaithful } from '../text/faithful-json.js';
import { toOneLine } from '../text/one-line.js';

/** Why a value was not taken, in the wording of Django REST framework, which the clients of the spec already show. */
export class Refusal {
  constructor(readonly message: string) {}
}

/** Turns what a client sent into the value a handler gets. Parsing a parsed value again gives the same value. */
export type Parse = (raw: unknown) => unknown;

const LARGEST_INT4 = 2_147_483_647;

/** The type names of the spec's messages. */
export function wireTypeName(value: unknown): string {
  if (value === null || value === undefined) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return 'dict';
}

export function isDictionary(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Postgres stores neither: a NUL fails in every text column, a lone surrogate in every jsonb one. */
export function refuseUnstorable(text: string): Refusal | null {
  if (text.includes('\0')) return new Refusal('Null characters are not allowed.');
  if (/\p{Surrogate}/u.test(text)) return new Refusal('Surrogate characters are not allowed.');
  return null;
}

export interface TextRules {
  minLength?: number;
  maxLength?: number;
  /** Whether the empty string is a value. */
  allowBlank?: boolean;
  /** Whether surrounding white space is dropped; true unless told. */
  trim?: boolean;
  /** The Unicode form that is kept of texts that look the same; as it came unless told. */
  form?: 'NFC' | 'NFKC';
  /** Whether several lines become one (`toOneLine`); as it came unless told. */
  folded?: boolean;
  pattern?: RegExp;
  /** What to say when the pattern does not match. */
  patternMessage?: string;
}

/** Characters are Unicode's, as in JSON Schema and Postgres: an emoji is one of them, not two. */
function isLonger(text: string, characters: number): boolean {
  if (text.length <= characters) return false;
  return text.length > 2 * characters || [...text].length > characters;
}

export function parseText(rules: TextRules = {}): Parse {
  return (raw) => {
    if (typeof raw !== 'string' && typeof raw !== 'number') return new Refusal('Not a valid string.');
    const given = rules.trim === false ? String(raw) : String(raw).trim();
    const formed = rules.form ? given.normalize(rules.form) : given;
    const unstorable = refuseUnstorable(formed);
    if (unstorable) return unstorable;
    const text = rules.folded ? toOneLine(formed) : formed;
    if (text === '') return rules.allowBlank ? text : new Refusal('This field may not be blank.');
    if (rules.maxLength !== undefined && isLonger(text, rules.maxLength))
      return new Refusal(`Ensure this field has no more than ${rules.maxLength} characters.`);
    if (rules.minLength !== undefined && !isLonger(text, rules.minLength - 1))
      return new Refusal(`Ensure this field has at least ${rules.minLength} characters.`);
    if (rules.pattern && !rules.pattern.test(text))
      return new Refusal(rules.patternMessage ?? 'This value does not match the required pattern.');
    return text;
  };
}

export interface Range {
  min?: number;
  max?: number;
}

function outside(value: number, min: number | undefined, max: number | undefined): Refusal | null {
  if (min !== undefined && value < min) return new Refusal(`Ensure this value is greater than or equal to ${min}.`);
  if (max !== undefined && value > max) return new Refusal(`Ensure this value is less than or equal to ${max}.`);
  return null;
}

/** What was written as text may be more than a number can hold. */
const isKept = (raw: unknown, value: number): boolean =>
  typeof raw !== 'string' || isFaithful(raw.trim().replace(/^\+/, ''), value);

/** Without a range of its own an integer has to fit Postgres' `integer`. */
export function parseInteger({ min = -LARGEST_INT4 - 1, max = LARGEST_INT4 }: Range = {}): Parse {
  return (raw) => {
    if (typeof raw === 'string' && raw.length > 1000) return new Refusal('String value too large.');
    const text = typeof raw === 'string' ? raw.trim() : raw;
    const value = typeof text === 'string' && /^[+-]?\d+(\.0*)?$/.test(text) ? Number(text) : text;
    if (typeof value !== 'number' || !Number.isInteger(value) || !isKept(text, value))
      return new Refusal('A valid integer is required.');
    return outside(value, min, max) ?? value;
  };
}

export function parseNumber({ min, max }: Range = {}): Parse {
  return (raw) => {
    const value = typeof raw === 'string' && raw.length <= 1000 && raw.trim() !== '' ? Number(raw) : raw;
    if (typeof value !== 'number' || !Number.isFinite(value) || !isKept(raw, value))
      return new Refusal('A valid number is required.');
    return outside(value, min, max) ?? value;
  };
}

const TRUE = new Set(['true', 't', '1', 'yes', 'y', 'on']);
const FALSE = new Set(['false', 'f', '0', 'no', 'n', 'off']);

export const parseBoolean: Parse = (raw) => {
  if (typeof raw === 'boolean') return raw;
  const text = typeof raw === 'string' || typeof raw === 'number' ? String(raw).trim().toLowerCase() : '';
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : new Refusal('Must be a valid boolean.');
};

/** As Django takes them: letters beyond ASCII have no one lower case, so two people could have one address. */
const EMAIL = /^[-!#$%&'*+/=?^_`{|}~.0-9a-z]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/i;

export const parseEmail: Parse = (raw) => {
  const text = parseText({ maxLength: 254 })(raw);
  return typeof text === 'string' && (!EMAIL.test(text) || text.includes('..') || /^\.|\.@/.test(text))
    ? new Refusal('Enter a valid email address.')
    : text;
};

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

export const parseUuid: Parse = (raw) => {
  if (typeof raw !== 'string' || !UUID.test(raw.trim())) return new Refusal('Must be a valid UUID.');
  const hex = raw.trim().toLowerCase().replaceAll('-', '');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

export function parseChoice(choices: readonly string[]): Parse {
  return (raw) =>
    typeof raw === 'string' && choices.includes(raw)
      ? raw
      : new Refusal(
          `"${typeof raw === 'string' ? raw.slice(0, 100) : JSON.stringify(raw).slice(0, 100)}" is not a valid choice.`,
        );
}

const OFFSET = /(Z|[+-]\d\d:?\d\d)$/i;
const DATE_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/i;

/** `Date` takes the 30th of February, and makes it the 2nd of March. */
function isDayOfCalendar(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/** Whether clients read it again: of other years ISO 8601 is written with a sign and six digits, which few understand. */
export function isWritableTime(time: Date): boolean {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999;
}

export const TIME_RANGE_MESSAGE = 'Enter a time between the years 1 and 9999 (UTC).';

/** ISO 8601; a time without an offset is UTC. Gives a `Date`. */
export const parseDateTime: Parse = (raw) => {
  if (raw instanceof Date) return raw;
  const text = typeof raw === 'string' ? raw.trim() : '';
  const zoned = OFFSET.test(text) ? text : `${text}Z`;
  const isWritten = DATE_TIME.test(text) && isDayOfCalendar(text.slice(0, 10));
  const date = isWritten ? new Date(zoned.replace(' ', 'T').toUpperCase()) : new Date(Number.NaN);
  if (Number.isNaN(date.getTime()))
    return new Refusal(
      'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
    );
  return isWritableTime(date) ? date : new Refusal(TIME_RANGE_MESSAGE);
};

/** A time without an offset: what the clocks show somewhere. */
export class LocalTime {
  /** @param shown as if it were UTC. */
  constructor(readonly shown: Date) {}
}

/** As `parseDateTime`, for those who know where a time without an offset is: gives a `Date` or a `LocalTime`. */
export const parseLocalOrZonedTime: Parse = (raw) => {
  if (raw instanceof LocalTime) return raw;
  const time = parseDateTime(raw);
  const isLocal = typeof raw === 'string' && time instanceof Date && !OFFSET.test(raw.trim());
  return isLocal ? new LocalTime(time) : time;
};

function unstorableWithin(value: unknown): Refusal | null {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    const refusal = typeof next === 'string' ? refuseUnstorable(next) : null;
    if (refusal) return refusal;
    if (Array.isArray(next)) for (const item of next) left.push(item);
    else if (isDictionary(next)) for (const [key, item] of Object.entries(next)) left.push(key, item);
  }
  return null;
}

/** Any JSON value. */
export const parseAny: Parse = (raw) => unstorableWithin(raw) ?? raw;

/** A JSON object of any content. */
export const parseObject: Parse = (raw) =>
  isDictionary(raw)
    ? parseAny(raw)
    : new Refusal(`Expected a dictionary of items but got type "${wireTypeName(raw)}".`);
