import type { N8nEdge, N8nNode, N8nWorkflow } from './n8n-workflow.js';

/**
 * The connections without those that lead back: here nothing runs twice in a run. What followed a loop follows the end of
 * its body.
 * @returns with notes by node for what that changes.
 */
export function runOrder({ nodes, edges }: N8nWorkflow): { edges: N8nEdge[]; notes: Map<string, string> } {
  const notes = new Map<string, string>();
  const unrolled = unrollLoops(nodes, edges);
  const back = backEdges(nodes, unrolled);
  for (const { source } of back) notes.set(source, 'It led back to a node before it; that connection was left out.');
  return { edges: unrolled.filter((edge) => !back.has(edge)), notes };
}

function unrollLoops(nodes: readonly N8nNode[], edges: readonly N8nEdge[]): N8nEdge[] {
  const back = backEdges(nodes, edges);
  let left = [...edges];
  for (const { name, type, typeVersion } of nodes) {
    if (!type.endsWith('.splitInBatches')) continue;
    const done = typeVersion >= 3 ? 0 : 1;
    const ends = left.filter((edge) => edge.target === name && back.has(edge));
    if (ends.length === 0) continue;
    left = left.flatMap((edge) => {
      if (ends.includes(edge)) return [];
      if (edge.source !== name || edge.output !== done) return [edge];
      return ends.map(({ source, output }) => ({ ...edge, source, output }));
    });
  }
  return left;
}

/** Edges to a node on the way to which one already is, found depth first from the nodes without predecessors. */
function backEdges(nodes: readonly N8nNode[], edges: readonly N8nEdge[]): Set<N8nEdge> {
  const bySource = new Map<string, N8nEdge[]>(nodes.map(({ name }) => [name, []]));
  for (const edge of edges) bySource.get(edge.source)?.push(edge);
  const targets = new Set(edges.map(({ target }) => target));
  const roots = [...nodes.filter(({ name }) => !targets.has(name)), ...nodes];
  const state = new Map<string, 'open' | 'done'>();
  const back = new Set<N8nEdge>();
  for (const { name: root } of roots) {
    if (state.has(root)) continue;
    state.set(root, 'open');
    const path = [{ name: root, rest: [...bySource.get(root)!] }];
    while (path.length > 0) {
      const { name, rest } = path.at(-1)!;
      const edge = rest.shift();
      if (!edge) {
        state.set(name, 'done');
        path.pop();
      } else if (state.get(edge.target) === 'open') {
        back.add(edge);
      } else if (!state.has(edge.target)) {
        state.set(edge.target, 'open');
        path.push({ name: edge.target, rest: [...bySource.get(edge.target)!] });
      }
    }
  }
  return back;
}
