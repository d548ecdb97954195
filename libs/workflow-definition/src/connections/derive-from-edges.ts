import type { DefinitionProblem } from '../graph/graph.js';
import { type DrawnNode, quote } from './drawn-node.js';

/**
 * The node with `next`, and `error_next` where lines for failures are drawn. A line whose way out is unknown is an error
 * at a kind that chooses: followed, it would run whatever was chosen.
 */
export function deriveFromEdges(
  node: DrawnNode,
  errors: DefinitionProblem[],
  warnings: DefinitionProblem[],
): Record<string, unknown> {
  const { raw, id, path, edges, outlets } = node;
  if (edges.length === 0) return raw;
  const next = new Set<string>();
  const errorNext = new Set<string>();
  for (const { edge, way } of edges) {
    if (way.to === 'error') errorNext.add(edge.target);
    else next.add(edge.target);
    if (way.to !== 'unknown') continue;
    const at = { code: 'unknown_outlet', nodeId: id, path: `edges[${edge.index}].sourceHandle` };
    const message = `The edge ${quote(edge.name)} leaves ${quote(id)} at ${quote(edge.handle ?? '')}, which it does not have`;
    if (outlets.length > 0) errors.push({ ...at, message: `${message}; it has ${node.describeOutlets()}.` });
    else warnings.push({ ...at, message: `${message}; it is followed like any other.` });
  }
  const derived: Record<string, unknown> = { ...raw, next: [...next] };
  const hasErrors = Array.isArray(raw.error_next) && raw.error_next.length > 0;
  if (errorNext.size === 0 || hasErrors) return derived;
  if (typeof raw.on_error === 'string' && raw.on_error !== 'branch') {
    const message = `An edge leaves ${quote(id)} for failures, so on_error is "branch" and not ${quote(raw.on_error)}.`;
    warnings.push({ code: 'on_error_changed', nodeId: id, path: `${path}.on_error`, message });
  }
  return { ...derived, error_next: [...errorNext], on_error: 'branch' };
}
