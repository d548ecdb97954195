import { connectByEdges } from '../connections/connect-by-edges.js';
import { compileParams, type ParamsTemplate } from '../references/params-template.js';
import type { ToolCatalogue } from '../tools/tool-catalogue.js';
import { checkEdges, type NodeEdges } from './check-edges.js';
import { checkParams, checkReferences } from './check-params.js';
import { checkOutputFields, checkPlaceholders } from './check-fields.js';
import { checkSecrets, type KnownSecrets } from './check-secrets.js';
import type { DefinitionProblem, ParsedDefinition, WorkflowGraph } from '../graph/graph.js';
import { checkSize, firstProblems, MAX_NODES, MAX_REFERENCES } from '../graph/limits.js';
import { idOf, parseNode, type PlacedNode } from '../graph/node-schema.js';
import { topologicalOrder } from '../graph/cycles.js';

/**
 * Reads a `json_spec` and checks it against docs/contract/workflows.md#graph-rules. All problems are reported at
 * once, up to some hundreds; with
 * a catalogue, kinds and params are checked too. Never throws. Costs time in proportion to nodes and edges.
 * @param kinds says which params hold definitions of their own; without the check of kinds and params.
 * @param knownSecrets absent: the secrets that it names are not looked up.
 */
export function parseDefinition(
  definition: unknown,
  catalogue?: ToolCatalogue,
  kinds: Pick<ToolCatalogue, 'find'> | undefined = catalogue,
  knownSecrets?: KnownSecrets,
): ParsedDefinition {
  const errors: DefinitionProblem[] = [];
  const warnings: DefinitionProblem[] = [];
  const refuse = (code: string, path: string, message: string): ParsedDefinition => ({
    graph: null,
    errors: [{ code, nodeId: null, path, message }],
    warnings,
  });
  if (!isObject(definition)) return refuse('not_an_object', '', 'The workflow must be a JSON object.');
  if (!Array.isArray(definition.nodes)) return refuse('nodes_not_a_list', 'nodes', 'The nodes must be a list.');
  if (definition.nodes.length > MAX_NODES) {
    return refuse('too_many_nodes', 'nodes', `A workflow has at most ${MAX_NODES} nodes.`);
  }
  const sizeProblem = checkSize(definition);
  if (sizeProblem) return { graph: null, errors: [sizeProblem], warnings };
  const connected = connectByEdges(definition, kinds);
  const { json } = connected;
  // What was saved before edges were read still has to run.
  if (catalogue) errors.push(...connected.errors);
  warnings.push(...connected.warnings);
  const rawNodes = json.nodes as unknown[];

  const nodes = parseNodes(rawNodes, errors);
  // Ids of broken nodes count as known: one mistake should not be reported again at every node that points there.
  const known = new Set(rawNodes.map(idOf).filter((id) => id !== null));
  const isKnown = (id: string): boolean => known.has(id);
  if (json.edges !== undefined && json.edges !== null && !Array.isArray(json.edges)) {
    errors.push({ code: 'invalid_edges', nodeId: null, path: 'edges', message: 'The edges must be a list.' });
  }
  const edges = checkEdges(nodes, readEntry(json.entry, isKnown, errors), isKnown, errors, warnings);
  const templates = compileAll(nodes, isKnown, kinds);
  if (!templates) {
    return refuse(
      'too_many_references',
      'nodes',
      `The params of a workflow hold at most ${MAX_REFERENCES} references.`,
    );
  }
  checkReferences(nodes, templates, edges, errors, warnings);
  checkPlaceholders(nodes, templates, warnings);
  if (catalogue) checkOutputFields(nodes, templates, edges, catalogue, warnings);
  checkSecrets(nodes, templates, kinds, knownSecrets, errors, warnings);
  if (catalogue) checkParams(nodes, catalogue, errors, warnings);
  if (rawNodes.length === 0) {
    warnings.push({ code: 'no_nodes', nodeId: null, path: 'nodes', message: 'The workflow has no nodes yet.' });
  }
  return {
    graph: errors.length > 0 ? null : buildGraph(json, nodes, edges, templates),
    errors: firstProblems(errors),
    warnings: firstProblems(warnings),
  };
}

function parseNodes(rawNodes: readonly unknown[], errors: DefinitionProblem[]): PlacedNode[] {
  const placed: PlacedNode[] = [];
  const seen = new Set<string>();
  for (const [index, raw] of rawNodes.entries()) {
    const path = `nodes[${index}]`;
    const id = idOf(raw);
    const isDuplicate = id !== null && seen.has(id);
    if (isDuplicate) {
      const message = 'Another node has this id.';
      errors.push({ code: 'duplicate_id', nodeId: id, path: `${path}.id`, message });
    }
    if (id !== null) seen.add(id);
    const parsed = parseNode(raw, path);
    if ('problems' in parsed) errors.push(...parsed.problems);
    else if (!isDuplicate) placed.push({ node: parsed.node, path });
  }
  return placed;
}

/** Null: there are too many references. */
function compileAll(
  nodes: readonly PlacedNode[],
  isKnown: (id: string) => boolean,
  kinds: Pick<ToolCatalogue, 'find'> | undefined,
): ParamsTemplate[] | null {
  const templates: ParamsTemplate[] = [];
  let references = 0;
  for (const { node } of nodes) {
    const template = compileParams(node.params, isKnown, kinds?.find(node.kind)?.opaqueParams);
    references += template.uses.length;
    if (references > MAX_REFERENCES) return null;
    templates.push(template);
  }
  return templates;
}

function readEntry(entry: unknown, isKnown: (id: string) => boolean, errors: DefinitionProblem[]): Set<string> {
  const problem = (code: string, path: string, message: string): void => {
    errors.push({ code, nodeId: null, path, message });
  };
  if (entry === undefined || entry === null) return new Set();
  if (!Array.isArray(entry)) {
    problem('invalid_entry', 'entry', 'The entry must be a list of node ids.');
    return new Set();
  }
  const ids = new Set<string>();
  for (const [index, id] of entry.entries()) {
    if (typeof id !== 'string') problem('invalid_entry', `entry[${index}]`, 'An entry must be a node id.');
    else if (!isKnown(id)) problem('unknown_node', `entry[${index}]`, `There is no node ${JSON.stringify(id)}.`);
    else ids.add(id);
  }
  return ids;
}

function buildGraph(
  json: Record<string, unknown>,
  placed: readonly PlacedNode[],
  edges: NodeEdges,
  templates: readonly ParamsTemplate[],
): WorkflowGraph {
  const nodes = placed.map(({ node }, index) => ({
    ...node,
    errorNext: node.onError === 'branch' ? node.errorNext : [],
    secretNames: templates[index]!.secretNames,
  }));
  return {
    name: toLabel(json.name),
    version: toLabel(json.version),
    nodes,
    indexOf: edges.indexOf,
    entries: edges.isEntry.flatMap((isEntry, index) => (isEntry ? [index] : [])),
    isEntry: edges.isEntry,
    next: edges.next,
    errorNext: edges.errorNext,
    successors: edges.successors,
    predecessors: invert(edges.successors),
    waitFor: edges.waitFor,
    waiters: invert(edges.waitFor),
    topologicalOrder: topologicalOrder(edges.combined),
    params: templates,
  };
}

function toLabel(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function invert(adjacency: readonly (readonly number[])[]): number[][] {
  const inverted: number[][] = adjacency.map(() => []);
  for (const [from, targets] of adjacency.entries()) for (const to of targets) inverted[to]!.push(from);
  return inverted;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
