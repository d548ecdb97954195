import { toJsonText } from '@app/common';
import type { ToolCatalogue } from './tool-catalogue.js';

/** What says which params hold definitions of their own. */
export type Kinds = Pick<ToolCatalogue, 'find'>;

/** A node of a definition or of a body in it, as the author wrote it. */
export interface WrittenNode {
  /** The nodes whose bodies lead to it, outermost first. */
  path: readonly string[];
  id: string;
  node: Record<string, unknown>;
}

/** No node id holds control characters. */
const SEPARATOR = '\n';

/** What names a node in a whole definition, bodies included. */
export function nodeKey(path: readonly string[], id: string): string {
  return [...path, id].join(SEPARATOR);
}

/** The key of the node whose body holds this one; null at the top. */
export function parentKey(key: string): string | null {
  const end = key.lastIndexOf(SEPARATOR);
  return end < 0 ? null : key.slice(0, end);
}

/** The key as people write it. */
export function keyToText(key: string): string {
  return key.replaceAll(SEPARATOR, '/');
}

/** Every node before those of its body. Only where the kind has a body: elsewhere a param of that name is mere data. */
export function* writtenNodes(definition: unknown, kinds: Kinds, path: readonly string[] = []): Generator<WrittenNode> {
  const nodes = isObject(definition) && Array.isArray(definition.nodes) ? (definition.nodes as unknown[]) : [];
  for (const node of nodes) {
    if (!isObject(node)) continue;
    const id = String(node.id);
    yield { path, id, node };
    const body = bodyIn(node, kinds);
    if (body) yield* writtenNodes(body, kinds, [...path, id]);
  }
}

/** The definition in a node's body; null for kinds that have none, and for a node that names a workflow instead. */
export function bodyIn(node: Record<string, unknown>, kinds: Kinds): Record<string, unknown> | null {
  if (!kinds.find(String(node.kind))?.opaqueParams?.has('body')) return null;
  return isObject(node.params) && isObject(node.params.body) ? node.params.body : null;
}

/**
 * What a node does, as a text that is equal for equal work: kind, params and how often it is tried and kept. Its label,
 * its place on the canvas and what comes after it are not in it; the nodes of its body speak for themselves.
 */
export function contentOf(node: Record<string, unknown>, kinds: Kinds): string {
  const body = bodyIn(node, kinds);
  const params = isObject(node.params) ? node.params : {};
  const own = body ? Object.fromEntries(Object.entries(params).filter(([name]) => name !== 'body')) : params;
  return canonical([
    node.kind,
    own,
    node.retry ?? null,
    node.timeout_seconds ?? null,
    node.save_output === true,
    node.export_output === true,
    body !== null,
  ]);
}

/** As the database will give it back: what it cannot keep must not look like a change at the next save. */
export function asStored(definition: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(toJsonText(definition)) as Record<string, unknown>;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
