import type { CatalogueEntry } from '../tools/catalogue-entry.js';
import type { DefinitionProblem } from '../graph/graph.js';
import { idOf } from '../graph/node-schema.js';

/**
 * Nodes of kinds that this deployment cannot run now, or that should not be used any more. Warnings: a workflow may be
 * written before the service that it needs is configured. For a definition of any shape, valid or not.
 */
export function warnAboutKinds(json: unknown, entries: readonly CatalogueEntry[]): DefinitionProblem[] {
  const nodes: unknown[] = isObject(json) && Array.isArray(json.nodes) ? json.nodes : [];
  const byKind = new Map(entries.map((entry) => [entry.kind, entry]));
  return nodes.flatMap((node, index) => {
    const entry = isObject(node) && typeof node.kind === 'string' ? byKind.get(node.kind) : undefined;
    if (!entry) return [];
    const at = { nodeId: idOf(node), path: `nodes[${index}].kind` };
    const warnings: DefinitionProblem[] = [];
    if (entry.deprecated) {
      const message = `${entry.name} (${entry.kind}) should not be used in new workflows.`;
      warnings.push({ ...at, code: 'deprecated_kind', message });
    }
    if (!entry.available) {
      const message = `${entry.name} cannot run here now: ${entry.unavailable_reason ?? 'its service is missing.'}`;
      warnings.push({ ...at, code: 'unavailable_kind', message });
    }
    return warnings;
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
