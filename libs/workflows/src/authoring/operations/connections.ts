import { outletsOf, targetsAt, WaysOut, withTargets } from '@app/workflow-definition';
import { isJson, type Json, paramsIn, textsIn } from '../json.js';
import type { Draft } from './draft.js';

interface Way {
  to: 'next' | 'error' | { name: string };
}

/** Lets one node follow another. @param outlet the way out, as a person or a canvas calls it. @returns what is wrong */
export function connect(draft: Draft, from: string, to: string, outlet: string | null): string | null {
  const node = draft.find(from);
  if (!node) return `There is no node ${JSON.stringify(from)} to connect from.`;
  if (!draft.find(to)) return `There is no node ${JSON.stringify(to)} to connect to.`;
  const way = wayOut(draft, node, outlet);
  if (typeof way === 'string') return way;
  draw(draft, from, to, way);
  if (!draft.isDrawnOnly) draft.put(withConnection(draft, node, to, way));
  else draft.touched.add(from);
  if (draft.entry.includes(to)) draft.entry = draft.entry.filter((id) => id !== to);
  return null;
}

/** @returns what is wrong */
export function disconnect(draft: Draft, from: string, to: string): string | null {
  const node = draft.find(from);
  if (!node) return `There is no node ${JSON.stringify(from)}.`;
  const isFollowed = draft.nextOf(node).includes(to) || textsIn(node.error_next).includes(to);
  const before = draft.edges?.length ?? 0;
  if (draft.edges) draft.edges = draft.edges.filter((edge) => !joins(edge, from, to));
  if (!isFollowed && (draft.edges?.length ?? 0) === before)
    return `${JSON.stringify(to)} does not follow ${JSON.stringify(from)}.`;
  if (draft.isDrawnOnly) draft.touched.add(from);
  else draft.put(replaceTarget(draft, node, to, []));
  return null;
}

/** The node with other followers in the place of one, by the same ways out. */
export function replaceTarget(draft: Draft, node: Json, old: string, targets: readonly string[]): Json {
  const swap = (ids: readonly string[]) => [...new Set(ids.flatMap((id) => (id === old ? targets : [id])))];
  const outlets = outletsOf(draft.catalogue.find(String(node.kind))?.outlets ?? [], paramsIn(node));
  let params = paramsIn(node);
  for (const outlet of outlets) {
    const ids = targetsAt(outlet, params);
    if (ids.includes(old)) params = withTargets(outlet, params, swap(ids));
  }
  const errorNext = textsIn(node.error_next);
  const changed: Json = {
    ...node,
    ...(params !== node.params && isJson(node.params) && { params }),
    next: swap(draft.nextOf(node)),
    ...(errorNext.includes(old) && { error_next: swap(errorNext) }),
  };
  if (changed.on_error === 'branch' && textsIn(changed.error_next).length === 0) changed.on_error = 'fail';
  return changed;
}

/** Takes the edges of a node away; those that ended there lead to its followers instead. */
export function redraw(draft: Draft, id: string, followers: readonly string[]): void {
  if (!draft.edges) return;
  const ends = draft.edges.filter((edge) => isJson(edge) && edge.target === id);
  draft.edges = draft.edges.filter((edge) => !isJson(edge) || (edge.target !== id && edge.source !== id));
  for (const edge of ends.filter(isJson))
    for (const target of followers)
      if (!draft.edges.some((known) => joins(known, String(edge.source), target)))
        draft.edges.push({ ...edge, id: `${String(edge.source)}->${target}`, target });
}

/** An edge between two nodes leads to another one, at the same place of its source. */
export function redirectEdge(draft: Draft, from: string, to: string, target: string): void {
  if (!draft.edges) return;
  draft.edges = draft.edges.map((edge) =>
    joins(edge, from, to) ? { ...(edge as Json), id: `${from}->${target}`, target } : edge,
  );
}

function wayOut(draft: Draft, node: Json, outlet: string | null): Way | string {
  const declared = draft.catalogue.find(String(node.kind))?.outlets ?? [];
  const params = paramsIn(node);
  const outlets = outletsOf(declared, params);
  const choices = outlets.filter(({ declaration }) => !declaration.isAside);
  const ways = new WaysOut(String(node.id), outlets, params, outlet === null ? [] : [outlet]);
  const found = outlet === null ? ({ to: 'next' } as const) : ways.find(outlet, null);
  if (found.to === 'outlet') return { to: { name: found.outlet.name } };
  if (found.to === 'error') return { to: 'error' };
  if (found.to === 'next' && (outlet !== null || choices.length === 0)) return { to: 'next' };
  // A kind without choices has one way out, whatever it is called.
  if (found.to === 'unknown' && choices.length === 0) return { to: 'next' };
  const said = outlet === null ? 'chooses: say which way out is meant' : `has no way out ${JSON.stringify(outlet)}`;
  return `${JSON.stringify(node.id)} (${String(node.kind)}) ${said}; it has ${ways.describe()}.`;
}

function withConnection(draft: Draft, node: Json, to: string, way: Way): Json {
  if (way.to === 'error')
    return { ...node, on_error: 'branch', error_next: [...new Set([...textsIn(node.error_next), to])] };
  const next = [...new Set([...draft.nextOf(node), to])];
  if (way.to === 'next') return { ...node, next };
  const { name } = way.to;
  const params = paramsIn(node);
  const outlets = outletsOf(draft.catalogue.find(String(node.kind))?.outlets ?? [], params);
  const outlet = outlets.find((known) => known.name === name)!;
  return {
    ...node,
    params: withTargets(outlet, params, [...new Set([...targetsAt(outlet, params), to])]),
    next,
  };
}

function draw(draft: Draft, from: string, to: string, way: Way): void {
  if (!draft.edges) return;
  const sourceHandle = way.to === 'next' ? null : way.to === 'error' ? 'error' : way.to.name.replace(/\.next$/, '');
  const isDrawn = draft.edges.some(
    (edge) => joins(edge, from, to) && (sourceHandle === null || (edge as Json).sourceHandle === sourceHandle),
  );
  if (isDrawn) return;
  const id = sourceHandle === null ? `${from}->${to}` : `${from}:${sourceHandle}->${to}`;
  draft.edges.push({ id, source: from, target: to, ...(sourceHandle !== null && { sourceHandle }) });
}

function joins(edge: unknown, from: string, to: string): boolean {
  return isJson(edge) && edge.source === from && edge.target === to;
}
