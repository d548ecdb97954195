import { cutText } from '@app/common';
import type { ToolCatalogue } from '../tools/tool-catalogue.js';
import { passOn } from './mapping/pass-on.js';
import type { N8nEdge, N8nNode, N8nWorkflow } from './n8n-workflow.js';
import { type MappedOutputs, type Mapper, NodeMapping, type SpecNode } from './node-mapping.js';
import { listValue, NOTHING, refTo, type Shape, singleAt } from './shape.js';

export interface LinkedNode {
  source: N8nNode;
  /** Of its main node. */
  id: string;
  nodes: SpecNode[];
  notes: Set<string>;
  /** Nothing here does what it did. */
  isPlaceholder: boolean;
  isTrigger: boolean;
}

interface Mapped extends LinkedNode {
  outputs: MappedOutputs;
  /** What reached it: where it fails, that goes on. */
  input: Shape;
}

/** Maps every node, each after those that lead to it, and connects them as they were. The edges have no circles. */
export function linkNodes(
  workflow: N8nWorkflow,
  catalogue: ToolCatalogue,
  mapperOf: (node: N8nNode) => Mapper | undefined,
): LinkedNode[] {
  const ids = makeIds(workflow.nodes);
  const mapped = new Map<string, Mapped>();
  const leadsTo = reachability(workflow.edges);
  const reordering = workflow.nodes.filter(reorders).map(({ name }) => name);
  const outputs = new Map<string, number>();
  for (const source of inOrder(workflow)) {
    const leading = workflow.edges.filter(({ target, source: from }) => target === source.name && mapped.has(from));
    const incoming = leading.toSorted((a, b) => emptiness(mapped.get(a.source)!) - emptiness(mapped.get(b.source)!));
    const isTrigger = incoming.length === 0 && /trigger|webhook|\.(?:start|cron|interval)$/i.test(source.type);
    mapped.set(source.name, { ...mapNode(source, ids.get(source.name)!, incoming), isTrigger });
  }
  for (const { source, output, target } of workflow.edges) {
    const from = mapped.get(source);
    const to = mapped.get(target)?.nodes[0]?.id;
    if (from && to !== undefined) connect(from, output, to);
  }
  return workflow.nodes.map(({ name }) => mapped.get(name)!);

  function shapeAt({ source, output }: Pick<N8nEdge, 'source' | 'output'>): Shape {
    const from = mapped.get(source)!;
    const { shapes } = from.outputs;
    if (isErrorOutput(from, output)) return from.input;
    return shapes[output] ?? shapes.at(-1) ?? NOTHING;
  }

  /** What a node made comes before what it only hands on, which is there whichever branch was taken. */
  function ownFirst(edges: readonly N8nEdge[]): Shape[] {
    const isOwn = (edge: N8nEdge) => JSON.stringify(shapeAt(edge)).includes(`"_output.${ids.get(edge.source)}`);
    return [...edges.filter(isOwn), ...edges.filter((edge) => !isOwn(edge))].map(shapeAt);
  }

  /** Of the output on the way to the reader, as n8n does it. */
  function shapeFor(reader: string, name: string): Shape | undefined {
    if (!mapped.has(name)) return undefined;
    const key = JSON.stringify([reader, name]);
    const output =
      outputs.get(key) ??
      workflow.edges.find(({ source, target }) => source === name && leadsTo(target, reader))?.output ??
      0;
    outputs.set(key, output);
    return shapeAt({ source: name, output });
  }

  /** A node on the way from another one to the reader behind which the items no longer stand as they stood there. */
  function reordererFor(reader: string, name: string): string | null {
    const between = (each: string) => each !== name && each !== reader && leadsTo(name, each) && leadsTo(each, reader);
    return reordering.find(between) ?? null;
  }

  function mapNode(source: N8nNode, id: string, incoming: readonly N8nEdge[]): Omit<Mapped, 'isTrigger'> {
    const inputs = [...new Set(incoming.map(({ input }) => input))].sort((a, b) => a - b);
    const all = inputs.map((input) => join(ownFirst(incoming.filter((edge) => edge.input === input))));
    const byInput = source.executeOnce && !source.disabled ? all.map(firstOf) : all;
    const { shape, merge } =
      byInput.length > 1 ? { shape: byInput[0]!.shape, merge: null } : (byInput[0] ?? { shape: NOTHING, merge: null });
    const input = merge ? joined(id, shape) : shape;
    const scope = {
      workflow,
      catalogue,
      shapeOf: (name: string) => shapeFor(source.name, name),
      reordererBetween: (name: string) => reordererFor(source.name, name),
    };
    const make = () =>
      new NodeMapping(
        source,
        id,
        input,
        byInput.map((one) => one.shape),
        scope,
      );
    let mapping = make();
    const mapper = source.disabled ? (node: NodeMapping) => passOn(node) : mapperOf(source);
    let outputs = mapper?.(mapping) ?? null;
    if (source.disabled) mapping.note('It was switched off and only hands on what it gets.');
    if (source.executeOnce && (mapping.input.type !== 'single' || mapping.inputs.some(({ type }) => type !== 'single')))
      mapping.note('It gets every item that there is, where n8n executes it for the first one alone.');
    const isPlaceholder = outputs === null;
    if (outputs === null) {
      const { notes } = mapping;
      mapping = make();
      outputs = placeholder(mapping);
      for (const why of notes) mapping.note(why);
    } else {
      if (!source.disabled) mapping.noteUnread();
      outputs = neverEmpty(mapping, goesOn(mapping, outputs));
    }
    mapping.finish();
    if (merge) {
      const name = cutText(`${source.name} (input)`, 100);
      mapping.nodes.unshift({ id: `${id}__input`, kind: 'merge', name, params: merge, next: [mapping.nodes[0]!.id] });
    }
    return { source, id, nodes: mapping.nodes, notes: mapping.notes, isPlaceholder, outputs, input };
  }
}

