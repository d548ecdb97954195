import { toJs } from './script.js';
import { isObject, type JsonObject } from './json-object.js';

export interface N8nCondition {
  left: unknown;
  right: unknown;
  /** As in n8n: `string`, `number`, `dateTime`, `boolean`, `array`, `object`. */
  type: string;
  operation: string;
  /** Whether `a` and `A` are the same text. */
  ignoresCase: boolean;
}

export interface N8nConditions {
  all: boolean;
  list: N8nCondition[];
}

/** The conditions of an If, Filter or Switch node of any version; null when there are none that can be read. */
export function readConditions(value: unknown, combine?: unknown): N8nConditions | null {
  if (!isObject(value)) return null;
  if (Array.isArray(value.conditions)) {
    const ignoresCase = isObject(value.options) && value.options.caseSensitive === false;
    const list = value.conditions.filter(isObject).map((item) => readSecondVersion(item, ignoresCase));
    return list.length > 0 ? { all: value.combinator !== 'or', list } : null;
  }
  const list = Object.entries(value).flatMap(([type, items]) =>
    Array.isArray(items) ? items.filter(isObject).map((item) => readFirstVersion(type, item.value1, item)) : [],
  );
  return list.length > 0 ? { all: combine !== 'any', list } : null;
}

function readSecondVersion({ leftValue, rightValue, operator }: JsonObject, ignoresCase: boolean): N8nCondition {
  const { type = 'string', operation = 'equals' } = isObject(operator) ? operator : {};
  return { left: leftValue, right: rightValue, type: String(type), operation: String(operation), ignoresCase };
}

/** What the form of the first versions begins with: an export leaves out whatever nobody has changed. */
const UNCHANGED = new Map(
  Object.entries({
    boolean: { operation: 'equal', value: false },
    dateTime: { operation: 'after', value: '' },
    number: { operation: 'smaller', value: 0 },
    string: { operation: 'equal', value: '' },
  }),
);

/** A condition of the first If, or a rule of the first Switch, which has the value to compare beside its rules. */
export function readFirstVersion(type: string, left: unknown, { value2, operation }: JsonObject): N8nCondition {
  const unchanged = UNCHANGED.get(type) ?? UNCHANGED.get('string')!;
  return {
    left: left ?? unchanged.value,
    right: value2 ?? unchanged.value,
    type,
    operation: String(operation ?? unchanged.operation),
    ignoresCase: false,
  };
}

const NATIVE: Readonly<Record<string, string>> = {
  equal: 'equals',
  equals: 'equals',
  notEqual: 'not_equals',
  notEquals: 'not_equals',
  contains: 'contains',
  notContains: 'not_contains',
  startsWith: 'starts_with',
  endsWith: 'ends_with',
  larger: 'greater_than',
  gt: 'greater_than',
  largerEqual: 'greater_or_equal',
  gte: 'greater_or_equal',
  smaller: 'less_than',
  lt: 'less_than',
  smallerEqual: 'less_or_equal',
  lte: 'less_or_equal',
  after: 'greater_than',
  afterOrEquals: 'greater_or_equal',
  before: 'less_than',
  beforeOrEquals: 'less_or_equal',
  empty: 'is_empty',
  isEmpty: 'is_empty',
  notExists: 'is_empty',
  notEmpty: 'is_not_empty',
  isNotEmpty: 'is_not_empty',
  exists: 'is_not_empty',
  true: 'is_true',
  false: 'is_false',
};

/**
 * The operator of this product; null when it has none. Its own know texts and numbers, with capitals as they are: points
 * in time, which may be written in several zones, and texts without a look at capitals are for a script.
 */
export function nativeOperator({ operation, type, ignoresCase }: N8nCondition): string | null {
  const operator = Object.hasOwn(NATIVE, operation) ? NATIVE[operation]! : null;
  if (operator === null || operator.startsWith('is_')) return operator;
  return type === 'dateTime' || (ignoresCase && type !== 'number') ? null : operator;
}

/** A JavaScript expression that is true when the conditions hold. */
export function conditionsToJs({ all, list }: N8nConditions): string {
  if (list.length === 0) return 'true';
  return `(${list.map(conditionToJs).join(all ? ' && ' : ' || ')})`;
}

const asIs = (js: string) => `String(${js} ?? '')`;
const time = (js: string) => `new Date(${js}).getTime()`;
/** A pattern as n8n takes it: plain, or `/between slashes/` with flags behind. */
const pattern = (js: string, ignoresCase: boolean) =>
  `((text) => { const [, source = text, flags = ''] = /^\\/(.*?)\\/([gimusy]*)$/s.exec(text) ?? []; return new RegExp(source, ${
    ignoresCase ? `flags.replace('i', '') + 'i'` : 'flags'
  }); })(${asIs(js)})`;

function conditionToJs({ left, right, type, operation, ignoresCase }: N8nCondition): string {
  const [a, b] = [toJs(left), toJs(right)];
  const text = (js: string) => (ignoresCase ? `${asIs(js)}.toLowerCase()` : asIs(js));
  const among = ignoresCase
    ? `(${a} ?? []).some((one) => ${text('one')} === ${text(b)})`
    : `(${a} ?? []).includes(${b})`;
  const value = type === 'number' ? (js: string) => `Number(${js})` : type === 'dateTime' ? time : text;
  const compare = (sign: string) => `${value(a)} ${sign} ${value(b)}`;
  const isEmpty = `((value) => value === null || value === undefined || value === '' || (typeof value === 'object' && Object.keys(value).length === 0))(${a})`;
  const holds: Record<string, string> = {
    equal: compare('==='),
    equals: compare('==='),
    notEqual: compare('!=='),
    notEquals: compare('!=='),
    contains: type === 'array' ? among : `${text(a)}.includes(${text(b)})`,
    notContains: type === 'array' ? `!${among}` : `!${text(a)}.includes(${text(b)})`,
    startsWith: `${text(a)}.startsWith(${text(b)})`,
    notStartsWith: `!${text(a)}.startsWith(${text(b)})`,
    endsWith: `${text(a)}.endsWith(${text(b)})`,
    notEndsWith: `!${text(a)}.endsWith(${text(b)})`,
    regex: `${pattern(b, ignoresCase)}.test(${asIs(a)})`,
    notRegex: `!${pattern(b, ignoresCase)}.test(${asIs(a)})`,
    larger: compare('>'),
    gt: compare('>'),
    after: compare('>'),
    largerEqual: compare('>='),
    gte: compare('>='),
    afterOrEquals: compare('>='),
    smaller: compare('<'),
    lt: compare('<'),
    before: compare('<'),
    smallerEqual: compare('<='),
    lte: compare('<='),
    beforeOrEquals: compare('<='),
    empty: isEmpty,
    isEmpty,
    notEmpty: `!${isEmpty}`,
    isNotEmpty: `!${isEmpty}`,
    exists: `${a} !== null`,
    notExists: `${a} === null`,
    true: `${a} === true`,
    false: `${a} === false`,
    lengthEquals: `(${a} ?? []).length === Number(${b})`,
    lengthNotEquals: `(${a} ?? []).length !== Number(${b})`,
    lengthGt: `(${a} ?? []).length > Number(${b})`,
    lengthLt: `(${a} ?? []).length < Number(${b})`,
    lengthGte: `(${a} ?? []).length >= Number(${b})`,
    lengthLte: `(${a} ?? []).length <= Number(${b})`,
  };
  return `(${Object.hasOwn(holds, operation) ? holds[operation]! : compare('===')})`;
}
