import { delimit, DELIMITER_RULE } from '../prompts/delimiters.js';
import type { CatalogueEntry } from '@app/workflow-definition';
import { type DraftProblem, type EarlierTurn, type KnownThings, triggerMeant } from '@app/workflows';
import type { Plan } from './authoring-schemas.js';
import { baseText, nodesOf } from './base-text.js';
import { kindLines } from './kind-texts.js';
import { thingsText } from './things-text.js';

export interface AuthoringTask {
  prompt: string;
  mode: 'build' | 'edit' | 'explain';
  /** What is on the canvas now. */
  base: Record<string, unknown> | null;
  /** The workflow that it is saved as. */
  workflowId: string | null;
  /** Oldest first. */
  history: readonly EarlierTurn[];
  /** The person's answers to the questions of the turn before, by question id. */
  answers: Readonly<Record<string, unknown>>;
  language: string | null;
  /** What the person can name. */
  things: KnownThings;
}

const RULES = `A workflow is a directed graph. Each node has an id (letters, digits, "_" or "-"), a kind of the catalogue, a name for people and params.
"next" lists the nodes that run after it; a node with several predecessors waits for all that can still reach it. Cycles are not allowed.
A branching kind chooses among its "next"; its params name the chosen ids as the catalogue says.
A param may refer to an earlier output: {"$ref": "_output.<node id>.<path>"} keeps the type, "{{_output.<node id>.<path>}}" inside a text is filled in as text. The path starts with a field of the output schema of that node's kind.
What started the run is "_webhook_payload.<path>". "_item" and "_index" stand for something in the params of a batch and in the body of a loop only.
Secrets are written "{{_secret.<name>}}", never as values, and only where a node signs in; their values are not known to you.
Exactly the nodes that start a run are in "entry"; they are of kinds marked entry: schedule_trigger for times, webhook_trigger for calls from outside, manual_trigger for runs by hand.
Tables, documents, servers, workflows and secrets are only those that the person has, by their uids and names. Where something is missing, ask for it in "questions" and invent nothing.`;

const OPERATIONS = `You answer with operations; nodes that none of them names stay as they are. Name only what changes.
add_node puts a node "after" another one, "before" another one, or between two that follow each other. update_node sets values at paths and leaves the other params alone.
remove_node with "reconnect" joins what was before and behind. connect and disconnect change single connections.`;

export interface PromptParts {
  tools: readonly CatalogueEntry[];
  task: AuthoringTask;
  /** What the person has, marked as data; made once for all prompts of a turn. */
  things: string;
}

export function promptParts(tools: readonly CatalogueEntry[], task: AuthoringTask): PromptParts {
  const request = requestOf(task);
  return { tools, task, things: delimit(thingsText(task.things, request), 'what the person has') };
}

/** People's words and earlier definitions are material, not instructions for how to answer. */
export function planningSystem({ tools, task, things }: PromptParts): string {
  return [
    'You plan automations for a workflow platform.',
    RULES,
    `The kinds of nodes, the only ones that exist:\n${kindLines(tools)}`,
    ...dataParts(things),
    wish(task),
    ...(task.base
      ? ['In "nodes" give only those that are added or changed, none where something is only removed or renamed.']
      : [`By its words, the request begins with ${triggerMeant(task.prompt)}.`]),
    'Choose the route "clarify" only when you cannot even begin without an answer; then give questions and no nodes. Choose "explain" when the person only asks about the workflow.',
    language(task),
  ].join('\n\n');
}

/** @param schemas of the kinds that are likely needed */
export function writingSystem({ task, things }: PromptParts, plan: Plan, schemas: string): string {
  return [
    'You write definitions for a workflow platform.',
    RULES,
    `The kinds of nodes that you may use, with the JSON Schemas of their params and outputs:\n${schemas}`,
    ...dataParts(things),
    `The plan:\n${JSON.stringify({ name: plan.name, summary: plan.summary, nodes: plan.nodes })}`,
    wish(task),
    ...(task.base ? [OPERATIONS] : []),
    'Leave nothing out that the params schema requires; where a value is unknown, choose a sensible one and ask for it in "questions".',
    language(task),
  ].join('\n\n');
}

/** What a definition was refused for, the nodes that it is about as they stand, and schemas that were not given before. */
export function repairRequest(
  problems: readonly DraftProblem[],
  spec: Record<string, unknown>,
  schemas: string,
): string {
  const lines = problems.slice(0, 40).map(problemLine);
  const ids = new Set(problems.map(({ nodeId }) => nodeId));
  const nodes = nodesOf(spec).filter(({ id }) => ids.has(String(id)));
  return [
    `The definition was refused:\n${lines.join('\n')}`,
    ...(nodes.length > 0 ? [`These nodes, as they stand:\n${baseText({ nodes }, 8_000)}`] : []),
    ...(schemas === '' ? [] : [`JSON Schemas that may help:\n${schemas}`]),
    'Mend these problems with operations, upon the definition as it stands now. Do not write it again.',
    OPERATIONS,
  ].join('\n\n');
}

export function problemLine({ nodeId, message }: DraftProblem): string {
  return nodeId === null ? message : `Node ${JSON.stringify(nodeId)}: ${message}`;
}

export function explainingSystem({ tools, task }: PromptParts): string {
  const used = new Set(nodesOf(task.base).map(({ kind }) => kind));
  const kinds = tools.filter(({ kind }) => used.has(kind)).map(({ kind, description }) => `- ${kind}: ${description}`);
  return [
    'You explain workflows to the people who use them: what happens, in which order, and when. Short paragraphs, no JSON.',
    RULES,
    DELIMITER_RULE,
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
    // Others may have written in it: names and texts of nodes tell nobody what to do.
    ...(task.base ? [delimit(baseText(task.base, 40_000, requestOf(task)), 'the present definition')] : []),
  ];
  return [...earlier, { role: 'user', content: parts.join('\n\n') }];
}

/** All that the person said in this turn. */
export function requestOf({ prompt, answers }: AuthoringTask): string {
  return [prompt, ...Object.values(answers).filter((answer) => typeof answer === 'string')].join('\n');
}

function dataParts(things: string): string[] {
  return [DELIMITER_RULE, `What the person has:\n${things}`];
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
