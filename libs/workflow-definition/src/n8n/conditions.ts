import { toJs } from './script.js';
import { isObject, type JsonObject } from './json-object.js';

export interface N8nCondition {
  left: unknown;
  right: unknown;
  /** As in n8n: `string`, `number`, `dateTime`, `boolean`, `array`, `object`. */
  type: string;
  operation: string;
}

export interface N8nConditions {
  all: boolean;
  list: N8nCondition[];
}

/** The conditions of an If, Filter or Switch node of any version; null when there are none that can be read. */
export function readConditions(value: unknown, combine?: unknown): N8nConditions | null {
  if (!isObject(value)) return null;
  if (Array.isArray(value.conditions)) {
    const list = value.conditions.filter(isObject).map(readSecondVersion);
    return list.length > 0 ? { all: value.combinator !== 'or', list } : null;
  }
  const list = Object.entries(value).flatMap(([type, items]) =>
    Array.isArray(items) ? items.filter(isObject).map((item) => readFirstVersion(type, item)) : [],
  );
  return list.length > 0 ? { all: combine !== 'any', list } : null;
}

function readSecondVersion({ leftValue, rightValue, operator }: JsonObject): N8nCondition {
  const { type = 'string', operation = 'equals' } = isObject(operator) ? operator : {};
  return { left: leftValue, right: rightValue, type: String(type), operation: String(operation) };
}

function readFirstVersion(type: string, { value1, value2, operation }: JsonObject): N8nCondition {
  return {
    left: value1,
    right: value2,
    type,
    operation: String(operation ?? (type === 'number' ? 'smaller' : 'equal')),
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

/** The operator of this product; null when it has none. */
export function nativeOperator({ operation }: N8nCondition): string | null {
  return Object.hasOwn(NATIVE, operation) ? NATIVE[operation]! : null;
}

/** A JavaScript expression that is true when the conditions hold. */
export function conditionsToJs({ all, list }: N8nConditions): string {
  if (list.length === 0) return 'true';
  return `(${list.map(conditionToJs).join(all ? ' && ' : ' || ')})`;
}

const text = (js: string) => `String(${js} ?? '')`;
const time = (js: string) => `new Date(${js}).getTime()`;

function conditionToJs({ left, right, type, operation }: N8nCondition): string {
  const [a, b] = [toJs(left), toJs(right)];
  const value = type === 'number' ? (js: string) => `Number(${js})` : type === 'dateTime' ? time : text;
  const compare = (sign: string) => `${value(a)} ${sign} ${value(b)}`;
  const isEmpty = `((value) => value === null || value === undefined || value === '' || (typeof value === 'object' && Object.keys(value).length === 0))(${a})`;
  const holds: Record<string, string> = {
    equal: compare('==='),
    equals: compare('==='),
    notEqual: compare('!=='),
    notEquals: compare('!=='),
    contains: type === 'array' ? `(${a} ?? []).includes(${b})` : `${text(a)}.includes(${text(b)})`,
    notContains: type === 'array' ? `!(${a} ?? []).includes(${b})` : `!${text(a)}.includes(${text(b)})`,
    startsWith: `${text(a)}.startsWith(${text(b)})`,
    notStartsWith: `!${text(a)}.startsWith(${text(b)})`,
    endsWith: `${text(a)}.endsWith(${text(b)})`,
    notEndsWith: `!${text(a)}.endsWith(${text(b)})`,
    regex: `new RegExp(${text(b)}.replace(/^\\/(.*)\\/\\w*$/, '$1')).test(${text(a)})`,
    notRegex: `!new RegExp(${text(b)}.replace(/^\\/(.*)\\/\\w*$/, '$1')).test(${text(a)})`,
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
