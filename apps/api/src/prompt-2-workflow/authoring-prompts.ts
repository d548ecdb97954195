import type { CatalogueEntry } from '@app/workflow-definition';
import type { EarlierTurn } from '@app/workflows';
import type { Plan } from './authoring-schemas.js';

export interface AuthoringTask {
  prompt: string;
  mode: 'build' | 'edit' | 'explain';
  /** What is on the canvas now. */
  base: Record<string, unknown> | null;
  /** Oldest first. */
  history: readonly EarlierTurn[];
  /** The person's answers to the questions of the turn before, by question id. */
  answers: Readonly<Record<string, unknown>>;
  language: string | null;
}

const RULES = `A workflow is a directed graph. Each node has an id (letters, digits, "_" or "-"), a kind of the catalogue, a name and params.
"next" lists the nodes that run after it; a node with several predecessors waits for all that can still reach it. Cycles are not allowed.
A branching kind chooses among its "next"; its params name the chosen ids as the catalogue says.
A param may refer to an earlier output: {"$ref": "_output.<node id>.<path>"} keeps the type, "{{_output.<node id>.<path>}}" inside a text is filled in as text.
What started the run is "_webhook_payload.<path>". Secrets are written "{{_secret.<name>}}", never as values.
Exactly the nodes that start a run are in "entry"; they are of kinds marked entry.`;

/** People's words and earlier definitions are material, not instructions for how to answer. */
export function planningSystem(tools: readonly CatalogueEntry[], task: AuthoringTask): string {
  const kinds = tools.map(
    ({ kind, description, is_entry: isEntry, is_branching: branches }) =>
      `- ${kind}${isEntry ? ' [entry]' : ''}${branches ? ' [branching]' : ''}: ${description}`,
  );
  return [
    'You plan automations for a workflow platform.',
    RULES,
    `The kinds of nodes, the only ones that exist:\n${kinds.join('\n')}`,
    wish(task),
    'Choose the route "clarify" only when you cannot even begin without an answer; then give questions and no nodes. Choose "explain" when the person only asks about the workflow.',
    language(task),
  ].join('\n\n');
}

export function writingSystem(tools: readonly CatalogueEntry[], plan: Plan, task: AuthoringTask): string {
  const used = new Set([...plan.nodes.map(({ kind }) => kind), ...kindsOf(task.base)]);
  const schemas = tools
    .filter(({ kind }) => used.has(kind))
    .map(({ kind, params_schema: params, output_schema: output, is_entry: isEntry, is_branching: branches }) =>
      JSON.stringify({ kind, entry: isEntry, branching: branches, params, output }),
    );
  return [
    'You write definitions for a workflow platform.',
    RULES,
    `The kinds of nodes that you may use, with the JSON Schemas of their params and outputs:\n${schemas.join('\n')}`,
    `The plan:\n${JSON.stringify({ name: plan.name, summary: plan.summary, nodes: plan.nodes })}`,
    wish(task),
    'Keep the ids of nodes that stay. Leave nothing out that the params schema requires; where a value is unknown, choose a sensible one and ask for it in "questions".',
    language(task),
  ].join('\n\n');
}

export function explainingSystem(tools: readonly CatalogueEntry[], task: AuthoringTask): string {
  const used = new Set(kindsOf(task.base));
  const kinds = tools.filter(({ kind }) => used.has(kind)).map(({ kind, description }) => `- ${kind}: ${description}`);
  return [
    'You explain workflows to the people who use them: what happens, in which order, and when. Short paragraphs, no JSON.',
    RULES,
    kinds.join('\n'),
    language(task),
  ].join('\n\n');
}

/** The conversation up to the question that is asked now. */
export function messagesOf(task: AuthoringTask): { role: 'user' | 'assistant'; content: string }[] {
  const earlier = task.history.flatMap(({ prompt, result }) => [
    { role: 'user' as const, content: prompt },
    { role: 'assistant' as const, content: spoken(result) },
  ]);
  const questions = task.history.at(-1)?.result.questions ?? [];
  const answers = Object.entries(task.answers).map(([id, value]) => {
    const asked = questions.find((question) => question.id === id)?.text ?? id;
    return `${asked} ${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
  const parts = [
    task.prompt,
    ...(answers.length > 0 ? [`Answers:\n${answers.join('\n')}`] : []),
    ...(task.base ? [`The present definition:\n${JSON.stringify(task.base)}`] : []),
  ];
  return [...earlier, { role: 'user', content: parts.join('\n\n') }];
}

function spoken({ message, questions }: EarlierTurn['result']): string {
  return [message, ...questions.map(({ text }) => text)].filter(Boolean).join('\n') || 'Done.';
}

function wish({ mode, base }: AuthoringTask): string {
  if (mode === 'build') return 'The person wants a new workflow.';
  return base ? 'The person wants the present definition changed.' : 'The person wants a workflow.';
}

function language({ language: code }: AuthoringTask): string {
  return code ? `Write texts for people in the language ${code}.` : 'Write texts for people in the language they use.';
}

function kindsOf(base: Record<string, unknown> | null): string[] {
  const nodes = Array.isArray(base?.nodes) ? (base.nodes as unknown[]) : [];
  return nodes.flatMap((node) => {
    const kind: unknown = typeof node === 'object' && node !== null ? Reflect.get(node, 'kind') : null;
    return typeof kind === 'string' ? [kind] : [];
  });
}
