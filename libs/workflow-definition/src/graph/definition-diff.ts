import { isDeepStrictEqual } from 'node:util';

export interface DiffEdge {
  source: string;
  target: string;
  /** `wait` stands for `requires.wait_for`. */
  type: 'next' | 'error' | 'wait';
}

/** What leads from one definition to another (docs/contract/workflows.md#versions-and-tags). */
export interface DefinitionDiff {
  nodes: { added: string[]; removed: string[]; changed: { id: string; paths: string[] }[] };
  edges: { added: DiffEdge[]; removed: DiffEdge[] };
  /** Of the definition itself, beside its nodes and canvas edges. */
  paths: string[];
}

type Json = Record<string, unknown>;

/** Enough for a reader; a node whose every value changed is listed once as a whole. */
const MAX_PATHS = 100;

export function diffDefinitions(before: Json, after: Json): DefinitionDiff {
  const [old, now] = [nodesById(before), nodesById(after)];
  const changed = [...now].flatMap(([id, node]) => {
    const known = old.get(id);
    if (!known || isDeepStrictEqual(known, node)) return [];
    return [{ id, paths: changedPaths(known, node) }];
  });
  const [oldEdges, newEdges] = [edgesOf(old), edgesOf(now)];
  return {
    nodes: {
      added: [...now.keys()].filter((id) => !old.has(id)),
      removed: [...old.keys()].filter((id) => !now.has(id)),
      changed,
    },
    edges: { added: without(newEdges, oldEdges), removed: without(oldEdges, newEdges) },
    paths: changedPaths(beside(before), beside(after)),
  };
}

function nodesById(definition: Json): Map<string, Json> {
  const nodes = Array.isArray(definition.nodes) ? definition.nodes.filter(isObject) : [];
  return new Map(nodes.map((node) => [String(node.id), node]));
}

function beside(definition: Json): Json {
  return Object.fromEntries(Object.entries(definition).filter(([key]) => key !== 'nodes' && key !== 'edges'));
}

function edgesOf(nodes: ReadonlyMap<string, Json>): Map<string, DiffEdge> {
  const edges = new Map<string, DiffEdge>();
  const add = (source: string, targets: unknown, type: DiffEdge['type'], isTurned = false) => {
    for (const target of Array.isArray(targets) ? targets.map(String) : []) {
      const edge = isTurned ? { source: target, target: source, type } : { source, target, type };
      edges.set(JSON.stringify([type, edge.source, edge.target]), edge);
    }
  };
  for (const [id, node] of nodes) {
    add(id, node.next, 'next');
    if (node.on_error === 'branch') add(id, node.error_next, 'error');
    if (isObject(node.requires)) add(id, node.requires.wait_for, 'wait', true);
  }
  return edges;
}

function without(edges: Map<string, DiffEdge>, others: Map<string, DiffEdge>): DiffEdge[] {
  return [...edges].filter(([key]) => !others.has(key)).map(([, edge]) => edge);
}

/** The places, like `params.cases[0].value`, at which two values differ: as deep as both have the same shape. */
function changedPaths(before: unknown, after: unknown): string[] {
  const paths: string[] = [];
  const compare = (old: unknown, now: unknown, path: string): void => {
    if (paths.length > MAX_PATHS || isDeepStrictEqual(old, now)) return;
    if (isObject(old) && isObject(now)) {
      for (const key of new Set([...Object.keys(old), ...Object.keys(now)]))
        compare(old[key], now[key], path === '' ? key : `${path}.${key}`);
    } else if (Array.isArray(old) && Array.isArray(now) && old.length === now.length) {
      for (const [index, value] of old.entries()) compare(value, now[index], `${path}[${index}]`);
    } else {
      paths.push(path);
    }
  };
  compare(before, after, '');
  return paths.length > MAX_PATHS ? [''] : paths;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
