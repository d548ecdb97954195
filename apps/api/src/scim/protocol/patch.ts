import { parseFilter } from '@app/auth';
import { InvalidRequestError, isDictionary, parseBoolean } from '@app/common';
import { scimPatch, type ScimPatchOperation, type ScimResource } from 'scim-patch';
import type { Resource } from './resources.js';

/** What a PATCH may change of a kind of resource. */
export interface PatchRules {
  schema: string;
  /** Attributes that are kept, in their own spelling; `references` are lists of which the `value` alone counts. */
  writable: Readonly<Record<string, 'one' | 'list' | 'references'>>;
  /** Lower case: refused. */
  readOnly: readonly string[];
}

const MOST_OPERATIONS = 1000;
const PATH = /^([a-z$][\w$-]*)(\[[^[\]]{1,500}\])?(?:\.([a-z$][\w$-]*))?$/i;
/** Words that mean something to JavaScript and nothing to a directory. */
const MACHINERY = /(^|[^a-z_])(__proto__|constructor|prototype)([^a-z_]|$)/i;

const refused = (
  code: 'invalid_syntax' | 'invalid_path' | 'mutability' | 'no_target' | 'invalid_value',
  detail: string,
) => new InvalidRequestError(detail, { code });

/**
 * Applies the operations of RFC 7644, section 3.5.2, also as Microsoft Entra ID and Okta write them: capitalised
 * operations, attributes without a path, paths as keys. Attributes that are not kept here are passed over.
 * @param resource with its `id`; is left as it is
 * @throws InvalidRequestError with the codes of RFC 7644, table 9
 */
export function applyPatch(resource: Resource, body: unknown, rules: PatchRules): Resource {
  const operations = readOperations(body).flatMap((operation) => normalize(operation, resource.id, rules));
  const patched = structuredClone(resource);
  for (const operation of operations) applyOne(patched, operation, rules);
  return patched;
}

