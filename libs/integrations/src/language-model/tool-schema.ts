import { isDictionary } from '@app/common';

type Json = Record<string, unknown>;

const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const ONE = new Set([
  'items',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contentSchema',
]);
const LISTS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const TEXTS = new Set(['title', 'description', 'format', '$comment', 'contentEncoding', 'contentMediaType']);
const NUMBERS = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']);
const COUNTS = new Set([
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
]);
const FLAGS = new Set(['uniqueItems', 'deprecated', 'readOnly', 'writeOnly']);
/** Names of other schemas, by which nobody finds them here, and what older drafts say in other words. */
const LEFT_OUT = new Set([
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveRef',
  '$recursiveAnchor',
  '$vocabulary',
  'additionalItems',
  'dependencies',
]);
const DRAFT = 'https://json-schema.org/draft/2020-12/schema';
/** What stands at the top of no tool's schema. */
const CHOICES = ['$ref', 'anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', 'if', 'then', 'else'];
const MAX_FLAT = 200;
const MAX_DEPTH = 40;
/** What endpoints want names of arguments to be. */
const NAME = /^[a-zA-Z0-9_.-]{1,64}$/;
const MAX_NAME = 60;

const written = new WeakMap<object, ToolSchema>();

export interface ToolSchema {
  schema: Json;
  /** What arguments are called by their tool, by what they are called for the model; those alone that differ. */
  names: ReadonlyMap<string, string>;
}

/**
 * The input schema of a tool as every endpoint takes it: of the draft 2020-12, an object at the top, references that
 * lead somewhere. Schemas of tool servers come from strangers, and one that an endpoint refuses ends every step of the
 * conversation that knows the tool. What cannot be said is left open: the input is checked against the tool's own schema.
 * A schema that is as it should be stays word for word.
 */
export function toToolSchema(given: Json): ToolSchema {
  const known = written.get(given);
  if (known) return known;
  const { schema, names } = named(objectAtTop(tidy(given, given, 0) as Json, given));
  // What a reference led to may stand elsewhere by now.
  const made = { schema: tidy(schema, schema, 0) as Json, names };
  written.set(given, made);
  return made;
}

/**
 * The same schema, of which every keyword is what its name says: whoever looks into it finds no `properties` that are
 * none, and no text in place of a list.
 */
export function toSoundSchema(given: Json): Json {
  return tidy(given, given, 0) as Json;
}

/** Arguments under the names that their tool knows them by. */
export function toToolInput({ names }: ToolSchema, input: Json): Json {
  if (names.size === 0) return input;
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [names.get(name) ?? name, value]));
}

function tidy(schema: unknown, root: Json, depth: number): unknown {
  if (typeof schema === 'boolean') return schema;
  if (!isDictionary(schema) || depth > MAX_DEPTH) return {};
  const made: Json = {};
  for (const [key, value] of Object.entries(schema)) {
    const kept = keyword(key, value, root, depth);
    if (kept !== undefined) define(made, key, kept);
  }
  // As drafts before 2019 say it.
  if (Array.isArray(schema.items)) {
    if (schema.items.length > 0) made.prefixItems = schema.items.map((one) => tidy(one, root, depth + 1));
    if (isSchema(schema.additionalItems)) made.items = tidy(schema.additionalItems, root, depth + 1);
  }
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const)
    if (schema[flag] === true && made[bound] !== undefined) {
      made[flag] = made[bound];
      delete made[bound];
    }
  const isArray = made.type === 'array' || (Array.isArray(made.type) && made.type.includes('array'));
  if (isArray && made.items === undefined && made.prefixItems === undefined) made.items = {};
  return made;
}

/** Undefined: it is no good, and left out. */
function keyword(key: string, value: unknown, root: Json, depth: number): unknown {
  const inner = (one: unknown) => tidy(one, root, depth + 1);
  if (key === 'type') return typeOf(value);
  if (LEFT_OUT.has(key)) return undefined;
  // Of a draft before 6, unless it is a keyword of somebody's own.
  if (key === 'id') return typeof value === 'string' ? undefined : value;
  if (key === '$schema') return value === DRAFT ? value : undefined;
  if (key === '$ref') return typeof value === 'string' && leadsTo(value, root) !== undefined ? value : undefined;
  if (ONE.has(key)) return isSchema(value) ? inner(value) : undefined;
  if (LISTS.has(key)) return Array.isArray(value) && value.length > 0 ? value.map(inner) : undefined;
  if (NAMED.has(key)) {
    if (!isDictionary(value)) return undefined;
    const made: Json = {};
    for (const [name, one] of Object.entries(value)) define(made, name, inner(one));
    return made;
  }
  if (key === 'required') return Array.isArray(value) ? textsIn(value) : undefined;
  if (key === 'dependentRequired')
    return isDictionary(value) && Object.values(value).every(isTexts) ? value : undefined;
  if (key === 'enum') return Array.isArray(value) && value.length > 0 ? value : undefined;
  if (key === 'examples') return Array.isArray(value) ? value : undefined;
  if (key === 'pattern') return typeof value === 'string' && isPattern(value) ? value : undefined;
  if (key === 'multipleOf') return typeof value === 'number' && value > 0 ? value : undefined;
  if (TEXTS.has(key)) return typeof value === 'string' ? value : undefined;
  if (NUMBERS.has(key)) return typeof value === 'number' ? value : undefined;
  if (COUNTS.has(key)) return Number.isInteger(value) && (value as number) >= 0 ? value : undefined;
  if (FLAGS.has(key)) return typeof value === 'boolean' ? value : undefined;
  return value;
}

