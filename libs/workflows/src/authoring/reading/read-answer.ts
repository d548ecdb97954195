import { type CatalogueEntry } from '@app/workflow-definition';
import type { AuthoringQuestion } from '../authoring.types.js';
import { isJson, type Json, textsIn } from '../json.js';
import type { EditOperation } from '../operations/edit-operation.js';
import { firstOf, idList, readNode, type ReadNode, textOf } from './read-node.js';
import { readOperations } from './read-operations.js';

/** Of an answer beside the definition; null and empty for what it does not say. */
export interface AnswerTexts {
  name: string | null;
  summary: string | null;
  message: string | null;
  questions: AuthoringQuestion[];
  suggestions: string[];
}

export interface WrittenNodes {
  nodes: ReadNode[];
  entry: string[];
  /** Drawn beside the nodes. */
  edges: unknown[];
}

export interface WrittenAnswer {
  texts: AnswerTexts;
  /** Either of both. */
  operations: EditOperation[] | null;
  definition: WrittenNodes | null;
  /** Of parts that could not be read; the others were. */
  problems: string[];
}

const HOLDERS = ['workflow', 'definition', 'json_spec', 'result', 'answer', 'output'];
const OPERATIONS = ['operations', 'ops', 'edits', 'changes', 'actions', 'patches', 'operation'];

/** What a model answered, tolerantly: operations or a definition, in whatever words; null for neither. */
export function readAnswer(answer: unknown, tools: readonly CatalogueEntry[]): WrittenAnswer | null {
  if (Array.isArray(answer)) return readAnswer({ [looksLikeNodes(answer) ? 'nodes' : 'operations']: answer }, tools);
  if (!isJson(answer)) return null;
  const problems: string[] = [];
  const texts = textsOf(answer);
  const operations = firstOf(answer, OPERATIONS);
  const holder = holderOf(answer);
  if (operations !== undefined && !(holder && Array.isArray(operations) && operations.length === 0)) {
    const list: readonly unknown[] = Array.isArray(operations) ? (operations as unknown[]) : [operations];
    return { texts, operations: readOperations(list, tools, problems), definition: null, problems };
  }
  if (!holder) return null;
  const nodes = (holder.nodes as unknown[]).flatMap((raw, index) => {
    const node = readNode(raw, tools, problems);
    if (node) return [node];
    problems.push(`nodes[${index}] needs an id and a kind.`);
    return [];
  });
  const edges: unknown[] = [firstOf(holder, ['edges', 'connections', 'links'])].find(Array.isArray) ?? [];
  const entry = idList(firstOf(holder, ['entry', 'entries', 'entry_nodes', 'start']));
  return {
    texts: { ...texts, name: texts.name ?? textOf(holder, ['name', 'title']) },
    operations: null,
    definition: { nodes, entry, edges },
    problems,
  };
}

function holderOf(answer: Json): Json | null {
  if (Array.isArray(answer.nodes)) return answer;
  for (const name of HOLDERS) {
    const inner = answer[name];
    if (isJson(inner) && Array.isArray(inner.nodes)) return inner;
  }
  return null;
}

function textsOf(answer: Json): AnswerTexts {
  const questions = Array.isArray(answer.questions) ? (answer.questions as unknown[]) : [];
  return {
    name: textOf(answer, ['name', 'title', 'workflow_name']),
    summary: textOf(answer, ['summary', 'description']),
    message: textOf(answer, ['message', 'explanation', 'reply']),
    questions: questions.flatMap((raw) => readQuestion(raw)).map((question, at) => ({ id: `q${at + 1}`, ...question })),
    suggestions: textsIn(answer.suggestions),
  };
}

function readQuestion(raw: unknown): Omit<AuthoringQuestion, 'id'>[] {
  if (typeof raw === 'string') return [{ text: raw, kind: 'text', options: [] }];
  if (!isJson(raw)) return [];
  const text = textOf(raw, ['text', 'question']);
  if (text === null) return [];
  const options = textsIn(raw.options);
  const nodeId = textOf(raw, ['node_id', 'nodeId']);
  return [{ ...(nodeId !== null && { node_id: nodeId }), text, kind: options.length > 0 ? 'choice' : 'text', options }];
}

function looksLikeNodes(list: readonly unknown[]): boolean {
  return list.some((item) => isJson(item) && item.op === undefined && item.kind !== undefined && item.id !== undefined);
}
