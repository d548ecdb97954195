import { measureJson } from '../values/json-size.js';
import { ToolError } from '../tool-error.js';
import {
  looksForeign,
  looksLikeReference,
  parseReference,
  secretNameOf,
  valueAt,
  type Reference,
} from './reference.js';
import { SecretText } from './secret-text.js';

/** What references are looked up in when a node starts. */
export interface ReferenceScope {
  /** Undefined for a node that has no output: skipped, failed or not run. */
  output(nodeId: string): unknown;
  payload: Record<string, unknown> | null;
  /** Absent where nothing is gone through item by item. */
  item?: { value: unknown; index: number };
  /** What references came to elsewhere, by their texts; undefined there is no value. */
  found?: ReadonlyMap<string, unknown>;
  warn(message: string): void;
}

/** A reference that stands in params; `path` says where, like `params.rows[0]`. */
export interface ReferenceUse {
  /** Null: it names a node that does not exist, or a secret. */
  reference: Reference | null;
  /** The name in `_secret.<name>`; null for references to outputs. */
  secret: string | null;
  text: string;
  path: string;
}

export interface ParamsTemplate {
  uses: readonly ReferenceUse[];
  /** Texts in braces that look like references of another product, or of this one with a slip; some of them, if many. */
  placeholders: readonly { text: string; path: string }[];
  /** Of the params as they are written, as JSON, roughly. */
  readonly bytes: number;
  /** The secrets that the params name, each once. */
  secretNames: readonly string[];
  /**
   * Params with every reference to an output replaced; the very same object when there are none. A text that names
   * secrets becomes a `SecretText`. Throws `ToolError` `params_too_large`.
   * @param except names of params that stay as they are.
   */
  resolve(scope: ReferenceScope, except?: ReadonlySet<string>): Record<string, unknown>;
  /** One param alone, in the same way. */
  resolveOne(name: string, scope: ReferenceScope): unknown;
}

/** Interpolating a large output many times must not exhaust the worker; counted in characters per node start. */
const MAX_INTERPOLATED_LENGTH = 4_000_000;
/** So many are enough to see that it was written for something else. */
const MAX_PLACEHOLDERS = 10;
const NO_SECRETS: readonly string[] = Object.freeze([]);

interface Resolution {
  scope: ReferenceScope;
  interpolated: number;
}
type Resolver = (resolution: Resolution) => unknown;

/**
 * Reads the references of a node's params once; resolving then only walks what changes.
 * @param opaque names of params that are not looked into: definitions of their own.
 */
export function compileParams(
  params: Record<string, unknown>,
  isNodeId: (id: string) => boolean,
  opaque?: ReadonlySet<string>,
): ParamsTemplate {
  const uses: ReferenceUse[] = [];
  const placeholders: { text: string; path: string }[] = [];
  const resolvers = new Map<string, Resolver>();
  for (const [name, value] of Object.entries(params)) {
    if (opaque?.has(name)) continue;
    const resolver = compile(value, `params.${name}`, { isNodeId, uses, placeholders });
    if (resolver) resolvers.set(name, resolver);
  }
  let bytes: number | null = null;
  const secrets = uses.flatMap(({ secret }) => (secret === null ? [] : [secret]));
  return {
    uses,
    placeholders,
    get bytes() {
      return (bytes ??= measureJson(params, Number.POSITIVE_INFINITY)?.bytes ?? 0);
    },
    secretNames: secrets.length > 0 ? [...new Set(secrets)] : NO_SECRETS,
    resolve(scope, except) {
      if (resolvers.size === 0) return params;
      const resolution = { scope, interpolated: 0 };
      // fromEntries defines own properties, so that a key `__proto__` stays a key.
      return Object.fromEntries(
        Object.entries(params).map(([name, value]) => {
          const resolver = except?.has(name) ? undefined : resolvers.get(name);
          return [name, resolver ? resolver(resolution) : value];
        }),
      );
    },
    resolveOne(name, scope) {
      const resolver = resolvers.get(name);
      return resolver ? resolver({ scope, interpolated: 0 }) : params[name];
    },
  };
}

interface Compilation {
  isNodeId: (id: string) => boolean;
  uses: ReferenceUse[];
  placeholders: { text: string; path: string }[];
}

