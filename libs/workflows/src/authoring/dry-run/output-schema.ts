import { nearestNames, plainly } from '@app/workflow-definition';
import { isJson, type Json } from '../json.js';

/** What a JSON Schema says of a place in a value. */
export type PlaceInOutput =
  | { known: 'yes'; schema: Json }
  /** Anything can be there, or nothing. */
  | { known: 'unsure' }
  | { known: 'no'; missing: string; instead: string[] };

const UNSURE: PlaceInOutput = { known: 'unsure' };

/** Where a path leads in outputs of this JSON Schema. */
export function placeIn(schema: unknown, path: readonly string[]): PlaceInOutput {
  let at: unknown = schema;
  for (const segment of path) {
    const shapes = shapesOf(at);
    if (shapes.length === 0 || shapes.some(isOpen)) return UNSURE;
    const inner = shapes.flatMap((shape) => within(shape, segment));
    if (inner.length === 0) {
      const names = [...new Set(shapes.flatMap((shape) => Object.keys(propertiesOf(shape))))];
      const near = nearestNames(segment, names, 3);
      return { known: 'no', missing: segment, instead: near.length > 0 ? near : names.slice(0, 12) };
    }
    at = inner.length === 1 ? inner[0] : { anyOf: inner };
  }
  const shapes = shapesOf(at);
  return shapes.length === 1 ? { known: 'yes', schema: shapes[0]! } : UNSURE;
}

/** @param synonyms what fields are called besides. @returns the field that a name means, '' where there is none like it, null where it is there or nobody can tell. */
export function fieldMeant(
  schema: unknown,
  name: string,
  synonyms: Readonly<Record<string, readonly string[]>>,
): string | null {
  const [shape, ...more] = shapesOf(schema);
  if (!shape || more.length > 0 || isOpen(shape) || shape.type !== 'object') return null;
  const names = Object.keys(propertiesOf(shape));
  if (names.includes(name)) return null;
  const plain = plainly(name);
  const same = names.find((other) => plainly(other) === plain);
  return same ?? names.find((other) => synonyms[other]?.includes(plain)) ?? '';
}

/** Names of the fields of an output that have a type, as zod calls it. */
export function fieldsOfType(schema: unknown, type: string): string[] {
  const wanted = type === 'record' ? 'object' : type === 'int' ? 'integer' : type;
  return shapesOf(schema).flatMap((shape) =>
    Object.entries(propertiesOf(shape)).flatMap(([name, inner]) =>
      shapesOf(inner).some((field) => field.type === wanted) ? [name] : [],
    ),
  );
}

/** A value of the schema, as small as it may be; undefined where anything could be there. */
export function sampleOf(schema: unknown, depth = 0): unknown {
  const [shape] = shapesOf(schema);
  if (!shape || depth > 8) return undefined;
  if (Array.isArray(shape.enum)) return shape.enum[0];
  if (shape.const !== undefined) return shape.const;
  switch (shape.type) {
    case 'string':
      return shape.format === 'date-time' ? '2026-01-01T00:00:00.000Z' : 'text';
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return [sampleOf(shape.items, depth + 1) ?? {}];
    case 'object':
      return Object.fromEntries(
        Object.entries(propertiesOf(shape)).map(([name, inner]) => [name, sampleOf(inner, depth + 1) ?? null]),
      );
    default:
      return undefined;
  }
}

function shapesOf(schema: unknown): Json[] {
  if (!isJson(schema)) return [];
  const branches = [schema.anyOf, schema.oneOf].find(Array.isArray) as unknown[] | undefined;
  if (branches) return branches.flatMap(shapesOf).filter(({ type }) => type !== 'null');
  if (!Array.isArray(schema.type)) return [schema];
  return schema.type.filter((type) => type !== 'null').map((type: unknown) => ({ ...schema, type }));
}

/** Whether anything may stand there. */
function isOpen(shape: Json): boolean {
  if (shape.type === undefined) return true;
  if (shape.type === 'array') return !isJson(shape.items) || Object.keys(shape.items).length === 0;
  if (shape.type !== 'object') return false;
  return shape.additionalProperties !== false && !isTyped(shape.additionalProperties);
}

function isTyped(schema: unknown): boolean {
  return isJson(schema) && schema.type !== undefined;
}

function within(shape: Json, segment: string): unknown[] {
  if (shape.type === 'array') return /^\d+$/.test(segment) ? [shape.items] : [];
  if (shape.type !== 'object') return [];
  const properties = propertiesOf(shape);
  if (Object.hasOwn(properties, segment)) return [properties[segment]];
  return isTyped(shape.additionalProperties) ? [shape.additionalProperties] : [];
}

function propertiesOf(shape: Json): Json {
  return isJson(shape.properties) ? shape.properties : {};
}
