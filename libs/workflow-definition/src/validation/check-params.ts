import { cutText } from '@app/common';
import type { ParamsTemplate } from '../references/params-template.js';
import type { ToolCatalogue } from '../tools/tool-catalogue.js';
import type { NodeEdges } from './check-edges.js';
import { topologicalOrder } from '../graph/cycles.js';
import type { DefinitionProblem } from '../graph/graph.js';
import type { PlacedNode } from '../graph/node-schema.js';

/** Kinds that do not exist, and params that their tool would refuse. */
export function checkParams(
  nodes: readonly PlacedNode[],
  catalogue: ToolCatalogue,
  errors: DefinitionProblem[],
  warnings: DefinitionProblem[],
): void {
  for (const { node, path } of nodes) {
    const tool = catalogue.find(node.kind);
    if (!tool) {
      const message = `There is no node kind ${JSON.stringify(node.kind)}.`;
      errors.push({ code: 'unknown_kind', nodeId: node.id, path: `${path}.kind`, message });
      continue;
    }
    for (const { isWarning, ...problem } of tool.checkParams(node.params, node.next, catalogue)) {
      (isWarning ? warnings : errors).push({ ...problem, nodeId: node.id, path: `${path}.${problem.path}` });
    }
  }
}

/** Unknown ids are refused; an output that may not be there in time is a warning (docs/contract/workflows.md#references). */
export function checkReferences(
  nodes: readonly PlacedNode[],
  templates: readonly ParamsTemplate[],
  edges: NodeEdges,
  errors: DefinitionProblem[],
  warnings: DefinitionProblem[],
): void {
  // Only without circles is there a before and an after.
  const isOrdered = !errors.some(({ code }) => code === 'cycle' || code === 'wait_for_deadlock');
  const isNeeded = isOrdered && templates.some((template) => template.uses.length > 0);
  const isUpstream = isNeeded ? upstreamOf(edges.combined) : null;
  for (const [index, template] of templates.entries()) {
    const { node, path } = nodes[index]!;
    for (const use of template.uses) {
      const at = { nodeId: node.id, path: `${path}.${use.path}` };
      if (use.secret !== null) continue;
      if (!use.reference) {
        const message = `${cutText(use.text, 200)} names a node that does not exist.`;
        errors.push({ ...at, code: 'unknown_reference', message });
        continue;
      }
      const { nodeId } = use.reference;
      const source = nodeId === null ? undefined : edges.indexOf.get(nodeId);
      if (source === undefined || !isUpstream || isUpstream(source, index)) continue;
      const reason =
        source === index || isUpstream(index, source)
          ? 'cannot be there yet: it comes only with or after this node.'
          : 'may not be there yet: it does not lead to this node.';
      const message = `${cutText(use.text, 200)} ${reason}`;
      warnings.push({ ...at, code: 'reference_not_upstream', message });
    }
  }
}

/** Ancestor sets as bits, one row a node: a thousand nodes take 125 KB. */
function upstreamOf(adjacency: readonly (readonly number[])[]): (ancestor: number, node: number) => boolean {
  const words = Math.ceil(adjacency.length / 32);
  const bits = new Uint32Array(words * adjacency.length);
  for (const node of topologicalOrder(adjacency)) {
    for (const target of adjacency[node]!) {
      const row = target * words;
      for (let word = 0; word < words; word += 1) bits[row + word] = bits[row + word]! | bits[node * words + word]!;
      bits[row + (node >> 5)] = bits[row + (node >> 5)]! | (1 << (node & 31));
    }
  }
  return (ancestor, node) => (bits[node * words + (ancestor >> 5)]! & (1 << (ancestor & 31))) !== 0;
}