/**
 * Here every trigger starts with every run, and each hands something on: what a caller handed in comes before what a clock
 * or somebody who tried the workflow out did.
 */
function emptiness({ isTrigger, nodes, source }: LinkedNode): number {
  if (isTrigger && source.disabled) return 3;
  return isTrigger ? Math.max(['schedule_trigger', 'manual_trigger'].indexOf(nodes[0]!.kind) + 1, 0) : 0;
}

/**
 * What goes on behind a node that may fail: n8n hands on an item that says so, and here a failed node has no output.
 */
function goesOn(mapping: NodeMapping, outputs: MappedOutputs): MappedOutputs {
  const [shape] = outputs.shapes;
  const { source } = mapping;
  const continues = source.onError === 'continueRegularOutput' || (source.continueOnFail && !source.onError);
  if (!continues || source.disabled || outputs.connect || !shape || outputs.shapes.length > 1) return outputs;
  if (!mapping.has('merge') || (shape.type === 'single' && !isWhole(shape.item))) return outputs;
  // What only hands on what it got goes on with that.
  if (!JSON.stringify(shape).includes(`"_output.${mapping.id}`)) return outputs;
  mapping.note('When it fails, the item that goes on says only that it failed.');
  const instead = { error: cutText(`“${source.name}” failed.`, 300) };
  const values =
    shape.type === 'single' ? [shape.item, instead] : [refTo(shape.ref), shape.type === 'list' ? [instead] : instead];
  const { id } = mapping.add('merge', { values, mode: 'first' }, 'or_failed');
  const ref = `_output.${id}.value`;
  return { shapes: [shape.type === 'single' ? singleAt(ref) : { type: shape.type, ref }] };
}

/** Of a node that its author wanted to hand on something always, an empty item goes on where there is none. */
function neverEmpty(mapping: NodeMapping, outputs: MappedOutputs): MappedOutputs {
  const [shape] = outputs.shapes;
  if (!mapping.source.alwaysOutputData || mapping.source.disabled || shape?.type !== 'list') return outputs;
  if (outputs.connect || !mapping.has('code')) {
    mapping.note('Where no item is left, none goes on, although it should always hand on data.');
    return outputs;
  }
  const code = 'return items.length > 0 ? items : [{}];';
  const { id } = mapping.add('code', { code, items: refTo(shape.ref) }, 'or_empty');
  return { shapes: [{ type: 'list', ref: `_output.${id}.result` }] };
}

/** Whether an item is what one reference leads to, and nothing beside. */
function isWhole(item: unknown): boolean {
  return typeof item === 'object' && item !== null && '$ref' in item && Object.keys(item).length === 1;
}

const REORDERING =
  /\.(?:filter|if|switch|sort|removeDuplicates|splitOut|itemLists|aggregate|summarize|merge|compareDatasets)$/;