function applyOne(resource: Resource, operation: ScimPatchOperation, { writable }: PatchRules): void {
  const attribute = /^[^.[]*/.exec(operation.path ?? '')?.[0] ?? '';
  // What is not there is not there afterwards either: directories remove the number that somebody never had.
  if (operation.op === 'remove' && resource[attribute] === undefined) return;
  const former = writable[attribute] === 'list' ? primariesOf(resource[attribute]) : [];
  try {
    scimPatch(resource as unknown as ScimResource, [operation], { mutateDocument: true, treatMissingAsAdd: true });
  } catch (error) {
    const name = error instanceof Error ? error.constructor.name : '';
    if (operation.op === 'remove' && name === 'FilterArrayTargetNotFound') return;
    if (name === 'NoTarget') throw refused('no_target', 'The path of an operation matches nothing.');
    throw refused('invalid_value', 'An operation does not fit the attribute that it changes.');
  }
  if (former.length > 0) resource[attribute] = demoted(resource[attribute], former);
}

const isPrimary = (item: unknown) => isDictionary(item) && parseBoolean(item['primary']) === true;

const primariesOf = (list: unknown) =>
  Array.isArray(list) ? list.filter(isPrimary).map((item) => JSON.stringify(item)) : [];

/** Whatever becomes the primary value takes that from the one before (RFC 7644, section 3.5.2). */
function demoted(list: unknown, former: string[]): unknown {
  if (!primariesOf(list).some((item) => !former.includes(item))) return list;
  return (list as unknown[]).map((item) =>
    isDictionary(item) && former.includes(JSON.stringify(item)) ? { ...item, primary: false } : item,
  );
}

type Operation = { op: 'add' | 'replace' | 'remove'; path: string | undefined; value: unknown };

function readOperations(body: unknown): Operation[] {
  if (!isDictionary(body)) throw refused('invalid_syntax', 'The body must be a JSON object.');
  const list = Object.entries(body).find(([key]) => key.toLowerCase() === 'operations')?.[1];
  if (!Array.isArray(list) || list.length === 0) throw refused('invalid_syntax', '"Operations" must be a list.');
  if (list.length > MOST_OPERATIONS) throw refused('invalid_syntax', `At most ${MOST_OPERATIONS} operations.`);
  return list.map((item: unknown) => {
    if (!isDictionary(item)) throw refused('invalid_syntax', 'An operation must be a JSON object.');
    const { op, path, value } = item;
    const name = typeof op === 'string' ? op.toLowerCase() : '';
    if (name !== 'add' && name !== 'replace' && name !== 'remove')
      throw refused('invalid_syntax', 'An operation must be "add", "replace" or "remove".');
    if (path !== undefined && path !== null && typeof path !== 'string')
      throw refused('invalid_path', 'A path must be a text.');
    if (namesMachinery(value)) throw refused('invalid_value', 'A value holds an attribute that does not exist.');
    return { op: name, path: path ? path.trim() : undefined, value };
  });
}

function namesMachinery(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(namesMachinery);
  return (
    isDictionary(value) && Object.entries(value).some(([key, item]) => MACHINERY.test(key) || namesMachinery(item))
  );
}

/** One operation per attribute, with paths in the spelling of the resource. */
function normalize({ op, path, value }: Operation, id: unknown, rules: PatchRules): ScimPatchOperation[] {
  if (path !== undefined) return normalizePath(op, path, value, rules);
  if (op === 'remove') throw refused('no_target', '"remove" needs a path.');
  if (!isDictionary(value)) throw refused('invalid_value', 'Without a path the value must be a JSON object.');
  return Object.entries(value).flatMap(([key, item]) => {
    if (isExtension(key, rules) || isRepeated(key, item, id, rules)) return [];
    return normalizePath(op, key, item, rules);
  });
}

/** Okta renames a group with its `id` beside the name: what only tells of the resource is passed over, as in a PUT. */
function isRepeated(key: string, value: unknown, id: unknown, { readOnly }: PatchRules): boolean {
  const lower = key.toLowerCase();
  return lower === 'id' ? value === id : readOnly.includes(lower);
}

const isExtension = (path: string, { schema }: PatchRules) =>
  /^urn:/i.test(path) && !path.toLowerCase().startsWith(`${schema.toLowerCase()}:`);

function normalizePath(op: Operation['op'], written: string, value: unknown, rules: PatchRules): ScimPatchOperation[] {
  if (isExtension(written, rules)) return [];
  const path = /^urn:/i.test(written) ? written.slice(rules.schema.length + 1) : written;
  const parts = path.length > 600 || MACHINERY.test(path) ? null : PATH.exec(path);
  if (!parts) throw refused('invalid_path', `The path "${written.slice(0, 100)}" cannot be read.`);
  const [, attribute, filter, sub] = parts as unknown as [string, string, string | undefined, string | undefined];
  const lower = attribute.toLowerCase();
  if (rules.readOnly.includes(lower)) throw refused('mutability', `"${attribute}" cannot be written.`);
  const name = Object.keys(rules.writable).find((known) => known.toLowerCase() === lower);
  if (name === undefined) return [];
  if (filter !== undefined) {
    if (rules.writable[name] === 'one') throw refused('invalid_path', `"${attribute}" has one value.`);
    try {
      parseFilter(filter.slice(1, -1));
    } catch {
      throw refused('invalid_path', `The path "${written.slice(0, 100)}" cannot be read.`);
    }
  }
  // Entra ID writes booleans of filters as texts; they are kept as booleans.
  const asKept = filter?.replaceAll(
    /\b(primary\s+(?:eq|ne)\s+)"(true|false)"/gi,
    (_, before: string, said: string) => before + said.toLowerCase(),
  );
  const target = `${name}${asKept ?? ''}${sub === undefined ? '' : `.${subAttribute(sub)}`}`;
  const kind = rules.writable[name];
  if (kind === 'one' || filter !== undefined || sub !== undefined)
    return [op === 'remove' ? { op, path: target } : { op, path: target, value }];
  if (op === 'remove' && (value === undefined || value === null)) return [{ op, path: target }];
  return [{ op, path: target, value: asList(value, kind === 'references') }];
}

const SUB_ATTRIBUTES = ['value', 'type', 'primary', 'display', 'givenName', 'familyName', 'formatted'];

function subAttribute(written: string): string {
  return SUB_ATTRIBUTES.find((name) => name.toLowerCase() === written.toLowerCase()) ?? written;
}

function asList(value: unknown, valueOnly: boolean): unknown[] {
  const items = Array.isArray(value) ? value : value === null ? [] : [value];
  return items.map((item: unknown) => {
    if (typeof item === 'string' || typeof item === 'number') return { value: String(item) };
    if (!isDictionary(item)) return item;
    const entries = Object.entries(item).map(([key, inner]): [string, unknown] => [subAttribute(key), inner]);
    return Object.fromEntries(valueOnly ? entries.filter(([key]) => key === 'value') : entries);
  });
}
