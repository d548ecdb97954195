import { cutText } from '@app/common';
import type { ParamsTemplate } from '../references/params-template.js';
import type { DefinitionProblem } from '../graph/graph.js';
import type { PlacedNode } from '../graph/node-schema.js';
import { nearestName } from '../tools/nearest-name.js';
import type { ToolCatalogue } from '../tools/tool-catalogue.js';
import type { NodeEdges } from './check-edges.js';

const SHOWN_NAMES = 20;

/** Fields that no output of the node's kind has: they would come as nothing, and a slip of the pen be found much later. */
export function checkOutputFields(
  nodes: readonly PlacedNode[],
  templates: readonly ParamsTemplate[],
  edges: NodeEdges,
  catalogue: ToolCatalogue,
  warnings: DefinitionProblem[],
): void {
  for (const [index, { uses }] of templates.entries()) {
    const { node, path } = nodes[index]!;
    for (const { reference, text, path: place } of uses) {
      const field = reference?.path[0];
      const source = edges.indexOf.get(reference?.nodeId ?? '');
      // What a handled failure leaves behind.
      if (field === undefined || field === 'error' || source === undefined) continue;
      const { kind } = nodes[source]!.node;
      const names = catalogue.find(kind)?.outputNames();
      if (!names || names.includes(field)) continue;
      const near = nearestName(field, names);
      const list = names.slice(0, SHOWN_NAMES).join(', ');
      const hint = near === null ? '' : ` Did you mean ${JSON.stringify(near)}?`;
      const message = `${cutText(text, 200)} stays empty: ${kind} gives ${list}.${hint}`;
      warnings.push({ nodeId: node.id, path: `${path}.${place}`, code: 'unknown_output_field', message });
    }
  }
}

/** What people write who have learned it elsewhere (`{{ $json.total }}`), and references with a slip: both stay text. */
export function checkPlaceholders(
  nodes: readonly PlacedNode[],
  templates: readonly ParamsTemplate[],
  warnings: DefinitionProblem[],
): void {
  for (const [index, { placeholders }] of templates.entries()) {
    const { node, path } = nodes[index]!;
    for (const { text, path: place } of placeholders) {
      const message = `${JSON.stringify(cutText(text, 100))} is no reference and stays as it is. References look like {{_output.<node id>.<field>}}, {{_webhook_payload.<field>}} or {{_item.<field>}}.`;
      warnings.push({ nodeId: node.id, path: `${path}.${place}`, code: 'not_a_reference', message });
    }
  }
}
