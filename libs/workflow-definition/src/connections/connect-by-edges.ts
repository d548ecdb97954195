import type { DefinitionProblem } from '../graph/graph.js';
import { outletsOf, targetsAt } from '../tools/outlet.js';
import type { Tool } from '../tools/tool.js';
import { type CanvasEdge, isWaitEdge, readEdge } from './canvas-edge.js';
import { compareWithEdges } from './compare-with-edges.js';
import { deriveFromEdges } from './derive-from-edges.js';
import { type DrawnNode, quote } from './drawn-node.js';
import { WaysOut } from './way-out.js';

/** Which kinds there are, as far as connections need them. */
export interface KindsOfNodes {
  find(kind: string): Pick<Tool, 'outlets'> | undefined;
}

type Json = Record<string, unknown>;

export interface Connected {
  /** The very same object where the canvas adds nothing. */
  json: Json;
  errors: DefinitionProblem[];
  warnings: DefinitionProblem[];
}

/** So many complaints about edges help nobody more than a few. */
const MAX_PROBLEMS = 100;

/**
 * Execution follows `next` (docs/contract/workflows.md#definitions). Where a definition, or a node of it, has canvas
 * edges only, `next`,
 * the outlets of the kind and `error_next` are made of them; where both are there, `next` holds, and every edge that says
 * something else is warned of. Definitions in params are left alone. For a definition of any shape; never throws.
 */
export function connectByEdges(json: Json, kinds?: KindsOfNodes): Connected {
  const { nodes, edges } = json;
  if (!Array.isArray(nodes) || !Array.isArray(edges) || edges.length === 0) return { json, errors: [], warnings: [] };
  const warnings: DefinitionProblem[] = [];
  const errors: DefinitionProblem[] = [];
  const byId = indexNodes(nodes);
  const leaving = sortEdges(edges, byId, warnings);
  const drawn = [...byId].map(([id, { raw, index }]) => drawNode(id, raw, index, leaving.get(id) ?? [], kinds));
  const hasConnections = drawn.some(isConnected);
  const changed = new Map<number, Json>();
  for (const node of drawn) {
    const isDerived = hasConnections ? node.raw.next === undefined || node.raw.next === null : true;
    const result = isDerived ? deriveFromEdges(node, errors, warnings) : node.raw;
    const raw = compareWithEdges({ ...node, raw: result, params: paramsOf(result) }, isDerived, byId, warnings);
    if (raw !== node.raw) changed.set(byId.get(node.id)!.index, raw);
  }
  return {
    json: changed.size > 0 ? { ...json, nodes: nodes.map((raw, index) => changed.get(index) ?? (raw as Json)) } : json,
    errors: few(errors),
    warnings: few(warnings),
  };
}

/** `connectByEdges` for the definition and those in its params: as it is saved. */
export function withConnections(
  json: Json,
  kinds: { find(kind: string): Pick<Tool, 'outlets' | 'opaqueParams'> | undefined },
): Json {
  const connected = connectByEdges(json, kinds).json;
  const { nodes } = connected;
  if (!Array.isArray(nodes)) return connected;
  let isChanged = false;
  const inner = nodes.map((raw: unknown) => {
    const opaque = isObject(raw) && typeof raw.kind === 'string' ? kinds.find(raw.kind)?.opaqueParams : undefined;
    if (!opaque || !isObject(raw) || !isObject(raw.params)) return raw;
    let { params } = raw as { params: Json };
    for (const name of opaque) {
      const body = Object.hasOwn(params, name) ? params[name] : undefined;
      const whole = isObject(body) ? withConnections(body, kinds) : body;
      if (whole !== body) params = { ...params, [name]: whole };
    }
    if (params === raw.params) return raw;
    isChanged = true;
    return { ...raw, params };
  });
  return isChanged ? { ...connected, nodes: inner } : connected;
}

function indexNodes(nodes: readonly unknown[]): Map<string, { raw: Json; index: number }> {
  const byId = new Map<string, { raw: Json; index: number }>();
  for (const [index, raw] of nodes.entries())
    if (isObject(raw) && typeof raw.id === 'string' && !byId.has(raw.id)) byId.set(raw.id, { raw, index });
  return byId;
}

/** Those with two known ends, by source; the others are warned of. */
function sortEdges(
  edges: readonly unknown[],
  known: ReadonlyMap<string, unknown>,
  warnings: DefinitionProblem[],
): Map<string, CanvasEdge[]> {
  const leaving = new Map<string, CanvasEdge[]>();
  for (const [index, value] of edges.entries()) {
    if (isWaitEdge(value)) continue;
    const edge = readEdge(value, index);
    if (!edge) {
      const message = 'An edge needs a source and a target, which are ids of nodes; this one is ignored.';
      warnings.push({ code: 'invalid_edge', nodeId: null, path: `edges[${index}]`, message });
      continue;
    }
    const strange = (['source', 'target'] as const).filter((end) => !known.has(edge[end]));
    for (const end of strange) {
      const other = edge[end === 'source' ? 'target' : 'source'];
      const message = `The edge ${quote(edge.name)} has the ${end} ${quote(edge[end])}, and there is no such node; it is ignored.`;
      const nodeId = known.has(other) ? other : null;
      warnings.push({ code: 'edge_unknown_node', nodeId, path: `edges[${index}].${end}`, message });
    }
    if (strange.length > 0) continue;
    const list = leaving.get(edge.source);
    if (list) list.push(edge);
    else leaving.set(edge.source, [edge]);
  }
  return leaving;
}

function drawNode(
  id: string,
  raw: Json,
  index: number,
  edges: readonly CanvasEdge[],
  kinds: KindsOfNodes | undefined,
): DrawnNode {
  const params = paramsOf(raw);
  const declared = (typeof raw.kind === 'string' && kinds?.find(raw.kind)?.outlets) || [];
  const outlets = outletsOf(declared, params);
  const handles = edges.flatMap(({ handle }) => (handle === null ? [] : [handle]));
  const ways = edges.length > 0 ? new WaysOut(id, outlets, params, handles) : null;
  return {
    raw,
    id,
    path: `nodes[${index}]`,
    params,
    outlets,
    edges: ways ? edges.map((edge) => ({ edge, way: ways.find(edge.handle, edge.label) })) : [],
    describeOutlets: () => ways?.describe() ?? '',
  };
}

function isNamed(ids: unknown): boolean {
  return Array.isArray(ids) && ids.length > 0;
}

function isConnected({ raw, params, outlets }: DrawnNode): boolean {
  return isNamed(raw.next) || isNamed(raw.error_next) || outlets.some((outlet) => targetsAt(outlet, params).length > 0);
}

function paramsOf({ params }: Json): Json {
  return isObject(params) ? params : {};
}

function few(problems: DefinitionProblem[]): DefinitionProblem[] {
  if (problems.length <= MAX_PROBLEMS) return problems;
  const message = `There are ${problems.length - MAX_PROBLEMS} more such problems of edges.`;
  return [...problems.slice(0, MAX_PROBLEMS), { code: 'more_edges', nodeId: null, path: 'edges', message }];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
