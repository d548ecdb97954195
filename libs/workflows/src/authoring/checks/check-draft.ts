import { type DefinitionProblem, nearestNames, parseDefinition } from '@app/workflow-definition';
import type { AuthoringWarning } from '../authoring.types.js';
import type { Catalogued } from '../catalogued.js';
import { dryRun } from '../dry-run/dry-run.js';
import { isJson, type Json, nodesIn } from '../json.js';
import { checkThings } from './check-things.js';
import type { KnownThings } from './known-things.js';

/** A problem that goes back to whoever wrote the definition. */
export interface DraftProblem {
  code: string;
  nodeId: string | null;
  message: string;
  /** Whether the definition could not be saved, or would name what is not there; the others may be meant. */
  isHard: boolean;
}

export interface CheckedDraft {
  /** With names replaced by what they mean. */
  spec: Json;
  problems: DraftProblem[];
  /** For the person: what is odd, what was checked, what could not be. */
  warnings: AuthoringWarning[];
  /** What was gone through, in a line. */
  told: string;
}

/** Warnings of a save that, in a definition just written, are mistakes. */
const MISTAKES = new Set([
  'unknown_param',
  'reference_not_upstream',
  'not_a_reference',
  'unreachable_node',
  'entry_has_predecessors',
  'next_without_outlet',
  'unknown_outlet',
  'unused_error_next',
]);
const SHOWN = 10;

export interface DraftToCheck {
  spec: Json;
  /** Ids of nodes that are new or changed: only of these mistakes are looked for beyond what a save refuses. */
  touched: ReadonlySet<string>;
  things: KnownThings;
  /** The workflow that the definition is of. */
  workflowId: string | null;
}

/** All that can be said of a definition without running it: what a save refuses, names of things, a dry run. */
export async function checkDraft(draft: DraftToCheck, catalogued: Catalogued): Promise<CheckedDraft> {
  const { touched, things, workflowId } = draft;
  const { spec, problems: strange, checked, notes } = await checkThings(draft.spec, touched, things, catalogued);
  const { graph, errors, warnings } = parseDefinition(spec, catalogued.catalogue);
  const isTouched = ({ nodeId }: { nodeId: string | null }) => nodeId !== null && touched.has(nodeId);
  const mistakes = warnings.filter((warning) => MISTAKES.has(warning.code) && isTouched(warning));
  const problems: DraftProblem[] = [
    ...errors.map((error) => ({ ...toProblem(error, spec, catalogued), isHard: true })),
    ...startProblems(spec, touched, catalogued),
    ...strange.map(({ path, message, ...rest }) => ({ ...rest, message: `${path}: ${message}`, isHard: true })),
    ...mistakes.map((warning) => ({
      ...toProblem(warning, spec, catalogued),
      isHard: warning.code === 'unknown_param',
    })),
  ];
  const odd = [
    ...warnings
      // Of what was touched, the dry run finds these, and more.
      .filter(
        (warning) => !mistakes.includes(warning) && !(warning.code === 'unknown_output_field' && isTouched(warning)),
      )
      .map(toWarning),
    ...notes.map(({ nodeId, message }) => ({ code: 'taken_as', node_id: nodeId, message })),
  ];
  if (!graph) return { spec, problems, warnings: odd, told: `Found ${errors.length} problems` };
  // Of nodes that stay, nobody asks the model; a save refuses them all the same.
  for (const { id, secretNames } of graph.nodes)
    for (const name of touched.has(id) ? [] : secretNames)
      if (things.secrets !== null && !things.secrets.includes(name))
        odd.push({ code: 'unknown_secret', node_id: id, message: `The workflow has no secret ${name}.` });
  const run = dryRun(graph, catalogued, workflowId);
  for (const { code, nodeId, message } of run.findings) {
    const isKnown = problems.some(
      (problem) => problem.nodeId === nodeId && code === 'never_runs' && problem.code === 'unreachable_node',
    );
    if (touched.has(nodeId) && !isKnown) problems.push({ code, nodeId, message, isHard: code === 'endless' });
    else if (!touched.has(nodeId)) odd.push({ code, node_id: nodeId, message });
  }
  const told = `Dry run with effects mocked: ${run.nodes} nodes, every way out taken (${run.runs} in all); ${run.references} references and ${checked} named things looked up`;
  return { spec, problems, warnings: [...odd, ...unchecked(spec, touched, run.unsure, told, catalogued)], told };
}

