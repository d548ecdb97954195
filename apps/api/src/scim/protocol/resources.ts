import { InvalidRequestError, isDictionary, type Parse, Refusal } from '@app/common';
import type { Request } from 'express';
import { publicAddress } from '../../http/public-address.js';

export const LIST_RESPONSE = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

export type Resource = Record<string, unknown>;

/** The address under which the directory reaches `/scim/v2`. */
export function baseOf(request: Request): string {
  return `${publicAddress(request)}/scim/v2`;
}

export function metaOf(type: 'User' | 'Group', id: string, created: Date, lastModified: Date, base: string): Resource {
  return {
    resourceType: type,
    created: created.toISOString(),
    lastModified: lastModified.toISOString(),
    location: `${base}/${type}s/${id}`,
  };
}

const syntaxError = (detail: string) => new InvalidRequestError(detail, { code: 'invalid_syntax' });

/**
 * The attributes of a body that are known here, under their own spelling: names are compared without regard to case.
 * @throws InvalidRequestError (`invalid_syntax`)
 */
export function readAttributes(body: unknown, schema: string, names: readonly string[]): Resource {
  if (!isDictionary(body)) throw syntaxError('The body must be a JSON object.');
  const canonical = new Map(names.map((name) => [name.toLowerCase(), name]));
  const known: Resource = {};
  for (const [key, value] of Object.entries(body)) {
    const bare = key.toLowerCase().startsWith(`${schema.toLowerCase()}:`) ? key.slice(schema.length + 1) : key;
    const name = canonical.get(bare.toLowerCase());
    if (name !== undefined) known[name] = value;
  }
  const schemas = Object.entries(body).find(([key]) => key.toLowerCase() === 'schemas')?.[1];
  if (schemas !== undefined && !(Array.isArray(schemas) && schemas.includes(schema)))
    throw syntaxError(`"schemas" must hold ${schema}.`);
  return known;
}

/** A value as its kind reads it; null and the empty text count as absent. @throws InvalidRequestError (`invalid_value`) */
export function readValue<T>(path: string, raw: unknown, parse: Parse): T | null {
  if (raw === undefined || raw === null || raw === '') return null;
  const value = parse(raw);
  if (value instanceof Refusal) throw new InvalidRequestError(`${path}: ${value.message}`, { code: 'invalid_value' });
  return value as T;
}

/** One sub-attribute, whatever its case. */
export function subOf(value: unknown, name: string): unknown {
  if (!isDictionary(value)) return undefined;
  return Object.entries(value).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

/** The top-level attribute of a path, in lower case. */
function topOf(path: string): string {
  return path
    .trim()
    .replace(/^urn:.*:(?=[^:]+$)/i, '')
    .split(/[.[]/, 1)[0]!
    .toLowerCase();
}

function attributesOf(list: string): Set<string> {
  return new Set(list.split(',').map(topOf));
}

/** Leaves out what the caller did not ask for (RFC 7644, section 3.9); top-level attributes are told apart. */
export function project(resource: Resource, { attributes, excludedAttributes }: Projection): Resource {
  const entries = Object.entries(resource);
  if (attributes) {
    const wanted = attributesOf(attributes);
    return Object.fromEntries(entries.filter(([key]) => ALWAYS.has(key) || wanted.has(key.toLowerCase())));
  }
  if (!excludedAttributes) return resource;
  const unwanted = attributesOf(excludedAttributes);
  return Object.fromEntries(entries.filter(([key]) => ALWAYS.has(key) || !unwanted.has(key.toLowerCase())));
}

export interface Projection {
  attributes?: string | undefined;
  excludedAttributes?: string | undefined;
}

const ALWAYS = new Set(['schemas', 'id']);
