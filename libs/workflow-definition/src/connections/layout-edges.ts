import type { DefinitionProblem } from '../graph/graph.js';
import { readEdge } from './canvas-edge.js';

type Json = Record<string, unknown>;

/**
 * The definition with the edges of its canvas layout (`vueflow_json`), where it has none of its own and the layout draws
 * lines between its nodes; else the very same value. Of any shape; never throws.
 */
export function withLayoutEdges(definition: unknown, layout: unknown): unknown {
  if (!isObject(definition) || !Array.isArray(definition.nodes)) return definition;
  const { edges } = definition;
  if (edges !== undefined && edges !== null && !(Array.isArray(edges) && edges.length === 0)) return definition;
  const drawn = edgesOf(layout);
  const ids = new Set(definition.nodes.map((node: unknown) => (isObject(node) ? node.id : undefined)));
  const isOurs = drawn.some((value, index) => {
    const edge = readEdge(value, index);
    return edge !== null && ids.has(edge.source) && ids.has(edge.target);
  });
  // A layout whose nodes have ids of its own says nothing of these.
  return isOurs ? { ...definition, edges: drawn } : definition;
}

/** What was said of edges that the layout has, with the paths under which the client sent them. */
export function inLayout(problems: readonly DefinitionProblem[]): DefinitionProblem[] {
  return problems.map((problem) =>
    /^edges\b/.test(problem.path) ? { ...problem, path: `vueflow_json.${problem.path}` } : problem,
  );
}

/** Vue Flow keeps nodes and edges apart, and did so in one list before. */
function edgesOf(layout: unknown): unknown[] {
  if (!isObject(layout)) return [];
  if (Array.isArray(layout.edges)) return layout.edges as unknown[];
  if (!Array.isArray(layout.elements)) return [];
  return layout.elements.filter((element, index) => readEdge(element, index) !== null);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
