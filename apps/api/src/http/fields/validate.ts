import { type FieldErrors, isDictionary, Refusal, ValidationError, wireTypeName } from '@app/common';
import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError as Violation } from 'class-validator';
import { refuseLostNumbers } from '../lost-numbers.js';
import { type DeclaredField, fieldsOf, isExact, readField } from './field.js';

/** Queries and forms carry text only: repeated keys are lists, structured fields may be JSON text. */
export type Encoding = 'json' | 'text';

const NOTHING_SENT = Symbol('nothing sent');

function fromText(field: DeclaredField, raw: unknown): unknown {
  if (field.structured === 'list') {
    const items = Array.isArray(raw) ? raw : [raw];
    const only = items.length === 1 ? items[0] : undefined;
    if (typeof only !== 'string') return items;
    if (only.trimStart().startsWith('[')) return fromJsonText(only);
    if (field.commaSeparated) return only === '' ? [] : only.split(',');
    return items;
  }
  const last = Array.isArray(raw) ? raw.at(-1) : raw;
  if (typeof last !== 'string') return last;
  if (field.structured) return fromJsonText(last);
  // A form cannot say null, and an empty number or choice is none: all are written as the empty string.
  if (last === '' && !isFreeText(field))
    return field.options.nullable ? null : field.options.optional ? NOTHING_SENT : last;
  return last;
}

function isFreeText({ schema: { type, format, enum: choices } }: DeclaredField): boolean {
  return type === 'string' && choices === undefined && format !== 'uuid' && format !== 'date-time';
}

function fromJsonText(text: string): unknown {
  refuseLostNumbers(text);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function textValues(dto: object, body: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of fieldsOf(dto)) {
    const key = Object.hasOwn(body, name) ? name : `${name}[]`;
    if (!Object.hasOwn(body, key)) continue;
    const value = fromText(field, body[key]);
    if (value !== NOTHING_SENT) values[name] = value;
  }
  return values;
}

/**
 * What class-transformer may walk over: declared fields of declared DTOs. It would otherwise make copies of all that a
 * client sent, and trips over an own key named `constructor`; so plain values are handed to it behind functions, which
 * `declareField` calls.
 */
function shield(dto: object, body: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, { nested, maxItems = 0 }] of fieldsOf(dto)) {
    if (!Object.hasOwn(body, name)) continue;
    const value = body[name];
    if (!nested) values[name] = () => value;
    else
      values[name] = Array.isArray(value)
        ? // One too many is enough to be refused.
          value.slice(0, maxItems + 1).map((item) => shieldNested(nested(), item))
        : shieldNested(nested(), value);
  }
  return values;
}

function shieldNested(dto: object, value: unknown): unknown {
  if (isDictionary(value)) return shield(dto, value);
  // Its content does not matter: a list is refused where an object belongs.
  return Array.isArray(value) ? [] : value;
}

function collect(violations: Violation[], path: string, errors: FieldErrors): void {
  for (const { property, constraints, children } of violations) {
    const key = path === '' ? property : `${path}.${property}`;
    const { field, ...others } = constraints ?? {};
    if (field !== undefined) errors[key] = [field];
    else if (Object.keys(others).length > 0) errors[key] = Object.values(others);
    if (field === undefined && children) collect(children, key, errors);
  }
}

/**
 * DTOs without other DTOs in them, which are nearly all, are read directly: the same rules without the machinery of
 * walking through objects, which costs more than the rest of a light request.
 */
function readFlat<T extends object>(dto: Type<T>, values: Record<string, unknown>): T {
  const instance = new dto() as Record<string, unknown>;
  const errors: FieldErrors = {};
  for (const [name, field] of fieldsOf(dto)) {
    const value = readField(field, Object.hasOwn(values, name) ? values[name] : undefined);
    if (value instanceof Refusal) errors[name] = [value.message];
    else instance[name] = value;
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  return instance as T;
}

const isFlat = (dto: object) => [...fieldsOf(dto).values()].every(({ nested }) => !nested);

const withExact = new WeakMap<object, boolean>();

/** Whether a DTO, or one within it, takes no other names than its own. */
function hasExact(dto: object): boolean {
  const known = withExact.get(dto);
  if (known !== undefined) return known;
  // It may be within itself.
  withExact.set(dto, false);
  const found = isExact(dto) || [...fieldsOf(dto).values()].some(({ nested }) => nested && hasExact(nested()));
  withExact.set(dto, found);
  return found;
}

/** Paths of what exact DTOs do not have. */
function strangeNames(dto: object, value: unknown, path = ''): string[] {
  if (!hasExact(dto)) return [];
  if (Array.isArray(value)) return value.flatMap((item, at) => strangeNames(dto, item, `${path}${at}.`));
  if (!isDictionary(value)) return [];
  const fields = fieldsOf(dto);
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = fields.get(name);
    if (!field) return isExact(dto) ? [path + name] : [];
    return field.nested ? strangeNames(field.nested(), inner, `${path}${name}.`) : [];
  });
}

/**
 * Reads a body or a query as `dto`; unknown fields are dropped, as the spec's clients expect, unless it is `Exact`.
 * @throws ValidationError with a message per wrong field, all at once; those of nested objects have dotted keys (`items.0.name`).
 */
export function readDto<T extends object>(dto: Type<T>, raw: unknown, encoding: Encoding): T {
  const body = raw === undefined ? {} : raw;
  if (!isDictionary(body))
    throw new ValidationError({
      non_field_errors: [`Invalid data. Expected a dictionary, but got ${wireTypeName(body)}.`],
    });
  const values = encoding === 'text' ? textValues(dto, body) : body;
  const strange = hasExact(dto) ? strangeNames(dto, { ...body, ...values }) : [];
  if (strange.length > 0)
    throw new ValidationError(Object.fromEntries(strange.map((name) => [name, ['There is no such field.']])));
  if (isFlat(dto)) return readFlat(dto, values);
  const instance = plainToInstance(dto, shield(dto, values), {
    excludeExtraneousValues: true,
    exposeUnsetFields: true,
  });
  const violations = validateSync(instance, { forbidUnknownValues: false });
  if (violations.length > 0) {
    const errors: FieldErrors = {};
    collect(violations, '', errors);
    throw new ValidationError(errors);
  }
  return instance;
}
