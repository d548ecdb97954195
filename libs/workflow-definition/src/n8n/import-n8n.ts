import { cutText } from '@app/common';
import { requireFlatEnough, requireValidDefinition } from '../validation/definition-checks.js';
import { parseDefinition } from '../validation/parse-definition.js';
import type { ToolCatalogue } from '../tools/tool-catalogue.js';
import { branches } from './mapping/branches.js';
import { flow } from './mapping/flow.js';
import { data } from './mapping/data.js';
import { lists } from './mapping/lists.js';
import { services } from './mapping/services.js';
import { files } from './mapping/files.js';
import { googleServices } from './mapping/google.js';
import { messengers } from './mapping/messengers.js';
import { models } from './mapping/models.js';
import { people } from './mapping/people.js';
import { records } from './mapping/records.js';
import { serve, standIn } from './served-nodes.js';
import { readTimes, startsRuns, triggerOf, triggers as triggerMappers } from './mapping/triggers.js';
import { type LinkedNode, linkNodes } from './link-nodes.js';
import { type N8nNode, readN8nWorkflow } from './n8n-workflow.js';
import type { Mapper, SpecNode } from './node-mapping.js';
import { runOrder } from './run-order.js';

export interface ImportedNode {
  /** As n8n has it. */
  name: string;
  type: string;
  /** What it became, helpers included; empty for what needs no node here. */
  nodeIds: string[];
  /** Null for what needs no node here. */
  kind: string | null;
  /** What is different, or why it could not be mapped. */
  notes: string[];
}

export interface N8nImport {
  jsonSpec: Record<string, unknown> & { name: string; nodes: SpecNode[] };
  vueflowJson: Record<string, unknown>;
  report: {
    mapped: ImportedNode[];
    /** Does something else in some case: see the notes. */
    approximated: ImportedNode[];
    /** Left as a node that fails and keeps the original, or without a place in the workflow. */
    unmapped: ImportedNode[];
    /** Cron expressions of its triggers, for schedules that are still to be made. */
    schedules: string[];
  };
}

const MAPPERS = new Map<string, Mapper>(
  Object.entries({
    ...triggerMappers,
    ...branches,
    ...flow,
    ...data,
    ...lists,
    ...services,
    ...files,
    ...googleServices,
    ...messengers,
    ...models,
    ...records,
    ...people,
  }),
);
const PACKAGES = /^(?:n8n-nodes-base|@n8n\/n8n-nodes-langchain)\./;
/** More rounds than this would mean that placeholders are refused too. */
const MAX_ROUNDS = 20;

/**
 * A workflow of n8n as a definition that can be saved here. What cannot be mapped becomes a node that fails when it is
 * reached and keeps the original under `n8n`. Kinds are used as far as the catalogue has them.
 * @param field the name under which the client sent it. @throws ValidationError for what is no n8n workflow.
 */
export function importN8n(json: unknown, field: string, catalogue: ToolCatalogue): N8nImport {
  requireFlatEnough(field, json);
  const workflow = readN8nWorkflow(json, field);
  const { edges, notes } = runOrder(workflow);
  const served = new Set([...workflow.attachments.values()].flat());
  const placed = workflow.nodes.filter((node) => !isNote(node) && !served.has(node.name));
  const refused = new Map<string, string>();
  for (let round = 0; ; round += 1) {
    const linked = linkNodes({ ...workflow, nodes: placed, edges }, catalogue, (node) => {
      if (refused.has(node.name)) return undefined;
      const type = node.type.split('.').at(-1)!;
      return (PACKAGES.test(node.type) ? MAPPERS.get(shortType(node)) : undefined) ?? triggerOf(type);
    });
    for (const { source, isTrigger, notes: own } of linked)
      if (isTrigger && !startsRuns(source.type)) own.add('Nothing starts it here: what it leads to is not run.');
    for (const [name, note] of notes) linked.find(({ source }) => source.name === name)?.notes.add(note);
    const jsonSpec = toSpec(workflow.name, linked, workflow.attachments, workflow.nodes);
    const { errors } = parseDefinition(jsonSpec, catalogue);
    const owners = new Map(linked.flatMap(({ source, nodes }) => nodes.map(({ id }) => [id, source.name] as const)));
    const causes = errors.flatMap((error) => {
      const owner = error.nodeId === null ? undefined : owners.get(error.nodeId);
      return owner === undefined || refused.has(owner) ? [] : [[owner, `${error.path}: ${error.message}`] as const];
    });
    for (const [owner, cause] of causes) if (!refused.has(owner)) refused.set(owner, cutText(cause, 300));
    if (causes.length > 0 && round < MAX_ROUNDS) continue;
    // What is left has no node to blame, such as their number.
    requireValidDefinition({ json: jsonSpec }, field, catalogue);
    const others = workflow.nodes.filter((node) => !placed.includes(node));
    return {
      jsonSpec,
      vueflowJson: toLayout(linked, workflow.nodes.filter(isNote)),
      report: {
        ...toReport(
          linked,
          refused,
          others.map((node) => beside(node, hostOf(node, linked, workflow.attachments), catalogue)),
        ),
        schedules: placed.flatMap(({ type, parameters }) =>
          /\.(?:scheduleTrigger|cron)$/.test(type) ? readTimes(parameters) : [],
        ),
      },
    };
  }
}

