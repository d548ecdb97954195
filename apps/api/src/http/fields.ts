import {
  isDictionary,
  type Parse,
  parseAny,
  parseBoolean,
  parseChoice,
  parseDateTime,
  parseEmail,
  parseInteger,
  parseLocalOrZonedTime,
  parseNumber,
  parseObject,
  parseText,
  parseUuid,
  type Range,
  Refusal,
  type TextRules,
  wireTypeName,
} from '@app/common';
import { applyDecorators, type Type } from '@nestjs/common';
import { Type as NestedType } from 'class-transformer';
import { ValidateIf, ValidateNested } from 'class-validator';
import { declareField, type FieldKind, type FieldOptions } from './fields/field.js';
import { JSON_VALUE_REF } from './json-value.js';

/**
 * The kinds of value that bodies and queries are made of. A field decorator declares conversion, validation (in the
 * wording of Django REST framework) and OpenAPI at once, for requests and responses alike.
 */
export const kinds = {
  string: (rules: TextRules = {}): FieldKind => ({
    parse: parseText(rules),
    schema: {
      type: 'string',
      ...(rules.maxLength === undefined ? {} : { maxLength: rules.maxLength }),
      ...(rules.minLength === undefined ? {} : { minLength: rules.minLength }),
      ...(rules.pattern ? { pattern: rules.pattern.source } : {}),
    },
  }),
  integer: (range: Range = {}): FieldKind => ({
    parse: parseInteger(range),
    schema: { type: 'integer', ...(isWide(range) ? { format: 'int64' } : {}), ...limits(range) },
  }),
  number: (range: Range = {}): FieldKind => ({
    parse: parseNumber(range),
    schema: { type: 'number', ...limits(range) },
  }),
  boolean: (): FieldKind => ({ parse: parseBoolean, schema: { type: 'boolean' } }),
  email: (): FieldKind => ({ parse: parseEmail, schema: { type: 'string', format: 'email', maxLength: 254 } }),
  uuid: (): FieldKind => ({ parse: parseUuid, schema: { type: 'string', format: 'uuid' } }),
  choice: (choices: readonly string[]): FieldKind => ({
    parse: parseChoice(choices),
    schema: { type: 'string', enum: [...choices] },
  }),
  dateTime: (): FieldKind => ({ parse: parseDateTime, schema: { type: 'string', format: 'date-time' } }),
  object: (values?: FieldKind): FieldKind => ({
    parse: parseObject,
    schema: { type: 'object', additionalProperties: values?.schema ?? true },
    structured: 'object',
  }),
  any: (): FieldKind => ({ parse: parseAny, schema: { allOf: [JSON_VALUE_REF] }, structured: 'any' }),
};

/** More than the integer of 32 bits that most languages read where nothing is said. */
function isWide({ min = 0, max = 0 }: Range): boolean {
  return max > 2 ** 31 - 1 || min < -(2 ** 31);
}

function limits({ min, max }: Range): Record<string, number> {
  return { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) };
}

export const StringField = (options: FieldOptions & TextRules = {}) => declareField(kinds.string(options), options);
/** A JavaScript number without a fraction; within Postgres' `integer` unless a range says otherwise. */
export const IntegerField = (options: FieldOptions & Range = {}) => declareField(kinds.integer(options), options);
export const NumberField = (options: FieldOptions & Range = {}) => declareField(kinds.number(options), options);
export const BooleanField = (options: FieldOptions = {}) => declareField(kinds.boolean(), options);
export const EmailField = (options: FieldOptions = {}) => declareField(kinds.email(), options);
/** Given in lower case with dashes. */
export const UuidField = (options: FieldOptions = {}) => declareField(kinds.uuid(), options);
export const ChoiceField = (choices: readonly string[], options: FieldOptions = {}) =>
  declareField(kinds.choice(choices), options);
/** ISO 8601; read as a `Date`. Responses may hold a `Date` or its text. */
export const DateTimeField = (options: FieldOptions = {}) => declareField(kinds.dateTime(), options);
/** ISO 8601; without an offset it is a `LocalTime`, of the time zone that stands beside it. */
export const LocalOrZonedTimeField = (options: FieldOptions = {}) =>
  declareField({ ...kinds.dateTime(), parse: parseLocalOrZonedTime }, options);
/** A JSON object of any content; in answers, `values` says what each of its values is. */
export const ObjectField = ({ values, ...options }: FieldOptions & { values?: FieldKind } = {}) =>
  declareField(kinds.object(values), options);
/** Any JSON value. */
export const AnyField = (options: FieldOptions = {}) => declareField(kinds.any(), options);

/** Swagger knows a lazy type by the function's name, `type`. */
const lazily = (dto: () => Type) => ({ type: () => dto() });

function parseNested(raw: unknown): unknown {
  return isDictionary(raw) ? raw : new Refusal(`Invalid data. Expected a dictionary, but got ${wireTypeName(raw)}.`);
}

/** Another DTO; its wrong fields are reported under dotted keys. */
export function NestedField(dto: () => Type, options: FieldOptions = {}): PropertyDecorator {
  const kind: FieldKind = { parse: parseNested, schema: lazily(dto), structured: 'object', nested: dto };
  // There is nothing within null.
  const orNull = options.nullable ? [ValidateIf((_, value) => value !== null)] : [];
  return applyDecorators(NestedType(dto), ValidateNested(), ...orNull, declareField(kind, options));
}

export interface ListOptions extends FieldOptions {
  minItems?: number;
  /** 1,000 unless told. */
  maxItems?: number;
  /** Whether a query or a form may send `a,b`. */
  commaSeparated?: boolean;
}

const MOST_ITEMS = 1000;

function parseList(item: Parse, { minItems = 0, maxItems = MOST_ITEMS }: ListOptions): Parse {
  return (raw) => {
    if (!Array.isArray(raw)) return new Refusal(`Expected a list of items but got type "${wireTypeName(raw)}".`);
    if (raw.length === 0 && minItems > 0) return new Refusal('This list may not be empty.');
    if (raw.length < minItems) return new Refusal(`Ensure this field has at least ${minItems} elements.`);
    if (raw.length > maxItems) return new Refusal(`Ensure this field has no more than ${maxItems} elements.`);
    const items = raw.map((value) => (value === null ? new Refusal('This field may not be null.') : item(value)));
    return items.find((value) => value instanceof Refusal) ?? items;
  };
}

/** A list of one kind of value (`ListField(kinds.uuid(), { maxItems: 50 })`) or of another DTO (`ListField(() => Item)`). */
export function ListField(items: FieldKind | (() => Type), options: ListOptions = {}): PropertyDecorator {
  const bounds = {
    ...(options.minItems === undefined ? {} : { minItems: options.minItems }),
    ...(options.maxItems === undefined ? {} : { maxItems: options.maxItems }),
  };
  const shared = {
    structured: 'list' as const,
    commaSeparated: options.commaSeparated ?? false,
    maxItems: options.maxItems ?? MOST_ITEMS,
  };
  if (typeof items === 'function') {
    const kind = {
      parse: parseList(parseNested, options),
      schema: { ...lazily(items), isArray: true, ...bounds },
      nested: items,
    };
    return applyDecorators(
      NestedType(items),
      ValidateNested({ each: true }),
      declareField({ ...kind, ...shared }, options),
    );
  }
  const schema = { type: 'array', items: items.schema, ...bounds };
  return declareField({ parse: parseList(items.parse, options), schema, ...shared }, options);
}
