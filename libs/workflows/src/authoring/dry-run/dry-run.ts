import {
  type NodeSpec,
  parseDefinition,
  revealSecrets,
  type Reference,
  toPath,
  valueAt,
  type WorkflowGraph,
} from '@app/workflow-definition';
import { isJson, type Json } from '../json.js';
import type { Catalogued } from '../catalogued.js';
import { fieldsOfType, placeIn, sampleOf } from './output-schema.js';
import { runScenarios } from './scenarios.js';

/** What a dry run of a definition found: a problem is of a node, and written for whoever mends it. */
export interface DryRunFinding {
  code: 'unknown_output' | 'wrong_type' | 'never_runs' | 'endless' | 'no_item';
  nodeId: string;
  message: string;
}

export interface DryRun {
  findings: DryRunFinding[];
  /** How much was gone through. */
  nodes: number;
  runs: number;
  references: number;
  /** Node ids, by why they could not be checked wholly. */
  unsure: { nodeId: string; reason: string }[];
}

interface Scope {
  graph: WorkflowGraph;
  catalogued: Catalogued;
  schemas: ReadonlyMap<string, unknown>;
  /** Of what `_item` stands for; undefined: anything. Null: there is none. */
  item: { schema: unknown } | null;
}

const MAX_DEPTH = 4;

/**
 * Runs a definition with every effect mocked: each kind gives what its output schema says, choices go every way once,
 * failures go where they are handled. Nothing is called, read or sent.
 * @param self the workflow that the definition is of: one that runs itself does not end.
 */
export function dryRun(graph: WorkflowGraph, catalogued: Catalogued, self: string | null): DryRun {
  return go(graph, catalogued, self, null, 0);
}

function go(
  graph: WorkflowGraph,
  catalogued: Catalogued,
  self: string | null,
  item: Scope['item'],
  depth: number,
): DryRun {
  const scope: Scope = {
    graph,
    catalogued,
    item,
    schemas: new Map(
      graph.nodes.map(({ id, kind }) => [id, catalogued.tools.find((tool) => tool.kind === kind)?.output_schema]),
    ),
  };
  const { never, runs } = runScenarios(
    graph,
    catalogued.catalogue,
    (node) => sampleOf(scope.schemas.get(node.id)) ?? {},
  );
  const result: DryRun = { findings: [], nodes: graph.nodes.length, runs, references: 0, unsure: [] };
  for (const nodeId of never)
    result.findings.push({
      code: 'never_runs',
      nodeId,
      message: 'No run gets here, whatever is chosen: connect it, or remove it.',
    });
  for (const [index, node] of graph.nodes.entries()) {
    checkNode(scope, node, index, result);
    if (self !== null && node.params.workflow_id === self)
      result.findings.push({
        code: 'endless',
        nodeId: node.id,
        message: 'It runs the workflow that it is in, which would never end.',
      });
    if (isJson(node.params.body) && depth < MAX_DEPTH) runBody(scope, node, self, depth, result);
  }
  return result;
}

function checkNode(scope: Scope, node: NodeSpec, index: number, result: DryRun): void {
  const { graph, catalogued } = scope;
  const template = graph.params[index]!;
  const found = new Map<string, unknown>();
  const tool = catalogued.catalogue.find(node.kind);
  const items = tool?.itemParams ? { schema: itemSchemaOf(scope, node) } : scope.item;
  for (const use of template.uses) {
    if (use.reference === null) continue;
    result.references += 1;
    const isOfItem = [...(tool?.itemParams ?? [])].some((name) => use.path.startsWith(`params.${name}.`));
    const place = placeOf(use.reference, { ...scope, item: isOfItem ? items : scope.item });
    if (place.known === 'no') {
      const { missing, instead, nothing } = place;
      const hint = instead.length > 0 ? ` It has: ${instead.join(', ')}.` : '';
      const message =
        nothing ?? `${use.text} does not exist: the output has no ${JSON.stringify(missing)} there.${hint}`;
      result.findings.push({
        code: nothing ? 'no_item' : 'unknown_output',
        nodeId: node.id,
        message: `${use.path}: ${message}`,
      });
      continue;
    }
    const sample = place.known === 'yes' ? sampleOf(place.schema) : undefined;
    // What nobody knows stays a reference, of which the checks say nothing.
    found.set(use.text, sample === undefined ? { $ref: use.text } : sample);
    if (place.known === 'unsure' && use.reference.root === 'output' && use.reference.path.length > 0)
      unsure(result, use.reference.nodeId!, 'what its output holds is known only in a run');
  }
  const resolved = template.resolve(
    { output: () => undefined, payload: null, found, warn: () => undefined },
    tool?.itemParams,
  );
  // A secret stays what it is: of what nobody knows, the checks say nothing.
  const names = new Map(template.secretNames.map((name) => [name, `{{_secret.${name}}}`]));
  checkTypes(node, revealSecrets(resolved, names), scope, result);
}

