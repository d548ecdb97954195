import { cutText } from '@app/common';
import { type CatalogueEntry, plainly } from '@app/workflow-definition';
import { isJson, type Json } from '../json.js';
import type { EditOperation } from '../operations/edit-operation.js';
import { firstOf, idList, readJsonText, readNode, readParams, textOf } from './read-node.js';

const NAMES: Readonly<Record<string, EditOperation['op'] | 'rename_node'>> = {
  addnode: 'add_node',
  add: 'add_node',
  createnode: 'add_node',
  insertnode: 'add_node',
  insert: 'add_node',
  updatenode: 'update_node',
  update: 'update_node',
  setparam: 'update_node',
  setparams: 'update_node',
  updateparams: 'update_node',
  editnode: 'update_node',
  modifynode: 'update_node',
  changenode: 'update_node',
  set: 'update_node',
  removenode: 'remove_node',
  remove: 'remove_node',
  deletenode: 'remove_node',
  delete: 'remove_node',
  connect: 'connect',
  addedge: 'connect',
  link: 'connect',
  disconnect: 'disconnect',
  removeedge: 'disconnect',
  deleteedge: 'disconnect',
  unlink: 'disconnect',
  rename: 'rename_node',
  renamenode: 'rename_node',
  renameworkflow: 'rename_workflow',
  setname: 'rename_workflow',
  setentry: 'set_entry',
  movenode: 'move_node',
  move: 'move_node',
};
const IDS = ['id', 'node_id', 'nodeId', 'node', 'target_id'];
const FROM = ['from', 'source', 'from_node', 'source_id', 'fromId', 'after'];
const TO = ['to', 'target', 'to_node', 'target_id', 'toId'];
const OUTLETS = ['outlet', 'sourceHandle', 'source_handle', 'handle', 'branch', 'port', 'label'];
/** Of an update that names fields of the node beside its params. */
const OWN_FIELDS = ['name', 'kind', 'on_error', 'retry', 'timeout_seconds', 'save_output', 'export_output', 'requires'];

/** Operations as a model wrote them, in whatever words. What is none is told in `problems`. */
export function readOperations(
  list: readonly unknown[],
  tools: readonly CatalogueEntry[],
  problems: string[],
): EditOperation[] {
  return list.flatMap((raw, index) => {
    const operation = isJson(raw) ? readOperation(unwrapped(raw), tools, problems) : null;
    if (operation) return [operation];
    problems.push(`operations[${index}] is none of the operations, or lacks what it needs: ${brief(raw)}`);
    return [];
  });
}

function readOperation(raw: Json, tools: readonly CatalogueEntry[], problems: string[]): EditOperation | null {
  const written = textOf(raw, ['op', 'operation', 'action', 'type', 'name']);
  const op = written === null ? undefined : NAMES[plainly(written)];
  const id = textOf(raw, IDS);
  const outlet = textOf(raw, OUTLETS);
  switch (op) {
    case 'add_node': {
      const inner = isJson(raw.node) ? { ...raw, ...raw.node } : raw;
      const { type, ...rest } = inner;
      // Where `type` names the operation, it is not the kind.
      const node = readNode(raw.type === written && !isJson(raw.node) ? rest : { ...rest, type }, tools, problems);
      if (!node) return null;
      const { kind, name, params, settings } = node;
      const [follower] = node.next;
      const after = textOf(inner, ['after', 'after_node', 'from', 'previous', 'parent']) ?? node.after[0] ?? null;
      const before = textOf(inner, ['before', 'before_node']) ?? follower ?? null;
      return { op, id: node.id, kind, name, params, settings, after, outlet, before };
    }
    case 'update_node':
      return id === null ? null : readUpdate(raw, id, problems);
    case 'remove_node':
      return id === null ? null : { op, id, reconnect: raw.reconnect !== false };
    case 'connect':
    case 'disconnect': {
      const [from, to] = [textOf(raw, FROM), textOf(raw, TO)];
      return from === null || to === null ? null : { op, from, to, outlet };
    }
    case 'rename_node':
    case 'rename_workflow': {
      const name = textOf(raw, ['new_name', 'newName', 'value', 'title', ...(written === raw.name ? [] : ['name'])]);
      if (name === null) return null;
      if (id === null || op === 'rename_workflow') return { op: 'rename_workflow', name };
      return { op: 'update_node', id, set: [{ path: 'name', value: name }], unset: [] };
    }
    case 'set_entry': {
      const ids = idList(firstOf(raw, ['ids', 'entry', 'nodes', 'value', 'id']));
      return ids.length === 0 ? null : { op, ids };
    }
    case 'move_node': {
      const at = isJson(raw.position) ? raw.position : raw;
      const [x, y] = [Number(at.x), Number(at.y)];
      return id === null || !Number.isFinite(x) || !Number.isFinite(y) ? null : { op, id, x, y };
    }
    case undefined:
      return null;
  }
}

function readUpdate(raw: Json, id: string, problems: string[]): EditOperation {
  const set: { path: string; value: unknown }[] = [];
  const put = (path: string, value: unknown) => set.push({ path, value });
  const list = firstOf(raw, ['set', 'changes', 'updates', 'values']);
  if (Array.isArray(list)) {
    for (const item of list) {
      const path = isJson(item) ? textOf(item, ['path', 'param', 'key', 'field', 'name']) : null;
      if (path !== null) put(path, valueIn(item as Json));
      else problems.push(`update_node ${JSON.stringify(id)}: each item of "set" needs a path and a value_json.`);
    }
  } else if (isJson(list)) for (const [path, value] of Object.entries(list)) put(path, value);
  const path = textOf(raw, ['path', 'param', 'field', 'key']);
  if (path !== null) put(path, valueIn(raw));
  // Params at their names: what is not among them stays.
  for (const [name, value] of Object.entries(readParams(raw, id, problems))) put(`params.${name}`, value);
  for (const name of OWN_FIELDS) if (raw[name] !== undefined && raw[name] !== null) put(name, raw[name]);
  return { op: 'update_node', id, set, unset: idList(firstOf(raw, ['unset', 'remove', 'delete'])) };
}

/** JSON in text, or the text itself where it is none. */
function valueIn(item: Json): unknown {
  const written = item.value_json;
  if (typeof written === 'string') return readJsonText(written) ?? written;
  return firstOf(item, ['value_json', 'value', 'to', 'new_value']) ?? null;
}

/** `{"add_node": {…}}` as `{"op": "add_node", …}`. */
function unwrapped(raw: Json): Json {
  const [only, ...more] = Object.entries(raw);
  if (!only || more.length > 0 || !isJson(only[1]) || !Object.hasOwn(NAMES, plainly(only[0]))) return raw;
  return { ...only[1], op: only[0] };
}

function brief(value: unknown): string {
  return cutText(JSON.stringify(value) ?? '', 200);
}
