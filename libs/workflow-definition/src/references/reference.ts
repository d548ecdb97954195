/** docs/contract/conventions.md#limits. */
export const MAX_NODE_ID_LENGTH = 128;

/** A pointer into an earlier output or into the run's webhook payload (docs/contract/workflows.md#references). */
export interface Reference {
  /** As written, for messages. */
  text: string;
  /** `item` and `index` are those of a batch node's item, or of the loop whose body this is. */
  root: 'output' | 'payload' | 'item' | 'index';
  /** The node whose output it is; null for the other roots. */
  nodeId: string | null;
  path: readonly string[];
}

const OUTPUT_PREFIX = '_output.';
const PAYLOAD = '_webhook_payload';
const ITEM = '_item';
const INDEX = '_index';
const SECRET_PREFIX = '_secret.';
const SECRET_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
/** Longer ones cannot name anything real: node ids and keys have limits of their own. */
const MAX_REFERENCE_LENGTH = 1_000;

export function looksLikeReference(text: string): boolean {
  return (
    text.startsWith(OUTPUT_PREFIX) ||
    text === PAYLOAD ||
    text.startsWith(`${PAYLOAD}.`) ||
    text === INDEX ||
    text === ITEM ||
    text.startsWith(`${ITEM}.`) ||
    text.startsWith(`${ITEM}[`) ||
    text.startsWith(SECRET_PREFIX)
  );
}

/** `$json.a`, `$('Node').item`, `#node.text#` of other products; `output.a.b`, `_outputs.a.b` or `<node id>.b` of this one. */
const FOREIGN =
  /^(?:\$(?:json|node|input|items?|binary|now|today|vars|env|execution|workflow|prevNode|parameter|fromAI)\b|\$\(|#[\w.-]+#$)/;
const SLIP = /^(?:_\w+|outputs?|webhook_?payload|payload|items?|secrets?)[.[]/i;

/** Of a text in braces that is no reference: whether one was meant. */
export function looksForeign(text: string, isNodeId: (id: string) => boolean): boolean {
  if (text.length > MAX_REFERENCE_LENGTH) return false;
  return FOREIGN.test(text) || SLIP.test(text) || /^[\w-]+(?=\.[\w[])/.exec(text)?.some(isNodeId) === true;
}

/** A letter, then up to 63 letters, digits and underscores. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** The name in `_secret.<name>`, well formed or not; null for other references. */
export function secretNameOf(text: string): string | null {
  return text.startsWith(SECRET_PREFIX) ? text.slice(SECRET_PREFIX.length) : null;
}

/**
 * Reads `_output.<node_id>.<field>…`, `_webhook_payload.<field>…`, `_item.<field>…` or `_index`; array places are written `items.0` or `items[0]`.
 * A node id may hold dots: the longest one that exists wins. Null when no such node exists.
 */
export function parseReference(text: string, isNodeId: (id: string) => boolean): Reference | null {
  if (text.length > MAX_REFERENCE_LENGTH) return null;
  if (text === INDEX) return { text, root: 'index', nodeId: null, path: [] };
  if (text.startsWith(ITEM)) return { text, root: 'item', nodeId: null, path: toPath(text.slice(ITEM.length)) };
  if (!text.startsWith(OUTPUT_PREFIX))
    return { text, root: 'payload', nodeId: null, path: toPath(text.slice(PAYLOAD.length)) };
  const rest = text.slice(OUTPUT_PREFIX.length);
  for (let end = rest.length; end > 0; end = lastBoundary(rest, end)) {
    if (end > MAX_NODE_ID_LENGTH) continue;
    const nodeId = rest.slice(0, end);
    if (isNodeId(nodeId)) return { text, root: 'output', nodeId, path: toPath(rest.slice(end)) };
  }
  return null;
}

/** The place of the last `.` or `[` before `end`, or -1. */
function lastBoundary(text: string, end: number): number {
  return Math.max(text.lastIndexOf('.', end - 1), text.lastIndexOf('[', end - 1));
}

/** `a.b[0].c` as its segments. */
export function toPath(text: string): string[] {
  return text
    .replaceAll('[', '.')
    .replaceAll(']', '')
    .split('.')
    .filter((segment) => segment !== '');
}

/** Names that hold more dots than this are not looked for. */
const MAX_JOINED = 8;

/**
 * The value at a path, own properties only; undefined when something on the way is missing. A name may hold the dots and
 * brackets of a path itself, as those of forms do (`address.city`, `user[name]`, `tags[]`): where the path leads nowhere,
 * it is looked for.
 */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const segment of path) {
    value = fieldOf(value, segment);
    if (value === undefined) return byLongerNames(root, path);
  }
  return value;
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Array.isArray(value) ? value[Number(name)] : (value as Record<string, unknown>)[name];
}

function byLongerNames(value: unknown, path: readonly string[]): unknown {
  if (path.length === 0) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  for (let length = 1; length <= Math.min(path.length, MAX_JOINED); length += 1) {
    for (const name of namesOf(path.slice(0, length))) {
      const field = fieldOf(value, name);
      const found = field === undefined ? undefined : byLongerNames(field, path.slice(length));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** What one field may be called that a path names by these segments. */
function namesOf([first = '', ...rest]: readonly string[]): string[] {
  const bracketed = [first, ...rest.map((segment) => `[${segment}]`)].join('');
  return [...new Set([[first, ...rest].join('.'), bracketed, `${bracketed}[]`])];
}