/** Endpoints take no choice at the top: what the choices know becomes one object, of which what is certain is required. */
function objectAtTop(schema: Json, root: Json): Json {
  const isChoice = CHOICES.some((key) => key in schema);
  if (schema.type === 'object' && !isChoice && isDictionary(schema.properties)) return schema;
  const { properties, required, additionalProperties } = flat(schema, { root, left: MAX_FLAT, aims: new Map() });
  const others = Object.fromEntries(Object.entries(schema).filter(([key]) => !CHOICES.includes(key)));
  const made: Json = {};
  for (const [name, ways] of properties) {
    const [only, ...more] = [...ways.values()];
    define(made, name, more.length === 0 ? only : { anyOf: [only, ...more] });
  }
  const asked = required.size > 0 ? { required: [...required] } : {};
  const open = additionalProperties === undefined ? {} : { additionalProperties };
  const { required: _, additionalProperties: __, ...rest } = others;
  return { ...rest, type: 'object', properties: made, ...asked, ...open };
}

interface Flat {
  /** Every way in which a choice tells of a name, by its JSON. */
  properties: Map<string, Map<string, unknown>>;
  required: Set<string>;
  additionalProperties: unknown;
}

interface Flattening {
  root: Json;
  /** Schemas that are still looked at: references may lead round in circles. */
  left: number;
  /** What references led to. */
  aims: Map<string, unknown>;
}

function flat(schema: unknown, budget: Flattening): Flat {
  const made: Flat = { properties: new Map(), required: new Set(), additionalProperties: undefined };
  budget.left -= 1;
  if (!isDictionary(schema) || budget.left < 0) return made;
  const own = isDictionary(schema.properties) ? schema.properties : {};
  for (const [name, value] of Object.entries(own)) made.properties.set(name, new Map([[JSON.stringify(value), value]]));
  for (const name of listOf(schema.required)) made.required.add(String(name));
  made.additionalProperties = schema.additionalProperties;
  const add = ({ properties }: Flat) => {
    // Closed in one place is open for the names of another.
    if (properties.size > 0 && made.additionalProperties === false) made.additionalProperties = undefined;
    for (const [name, ways] of properties) {
      const known = made.properties.get(name) ?? new Map<string, unknown>();
      made.properties.set(name, new Map([...known, ...ways]));
    }
  };
  const require = (names: Iterable<string>) => {
    for (const name of names) made.required.add(name);
  };
  for (const one of [aimOf(schema, budget), ...listOf(schema.allOf)]) {
    const part = flat(one, budget);
    add(part);
    require(part.required);
    made.additionalProperties ??= part.additionalProperties;
  }
  for (const choices of [listOf(schema.anyOf), listOf(schema.oneOf)]) {
    const [first, ...others] = choices.map((one) => flat(one, budget));
    if (!first) continue;
    for (const one of [first, ...others]) add(one);
    require([...first.required].filter((name) => others.every((one) => one.required.has(name))));
  }
  for (const one of [schema.then, schema.else]) add(flat(one, budget));
  return made;
}

function aimOf({ $ref: reference }: Json, { root, aims }: Flattening): unknown {
  if (typeof reference !== 'string') return undefined;
  if (!aims.has(reference)) aims.set(reference, tidy(leadsTo(reference, root), root, 0));
  return aims.get(reference);
}

/** Endpoints take few letters in the names of arguments. */
function named(schema: Json): ToolSchema {
  const { properties, required } = schema as { properties: Json; required?: string[] };
  const own = Object.keys(properties);
  if (own.every((name) => NAME.test(name))) return { schema, names: new Map() };
  const names = new Map<string, string>();
  const told = new Map<string, string>();
  const taken = new Set(own);
  for (const name of own.filter((one) => !NAME.test(one))) {
    const plain = name.replace(/[^a-zA-Z0-9_.-]+/g, '_').slice(0, MAX_NAME) || '_';
    let alias = plain;
    for (let count = 2; taken.has(alias); count += 1) alias = `${plain}_${count}`;
    taken.add(alias);
    names.set(alias, name);
    told.set(name, alias);
  }
  const made: Json = {};
  for (const [name, value] of Object.entries(properties)) {
    const alias = told.get(name);
    define(made, alias ?? name, alias === undefined ? value : withNote(value, name));
  }
  const wanted = required?.map((name) => told.get(name) ?? name);
  return { schema: { ...schema, properties: made, ...(wanted && { required: wanted }) }, names };
}

function withNote(schema: unknown, name: string): unknown {
  const { description = '', ...rest } = isDictionary(schema) ? schema : {};
  return { ...rest, description: `${JSON.stringify(name)}${description === '' ? '' : `: ${String(description)}`}` };
}

function typeOf(value: unknown): unknown {
  if (typeof value === 'string') return TYPES.has(value) ? value : undefined;
  const types = Array.isArray(value) ? [...new Set(textsIn(value))].filter((one) => TYPES.has(one)) : [];
  return types.length > 0 ? types : undefined;
}

/** Within the schema alone: nothing is fetched. */
function leadsTo(reference: string, root: Json): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Json)[key];
  }
  return isSchema(at) ? at : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function isPattern(text: string): boolean {
  try {
    void new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Also under a name such as `__proto__`. */
function define(made: Json, name: string, value: unknown): void {
  Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true });
}

const isSchema = (value: unknown) => typeof value === 'boolean' || isDictionary(value);
const isTexts = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'string');
const textsIn = (value: unknown[]) => [...new Set(value.filter((one): one is string => typeof one === 'string'))];
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
