/** A schema as it stands in the document. */
export type Schema = { [key: string]: unknown };

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the keywords hold schemas in: by name, as a list, or one. */
const BY_NAME = ['properties', 'patternProperties', '$defs'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SINGLE = ['items', 'additionalProperties', 'not'];

/**
 * A schema of OpenAPI 3.0, which the decorators write, as JSON Schema 2020-12, which OpenAPI 3.1 speaks: null is a type
 * of its own there, beside a reference too, and examples are a list.
 */
export function toSchema2020(schema: Schema): Schema {
  const { nullable, example, ...rest } = schema;
  const made: Schema = { ...rest };
  for (const key of BY_NAME)
    if (isSchema(made[key]))
      made[key] = Object.fromEntries(
        Object.entries(made[key]).map(([name, one]) => [name, isSchema(one) ? toSchema2020(one) : one]),
      );
  for (const key of LISTS)
    if (Array.isArray(made[key]))
      made[key] = made[key].map((one) => (isSchema(one) ? toSchema2020(one) : (one as unknown)));
  for (const key of SINGLE) if (isSchema(made[key])) made[key] = toSchema2020(made[key]);
  if (example !== undefined) made.examples = [example];
  // No language has a name for nothing.
  if (Array.isArray(made.enum) && made.enum.includes(''))
    made['x-enum-varnames'] = made.enum.map((choice) => (choice === '' ? 'NONE' : String(choice).toUpperCase()));
  if (made.format === 'binary') made.contentMediaType ??= 'application/octet-stream';
  const plain = unwrapped(made);
  const [type, other, ...more] = Array.isArray(plain.type) ? (plain.type as unknown[]) : [];
  if (other === 'null' && more.length === 0) return withNull({ ...plain, type });
  return nullable === true ? withNull(plain) : plain;
}

/** Swagger wraps a reference that has neighbours; these may stand beside it now. */
function unwrapped(schema: Schema): Schema {
  const { allOf, type: _, ...rest } = schema;
  const only = Array.isArray(allOf) && allOf.length === 1 ? (allOf[0] as Schema) : null;
  return only?.$ref ? { ...rest, $ref: only.$ref } : schema;
}

/** What says something of the field rather than of its value; it stays beside the alternatives. */
const OF_FIELD = ['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'];

const isOfField = ([key]: [string, unknown]) => OF_FIELD.includes(key);

/**
 * A list of types is understood by all generators of clients that were tried for plain values only: some drop what a list
 * holds then, and some take no null among choices.
 */
function withNull(schema: Schema): Schema {
  const { $ref, anyOf, type, enum: choices, ...rest } = schema;
  if ($ref) return { ...rest, anyOf: [{ $ref }, { type: 'null' }] };
  if (Array.isArray(anyOf)) return { ...rest, anyOf: [...(anyOf as Schema[]), { type: 'null' }] };
  if (typeof type !== 'string') return schema;
  if (!choices && !['array', 'object'].includes(type)) return { ...rest, type: [type, 'null'] };
  const said = Object.fromEntries(Object.entries(rest).filter(isOfField));
  const value: Schema = Object.fromEntries(Object.entries(rest).filter((entry) => !isOfField(entry)));
  if (Array.isArray(choices)) value.enum = choices.filter((choice) => choice !== null) as unknown[];
  return { ...said, anyOf: [{ type, ...value }, { type: 'null' }] };
}
