import { InvalidRequestError, parseDateTime } from '@app/common';
import { type Filter, parse } from 'scim2-parse-filter';

/** What a filter may ask for, by the lower-case path of the attribute. */
export interface FilterAttribute {
  kind: 'text' | 'boolean' | 'date';
  /** An expression; null in it is an attribute without a value. */
  sql: string;
  /** Texts are compared without regard to case unless told. */
  caseExact?: true;
  /** Puts a condition on one value of a multi-valued attribute where the values are. */
  within?: (condition: string) => string;
}

export type FilterAttributes = Readonly<Record<string, FilterAttribute>>;

type Comparison = Extract<Filter, { compValue: unknown }>;

const ORDER: Readonly<Record<string, string>> = { gt: '>', ge: '>=', lt: '<', le: '<=' };

const refused = (detail: string) => new InvalidRequestError(detail, { code: 'invalid_filter' });

/**
 * Reads a filter of RFC 7644, section 3.4.2.2.
 * @throws InvalidRequestError (`invalid_filter`)
 */
export function parseFilter(text: string): Filter {
  // The parser's pattern for quoted texts takes exponential time over line breaks.
  if (text.length > 2000 || /\p{Cc}/u.test(text)) throw refused('The filter is too long or holds control characters.');
  try {
    return parse(text);
  } catch {
    throw refused('The filter cannot be read.');
  }
}

/**
 * A filter as a condition in SQL. Its values go into `values`, to which the text refers by number.
 * @throws InvalidRequestError (`invalid_filter`) also for attributes that cannot be asked for
 */
export function filterToSql(text: string, schema: string, attributes: FilterAttributes, values: unknown[]): string {
  const prefix = `${schema.toLowerCase()}:`;

  const attributeOf = (path: string): FilterAttribute => {
    const lower = path.toLowerCase();
    const bare = lower.startsWith(prefix) ? lower.slice(prefix.length) : lower;
    const found = Object.hasOwn(attributes, bare) ? attributes[bare] : undefined;
    if (!found) throw refused(`The attribute "${path.slice(0, 100)}" cannot be filtered by.`);
    return found;
  };

  const write = (filter: Filter, parent: string): string => {
    switch (filter.op) {
      case 'and':
      case 'or':
        return `(${filter.filters.map((part) => write(part, parent)).join(filter.op === 'and' ? ' AND ' : ' OR ')})`;
      case 'not':
        return `(${write(filter.filter, parent)}) IS NOT TRUE`;
      case '[]':
        if (parent !== '') throw refused('Value filters cannot be nested.');
        return write(filter.valFilter, `${filter.attrPath}.`);
      default: {
        const attribute = attributeOf(parent + filter.attrPath);
        const condition = filter.op === 'pr' ? presence(attribute) : comparison(filter, attribute, values);
        return attribute.within ? attribute.within(condition) : condition;
      }
    }
  };
  return write(parseFilter(text), '');
}

function presence({ kind, sql }: FilterAttribute): string {
  return kind === 'text' ? `(${sql}) <> ''` : `(${sql}) IS NOT NULL`;
}

function comparison({ op, compValue }: Comparison, attribute: FilterAttribute, values: unknown[]): string {
  const sql = `(${attribute.sql})`;
  if (compValue === null) {
    if (op === 'eq') return `${sql} IS NULL`;
    if (op === 'ne') return `${sql} IS NOT NULL`;
    throw refused(`"${op}" cannot be used with null.`);
  }
  if (attribute.kind === 'boolean') return compareBoolean(op, compValue, sql);
  if (attribute.kind === 'date') return compareDate(op, compValue, sql, values);
  const exact = attribute.caseExact === true;
  values.push(exact ? String(compValue) : String(compValue).toLowerCase());
  return compareText(op, exact ? sql : `lower${sql}`, `$${values.length}::text`);
}

function compareText(op: Comparison['op'], left: string, right: string): string {
  switch (op) {
    case 'eq':
      return `${left} = ${right}`;
    case 'ne':
      return `${left} IS DISTINCT FROM ${right}`;
    case 'co':
      return `position(${right} IN ${left}) > 0`;
    case 'sw':
      return `starts_with(${left}, ${right})`;
    case 'ew':
      return `right(${left}, length(${right})) = ${right}`;
    default:
      return `${left} ${ORDER[op]} ${right}`;
  }
}

/** Some directories write booleans as texts. */
function compareBoolean(op: Comparison['op'], value: unknown, sql: string): string {
  const text = String(value).toLowerCase();
  if ((op !== 'eq' && op !== 'ne') || (text !== 'true' && text !== 'false'))
    throw refused('Booleans are compared by "eq" and "ne" with true or false.');
  return `${sql} IS ${op === 'eq' ? 'NOT ' : ''}DISTINCT FROM ${text}`;
}

/** The wire shows milliseconds. */
function compareDate(op: Comparison['op'], value: unknown, sql: string, values: unknown[]): string {
  const date = parseDateTime(value);
  const operator = op === 'eq' ? '=' : op === 'ne' ? '<>' : ORDER[op];
  if (!(date instanceof Date) || operator === undefined)
    throw refused('Times are compared by eq, ne, gt, ge, lt and le with a time such as 2026-01-31T12:00:00Z.');
  values.push(date);
  return `date_trunc('milliseconds', ${sql}) ${operator} $${values.length}::timestamptz`;
}
