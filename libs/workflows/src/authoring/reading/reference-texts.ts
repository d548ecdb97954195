import { plainly, toPath } from '@app/workflow-definition';
import { isJson } from '../json.js';

const IN_TEXT = /\{\{([^{}]*)\}\}/g;
const KNOWN = /^_(?:output\.|webhook_payload(?:$|\.)|item(?:$|[.[])|index$|secret\.)/;
const HOLDERS = new Set([
  'output',
  'outputs',
  '_output',
  '_outputs',
  'node',
  'nodes',
  'step',
  'steps',
  '$node',
  '$nodes',
]);
const PAYLOADS = new Set(['payload', '_payload', 'webhook_payload', 'webhookpayload', '$payload']);
const SECRETS = new Set(['secret', 'secrets', '_secrets', '$secrets', '$secret']);
const RESULTS = new Set(['output', 'outputs', 'result_output', 'json']);

export interface NamedNodes {
  /** Ids, and by what else they are called. */
  idOf(name: string): string | null;
  /** The field of a node's output that a name means; null for one that is there, or cannot be told. */
  fieldOf(nodeId: string, name: string): string | null;
  /** The JSON Schema of a node's output; undefined where nobody knows it. */
  outputOf(nodeId: string): unknown;
  /** Whether `_item` and `_index` stand for something here. */
  hasItem: boolean;
}

/** The value with the references in it as the platform writes them, where it is clear what is meant. */
export function withKnownReferences(value: unknown, nodes: NamedNodes): unknown {
  if (typeof value === 'string') {
    const text = value.replace(IN_TEXT, (whole, inner: string) => {
      const meant = referenceMeant(inner.trim(), nodes);
      return meant === null ? whole : `{{${meant}}}`;
    });
    // As if the braces were forgotten.
    return /^_output\.\S+$/.test(text) && referenceMeant(text, nodes) !== null
      ? `{{${referenceMeant(text, nodes)}}}`
      : text;
  }
  if (Array.isArray(value)) return value.map((item) => withKnownReferences(item, nodes));
  if (!isJson(value)) return value;
  const target = Object.keys(value).length === 1 ? value.$ref : undefined;
  if (typeof target === 'string') {
    const inner = /^\s*\{\{([^{}]*)\}\}\s*$/.exec(target)?.[1] ?? target;
    const meant = referenceMeant(inner.trim(), nodes);
    return meant === null ? value : { $ref: meant };
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withKnownReferences(item, nodes)]));
}

/** Null for what is no reference, or one as it should be. */
function referenceMeant(text: string, nodes: NamedNodes): string | null {
  const path = toPath(text.replaceAll(/\[["']([^"'\]]+)["']\]/g, '.$1').replace(/^\$(?:\.|(?=json\b))/, ''));
  const [first, second, ...rest] = path;
  if (first === undefined) return null;
  const lower = first.toLowerCase();
  if (KNOWN.test(text) && !text.startsWith('_output.')) return null;
  if (HOLDERS.has(lower) && second !== undefined) return output(second, rest, nodes, text);
  if (SECRETS.has(lower) && second !== undefined && rest.length === 0) return `_secret.${second}`;
  if (nodes.idOf(first) !== null) return output(first, path.slice(1), nodes, text);
  if (PAYLOADS.has(lower)) return ['_webhook_payload', ...path.slice(1)].join('.');
  if (lower === 'trigger' || lower === 'webhook') {
    const isPayload = second !== undefined && /^(?:payload|body|data)$/i.test(second);
    return ['_webhook_payload', ...(isPayload ? rest : path.slice(1))].join('.');
  }
  if (nodes.hasItem && (lower === 'item' || lower === '$item')) return ['_item', ...path.slice(1)].join('.');
  return nodes.hasItem && lower === 'index' && second === undefined ? '_index' : null;
}

function output(name: string, path: readonly string[], nodes: NamedNodes, text: string): string | null {
  // An id with dots is left as it is.
  if (text.startsWith('_output.') && nodes.idOf(text.slice('_output.'.length)) !== null) return null;
  const id = nodes.idOf(name);
  if (id === null) return null;
  const [field, ...rest] = path;
  // `X.output.text`: the output itself, in whose fields it goes on.
  const isWrapped =
    field !== undefined &&
    RESULTS.has(field.toLowerCase()) &&
    (rest.length > 0 || nodes.fieldOf(id, field) === '') &&
    nodes.fieldOf(id, field) !== null;
  const inner = isWrapped ? rest : path;
  const meant = inner[0] === undefined ? null : nodes.fieldOf(id, inner[0]);
  const whole = ['_output', id, ...(meant ? [meant, ...inner.slice(1)] : inner)].join('.');
  return whole === text ? null : whole;
}

/** By id, in other letters, or by the name that people see. */
export function idFinder(nodes: readonly { id: string; name: string }[]): (name: string) => string | null {
  const byPlain = new Map<string, string>();
  for (const { id, name } of nodes.toReversed()) byPlain.set(plainly(name), id);
  for (const { id } of nodes.toReversed()) byPlain.set(plainly(id), id);
  const exact = new Set(nodes.map(({ id }) => id));
  return (name) => (exact.has(name) ? name : plainly(name) === '' ? null : (byPlain.get(plainly(name)) ?? null));
}
