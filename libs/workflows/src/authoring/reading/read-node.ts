import { cutText, parseKeepingNumbers } from '@app/common';
import type { CatalogueEntry } from '@app/workflow-definition';
import { isJson, type Json, textsIn } from '../json.js';
import { fittedFields } from './fitted-value.js';
import { kindMeant } from './kind-names.js';

const MAX_NAME = 100;
const SETTINGS = ['on_error', 'retry', 'timeout_seconds', 'save_output', 'export_output', 'requires'] as const;
const PARAMS = ['params', 'params_json', 'parameters', 'config', 'configuration', 'settings', 'data', 'args'];

export interface ReadNode {
  id: string;
  kind: string;
  name: string;
  params: Json;
  settings: Json;
  next: string[];
  errorNext: string[];
  /** What others write in place of `next`: the nodes that lead here. */
  after: string[];
}

/** The first of these that is there. */
export function firstOf(from: Json, names: readonly string[]): unknown {
  for (const name of names) if (from[name] !== undefined && from[name] !== null) return from[name];
  return undefined;
}

export function textOf(from: Json, names: readonly string[]): string | null {
  const found = firstOf(from, names);
  return typeof found === 'string' && found.trim() !== ''
    ? found.trim()
    : typeof found === 'number'
      ? String(found)
      : null;
}

/** A node as a model wrote it, in whatever words; null for what has neither id nor kind. */
export function readNode(raw: unknown, tools: readonly CatalogueEntry[], problems: string[]): ReadNode | null {
  if (!isJson(raw)) return null;
  const written = textOf(raw, ['kind', 'type', 'node_type', 'nodeType', 'tool']);
  const id = textOf(raw, ['id', 'node_id', 'nodeId', 'key', 'node']);
  if (written === null || id === null) return null;
  const kind = kindMeant(written, tools);
  const params = readParams(raw, id, problems);
  const schema = tools.find((tool) => tool.kind === kind)?.params_schema;
  const onError = settingsOf(raw);
  return {
    id,
    kind,
    name: cutText(textOf(raw, ['name', 'title', 'label']) ?? '', MAX_NAME),
    params: isJson(schema) ? fittedParams(kind, params, schema, tools) : params,
    settings: onError,
    next: idList(firstOf(raw, ['next', 'next_nodes', 'nextNodes', 'children', 'to'])),
    errorNext: idList(firstOf(raw, ['error_next', 'errorNext'])),
    after: idList(firstOf(raw, ['depends_on', 'dependsOn', 'previous', 'prev', 'parents'])),
  };
}

/** With the fields that a model hands over as text of JSON, or as they are. */
export function readParams(raw: Json, id: string, problems: string[]): Json {
  const found = firstOf(raw, PARAMS);
  if (found === undefined || found === '') return {};
  if (isJson(found)) return found;
  const parsed = typeof found === 'string' ? readJsonText(found) : undefined;
  if (isJson(parsed)) return parsed;
  problems.push(`Node ${JSON.stringify(id)}: params_json is not a JSON object.`);
  return {};
}

/** Undefined for what is no JSON. */
export function readJsonText(text: string): unknown {
  const trimmed = text.trim();
  const isFenced = trimmed.startsWith('```') && trimmed.endsWith('```');
  const inner = isFenced ? trimmed.slice(3, -3).replace(/^json/, '') : trimmed;
  try {
    return parseKeepingNumbers(inner);
  } catch {
    return undefined;
  }
}

/** Params under the names and in the types of their kind; those of a batch's part, too. */
export function fittedParams(kind: string, params: Json, schema: Json, tools: readonly CatalogueEntry[]): Json {
  const whole =
    kind === 'set' && params.fields === undefined && Object.keys(params).length > 0 ? { fields: params } : params;
  const fitted = fittedFields(whole, schema);
  if (kind !== 'batch' || typeof fitted.kind !== 'string' || !isJson(fitted.params)) return fitted;
  const part = kindMeant(fitted.kind, tools);
  const inner = tools.find((tool) => tool.kind === part)?.params_schema;
  return { ...fitted, kind: part, params: isJson(inner) ? fittedFields(fitted.params, inner) : fitted.params };
}

export function idList(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  const list: unknown[] = Array.isArray(value) ? (value as unknown[]) : isJson(value) ? [value] : [];
  return list.flatMap((item) => {
    if (typeof item === 'string') return [item];
    const id = isJson(item) ? textOf(item, ['id', 'node', 'node_id', 'target', 'to']) : null;
    return id === null ? [] : [id];
  });
}

function settingsOf(raw: Json): Json {
  const settings: Json = {};
  for (const name of SETTINGS) {
    const value = raw[name];
    const isPreset = value === null || value === undefined || value === 'fail' || value === false;
    if (!isPreset) settings[name] = value;
  }
  const waits = textsIn(raw.wait_for);
  if (waits.length > 0) settings.requires = { ...(isJson(settings.requires) && settings.requires), wait_for: waits };
  return settings;
}