/** Whole values of another type than the param takes. */
function checkTypes(node: NodeSpec, resolved: Json, { catalogued, schemas }: Scope, result: DryRun): void {
  const tool = catalogued.catalogue.find(node.kind);
  if (!tool || resolved === node.params) return;
  const own = new Set(
    tool.checkParams(node.params, node.next, catalogued.catalogue).map(({ path, message }) => path + message),
  );
  for (const { code, path, message } of tool.checkParams(resolved, node.next, catalogued.catalogue)) {
    const isOfType =
      code === 'invalid_params' && /expected (?:array|object|record|string|number|boolean|int)\b/.test(message);
    if (!isOfType || /received NaN/.test(message) || own.has(path + message)) continue;
    const value = valueAt(node, toPath(path));
    const written = JSON.stringify(value);
    const [, source] = /^_output\.([^.[]+)/.exec(isJson(value) ? String(value.$ref) : '') ?? [];
    const fitting = fieldsOfType(schemas.get(source ?? ''), /expected (\w+)/.exec(message)?.[1] ?? '');
    const hint = fitting.length > 0 ? ` Of that type ${source} has: ${fitting.join(', ')}.` : '';
    result.findings.push({
      code: 'wrong_type',
      nodeId: node.id,
      message: `${path}: ${message}, for ${written?.slice(0, 150) ?? 'it'}.${hint}`,
    });
  }
}

type Place =
  | Extract<ReturnType<typeof placeIn>, { known: 'yes' | 'unsure' }>
  | { known: 'no'; missing: string; instead: string[]; nothing?: string };

function placeOf({ text, root, nodeId, path }: Reference, { schemas, item, graph }: Scope): Place {
  switch (root) {
    case 'payload':
      return { known: 'unsure' };
    case 'index':
    case 'item':
      if (item === null)
        return {
          known: 'no',
          missing: text,
          instead: [],
          nothing: `${text} stands for something only in the params of a batch and in the body of a loop.`,
        };
      return root === 'index' ? { known: 'yes', schema: { type: 'integer' } } : placeIn(item.schema, path);
    case 'output': {
      const index = graph.indexOf.get(nodeId!);
      const source = index === undefined ? undefined : graph.nodes[index];
      // A failure that is handled can be looked at.
      if (source && source.onError !== 'fail' && path[0] === 'error') return { known: 'unsure' };
      return placeIn(declaredOutput(source, schemas.get(nodeId!)), path);
    }
  }
}

/** Of kinds whose output is what their params say. */
function declaredOutput(node: NodeSpec | undefined, schema: unknown): unknown {
  const params = node?.params ?? {};
  if (node?.kind === 'set' && isJson(params.fields))
    return {
      type: 'object',
      properties: Object.fromEntries(Object.keys(params.fields).map((name) => [name, {}])),
      additionalProperties: false,
    };
  if (node?.kind === 'form' && Array.isArray(params.fields) && isJson(schema) && isJson(schema.properties)) {
    const names = params.fields.flatMap((field) =>
      isJson(field) && typeof field.name === 'string' ? [field.name] : [],
    );
    const answers = {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, {}])),
      additionalProperties: false,
    };
    return { ...schema, properties: { ...schema.properties, answers } };
  }
  return schema;
}

/** Of one item of the list that a node goes through. */
function itemSchemaOf(scope: Scope, { params }: NodeSpec): unknown {
  const reference = isJson(params.items) && typeof params.items.$ref === 'string' ? params.items.$ref : null;
  const use =
    reference === null
      ? undefined
      : scope.graph.params.flatMap(({ uses }) => uses).find(({ text }) => text === reference);
  const place = use?.reference ? placeOf(use.reference, scope) : null;
  return place?.known === 'yes' && place.schema.type === 'array' ? place.schema.items : undefined;
}

function runBody(scope: Scope, node: NodeSpec, self: string | null, depth: number, result: DryRun): void {
  const { catalogued } = scope;
  const body = parseDefinition(node.params.body, catalogued.catalogue).graph;
  if (!body) return;
  const schema = node.kind === 'loop' ? itemSchemaOf(scope, node) : undefined;
  const inner = go(body, catalogued, self, { schema }, depth + 1);
  result.nodes += inner.nodes;
  result.references += inner.references;
  for (const finding of inner.findings)
    result.findings.push({
      ...finding,
      nodeId: node.id,
      message: `In its body, node ${JSON.stringify(finding.nodeId)}: ${finding.message}`,
    });
}

function unsure(result: DryRun, nodeId: string, reason: string): void {
  if (!result.unsure.some((known) => known.nodeId === nodeId)) result.unsure.push({ nodeId, reason });
}
