import { fold, isDictionary } from '@app/common';

type Json = Record<string, unknown>;

/** Keys that only the canvas needs. */
const OF_CANVAS = new Set([
  'position',
  'canvas',
  'style',
  'width',
  'height',
  'selected',
  'dragging',
  'edges',
  'viewport',
]);

/**
 * A definition as a prompt holds it: without what only the canvas needs, and where it is too long with the params of
 * those nodes alone of which the request speaks.
 */
export function baseText(base: Json, room: number, request = ''): string {
  const spec = withoutCanvas(base);
  const whole = JSON.stringify(spec);
  if (whole.length <= room) return whole;
  const words = new Set(fold(request).match(/[\p{L}\p{N}]{3,}/gu));
  const nodes = nodesOf(spec).map((node) => ({ node, score: scoreOf(node, words) }));
  const outline = nodes.map(({ node }) => outlineOf(node));
  let left = room - JSON.stringify({ ...spec, nodes: outline }).length;
  const shown = new Set<Json>();
  for (const { node } of nodes.toSorted((a, b) => b.score - a.score)) {
    const size = JSON.stringify(node).length;
    if (size > left) continue;
    left -= size;
    shown.add(node);
  }
  const text = JSON.stringify({ ...spec, nodes: nodes.map(({ node }, at) => (shown.has(node) ? node : outline[at])) });
  // So many nodes that even their names are too many.
  return text.length <= room * 2 ? text : `${text.slice(0, room * 2)}…`;
}

export function nodesOf(spec: Json | null): Json[] {
  return Array.isArray(spec?.nodes) ? spec.nodes.filter(isDictionary) : [];
}

function withoutCanvas(spec: Json): Json {
  const plain = (value: Json) => Object.fromEntries(Object.entries(value).filter(([key]) => !OF_CANVAS.has(key)));
  const hasConnections = nodesOf(spec).some(({ next }) => Array.isArray(next) && next.length > 0);
  const edges = hasConnections || !Array.isArray(spec.edges) ? {} : { edges: spec.edges as unknown[] };
  return { ...plain(spec), nodes: nodesOf(spec).map(plain), ...edges };
}

function outlineOf({ id, kind, name, next, params }: Json): Json {
  return { id, kind, name, next, params_left_out: isDictionary(params) ? Object.keys(params) : [] };
}

function scoreOf({ id, kind, name }: Json, words: ReadonlySet<string>): number {
  const own = fold(`${String(id)} ${String(kind)} ${String(name ?? '')}`).match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return own.filter((word) => words.has(word)).length;
}
