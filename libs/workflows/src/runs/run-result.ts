import type { Revision } from '../revisions/revision-cache.js';

/** The nodes whose outputs are what a run is for: those marked for export, or else those that nothing follows. */
export function outputNodesOf(revision: Revision): string[] {
  const exported = revision.nodes.filter(({ exportOutput }) => exportOutput);
  const chosen = exported.length > 0 ? exported : revision.nodes.filter(({ next }) => next.length === 0);
  return chosen.map(({ id }) => id);
}

/**
 * What a run hands to whoever started it: the output of its only output node that completed, or all of them by node
 * id, or null when there is none.
 * @param outputs of completed nodes, by node id.
 */
export function runResult(revision: Revision, outputs: ReadonlyMap<string, unknown>): unknown {
  const completed = outputNodesOf(revision).filter((id) => outputs.has(id));
  if (completed.length === 1) return outputs.get(completed[0]!);
  return completed.length === 0 ? null : Object.fromEntries(completed.map((id) => [id, outputs.get(id)]));
}
