import { isJson, type Json, nodesIn, textsIn } from '../json.js';

/** Of a box on a canvas, and of the way to the next one. */
const WIDTH = 240;
const HEIGHT = 100;
const COLUMN = 300;
const ROW = 150;

interface Place {
  x: number;
  y: number;
}

/**
 * Gives new nodes their places on the canvas: behind what leads to them, below what is there already. Nodes that have a
 * place keep it. Where nodes of a definition have none, the canvas lays them out itself.
 */
export function placeNodes(spec: Json, base: Json | null): Json {
  const nodes = nodesIn(spec);
  const taken = new Map<string, Place>();
  for (const node of nodes) {
    const place = placeOf(node);
    if (place) taken.set(String(node.id), place);
  }
  if (nodesIn(base).length > 0 && taken.size === 0) return spec;
  const known = new Set(nodesIn(base).map(({ id }) => id));
  const leading = new Map<string, string[]>();
  for (const node of nodes)
    for (const next of [...textsIn(node.next), ...textsIn(node.error_next)])
      leading.set(next, [...(leading.get(next) ?? []), String(node.id)]);
  const placed = new Map<string, Place>();
  for (const id of inOrder(nodes, leading)) {
    const node = nodes.find((other) => other.id === id)!;
    if (taken.has(id) || known.has(node.id)) continue;
    const place = freePlace(wantedPlace(node, leading.get(id) ?? [], taken), [...taken.values()]);
    taken.set(id, place);
    placed.set(id, place);
  }
  return {
    ...spec,
    nodes: nodes.map((node) => {
      const place = placed.get(String(node.id));
      return place ? { ...node, position: place } : node;
    }),
  };
}

/** One column behind the last of those that lead there, in the middle of their rows. */
function wantedPlace(node: Json, before: readonly string[], taken: ReadonlyMap<string, Place>): Place {
  const places = before.flatMap((id) => taken.get(id) ?? []);
  if (places.length > 0) {
    const x = Math.max(...places.map((place) => place.x)) + COLUMN;
    return { x, y: places.reduce((sum, place) => sum + place.y, 0) / places.length };
  }
  // Nothing leads here: before what follows, or in the first column.
  const follower = textsIn(node.next).flatMap((id) => taken.get(id) ?? [])[0];
  if (follower) return { x: follower.x - COLUMN, y: follower.y };
  return { x: Math.min(0, ...[...taken.values()].map(({ x }) => x)), y: 0 };
}

function freePlace(wanted: Place, taken: readonly Place[]): Place {
  const overlaps = (place: Place) =>
    taken.some(({ x, y }) => Math.abs(x - place.x) < WIDTH && Math.abs(y - place.y) < HEIGHT);
  let place = { x: Math.round(wanted.x), y: Math.round(wanted.y) };
  while (overlaps(place)) place = { ...place, y: place.y + ROW };
  return place;
}

/** Each node behind those that lead to it, as far as they do not go round. */
function inOrder(nodes: readonly Json[], leading: ReadonlyMap<string, readonly string[]>): string[] {
  const ids = nodes.map(({ id }) => String(id));
  const known = new Set(ids);
  const done = new Set<string>();
  for (let before = -1; done.size > before;) {
    before = done.size;
    for (const id of ids)
      if (!done.has(id) && (leading.get(id) ?? []).every((other) => done.has(other) || !known.has(other))) done.add(id);
  }
  return [...done, ...ids.filter((id) => !done.has(id))];
}

function placeOf({ position }: Json): Place | null {
  if (!isJson(position)) return null;
  const { x, y } = position;
  return typeof x === 'number' && typeof y === 'number' ? { x, y } : null;
}
