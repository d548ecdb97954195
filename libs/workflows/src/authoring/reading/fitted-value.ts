import { plainly } from '@app/workflow-definition';
import { isJson, type Json } from '../json.js';
import { OPTION_SYNONYMS, PARAM_SYNONYMS } from './synonyms.js';

const WHOLE_REFERENCE = /^\s*\{\{\s*(_(?:output|webhook_payload|item|index|secret)\b[^{}]*?)\s*\}\}\s*$/;
const MAX_DEPTH = 20;
/** No reference is longer. */
const MAX_REFERENCE = 1_100;

/**
 * A value as the JSON Schema of a param wants it, where it is clear what is meant: numbers and lists that were written
 * as texts, single values for lists, other names of fields and options. What is not clear stays as it is.
 */
export function fittedValue(value: unknown, schema: unknown, depth = 0): unknown {
  if (!isJson(schema) || depth > MAX_DEPTH) return value;
  const wanted = branchFor(value, schema);
  const { type } = wanted;
  if (typeof value === 'string') {
    const reference = value.length > MAX_REFERENCE ? undefined : WHOLE_REFERENCE.exec(value)?.[1];
    // As a whole value, so that a list stays a list.
    if (reference !== undefined) return isTextual(wanted) ? value : { $ref: reference };
    if (value.includes('{{')) return fromJsonText(value, wanted, depth) ?? value;
  }
  if (isJson(value) && '$ref' in value) return value;
  if (Array.isArray(wanted.enum)) return optionMeant(value, wanted.enum);
  switch (type) {
    case 'integer':
    case 'number':
      return typeof value === 'string' && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : value;
    case 'boolean':
      return typeof value === 'string' && /^(?:true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value;
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    case 'array': {
      if (value === null || value === undefined) return value;
      const parsed = typeof value === 'string' ? (fromJsonText(value, wanted, depth) ?? value) : value;
      const list: unknown[] = Array.isArray(parsed)
        ? (parsed as unknown[])
        : (entriesAsItems(parsed, wanted.items) ?? [parsed]);
      return list.map((item) => fittedValue(item, wanted.items, depth + 1));
    }
    case 'object':
      if (typeof value === 'string') return fromJsonText(value, wanted, depth) ?? onlyField(value, wanted) ?? value;
      return isJson(value) ? fittedFields(value, wanted, depth) : value;
    default:
      return value;
  }
}

/** The fields of an object under the names that its schema has. */
export function fittedFields(value: Json, schema: Json, depth = 0): Json {
  const properties = isJson(schema.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const named = renamed(value, properties, required);
  const entries = Object.entries(named).flatMap(([name, item]): [string, unknown][] => {
    const known = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
    // Models that have to write every field write null for what they leave out.
    if (item === null && Object.hasOwn(properties, name) && !required.has(name) && !takesNull(properties[name]))
      return [];
    return [[name, fittedValue(item, known, depth + 1)]];
  });
  return Object.fromEntries(entries);
}

function renamed(value: Json, properties: Json, required: ReadonlySet<unknown>): Json {
  const names = Object.keys(properties);
  if (names.length === 0) return value;
  const strange = Object.keys(value).filter((name) => !Object.hasOwn(properties, name) && !name.startsWith('_'));
  if (strange.length === 0) return value;
  const free = names.filter((name) => !Object.hasOwn(value, name));
  const meant = new Map<string, string>();
  const take = (from: string | undefined, to: string) => {
    if (from === undefined || meant.has(from) || [...meant.values()].includes(to)) return;
    meant.set(from, to);
  };
  for (const name of free)
    take(
      strange.find((other) => plainly(other) === plainly(name)),
      name,
    );
  for (const name of [...free].sort((a, b) => Number(required.has(b)) - Number(required.has(a))))
    for (const synonym of PARAM_SYNONYMS[name] ?? [])
      take(
        strange.find((other) => plainly(other) === synonym),
        name,
      );
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [meant.get(name) ?? name, item]));
}

/** Of several shapes the one that the value has, or else the first that is not null. */
function branchFor(value: unknown, schema: Json): Json {
  const branches = [schema.anyOf, schema.oneOf].find(Array.isArray) as unknown[] | undefined;
  if (!branches) return schema;
  const shapes = branches.filter(isJson);
  const fitting = shapes.find(({ type }) => type === typeOf(value) || (type === 'integer' && Number.isInteger(value)));
  return fitting ?? shapes.find(({ type }) => type !== 'null') ?? schema;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isTextual({ type, enum: options }: Json): boolean {
  return (
    options !== undefined || type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'))
  );
}

function takesNull(schema: unknown): boolean {
  if (!isJson(schema)) return true;
  const { type, anyOf } = schema;
  if (type === undefined && anyOf === undefined && schema.enum === undefined) return true;
  return (
    type === 'null' || (Array.isArray(type) && type.includes('null')) || (Array.isArray(anyOf) && anyOf.some(takesNull))
  );
}

function optionMeant(value: unknown, options: readonly unknown[]): unknown {
  if (typeof value !== 'string' || options.includes(value)) return value;
  const same = options.find(
    (option) => typeof option === 'string' && plainly(option) === plainly(value) && plainly(value),
  );
  if (same !== undefined) return same;
  const meant = OPTION_SYNONYMS[value.trim()] ?? OPTION_SYNONYMS[plainly(value)];
  return meant !== undefined && options.includes(meant) ? meant : value;
}

/** A name alone, for an object that needs nothing but its name. */
function onlyField(value: string, { properties, required }: Json): Json | undefined {
  const [name, ...more] = Array.isArray(required) ? required.map(String) : [];
  const field = isJson(properties) && name !== undefined && more.length === 0 ? properties[name] : undefined;
  return isJson(field) && field.type === 'string' && !Array.isArray(field.enum) ? { [name!]: value } : undefined;
}

/** `{"total": "number"}` for a list of fields that have names. */
function entriesAsItems(value: unknown, items: unknown): unknown[] | undefined {
  if (!isJson(value) || !isJson(items) || !isJson(items.properties) || '$ref' in value) return undefined;
  const { name, type } = items.properties;
  const known = Object.keys(items.properties);
  if (!isJson(name) || Object.keys(value).some((key) => known.includes(key))) return undefined;
  const types: unknown[] = isJson(type) && Array.isArray(type.enum) ? type.enum : [];
  return Object.entries(value).map(([key, told]) => {
    if (isJson(told)) return { name: key, ...told };
    return { name: key, ...(types.includes(told) ? { type: told } : { description: String(told) }) };
  });
}

function fromJsonText(text: string, schema: Json, depth: number): unknown {
  if ((schema.type !== 'object' && schema.type !== 'array') || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return fittedValue(JSON.parse(text), schema, depth + 1);
  } catch {
    return undefined;
  }
}