function reorders(node: N8nNode): boolean {
  if (node.disabled) return false;
  return REORDERING.test(node.type) || (node.type.endsWith('.limit') && node.parameters.keep === 'lastItems');
}

/** What reaches an input from several nodes: of branches that exclude each other, what there is. */
function join(shapes: readonly Shape[]): { shape: Shape; merge: Record<string, unknown> | null } {
  const distinct = [...new Map(shapes.map((shape) => [JSON.stringify(shape), shape])).values()];
  const [first = NOTHING] = distinct;
  if (distinct.length < 2) return { shape: first, merge: null };
  const isList = distinct.some(({ type }) => type === 'list');
  const values = distinct.map((shape) => {
    if (shape.type === 'single') return isList ? listValue(shape) : shape.item;
    return refTo(shape.ref);
  });
  return {
    shape: isList
      ? { type: 'list', ref: '' }
      : distinct.every(({ type }) => type === 'single')
        ? NOTHING
        : { type: 'either', ref: '' },
    merge: { values, mode: 'first' },
  };
}

/** A node that n8n executes once gets the first item alone. Which one that is of branches put together only the run can tell. */
function firstOf<T extends { shape: Shape; merge: unknown }>(input: T): T {
  const { shape, merge } = input;
  return merge === null && shape.type === 'list' ? { ...input, shape: singleAt(`${shape.ref}[0]`) } : input;
}

function joined(id: string, { type }: Shape): Shape {
  const ref = `_output.${id}__input.value`;
  return type === 'single' ? singleAt(ref) : { type, ref };
}

/** Fails when it is reached: to pass over what is missing would look like success. */
function placeholder(node: NodeMapping): MappedOutputs {
  const { name, type } = node.source;
  const message = `“${name}” (${type}) of the imported workflow has no counterpart here. Replace this node.`;
  const { id } = node.add('stop_with_error', { message: cutText(message, 1_000), code: 'n8n_node_unmapped' });
  return { shapes: [singleAt(`_output.${id}`)] };
}

/** n8n puts the output for failures behind the others. */
function isErrorOutput({ source, outputs }: Pick<Mapped, 'source' | 'outputs'>, output: number): boolean {
  return source.onError === 'continueErrorOutput' && output >= outputs.shapes.length;
}

function connect({ source, nodes, outputs }: Mapped, output: number, targetId: string): void {
  const last = nodes.at(-1)!;
  if (isErrorOutput({ source, outputs }, output)) {
    last.on_error = 'branch';
    last.error_next = [...new Set([...((last.error_next as string[] | undefined) ?? []), targetId])];
  } else if (outputs.connect) outputs.connect(output, [targetId]);
  else if (!last.next.includes(targetId)) last.next.push(targetId);
}

/** Every node after those that lead to it, and as far as that leaves a choice in the given order. */
function inOrder({ nodes, edges }: N8nWorkflow): N8nNode[] {
  const open = new Map(nodes.map(({ name }) => [name, 0]));
  for (const { target } of edges) open.set(target, (open.get(target) ?? 0) + 1);
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const order = nodes.filter(({ name }) => open.get(name) === 0);
  for (const { name } of order) {
    for (const { target } of edges.filter(({ source }) => source === name)) {
      const left = open.get(target)! - 1;
      open.set(target, left);
      if (left === 0) order.push(byName.get(target)!);
    }
  }
  return order;
}

/** Whether there is a way from one node to another; a node leads to itself. */
function reachability(edges: readonly N8nEdge[]): (from: string, to: string) => boolean {
  const known = new Map<string, Set<string>>();
  const next = new Map<string, string[]>();
  for (const { source, target } of edges) next.set(source, [...(next.get(source) ?? []), target]);
  return (from, to) => {
    const reached = known.get(from) ?? new Set([from]);
    if (!known.has(from)) {
      known.set(from, reached);
      for (const name of reached) for (const target of next.get(name) ?? []) reached.add(target);
    }
    return reached.has(to);
  };
}

/** Names as ids: `Get user's data` becomes `get_user_s_data`. */
function makeIds(nodes: readonly N8nNode[]): Map<string, string> {
  const used = new Set<string>();
  return new Map(
    nodes.map(({ name }) => {
      const words = name
        .normalize('NFKD')
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '_');
      const base = cutText(words.replace(/^_+|_+$/g, ''), 60) || 'node';
      let id = base;
      for (let copy = 2; used.has(id); copy += 1) id = `${base}_${copy}`;
      used.add(id);
      return [name, id];
    }),
  );
}
