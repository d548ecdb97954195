import { z } from 'zod';
import { acceptsReference } from './param.js';
import { COERCED, type JsonSchema, plain, withReferences } from './with-references.js';

/**
 * The JSON Schema of a kind's params as they stand in a definition: where a form would show a number, a reference to one
 * may stand. Params that it does not know are allowed, since they are only warned of.
 * @param opaque params that hold definitions of their own.
 */
export function toParamsInDefinitions(schema: z.ZodObject, opaque: ReadonlySet<string> = new Set()): JsonSchema {
  const json = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if ('coerce' in def && def.coerce) (jsonSchema as JsonSchema)[COERCED] = true;
    },
  });
  const required = json.required ?? [];
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(json.properties ?? {}).map(([name, property]) => [
        name,
        toParam(property, opaque.has(name), acceptsReference(schema.shape[name] as z.ZodType)),
      ]),
    ),
    ...(required.length > 0 && { required }),
  };
}

function toParam(property: unknown, isDefinition: boolean, refers: boolean): unknown {
  if (isDefinition) {
    const { title, description } = plain(property);
    return { title, description, $ref: '#' };
  }
  if (refers) return withReferences(property);
  return { ...plain(property), not: { $ref: '#/$defs/holds_reference' } };
}
