/** An edge of a canvas as far as it says how nodes follow each other. */
export interface CanvasEdge {
  /** Its place in `edges`. */
  index: number;
  /** For messages: its own id, or its place. */
  name: string;
  source: string;
  target: string;
  /** The way out of the source; null where the canvas has only one. */
  handle: string | null;
  /** What stands beside the line, which names the way out where no handle does. */
  label: string | null;
}

const SOURCES = ['source', 'from', 'sourceId', 'source_id', 'sourceNode', 'source_node', 'fromNode', 'from_node'];
const TARGETS = ['target', 'to', 'targetId', 'target_id', 'targetNode', 'target_node', 'toNode', 'to_node'];
const HANDLES = [
  'sourceHandle',
  'source_handle',
  'sourceHandleId',
  'sourcePort',
  'source_port',
  'sourceOutput',
  'source_output',
  'fromHandle',
  'from_handle',
  'fromPort',
  'from_port',
  'outlet',
  'branch',
  'handle',
  'port',
];
const IDS = ['id', 'node', 'nodeId', 'node_id', 'name', 'cell'];
const MAX_LENGTH = 300;

/** React Flow's `{source, target, sourceHandle}` and its relatives; null for what has no two ends. */
export function readEdge(value: unknown, index: number): CanvasEdge | null {
  if (!isObject(value)) return null;
  // Cytoscape keeps everything under `data`.
  const data = isObject(value.data) ? value.data : {};
  const edge = endOf(value, SOURCES) === null && endOf(data, SOURCES) !== null ? data : value;
  const [source, target] = [endOf(edge, SOURCES), endOf(edge, TARGETS)];
  if (source === null || target === null) return null;
  const handle = firstText(edge, HANDLES) ?? handleOfEnd(edge) ?? firstText(data, HANDLES);
  const type = firstText(edge, ['type']);
  return {
    index,
    name: firstText(value, ['id']) ?? `edges[${index}]`,
    source,
    target,
    handle: handle ?? (type === 'error' ? type : null),
    label: firstText(edge, ['label']) ?? firstText(data, ['label', 'condition']),
  };
}

/** Drawn for `requires.wait_for`, which is no connection of its own. */
export function isWaitEdge(value: unknown): boolean {
  return isObject(value) && (value.type === 'wait' || value.type === 'wait_for');
}

function endOf(edge: Record<string, unknown>, keys: readonly string[]): string | null {
  for (const key of keys) {
    const end = edge[key];
    const text = isObject(end) ? firstText(end, IDS) : toText(end);
    if (text !== null) return text;
  }
  return null;
}

function handleOfEnd(edge: Record<string, unknown>): string | null {
  for (const key of SOURCES) {
    const end = edge[key];
    if (isObject(end)) return firstText(end, HANDLES);
  }
  return null;
}

function firstText(from: Record<string, unknown>, keys: readonly string[]): string | null {
  for (const key of keys) {
    const text = Object.hasOwn(from, key) ? toText(from[key]) : null;
    if (text !== null) return text;
  }
  return null;
}

function toText(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH ? value : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
