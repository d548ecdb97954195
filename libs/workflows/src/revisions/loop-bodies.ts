import type { Revision } from './revision-cache.js';
import { toRevision } from './revision-cache.js';

const bodies = new WeakMap<object, Revision>();

/** The definition in a node's param `body`; null when it has none. */
export function bodyOf(params: Record<string, unknown>): Record<string, unknown> | null {
  const { body } = params;
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : null;
}

/**
 * The revision itself, or the body that the nodes of the path lead to, outermost first: always the same object for the
 * same place. Null when there is none.
 */
export function revisionAt(revision: Revision, path: readonly string[]): Revision | null {
  let found = revision;
  for (const nodeId of path) {
    const node = found.nodes.find(({ id }) => id === nodeId);
    const body = node && bodyOf(node.params);
    if (!body) return null;
    let inner = bodies.get(body);
    if (!inner) bodies.set(body, (inner = toRevision(body)));
    found = inner;
  }
  return found;
}

/** What a node is called outside (its execution id is made of it): in a body with the path that leads there. */
export function qualifiedNodeId(bodyPath: readonly string[], nodeId: string): string {
  return [...bodyPath, nodeId].join('/');
}

/** Every node of a definition and of the bodies in it. */
export function* everyNode(
  revision: Revision,
  path: readonly string[] = [],
): Generator<{ path: readonly string[]; node: Revision['nodes'][number] }> {
  for (const node of revision.nodes) {
    yield { path, node };
    if (bodyOf(node.params)) yield* everyNode(revisionAt(revision, [node.id])!, [...path, node.id]);
  }
}