function isNote({ type }: N8nNode): boolean {
  return type.endsWith('.stickyNote');
}

function shortType({ type }: N8nNode): string {
  return type.replace(PACKAGES, '');
}

function toSpec(
  name: string,
  linked: readonly LinkedNode[],
  attachments: ReadonlyMap<string, readonly string[]>,
  all: readonly N8nNode[],
): N8nImport['jsonSpec'] {
  const nodes = linked.flatMap((node) => {
    const isExact = node.notes.size === 0 && !node.isPlaceholder;
    const attached = (attachments.get(node.source.name) ?? []).map((one) =>
      original(all.find((other) => other.name === one)!),
    );
    const main = node.nodes.find(({ id }) => id === node.id) ?? node.nodes[0]!;
    if (!isExact || attached.length > 0)
      main.n8n = { ...original(node.source), ...(attached.length > 0 && { attached }) };
    return node.nodes;
  });
  const triggers = linked.filter(({ isTrigger }) => isTrigger);
  // What waits for the failure of a run, or is switched off, would start and fail with every run.
  const starting = triggers.filter(({ source }) => !source.disabled && startsRuns(source.type));
  const starts = (starting.length > 0 ? starting : triggers).map(({ nodes: [first] }) => first!.id);
  return { name, version: '1', ...(starts.length > 0 && { entry: starts }), nodes, edges: [] };
}

/** Everything that its author set, without what n8n adds; references to credentials hold no secrets. */
function original({ name, type, typeVersion, parameters, credentials, disabled }: N8nNode): Record<string, unknown> {
  return { name, type, typeVersion, parameters, ...(credentials && { credentials }), ...(disabled && { disabled }) };
}

function toLayout(linked: readonly LinkedNode[], notes: readonly N8nNode[]): Record<string, unknown> {
  return {
    nodes: linked.flatMap(({ source, nodes }) =>
      nodes.map(({ id }, index) => ({ id, position: { x: source.position[0], y: source.position[1] + index * 100 } })),
    ),
    notes: notes.map(({ position: [x, y], parameters }) => ({
      position: { x, y },
      text: typeof parameters.content === 'string' ? parameters.content : '',
    })),
  };
}

/** The mapped node that a node serves, also by way of another one that serves it. */
function hostOf(
  { name }: N8nNode,
  linked: readonly LinkedNode[],
  attachments: ReadonlyMap<string, readonly string[]>,
): LinkedNode | null {
  const reached = new Set([name]);
  for (const served of reached) {
    const host = linked.find(({ source }) => source.name === served);
    if (host) return host.isPlaceholder ? null : host;
    for (const [target, names] of attachments) if (names.includes(served)) reached.add(target);
  }
  return null;
}

interface BesideNode extends ImportedNode {
  place: 'mapped' | 'approximated' | 'unmapped';
}

function beside(node: N8nNode, host: LinkedNode | null, catalogue: ToolCatalogue): BesideNode {
  const { name, type } = node;
  if (isNote(node))
    return { name, type, nodeIds: [], kind: null, notes: ['Kept as a note of the layout.'], place: 'mapped' };
  const main = host?.nodes.find(({ id }) => id === host.id);
  const inPlace = main ? standIn(serve(node, catalogue), partOf(main)) : null;
  if (!main || inPlace === null)
    return { name, type, nodeIds: [], kind: null, notes: ['Kept with the node that it served.'], place: 'unmapped' };
  return { name, type, nodeIds: [main.id], kind: main.kind, notes: [inPlace], place: 'approximated' };
}

/** What a batch does for each item. */
function partOf({ kind, params }: SpecNode): string {
  return kind === 'batch' && typeof params.kind === 'string' ? params.kind : kind;
}

function toReport(
  linked: readonly LinkedNode[],
  refused: ReadonlyMap<string, string>,
  others: readonly BesideNode[],
): Omit<N8nImport['report'], 'schedules'> {
  const report = { mapped: [] as ImportedNode[], approximated: [] as ImportedNode[], unmapped: [] as ImportedNode[] };
  for (const { source, id, nodes, notes, isPlaceholder } of linked) {
    const main = nodes.find((node) => node.id === id) ?? nodes[0]!;
    const cause = refused.get(source.name);
    const entry = {
      name: source.name,
      type: source.type,
      nodeIds: nodes.map((node) => node.id),
      kind: main.kind,
      notes: [...(cause === undefined ? [] : [`It could not be mapped as it stands. ${cause}`]), ...notes],
    };
    (isPlaceholder ? report.unmapped : notes.size > 0 ? report.approximated : report.mapped).push(entry);
  }
  for (const { place, ...entry } of others) report[place].push(entry);
  return report;
}
