import { isObject } from './is-object.js';

type Json = Record<string, unknown>;

/** What strict modes refuse, or ignore: the answer is checked against it afterwards. */
const LEFT_OUT = new Set([
  '$schema',
  '$id',
  '$comment',
  'default',
  'examples',
  'title',
  'deprecated',
  'readOnly',
  'writeOnly',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'contentEncoding',
  'contentMediaType',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minContains',
  'maxContains',
  'minProperties',
  'maxProperties',
]);
const KNOWN = new Set([
  'type',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
  'enum',
  'const',
  '$ref',
  '$defs',
  'definitions',
]);
const MAX_DEPTH = 10;
const MAX_PROPERTIES = 1_000;

class NotStrict extends Error {}

/**
 * A schema as strict modes want it: every property required (null where it need not be there), no others, and only the
 * keywords that they know. Null where it cannot be said so, such as objects with any keys.
 */
export function toStrictSchema(schema: Json): Json | null {
  if (!isObjectSchema(schema)) return null;
  const count = { properties: 0 };
  try {
    return strict(schema, 0, count);
  } catch (error) {
    if (error instanceof NotStrict) return null;
    throw error;
  }
}

function strict(schema: unknown, depth: number, count: { properties: number }): Json {
  if (!isObject(schema) || Array.isArray(schema) || depth > MAX_DEPTH) throw new NotStrict();
  const { anyOf, oneOf, allOf, items, properties, ...rest } = schema;
  const made: Json = {};
  for (const [key, value] of Object.entries(rest)) {
    if (LEFT_OUT.has(key)) continue;
    if (!KNOWN.has(key)) throw new NotStrict();
    made[key] = value;
  }
  delete made.required;
  delete made.additionalProperties;
  const go = (part: unknown, by = 1) => strict(part, depth + by, count);
  for (const name of ['$defs', 'definitions'])
    if (isObject(made[name]))
      made[name] = Object.fromEntries(Object.entries(made[name]).map(([key, one]) => [key, go(one)]));
  const [only, ...others] = Array.isArray(allOf) ? (allOf as unknown[]) : [];
  if (others.length > 0 || (only !== undefined && (properties !== undefined || anyOf !== undefined)))
    throw new NotStrict();
  if (only !== undefined) return { ...made, ...go(only, 0) };
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) {
    if (!Array.isArray(choices) || properties !== undefined || depth === 0) throw new NotStrict();
    made.anyOf = (choices as unknown[]).map((one) => go(one));
    return made;
  }
  if (isObjectSchema(schema)) return { ...made, ...strictObject(schema, go, count) };
  if (hasType(schema, 'array')) {
    if (items === undefined) throw new NotStrict();
    made.items = go(items);
  }
  const saysSomething = ['type', 'enum', 'const', '$ref'].some((key) => made[key] !== undefined);
  if (!saysSomething) throw new NotStrict();
  return made;
}

function strictObject(schema: Json, go: (part: unknown) => Json, count: { properties: number }): Json {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (!isObject(properties) || !Array.isArray(required)) throw new NotStrict();
  const names = Object.keys(properties);
  count.properties += names.length;
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  if (isOpen || count.properties > MAX_PROPERTIES || (names.length === 0 && additionalProperties !== false))
    throw new NotStrict();
  const all = Object.entries(properties).map(([name, one]) => {
    const own = go(one);
    return [name, required.includes(name) ? own : nullable(own)];
  });
  return { properties: Object.fromEntries(all) as Json, required: names, additionalProperties: false };
}

function nullable(schema: Json): Json {
  const { type } = schema;
  if (allowsNull(schema)) return schema;
  if (typeof type === 'string' && schema.enum === undefined && schema.const === undefined)
    return { ...schema, type: [type, 'null'] };
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...(schema.anyOf as unknown[]), { type: 'null' }] };
  const { description, ...rest } = schema;
  return { anyOf: [rest, { type: 'null' }], ...(description !== undefined && { description }) };
}

/** What was null only because strict modes want every property: as the schema itself has it. */
export function withoutFillers(value: unknown, schema: unknown, root: unknown = schema, depth = 0): unknown {
  const own = resolved(schema, root);
  if (depth > MAX_DEPTH * 2 || !isObject(value) || !isObject(own)) return value;
  if (Array.isArray(value)) return value.map((one) => withoutFillers(one, own.items, root, depth + 1));
  const { properties } = own;
  if (!isObject(properties)) return value;
  const required: unknown[] = Array.isArray(own.required) ? own.required : [];
  const kept = Object.entries(value).flatMap(([name, one]): [string, unknown][] => {
    const part = Object.hasOwn(properties, name) ? resolved(properties[name], root) : undefined;
    const isFiller = one === null && isObject(part) && !required.includes(name) && !allowsNull(part);
    return isFiller ? [] : [[name, withoutFillers(one, part, root, depth + 1)]];
  });
  return Object.fromEntries(kept);
}

function resolved(schema: unknown, root: unknown): unknown {
  if (!isObject(schema) || typeof schema.$ref !== 'string' || !schema.$ref.startsWith('#/')) return schema;
  return schema.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), root);
}

function allowsNull(schema: Json): boolean {
  if (hasType(schema, 'null') || schema.const === null) return true;
  if (Array.isArray(schema.enum) && schema.enum.includes(null)) return true;
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return choices.some((one) => isObject(one) && allowsNull(one));
  // A schema that says nothing allows everything.
  return schema.type === undefined && schema.enum === undefined && schema.$ref === undefined;
}

function isObjectSchema(schema: Json): boolean {
  return hasType(schema, 'object') || (schema.type === undefined && isObject(schema.properties));
}

function hasType({ type }: Json, wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.includes(wanted));
}
