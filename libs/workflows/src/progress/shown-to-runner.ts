import type { NodeRow } from './node-rows.js';

/** What of a definition the receiver of an app sees: which steps there are and how they follow, not what they do. */
export function shownToRunner(jsonSpec: Record<string, unknown>): Record<string, unknown> {
  const nodes = Array.isArray(jsonSpec.nodes) ? (jsonSpec.nodes as Record<string, unknown>[]) : [];
  return {
    name: jsonSpec.name,
    version: jsonSpec.version,
    entry: jsonSpec.entry ?? [],
    nodes: nodes.map(({ id, kind, name, next, save_output, export_output }) => ({
      id,
      kind,
      ...(name === undefined ? {} : { name }),
      params: {},
      next: next ?? [],
      save_output: save_output ?? false,
      export_output: export_output ?? false,
    })),
    edges: [],
  };
}

/** The same for a node of a run: results, questions and errors are for who runs it, steps in between are not. */
export function rowShownToRunner(row: NodeRow): NodeRow {
  const isResult = row.saveOutput || row.exportOutput || row.next.length === 0;
  const isTold = isResult || row.status === 'WAITING' || row.status === 'FAILED';
  return { ...row, params: {}, output: isTold ? row.output : null, warnings: [], actsAsWithin: [] };
}