/** Null for a value without references. The caller has limited the depth. */
function compile(value: unknown, path: string, compilation: Compilation): Resolver | null {
  if (typeof value === 'string') return compileString(value, path, compilation);
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) => compile(item, `${path}[${index}]`, compilation));
    if (items.every((item) => item === null)) return null;
    return (resolution) => items.map((item, index): unknown => (item ? item(resolution) : value[index]));
  }
  const target = referenceTarget(value);
  if (target !== null) return compileReference(target, path, compilation);
  const entries = Object.entries(value).map(
    ([key, item]) => [key, item as unknown, compile(item, `${path}.${key}`, compilation)] as const,
  );
  if (entries.every(([, , resolver]) => resolver === null)) return null;
  // fromEntries defines own properties, so that a key `__proto__` stays a key.
  return (resolution) =>
    Object.fromEntries(entries.map(([key, item, resolver]) => [key, resolver ? resolver(resolution) : item]));
}

/** The text of a `{"$ref": "_output…"}` value; a `$ref` to anything else (a JSON Schema's) is plain data. */
export function referenceTarget(value: object): string | null {
  if (!Object.hasOwn(value, '$ref')) return null;
  const target = (value as { $ref: unknown }).$ref;
  return typeof target === 'string' && looksLikeReference(target) ? target : null;
}

function compileReference(text: string, path: string, { isNodeId, uses }: Compilation): Resolver {
  const secret = secretNameOf(text);
  if (secret !== null) {
    uses.push({ reference: null, secret, text, path });
    const value = new SecretText([{ secret }]);
    return () => value;
  }
  const reference = parseReference(text, isNodeId);
  uses.push({ reference, secret, text, path });
  return ({ scope }) => {
    const value = reference ? lookUp(reference, scope) : undefined;
    if (value !== undefined) return value;
    scope.warn(`${text} has no value; null was used.`);
    return null;
  };
}

function compileString(text: string, path: string, { isNodeId, uses, placeholders }: Compilation): Resolver | null {
  const parts: (string | { text: string; reference: Reference | null; secret: string | null })[] = [];
  let literalStart = 0;
  // Each stretch up to a `}}` is searched once, so that hostile braces cost linear time.
  for (let from = 0, close = text.indexOf('}}'); close >= 0; from = close + 2, close = text.indexOf('}}', from)) {
    const open = text.slice(from, close).lastIndexOf('{{');
    if (open < 0) continue;
    const inner = text.slice(from + open + 2, close).trim();
    if (!looksLikeReference(inner)) {
      if (placeholders.length < MAX_PLACEHOLDERS && looksForeign(inner, isNodeId))
        placeholders.push({ text: inner, path });
      continue;
    }
    const secret = secretNameOf(inner);
    const reference = secret === null ? parseReference(inner, isNodeId) : null;
    uses.push({ reference, secret, text: inner, path });
    parts.push(text.slice(literalStart, from + open), { text: inner, reference, secret });
    literalStart = close + 2;
  }
  if (parts.length === 0) return null;
  parts.push(text.slice(literalStart));
  const holdsSecret = parts.some((part) => typeof part !== 'string' && part.secret !== null);
  return (resolution) => {
    const written = parts.map((part) => {
      if (typeof part === 'string') return part;
      if (part.secret !== null) return { secret: part.secret };
      const value = part.reference ? lookUp(part.reference, resolution.scope) : undefined;
      if (value === undefined) resolution.scope.warn(`${part.text} has no value; an empty text was used.`);
      const piece = toText(value);
      resolution.interpolated += piece.length;
      if (resolution.interpolated > MAX_INTERPOLATED_LENGTH) {
        throw new ToolError(
          'params_too_large',
          'The parameters grow too large once their references are filled in.',
          false,
        );
      }
      return piece;
    });
    return holdsSecret ? new SecretText(written) : written.join('');
  };
}

export function lookUp({ text, root, nodeId, path }: Reference, scope: ReferenceScope): unknown {
  if (scope.found?.has(text)) return scope.found.get(text);
  switch (root) {
    case 'output':
      return valueAt(scope.output(nodeId!), path);
    case 'payload':
      return valueAt(scope.payload ?? undefined, path);
    case 'item':
      return valueAt(scope.item?.value, path);
    case 'index':
      return scope.item?.index;
  }
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Whether a value is, or holds, a reference: then only the run can tell its type. */
export function containsReference(value: unknown): boolean {
  return compile(value, '', { isNodeId: () => false, uses: [], placeholders: [] }) !== null;
}
