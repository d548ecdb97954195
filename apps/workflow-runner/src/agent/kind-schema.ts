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
    properties: Object.fromEntries(typed) as unknown,
    required: required.filter((name) => shown.includes(name)),
    additionalProperties: false,
  };
}
