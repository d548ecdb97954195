import { type FieldErrors, isDictionary, Refusal, ValidationError, wireTypeName } from '@app/common';
import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError as Violation } from 'class-validator';
import { refuseLostNumbers } from '../lost-numbers.js';
import { type DeclaredField, fieldsOf, isExact, readField } from './field.js';

/**
 * Queries and forms carry text only: repeated keys are lists, structured fields may be JSON text. Of a query, what is empty
 * where it may be missing is missing: a client that filters by nothing sends `search=&page=`.
 */
export type Encoding = 'json' | 'form' | 'query';

const NOTHING_SENT = Symbol('nothing sent');

function fromText(field: DeclaredField, raw: unknown, encoding: Encoding): unknown {
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
  if (last.trim() !== '') return last;
  const { nullable, optional, default: fallback } = field.options;
  // A form cannot say null, and an empty number or choice is none: all are written as the empty string.
  if (last === '' && !isFreeText(field) && (nullable || optional)) return nullable ? null : NOTHING_SENT;
  const mayBeMissing = optional || fallback !== undefined;
  return encoding === 'query' && mayBeMissing && field.parse(last) instanceof Refusal ? NOTHING_SENT : last;
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

/** Nobody is sent back all of a body that was meant for another route. */
const MOST_STRANGE = 20;

/** Paths of what an exact DTO does not have. */
function strangeNames(dto: object, body: Record<string, unknown>, path = ''): string[] {
  if (!isExact(dto)) return [];
  const fields = fieldsOf(dto);
  const names = Object.keys(body).filter((name) => !fields.has(name));
  return names.slice(0, MOST_STRANGE).map((name) => path + name);
}

const refusalsOf = (strange: readonly string[]): FieldErrors =>
  Object.fromEntries(strange.map((name) => [name, ['There is no such field.']]));

function textValues(dto: object, body: Record<string, unknown>, encoding: Encoding): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of fieldsOf(dto)) {
    const key = Object.hasOwn(body, name) ? name : `${name}[]`;
    if (!Object.hasOwn(body, key)) continue;
    const value = fromText(field, body[key], encoding);
    if (value !== NOTHING_SENT) values[name] = value;
  }
  // Of others they are dropped here.
  if (isExact(dto)) return { ...body, ...values };
  return values;
}

/**
 * What class-transformer may walk over: declared fields of declared DTOs. It would otherwise make copies of all that a
 * client sent, and trips over an own key named `constructor`; so plain values are handed to it behind functions, which
 * `declareField` calls.
 * @param strange grows by the paths of what exact DTOs within this one do not have
 */
function shield(dto: object, body: Record<string, unknown>, strange: string[], path = ''): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, { nested, maxItems = 0 }] of fieldsOf(dto)) {
    if (!Object.hasOwn(body, name)) continue;
    const value = body[name];
    if (!nested) values[name] = () => value;
    else
      values[name] = Array.isArray(value)
        ? // One too many is enough to be refused.
          value.slice(0, maxItems + 1).map((item, at) => shieldNested(nested(), item, strange, `${path}${name}.${at}.`))
        : shieldNested(nested(), value, strange, `${path}${name}.`);
  }
  return values;
}

function shieldNested(dto: object, value: unknown, strange: string[], path: string): unknown {
  if (isDictionary(value)) {
    strange.push(...strangeNames(dto, value, path));
    return shield(dto, value, strange, path);
  }
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
function readFlat<T extends object>(dto: Type<T>, values: Record<string, unknown>, errors: FieldErrors): T {
  const instance = new dto() as Record<string, unknown>;
  for (const [name, field] of fieldsOf(dto)) {
    const value = readField(field, Object.hasOwn(values, name) ? values[name] : undefined);
    if (value instanceof Refusal) errors[name] = [value.message];
    else instance[name] = value;
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  return instance as T;
}

const isFlat = (dto: object) => [...fieldsOf(dto).values()].every(({ nested }) => !nested);

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
  const values = encoding !== 'json' ? textValues(dto, body, encoding) : body;
  const strange = strangeNames(dto, values);
  if (isFlat(dto)) return readFlat(dto, values, refusalsOf(strange));
  const instance = plainToInstance(dto, shield(dto, values, strange), {
    excludeExtraneousValues: true,
    exposeUnsetFields: true,
  });
  const violations = validateSync(instance, { forbidUnknownValues: false });
  if (violations.length > 0 || strange.length > 0) {
    const errors = refusalsOf(strange);
    collect(violations, '', errors);
    throw new ValidationError(errors);
  }
  return instance;
}
