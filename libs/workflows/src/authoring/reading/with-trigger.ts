import { isJson, type Json, nodesIn, textsIn } from '../json.js';
import type { Catalogued } from '../catalogued.js';
import { triggerMeant } from './request-words.js';

/** A new definition starts with a trigger: where the model left it out, with the one that the request speaks of. */
export function withTrigger(spec: Json, request: string, { catalogue, tools }: Catalogued): Json {
  const nodes = nodesIn(spec);
  const kinds = nodes.map((node) => catalogue.find(String(node.kind)));
  // A kind that does not exist may have been meant for one.
  if (nodes.length === 0 || kinds.some((known) => known === undefined || known.isEntry)) return spec;
  const kind = triggerMeant(request);
  const entry = textsIn(spec.entry);
  const ids = new Set(nodes.map(({ id }) => id));
  let id = 'start';
  for (let number = 2; ids.has(id); number += 1) id = `start_${number}`;
  const led = new Set(nodes.flatMap((node) => [...textsIn(node.next), ...textsIn(node.error_next)]));
  const first = nodes.map((node) => String(node.id)).filter((node) => entry.includes(node) || !led.has(node));
  if (first.length === 0) return spec;
  const name = tools.find((tool) => tool.kind === kind)?.name ?? 'Start';
  const edges = first.map((target) => ({ id: `${id}->${target}`, source: id, target }));
  return {
    ...spec,
    entry: [id],
    nodes: [{ id, kind, name, params: {}, next: first }, ...nodes],
    ...(Array.isArray(spec.edges) && { edges: [...edges, ...spec.edges.filter(isJson)] }),
  };
}
