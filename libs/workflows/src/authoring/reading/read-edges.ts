import { isJson } from '../json.js';
import { textOf } from './read-node.js';

/** Lines between nodes as models draw them, `["a", "b"]` and `"a -> b"` too. */
export function readEdges(edges: readonly unknown[]): { from: string; to: string; outlet: string | null }[] {
  return edges.flatMap((edge) => {
    if (typeof edge === 'string') {
      const [from, to] = edge.split(/\s*(?:->|→|=>)\s*/);
      return from && to ? [{ from, to, outlet: null }] : [];
    }
    if (Array.isArray(edge)) {
      const [from, to, outlet] = edge as unknown[];
      if (typeof from !== 'string' || typeof to !== 'string') return [];
      return [{ from, to, outlet: typeof outlet === 'string' ? outlet : null }];
    }
    if (!isJson(edge)) return [];
    const from = textOf(edge, ['source', 'from', 'source_id', 'from_node']);
    const to = textOf(edge, ['target', 'to', 'target_id', 'to_node']);
    const outlet = textOf(edge, ['sourceHandle', 'source_handle', 'outlet', 'branch', 'handle', 'label', 'condition']);
    return from === null || to === null ? [] : [{ from, to, outlet }];
  });
}
