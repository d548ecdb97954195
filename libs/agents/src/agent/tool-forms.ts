import { isDictionary } from '@app/common';
import type { ModelTool } from '@app/integrations';
import { cutLine } from './bounded-text.js';
import type { AgentTool } from './tool.js';

type Json = Record<string, unknown>;

const SHOWN_DESCRIPTION = 1_000;
const BRIEF_DESCRIPTION = 350;
const MAX_SCHEMA_CHARACTERS = 12_000;
/** What helps with a call, and can be done without: the tool itself checks the arguments, and says what is wrong. */
const PROSE = new Set([
  '$schema',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'format',
  'pattern',
  'propertyNames',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
]);
/** Whose members are names of others' choosing. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const VALUES = new Set(['enum', 'const', 'required', 'dependentRequired']);

const shownTools = new WeakMap<AgentTool, ModelTool>();
const briefTools = new WeakMap<AgentTool, ModelTool>();

/** A tool as a model is shown it. */
export function toModelTool(tool: AgentTool): ModelTool {
  const known = shownTools.get(tool);
  if (known) return known;
  const { name, description } = tool;
  const shown = {
    name,
    description: cutLine(description, SHOWN_DESCRIPTION),
    inputSchema: boundedSchema(tool.inputSchema),
  };
  shownTools.set(tool, shown);
  return shown;
}

/** The same for a model that reads little: of its arguments only what they are called, and of which kind they are. */
export function toBriefTool(tool: AgentTool): ModelTool {
  const known = briefTools.get(tool);
  if (known) return known;
  const { name, description, inputSchema } = toModelTool(tool);
  const brief = {
    name,
    description: cutLine(description, BRIEF_DESCRIPTION),
    inputSchema: withoutProse(inputSchema) as Json,
  };
  briefTools.set(tool, brief);
  return brief;
}

/** A schema that would fill the context is shown without its depths: the tool itself checks the arguments. */
function boundedSchema(schema: Json): Json {
  if (JSON.stringify(schema).length <= MAX_SCHEMA_CHARACTERS) return schema;
  const { properties = {}, required } = schema as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const shallow = Object.entries(properties)
    .slice(0, 100)
    .map(([name, { type, description }]) => [
      name,
      {
        ...(type !== undefined && { type }),
        ...(typeof description === 'string' && { description: cutLine(description, 100) }),
      },
    ]);
  return { type: 'object', properties: Object.fromEntries(shallow) as unknown, ...(required && { required }) };
}

/** @param schema is short, and therefore not deep */
function withoutProse(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutProse);
  if (!isDictionary(schema)) return schema;
  const kept = Object.entries(schema).filter(([key]) => !PROSE.has(key));
  return Object.fromEntries(
    kept.map(([key, value]) => {
      if (VALUES.has(key)) return [key, value];
      if (!NAMED.has(key) || !isDictionary(value)) return [key, withoutProse(value)];
      return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutProse(one)]))];
    }),
  );
}