/** Nodes that would start by themselves, though no run starts there. */
function startProblems(spec: Json, touched: ReadonlySet<string>, { catalogue, tools }: Catalogued): DraftProblem[] {
  const nodes = nodesIn(spec);
  const triggers = nodes.filter(({ kind }) => catalogue.find(String(kind))?.isEntry);
  const entry = new Set(Array.isArray(spec.entry) ? spec.entry : []);
  if (triggers.length === 0) return [];
  return nodes
    .filter(({ id, kind }) => entry.has(id) && touched.has(String(id)) && !catalogue.find(String(kind))?.isEntry)
    .map(({ id, kind }) => ({
      code: 'no_predecessor',
      nodeId: String(id),
      message: `Nothing leads to it, so that it would start with the run. Connect it, or let it be reached from ${triggers.map((node) => JSON.stringify(node.id)).join(', ')} (${tools.find((tool) => tool.kind === kind)?.name ?? String(kind)} is no trigger).`,
      isHard: false,
    }));
}

/** What only a run can tell, of nodes that are new or changed. */
function unchecked(
  spec: Json,
  touched: ReadonlySet<string>,
  unsure: readonly { nodeId: string; reason: string }[],
  told: string,
  { tools }: Catalogued,
): AuthoringWarning[] {
  const outside = nodesIn(spec).flatMap(({ id, kind }) => {
    const tool = tools.find((known) => known.kind === kind);
    return touched.has(String(id)) && tool?.side_effects === 'external' ? [String(id)] : [];
  });
  const parts = [
    ...(outside.length > 0 ? [`what ${list(outside)} would do outside`] : []),
    ...(unsure.length > 0 ? [`fields of what ${list(unsure.map(({ nodeId }) => nodeId))} will give`] : []),
  ];
  return [
    {
      code: 'dry_run',
      node_id: null,
      message: `${told}. Not checked: ${parts.length > 0 ? parts.join('; ') : 'the contents of real data'}.`,
    },
  ];
}

/** With the names that may have been meant. */
function toProblem(
  { code, nodeId, path, message }: DefinitionProblem,
  spec: Json,
  { tools }: Catalogued,
): DraftProblem {
  const where = path === '' ? '' : `${path.replace(/^nodes\[\d+\]\.?/, '')}: `.replace(/^: /, '');
  const at = nodesIn(spec).find(({ id }) => id === nodeId);
  return { code, nodeId, message: `${where}${message}${hintFor(code, message, at, spec, tools)}`, isHard: true };
}

function hintFor(
  code: string,
  message: string,
  node: Json | undefined,
  spec: Json,
  tools: Catalogued['tools'],
): string {
  const named = /"((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? '';
  const ids = nodesIn(spec).map(({ id }) => String(id));
  if (code === 'unknown_kind')
    return suggest(
      named,
      tools.map(({ kind }) => kind),
    );
  if (code === 'unknown_node') return suggest(named, ids);
  if (code === 'reference_not_upstream') {
    const source = /^_output\.([^.[\s]+)/.exec(message)?.[1];
    return ` Connect ${JSON.stringify(source)} to ${JSON.stringify(node?.id)}, straight or by way of others.`;
  }
  if (code === 'unknown_reference') return suggest(/^_output\.([^.[\s]+)/.exec(message)?.[1] ?? '', ids);
  const schema = tools.find(({ kind }) => kind === node?.kind)?.params_schema;
  if (code !== 'unknown_param' || message.includes('Did you mean') || !isJson(schema?.properties)) return '';
  return ` It has: ${Object.keys(schema.properties).join(', ')}.`;
}

function suggest(name: string, names: readonly string[]): string {
  const near = nearestNames(name, names, 3);
  if (near.length === 0) return ` There are: ${names.slice(0, SHOWN).join(', ')}.`;
  return ` Did you mean ${near.map((other) => JSON.stringify(other)).join(' or ')}?`;
}

function list(ids: readonly string[]): string {
  const shown = [...new Set(ids)];
  return shown.slice(0, SHOWN).join(', ') + (shown.length > SHOWN ? ' …' : '');
}

function toWarning({ code, nodeId, message }: DefinitionProblem): AuthoringWarning {
  return { code, node_id: nodeId, message };
}
