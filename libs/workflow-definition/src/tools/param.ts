import { z } from 'zod';
import type { CatalogueParam, ParamType } from './catalogue-entry.js';

export interface ParamMetadata {
  label: string;
  description?: string;
  /** Only where the schema does not say it: `text`, `code`, `document` and the like. */
  type?: ParamType;
  options?: { value: string; label: string }[];
  /** False: a reference cannot stand here, because the definition itself must say the value. */
  acceptsRef?: boolean;
  visibleWhen?: Record<string, unknown>;
}

const metadata = z.registry<ParamMetadata>();

/** A parameter's schema with what a form shows of it. Must be the outermost call. */
export function param<T extends z.ZodType>(schema: T, meta: ParamMetadata): T {
  const described = schema.meta({ title: meta.label, ...(meta.description && { description: meta.description }) });
  metadata.add(described, meta);
  return described;
}

export function acceptsReference(schema: z.ZodType): boolean {
  return metadata.get(schema)?.acceptsRef ?? true;
}

/** JSON Schema of what an author writes: defaults are not required. */
export function toParamsSchema(schema: z.ZodObject): Record<string, unknown> {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}

/** The form fields of a tool, derived from its schema; metadata only adds what a schema cannot say. */
export function toCatalogueParams(schema: z.ZodObject): CatalogueParam[] {
  const json = toParamsSchema(schema);
  const properties = (json.properties ?? {}) as Record<string, JsonSchemaProperty>;
  const required = new Set((json.required ?? []) as string[]);
  return Object.entries(schema.shape).map(([name, field]) => {
    const meta = metadata.get(field as z.ZodType);
    const property = properties[name] ?? {};
    return {
      name,
      label: meta?.label ?? name,
      type: meta?.type ?? typeOf(property),
      required: required.has(name),
      default: property.default ?? null,
      options: meta?.options ?? optionsOf(property),
      description: meta?.description ?? '',
      accepts_ref: meta?.acceptsRef ?? true,
      visible_when: meta?.visibleWhen ?? null,
    };
  });
}

interface JsonSchemaProperty {
  type?: string;
  enum?: unknown[];
  items?: JsonSchemaProperty;
  anyOf?: JsonSchemaProperty[];
  default?: unknown;
}

function typeOf(property: JsonSchemaProperty): ParamType {
  if (property.enum) return 'select';
  if (property.type === 'array') return property.items?.enum ? 'multiselect' : 'array';
  if (property.type === 'integer' || property.type === 'number' || property.type === 'boolean') return property.type;
  if (property.type === 'object') return 'object';
  const alternative = property.anyOf?.find(({ type }) => type !== undefined && type !== 'null');
  return alternative ? typeOf(alternative) : 'string';
}

function optionsOf(property: JsonSchemaProperty): { value: string; label: string }[] {
  const values = property.enum ?? property.items?.enum ?? [];
  return values.map((value) => ({ value: String(value), label: toLabel(String(value)) }));
}

/** `is_not_empty` to `Is not empty`. */
function toLabel(value: string): string {
  const words = value.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
