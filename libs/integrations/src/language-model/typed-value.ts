import { isDictionary, parseKeepingNumbers } from '@app/common';

type Json = Record<string, unknown>;

/** References and choices may lead round in circles. */
const MAX_DEPTH = 8;
const KEYS = ['anyOf', 'oneOf', 'allOf'];

/** What a model wrote as a text for an argument, as the kind of value that the tool's schema wants. What is of no such kind stays text. */
export function toTypedValue(schema: Json, name: string, text: string): unknown {
  const { properties } = schema;
  const own = isDictionary(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const types = new Set<string>();
  addTypes(own, schema, types, 0);
  const value = parsed(text);
  if (value === undefined)
    return /^(?:true|false)$/i.test(text.trim()) && isOnly(types, 'boolean') ? /t/i.test(text) : text;
  const type = typeOf(value);
  // Where nothing is said of it, what looks like a list or an object is one.
  if (types.size === 0) return type === 'object' || type === 'array' ? value : text;
  const fits = types.has(type) || (type === 'number' && types.has('integer') && Number.isInteger(Number(value)));
  if (!fits) return text;
  // "5" is a text where a text will do.
  return types.has('string') && (type === 'number' || type === 'boolean') ? text : value;
}

const isOnly = (types: ReadonlySet<string>, type: string) => types.has(type) && !types.has('string');

function parsed(text: string): unknown {
  try {
    return parseKeepingNumbers(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function addTypes(schema: unknown, root: Json, types: Set<string>, depth: number): void {
  if (!isDictionary(schema) || depth > MAX_DEPTH) return;
  for (const type of [schema.type].flat()) if (typeof type === 'string') types.add(type);
  // A constant tells its own kind.
  const constants = Array.isArray(schema.enum) ? (schema.enum as unknown[]) : 'const' in schema ? [schema.const] : [];
  if (schema.type === undefined) for (const one of constants.slice(0, 100)) types.add(typeOf(one));
  if (typeof schema.$ref === 'string') addTypes(referred(schema.$ref, root), root, types, depth + 1);
  for (const key of KEYS) {
    const choices = schema[key];
    if (Array.isArray(choices)) for (const one of choices.slice(0, 8)) addTypes(one, root, types, depth + 1);
  }
}

function referred(reference: string, root: Json): unknown {
  let at: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isDictionary(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return at;
}
