import { isDictionary } from '@app/common';
import type { CatalogueEntry, ParamType } from '@app/workflow-definition';

const JSON_TYPES: Partial<Record<ParamType, string>> = {
  string: 'string',
  text: 'string',
  code: 'string',
  file: 'string',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  object: 'object',
};

/** The JSON Schema of a kind's params as a model gets it. @param names the params that it may set; all when absent */
export function kindSchema(
  { params, params_schema: schema }: Pick<CatalogueEntry, 'params' | 'params_schema'>,
  names?: readonly string[],
): Record<string, unknown> {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Record<string, unknown>>;
    required?: string[];
  };
  const shown = Object.keys(properties).filter((name) => names?.includes(name) ?? true);
  const typed = shown.map((name) => {
    const property = properties[name]!;
    // A value that is made fit, such as a number from text, has no type of its own in the schema.
    const hasType = ['type', 'anyOf', 'oneOf', 'enum', 'const'].some((key) => key in property);
    const type = JSON_TYPES[params.find((param) => param.name === name)?.type ?? 'array'];
    return [name, hasType || type === undefined || type === 'object' ? property : { type, ...property }];
  });
  return {
    type: 'object',
    properties: mapValues(Object.fromEntries(typed)),
    required: required.filter((name) => shown.includes(name)),
    additionalProperties: false,
  };
}

/** Objects within take what they name and nothing else, as a kind reads them: the rest would be dropped silently. */
function closed(schema: Record<string, unknown>): Record<string, unknown> {
  const { properties, items, anyOf, oneOf, additionalProperties: others } = schema;
  return {
    ...schema,
    ...(isDictionary(properties) && { properties: mapValues(properties), additionalProperties: others ?? false }),
    ...(isDictionary(others) && { additionalProperties: closed(others) }),
    ...(isDictionary(items) && { items: closed(items) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(closedIfSchema) }),
    ...(Array.isArray(oneOf) && { oneOf: oneOf.map(closedIfSchema) }),
  };
}

const mapValues = (schemas: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, closedIfSchema(schema)]));

const closedIfSchema = (schema: unknown): unknown => (isDictionary(schema) ? closed(schema) : schema);
