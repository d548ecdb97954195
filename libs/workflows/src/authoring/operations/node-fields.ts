import { toPath, type Tool } from '@app/workflow-definition';
import { isJson, type Json } from '../json.js';

/** Of a node, beside its params and what follows it. */
const FIELDS = new Set([
  'kind',
  'name',
  'on_error',
  'retry',
  'timeout_seconds',
  'requires',
  'save_output',
  'export_output',
]);
const PARAMS = new Set(['params', 'parameters', 'config', 'param']);

/** Where in a node a path leads; a text says why nowhere. */
export function fieldPath(path: string, node: Json, tool: Tool | undefined): string[] | string {
  const [first, ...rest] = toPath(path.replace(/^\$\.?|^\//, '').replaceAll('/', '.'));
  if (first === undefined) return 'A path is needed, such as params.url.';
  if (PARAMS.has(first)) return ['params', ...rest];
  if (FIELDS.has(first)) return [first, ...rest];
  if (first === 'id') return 'The id of a node stays; remove it and add another one.';
  if (first === 'next' || first === 'error_next') return 'Use connect and disconnect for what follows a node.';
  // A param by its bare name.
  if (tool?.paramNames.has(first) || (isJson(node.params) && Object.hasOwn(node.params, first)))
    return ['params', first, ...rest];
  return first.includes('_') || tool === undefined
    ? `A node has no field ${JSON.stringify(first)}.`
    : ['params', first, ...rest];
}

/** The value with another one, or with nothing, at a path; what is not on the way stays the very same object. */
export function withValueAt(root: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(root)) {
    const at = Number(key);
    if (!Number.isInteger(at) || at < 0 || at > root.length) throw new RangeError(`there is no item ${key}`);
    const items: unknown[] = [...(root as unknown[])];
    const inner = withValueAt(items[at], rest, value);
    if (inner === undefined) items.splice(at, 1);
    else items[at] = inner;
    return items;
  }
  const known = isJson(root) ? root : {};
  const inner = withValueAt(Object.hasOwn(known, key) ? known[key] : undefined, rest, value);
  // fromEntries defines own properties, so that a key `__proto__` stays a key.
  const others = Object.entries(known).filter(([name]) => name !== key || inner !== undefined);
  if (inner === undefined) return Object.fromEntries(others);
  const entries = Object.hasOwn(known, key)
    ? others.map(([name, item]): [string, unknown] => [name, name === key ? inner : item])
    : [...others, [key, inner] as [string, unknown]];
  return Object.fromEntries(entries);
}
