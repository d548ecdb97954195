import { compileParams } from '@app/workflow-definition';
import { type Json, paramsIn, textsIn } from '../json.js';
import { connect } from './connections.js';
import { Draft } from './draft.js';
import type { Catalogued } from '../catalogued.js';

/**
 * A node that was added without a word on its place, though others give what it works with: it follows the last of them,
 * and what works with its output follows it.
 */
export function leadToAdded(
  spec: Json,
  base: Json,
  catalogued: Catalogued,
): { spec: Json; touched: ReadonlySet<string> } {
  const draft = new Draft(spec, catalogued.catalogue);
  const before = new Set(Array.isArray(base.nodes) ? base.nodes.map((node: Json) => node.id) : []);
  const ids = new Set(draft.ids());
  const sourcesOf = (node: Json) => {
    const tool = catalogued.catalogue.find(String(node.kind));
    const { uses } = compileParams(paramsIn(node), (id) => ids.has(id), tool?.opaqueParams);
    return uses.flatMap(({ reference }) => (reference?.nodeId ? [reference.nodeId] : []));
  };
  for (const id of draft.ids()) {
    const node = draft.find(id)!;
    const isAdded = !before.has(node.id) && catalogued.catalogue.find(String(node.kind))?.isEntry !== true;
    const isLoose = draft.nextOf(node).length === 0 && !draft.nodes.some((other) => leadsTo(draft, other, id));
    if (!isAdded || !isLoose) continue;
    const last = sourcesOf(node)
      .filter((source) => source !== id)
      .at(-1);
    if (last === undefined || choosesAt(draft, last)) continue;
    connect(draft, last, id, null);
    for (const user of draft.nodes) {
      const userId = String(user.id);
      if (userId !== id && sourcesOf(user).includes(id) && !reaches(draft, userId, id))
        connect(draft, id, userId, null);
    }
  }
  return { spec: draft.touched.size > 0 ? draft.toSpec() : spec, touched: draft.touched };
}

function leadsTo(draft: Draft, node: Json, id: string): boolean {
  return draft.nextOf(node).includes(id) || textsIn(node.error_next).includes(id);
}

/** Which of its ways is meant, nobody can tell. */
function choosesAt(draft: Draft, id: string): boolean {
  return draft.catalogue.find(String(draft.find(id)?.kind))?.outlets.some(({ isAside }) => !isAside) ?? false;
}

function reaches(draft: Draft, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const id of seen) {
    const node = draft.find(id);
    if (node) for (const next of [...draft.nextOf(node), ...textsIn(node.error_next)]) seen.add(next);
  }
  return seen.has(to);
}
