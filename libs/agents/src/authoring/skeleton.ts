import type { Plan } from './authoring-schemas.js';
import { nodesOf } from './base-text.js';

type Json = Record<string, unknown>;

/** The graph before its params are written, so that a canvas can be drawn; of a change with what is there already. */
export function toSkeleton({ name, nodes }: Plan, base: Json | null): Json {
  const known = new Set(nodesOf(base).map(({ id }) => id));
  const added = nodes.filter(({ id }) => !known.has(id));
  const drawn = added.flatMap(({ id, next }) => [...new Set(next)].map((target) => edge(id, target)));
  const blank = added.map((node) => ({ ...node, params: {} }));
  if (base) {
    const edges = Array.isArray(base.edges) ? (base.edges as unknown[]) : [];
    return { ...base, nodes: [...nodesOf(base), ...blank], edges: [...edges, ...drawn] };
  }
  const followers = new Set(nodes.flatMap(({ next }) => next));
  return {
    name,
    version: '1.0',
    entry: nodes.filter(({ id }) => !followers.has(id)).map(({ id }) => id),
    nodes: blank,
    edges: drawn,
  };
}

function edge(source: string, target: string): Json {
  return { id: `${source}->${target}`, source, target };
}
