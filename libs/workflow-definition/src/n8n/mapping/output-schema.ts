import { parseKeepingNumbers } from '@app/common';
import type { NodeMapping } from '../node-mapping.js';
import { isObject } from '../json-object.js';

const MAX_DEPTH = 10;

/** What a structured output parser asks a model for, as a JSON Schema; null without one. */
export function schemaOf(node: NodeMapping): Record<string, unknown> | null {
  const parser = node.attachments.find(({ source }) => source.type.endsWith('.outputParserStructured'))?.source;
  if (!parser) return null;
  const { schemaType, inputSchema, jsonSchemaExample, jsonSchema } = parser.parameters;
  const given =
    schemaType === 'manual' ? (inputSchema ?? jsonSchema) : (jsonSchemaExample ?? inputSchema ?? jsonSchema);
  if (typeof given !== 'string') return null;
  try {
    const value: unknown = parseKeepingNumbers(given.replace(/^=/, ''));
    if (!isObject(value)) return null;
    return value.type === 'object' && isObject(value.properties) ? value : shapeOf(value, 0);
  } catch {
    return null;
  }
}

/** The schema of a value that looks like the example. */
function shapeOf(example: unknown, depth: number): Record<string, unknown> {
  if (depth > MAX_DEPTH) return {};
  if (Array.isArray(example)) return { type: 'array', items: example.length > 0 ? shapeOf(example[0], depth + 1) : {} };
  if (isObject(example)) {
    const properties = Object.fromEntries(Object.entries(example).map(([key, one]) => [key, shapeOf(one, depth + 1)]));
    return { type: 'object', properties, required: Object.keys(properties) };
  }
  return example === null ? {} : { type: typeof example };
}
