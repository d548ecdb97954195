import { compileParams, outletsOf, targetsAt, type ToolCatalogue } from '@app/workflow-definition';
import { connect } from '../operations/connections.js';
import { Draft } from '../operations/draft.js';
import type { Json } from '../json.js';
import { readEdges } from './read-edges.js';
import type { WrittenNodes } from './read-answer.js';
import type { ReadNode } from './read-node.js';

/** A definition of its own of what a model wrote, with the connections that it forgot where they are plain. */
export function newDefinition(written: WrittenNodes, name: string, catalogue: ToolCatalogue): Json {
  const nodes = withLinks(written, catalogue);
  const led = new Set(nodes.flatMap(({ next, errorNext }) => [...next, ...errorNext]));
  // Whoever waits for others does not start a run.
  const entry = nodes.filter(({ id }) => !led.has(id)).map(({ id }) => id);
  const spec: Json = {
    name,
    version: '1.0',
    entry: entry.length > 0 ? entry : written.entry,
    nodes: nodes.map(({ id, kind, name: label, params, next, errorNext, settings }) => ({
      id,
      kind,
      name: label,
      params,
      next,
      ...settings,
      ...(errorNext.length > 0 && { on_error: 'branch', error_next: errorNext }),
    })),
    edges: [],
  };
  return withEdges(spec, nodes, catalogue);
}

function withLinks({ nodes, edges }: WrittenNodes, catalogue: ToolCatalogue): ReadNode[] {
  const linked = nodes.map((node) => ({ ...node, next: [...node.next], errorNext: [...node.errorNext] }));
  const byId = new Map(linked.map((node) => [node.id, node]));
  for (const node of linked)
    for (const before of node.after) if (byId.has(before) && before !== node.id) byId.get(before)!.next.push(node.id);
  for (const node of linked) {
    // A way out that names a node leads there, whether `next` says so or not.
    const outlets = outletsOf(catalogue.find(node.kind)?.outlets ?? [], node.params);
    node.next.push(...outlets.flatMap((outlet) => targetsAt(outlet, node.params)).filter((id) => byId.has(id)));
  }
  if (edges.length > 0) followEdges(linked, edges, catalogue);
  const isLoose = linked.length > 1 && linked.every(({ next, errorNext }) => next.length + errorNext.length === 0);
  // Written in their order, and not connected at all.
  if (isLoose) for (const [at, node] of linked.slice(1).entries()) linked[at]!.next.push(node.id);
  leadTo(linked, catalogue);
  return linked.map((node) => ({ ...node, next: [...new Set(node.next)], errorNext: [...new Set(node.errorNext)] }));
}

/** Connections that are drawn, by their ways out, where nodes do not name them. */
function followEdges(nodes: ReadNode[], edges: readonly unknown[], catalogue: ToolCatalogue): void {
  const plain: Json = { nodes: nodes.map(({ id, kind, params, next }) => ({ id, kind, params, next })) };
  const draft = new Draft(plain, catalogue);
  for (const { from, to, outlet } of readEdges(edges)) connect(draft, from, to, outlet);
  for (const node of nodes) {
    const drawn = draft.find(node.id);
    if (!drawn) continue;
    node.next = draft.nextOf(drawn);
    node.params = drawn.params as Json;
    node.errorNext.push(...(Array.isArray(drawn.error_next) ? (drawn.error_next as string[]) : []));
  }
}

/** A node that nothing leads to, though it works with the output of another one, follows that one. */
function leadTo(nodes: ReadNode[], catalogue: ToolCatalogue): void {
  const ids = new Set(nodes.map(({ id }) => id));
  const place = new Map(nodes.map(({ id }, at) => [id, at]));
  for (const node of nodes) {
    const isLed = nodes.some(({ next, errorNext }) => next.includes(node.id) || errorNext.includes(node.id));
    if (isLed || catalogue.find(node.kind)?.isEntry === true) continue;
    const { uses } = compileParams(node.params, (id) => ids.has(id), catalogue.find(node.kind)?.opaqueParams);
    const sources = uses.flatMap(({ reference }) => (reference?.nodeId ? [reference.nodeId] : []));
    const last = sources.filter((id) => id !== node.id).sort((a, b) => place.get(b)! - place.get(a)!)[0];
    const source = nodes.find(({ id }) => id === last);
    if (source && !reaches(nodes, node.id, source.id)) source.next.push(node.id);
  }
}

function reaches(nodes: readonly ReadNode[], from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const id of seen) {
    const node = nodes.find((other) => other.id === id);
    for (const next of [...(node?.next ?? []), ...(node?.errorNext ?? [])]) seen.add(next);
  }
  return seen.has(to);
}

/** The lines that a canvas draws, each from the way out that it leaves by. */
function withEdges(spec: Json, nodes: readonly ReadNode[], catalogue: ToolCatalogue): Json {
  const edges = nodes.flatMap(({ id, kind, params, next, errorNext }) => {
    const outlets = outletsOf(catalogue.find(kind)?.outlets ?? [], params);
    const ordinary = next.map((target) => {
      const outlet = outlets.find((known) => targetsAt(known, params).includes(target));
      const handle = outlet?.name.replace(/\.next$/, '');
      return { id: `${id}->${target}`, source: id, target, ...(handle !== undefined && { sourceHandle: handle }) };
    });
    const failures = errorNext.map((target) => ({
      id: `${id}:error->${target}`,
      source: id,
      target,
      sourceHandle: 'error',
    }));
    return [...ordinary, ...failures];
  });
  return { ...spec, edges };
}
