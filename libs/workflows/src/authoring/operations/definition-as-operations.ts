import { isJson, type Json, nodesIn, paramsIn, textsIn } from '../json.js';
import type { WrittenNodes } from '../reading/read-answer.js';
import type { EditOperation } from './edit-operation.js';

/**
 * What a model that wrote a definition anew, where a change was wanted, changed in it. Nodes that nobody meant to change
 * stay as they are, however they were copied.
 * @param meant ids of the nodes that are to be changed
 */
export function definitionAsOperations(
  base: Json,
  written: WrittenNodes,
  meant: ReadonlySet<string>,
): { operations: EditOperation[]; problems: string[] } {
  const before = new Map(nodesIn(base).map((node) => [String(node.id), node]));
  const operations: EditOperation[] = [];
  const isMeant = (id: string) => meant.has(id) || !before.has(id);
  for (const { id, kind, name, params, settings, next, errorNext } of written.nodes) {
    const known = before.get(id);
    if (!known)
      operations.push({ op: 'add_node', id, kind, name, params, settings, after: null, outlet: null, before: null });
    else if (meant.has(id)) operations.push(...changesOf(known, { kind, name, params, settings }));
    const former = new Set([...textsIn(known?.next), ...textsIn(known?.error_next)]);
    for (const to of next)
      if (!former.has(to) && (isMeant(id) || isMeant(to)))
        operations.push({ op: 'connect', from: id, to, outlet: outletTo(params, to) });
    for (const to of errorNext)
      if (!former.has(to) && (isMeant(id) || isMeant(to)))
        operations.push({ op: 'connect', from: id, to, outlet: 'error' });
    const wanted = new Set([...next, ...errorNext]);
    for (const to of former)
      if (
        !wanted.has(to) &&
        next.length > 0 &&
        (isMeant(id) || isMeant(to) || next.some((other) => !before.has(other)))
      )
        operations.push({ op: 'disconnect', from: id, to, outlet: null });
  }
  const left = [...before.keys()].filter((id) => !written.nodes.some((node) => node.id === id));
  const shown = left
    .slice(0, 20)
    .map((id) => JSON.stringify(id))
    .join(', ');
  return {
    operations,
    problems:
      left.length === 0 || written.nodes.length === 0
        ? []
        : [
            `Answer with operations. The nodes ${shown} were left out, and stay: use remove_node for those that are to go.`,
          ],
  };
}

function changesOf(known: Json, wanted: { kind: string; name: string; params: Json; settings: Json }): EditOperation[] {
  const params = paramsIn(known);
  const set = Object.entries(wanted.params)
    .filter(([name, value]) => JSON.stringify(params[name]) !== JSON.stringify(value))
    .map(([name, value]) => ({ path: `params.${name}`, value }));
  if (wanted.kind !== known.kind) set.unshift({ path: 'kind', value: wanted.kind });
  if (wanted.name !== '' && wanted.name !== known.name) set.push({ path: 'name', value: wanted.name });
  for (const [name, value] of Object.entries(wanted.settings)) set.push({ path: name, value });
  const unset = Object.keys(params)
    .filter((name) => !Object.hasOwn(wanted.params, name))
    .map((name) => `params.${name}`);
  return [{ op: 'update_node', id: String(known.id), set, unset }];
}

/** The way out of a kind that chooses, as its params name it. */
function outletTo(params: Json, to: string): string | null {
  for (const [name, value] of Object.entries(params)) {
    if (textsIn(value).includes(to) && name !== 'next') return name;
    const items: unknown[] = Array.isArray(value) ? (value as unknown[]) : [];
    const at = items.findIndex((item) => isJson(item) && textsIn(item.next).includes(to));
    if (at >= 0) return `${name}[${at}]`;
  }
  return null;
}
