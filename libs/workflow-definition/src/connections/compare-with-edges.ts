import type { DefinitionProblem } from '../graph/graph.js';
import { type NodeOutlet, targetsAt, withTargets } from '../tools/outlet.js';
import { type DrawnNode, quote } from './drawn-node.js';

/**
 * The node with its outlets as they are drawn, where its params name none; else warns of every line that says something
 * else than the node, and of what the node names and nobody has drawn.
 * @param isDerived its `next` was just made of the edges.
 */
export function compareWithEdges(
  node: DrawnNode,
  isDerived: boolean,
  nodes: ReadonlyMap<string, { raw: Record<string, unknown> }>,
  warnings: DefinitionProblem[],
): Record<string, unknown> {
  const { id, raw, outlets } = node;
  const next = new Set(strings(raw.next));
  const errorNext = new Set(strings(raw.error_next));
  const isBlank = outlets.every((outlet) => targetsAt(outlet, node.params).length === 0);
  const drawn = new Map<NodeOutlet, string[]>();
  const seen = new Set<string>();
  for (const { edge, way } of node.edges) {
    seen.add(edge.target);
    const warn = (code: string, message: string): void => {
      const path = `edges[${edge.index}]`;
      const text = `The edge ${quote(edge.name)} from ${quote(id)} to ${quote(edge.target)} ${message}`;
      warnings.push({ code, nodeId: id, path, message: text });
    };
    const isWaiting = () => strings(waitFor(nodes.get(edge.target)?.raw)).includes(id);
    const known = way.to === 'error' ? errorNext : next;
    if (!known.has(edge.target)) {
      const [named, other] = way.to === 'error' ? ['error_next', next] : ['next', errorNext];
      if (other.has(edge.target)) {
        // Canvases that have one way out draw failures like everything else.
        if (way.to === 'error') warn('edge_outlet_mismatch', 'is drawn for failures, but the node names it in next.');
      } else if (!isWaiting())
        warn('edge_not_followed', `is not followed: the node does not name it in ${named}, and that is what holds.`);
    } else if (way.to === 'outlet') {
      if (isBlank) drawn.set(way.outlet, [...(drawn.get(way.outlet) ?? []), edge.target]);
      else if (!targetsAt(way.outlet, node.params).includes(edge.target))
        warn('edge_outlet_mismatch', `leaves at ${way.outlet.name}, but that does not name it; the params hold.`);
    } else if (way.to === 'unknown' && !isDerived) {
      warn('unknown_outlet', `leaves at ${quote(edge.handle ?? '')}, which the node does not have.`);
    }
  }
  if (!isDerived) warnAboutUndrawn(node, [...next, ...errorNext], seen, warnings);
  let params = node.params;
  for (const [outlet, ids] of drawn) params = withTargets(outlet, params, [...new Set(ids)]);
  return params === node.params ? raw : { ...raw, params };
}

function warnAboutUndrawn(
  { id, path }: DrawnNode,
  named: readonly string[],
  seen: ReadonlySet<string>,
  warnings: DefinitionProblem[],
): void {
  const undrawn = [...new Set(named)].filter((target) => !seen.has(target));
  for (const target of undrawn) {
    const message = `${quote(id)} is followed by ${quote(target)}, but no edge is drawn there; next holds.`;
    warnings.push({ code: 'next_without_edge', nodeId: id, path: `${path}.next`, message });
  }
}

function waitFor(raw: Record<string, unknown> | undefined): unknown {
  const requires = raw?.requires;
  return typeof requires === 'object' && requires !== null && 'wait_for' in requires ? requires.wait_for : [];
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
