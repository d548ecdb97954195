/** A schema of JSON Schema, draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

/** Marks, between zod and here, what is made of any text or number that spells it. */
export const COERCED = 'x-coerced';

const INNER = String.raw`(?:(?!\{\{|\}\})[\s\S])*`;
/** As `looksLikeReference` says it, for a pattern. */
const TARGET = String.raw`(?:_webhook_payload|_index|_item)$|(?:_output\.|_webhook_payload\.|_item[.\[]|_secret\.)`;
const IN_TEXT = String.raw`\{\{\s*(?:(?:_webhook_payload|_index|_item)\s*\}\}|(?:_output\.|_webhook_payload\.|_item[.\[]|_secret\.)${INNER}\}\})`;
const NUMBER = String.raw`^\s*(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|0[xX][\dA-Fa-f]+|0[bB][01]+|0[oO][0-7]+)?\s*$`;

export const referenceDefs: Record<string, JsonSchema> = {
  reference: {
    title: 'Reference',
    description: 'An earlier output, the payload or a secret as a whole value.',
    type: 'object',
    properties: { $ref: { type: 'string', pattern: `^(?:${TARGET})` } },
    required: ['$ref'],
  },
  holds_reference: {
    description: 'A reference, or a value with one somewhere in it: only the run can tell what it will be.',
    anyOf: [
      { type: 'string', pattern: IN_TEXT },
      { $ref: '#/$defs/reference' },
      { type: 'array', contains: { $ref: '#/$defs/holds_reference' } },
      { type: 'object', not: { additionalProperties: { not: { $ref: '#/$defs/holds_reference' } }, type: 'object' } },
    ],
  },
};

const reference: JsonSchema = { $ref: '#/$defs/reference' };
const holdsReference: JsonSchema = { $ref: '#/$defs/holds_reference' };

/** Params as an author writes them: wherever the engine takes one, a reference stands for what the schema asks for. */
export function withReferences(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { title, description, default: preset, ...rest } = plain(schema);
  const about = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
  const shown = preset === undefined ? about : { ...about, default: preset };
  if (schema[COERCED] === true) return { ...shown, anyOf: [...coerced(rest), holdsReference] };
  if (Object.keys(rest).length === 0) return shown;
  if (rest.type === 'object') {
    // What holds a reference is still looked into; what is one is not.
    const other = { allOf: [{ not: { type: 'object' } }, holdsReference] };
    return { ...shown, anyOf: [{ ...rest, ...childrenOf(rest) }, reference, other] };
  }
  if (rest.type === 'array') {
    const items = rest.items === undefined ? {} : { items: withReferences(rest.items) };
    const list = { type: 'array', ...items };
    const other = { allOf: [{ not: { type: 'array' } }, holdsReference] };
    return { ...shown, anyOf: [{ ...rest, ...items }, { ...list, contains: holdsReference }, other] };
  }
  return { ...shown, anyOf: [rest, holdsReference] };
}

/** Without what no other reader of schemas knows: `format` says nothing that the patterns beside it do not say. */
export function plain(schema: unknown): JsonSchema {
  if (!isObject(schema)) return {};
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => key !== 'format' && key !== '$schema' && key !== COERCED)
      .map(([key, value]) => [
        key,
        key === 'default' || key === 'examples' || key === 'const' ? value : deep(key, value),
      ]),
  );
}

function deep(key: string, value: unknown): unknown {
  if (key === 'properties' && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, keepMark(inner)]));
  if (Array.isArray(value)) return value.map((item: unknown) => (isObject(item) ? keepMark(item) : item));
  return isObject(value) ? keepMark(value) : value;
}

/** The mark is read on the way back up. */
function keepMark(value: unknown): unknown {
  if (!isObject(value)) return value;
  const inner = plain(value);
  return value[COERCED] === true ? { ...inner, [COERCED]: true } : inner;
}

function childrenOf({ properties, additionalProperties }: JsonSchema): JsonSchema {
  return {
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, withReferences(inner)])),
    }),
    ...(isObject(additionalProperties) && { additionalProperties: withReferences(additionalProperties) }),
  };
}

function coerced(schema: JsonSchema): JsonSchema[] {
  if (schema.type === 'string') return [schema, { not: { type: 'string' } }];
  const single = { type: 'array', maxItems: 1 };
  return [schema, { type: 'string', pattern: NUMBER }, { type: 'boolean' }, { type: 'null' }, single];
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
