import { nearestName, type ToolCatalogue } from '@app/workflow-definition';
import { isJson, type Json, nodesIn, textsIn } from '../json.js';
import { connect, disconnect, redirectEdge, redraw, replaceTarget } from './connections.js';
import { Draft } from './draft.js';
import type { EditOperation } from './edit-operation.js';
import { withKnownIds } from './known-ids.js';
import { fieldPath, withValueAt } from './node-fields.js';

const MAX_OPERATIONS = 500;

export interface AppliedOperations {
  spec: Json;
  /** Ids of the nodes that were added or changed. */
  touched: ReadonlySet<string>;
  /** Of operations that could not be applied; the others were. */
  problems: string[];
}

/** Changes a definition. Nodes that no operation touches are the very same objects; the definition given stays as it was. */
export function applyOperations(
  base: Json,
  given: readonly EditOperation[],
  catalogue: ToolCatalogue,
): AppliedOperations {
  const draft = new Draft(base, catalogue);
  const problems: string[] = [];
  const operations = withKnownIds(
    given,
    nodesIn(base).map(({ id }) => String(id)),
  );
  // Nodes first, whatever the order: connections may name nodes that are added further down.
  const ordered = [
    ...operations.filter(({ op }) => op === 'add_node'),
    ...operations.filter(({ op }) => op !== 'add_node'),
  ];
  const refused = new Set<EditOperation>();
  for (const operation of ordered.slice(0, MAX_OPERATIONS)) {
    const problem = operation.op === 'add_node' ? addNode(draft, operation) : apply(draft, operation);
    if (problem === null) continue;
    problems.push(`${operation.op}: ${problem}`);
    refused.add(operation);
  }
  for (const operation of operations) {
    if (operation.op !== 'add_node' || refused.has(operation)) continue;
    const problem = placeNode(draft, operation);
    if (problem !== null) problems.push(`add_node ${JSON.stringify(operation.id)}: ${problem}`);
  }
  if (operations.length > MAX_OPERATIONS) problems.push(`At most ${MAX_OPERATIONS} operations are applied at a time.`);
  settleEntry(draft, base);
  return { spec: draft.toSpec(), touched: draft.touched, problems };
}

function apply(draft: Draft, operation: Exclude<EditOperation, { op: 'add_node' }>): string | null {
  switch (operation.op) {
    case 'update_node':
      return updateNode(draft, operation);
    case 'remove_node':
      return removeNode(draft, operation.id, operation.reconnect);
    case 'connect':
      return connect(draft, operation.from, operation.to, operation.outlet);
    case 'disconnect':
      return disconnect(draft, operation.from, operation.to);
    case 'rename_workflow':
      draft.name = operation.name;
      return null;
    case 'set_entry': {
      const unknown = operation.ids.find((id) => !draft.find(id));
      if (unknown !== undefined) return missing(draft, unknown);
      draft.entry = [...operation.ids];
      return null;
    }
    case 'move_node': {
      const node = draft.find(operation.id);
      if (!node) return missing(draft, operation.id);
      const { x, y } = operation;
      draft.put({ ...node, position: { x, y } });
      return null;
    }
  }
}

function addNode(draft: Draft, operation: Extract<EditOperation, { op: 'add_node' }>): string | null {
  const { id, kind, name, params, settings } = operation;
  if (draft.find(id)) return `There is a node ${JSON.stringify(id)} already: choose another id, or update it.`;
  draft.put({ id, kind, name, params, ...(draft.isDrawnOnly ? {} : { next: [] }), ...settings });
  return null;
}

/** Once all nodes are there. */
function placeNode(draft: Draft, operation: Extract<EditOperation, { op: 'add_node' }>): string | null {
  const { id, after, before, outlet } = operation;
  const node = draft.find(id);
  if (!node) return null;
  if (after !== null && before !== null) {
    const source = draft.find(after);
    const isBetween = source && (draft.nextOf(source).includes(before) || textsIn(source.error_next).includes(before));
    if (isBetween) {
      if (!draft.isDrawnOnly) draft.put(replaceTarget(draft, source, before, [id]));
      else draft.touched.add(after);
      redirectEdge(draft, after, before, id);
      return connect(draft, id, before, firstChoice(draft, node));
    }
  }
  const problem = after === null ? null : connect(draft, after, id, outlet);
  if (problem !== null || before === null) return problem;
  const wasEntry = draft.entry.includes(before);
  const refused = connect(draft, id, before, firstChoice(draft, node));
  if (wasEntry && after === null && refused === null) draft.entry.push(id);
  return refused;
}

/** Put between two nodes, a kind that chooses goes on by its first way out. */
function firstChoice(draft: Draft, node: Json): string | null {
  return (
    draft.catalogue.find(String(node.kind))?.outlets.find(({ isAside, param }) => !isAside && !param.includes('[]'))
      ?.param ?? null
  );
}

function updateNode(draft: Draft, { id, set, unset }: Extract<EditOperation, { op: 'update_node' }>): string | null {
  const known = draft.find(id);
  if (!known) return missing(draft, id);
  let node: unknown = known;
  const problems: string[] = [];
  const write = (path: string, value: unknown) => {
    const at = fieldPath(path, known, draft.catalogue.find(String(known.kind)));
    if (typeof at === 'string') problems.push(at);
    else
      try {
        node = withValueAt(node, at, value);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        problems.push(`${path}: ${error.message}.`);
      }
  };
  for (const { path, value } of set) write(path, value);
  for (const path of unset) write(path, undefined);
  if (isJson(node)) draft.put(node);
  return problems.length > 0 ? `${JSON.stringify(id)}: ${problems.join(' ')}` : null;
}

function removeNode(draft: Draft, id: string, reconnect: boolean): string | null {
  const node = draft.find(id);
  if (!node) return missing(draft, id);
  const followers = reconnect ? draft.nextOf(node).filter((next) => next !== id) : [];
  const leading = draft.nodes.filter(
    (other) => draft.nextOf(other).includes(id) || textsIn(other.error_next).includes(id),
  );
  if (!draft.isDrawnOnly) for (const other of leading) draft.put(replaceTarget(draft, other, id, followers));
  redraw(draft, id, followers);
  const wasEntry = draft.entry.includes(id);
  draft.remove(id);
  for (const other of draft.nodes) {
    const waits = isJson(other.requires) ? textsIn(other.requires.wait_for) : [];
    if (waits.includes(id))
      draft.put({ ...other, requires: { ...(other.requires as Json), wait_for: waits.filter((wait) => wait !== id) } });
  }
  if (wasEntry && leading.length === 0) draft.entry.push(...followers.filter((next) => !draft.entry.includes(next)));
  return null;
}

/** Where the definition names its entries: added nodes that nothing leads to start a run, too, if their kind does. */
function settleEntry(draft: Draft, base: Json): void {
  if (textsIn(base.entry).length === 0 && draft.entry.length === 0) return;
  const before = new Set(nodesIn(base).map(({ id }) => id));
  const led = new Set(draft.nodes.flatMap((node) => [...draft.nextOf(node), ...textsIn(node.error_next)]));
  for (const node of draft.nodes) {
    const id = String(node.id);
    const starts = draft.catalogue.find(String(node.kind))?.isEntry === true;
    if (!before.has(node.id) && starts && !led.has(id) && !draft.entry.includes(id)) draft.entry.push(id);
  }
}

function missing(draft: Draft, id: string): string {
  const near = nearestName(id, draft.ids());
  return `There is no node ${JSON.stringify(id)}.${near === null ? '' : ` Did you mean ${JSON.stringify(near)}?`}`;
}
