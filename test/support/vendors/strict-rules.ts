import type { Json } from './vendor-double.js';

const ALLOWED = new Set([
  'type',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'enum',
  'const',
  '$ref',
  '$defs',
]);

/** What OpenAI's strict mode says against a schema; null for nothing. */
export function strictProblem(schema: Json, place = '()', isRoot = true): string | null {
  for (const key of Object.keys(schema))
    if (!ALLOWED.has(key)) return `In context=${place}, '${key}' is not permitted.`;
  if (isRoot && schema.type !== 'object') return `schema must be a JSON Schema of 'type: "object"'.`;
  const parts: [string, unknown][] = [];
  if (schema.properties !== undefined || schema.type === 'object') {
    if (schema.additionalProperties !== false)
      return `In context=${place}, 'additionalProperties' is required to be supplied and to be false.`;
    const names = Object.keys((schema.properties ?? {}) as Json);
    const required = (schema.required ?? []) as string[];
    const missing = names.find((name) => !required.includes(name));
    if (missing !== undefined)
      return `In context=${place}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
    parts.push(...Object.entries((schema.properties ?? {}) as Json));
  }
  if (schema.type === 'array' && schema.items === undefined) return `In context=${place}, array schema missing items.`;
  if (schema.items !== undefined) parts.push(['items', schema.items]);
  for (const [index, one] of ((schema.anyOf ?? []) as unknown[]).entries()) parts.push([`anyOf ${index}`, one]);
  parts.push(...Object.entries((schema.$defs ?? {}) as Json));
  for (const [name, one] of parts) {
    const problem = strictProblem(one as Json, `(${name})`, false);
    if (problem !== null) return problem;
  }
  return null;
}
