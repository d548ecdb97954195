import { type AuthoringQuestion, kindMeant, readNode } from '@app/workflows';
import type { CatalogueEntry } from '@app/workflow-definition';
import { isDictionary } from '@app/common';
import type { Plan } from './authoring-schemas.js';

const ROUTES = ['build', 'edit', 'explain', 'clarify'] as const;

/** A plan as a model wrote it: what it left out is empty; null for what is none. */
export function readPlan(answer: unknown, tools: readonly CatalogueEntry[]): Plan | null {
  if (!isDictionary(answer)) return null;
  const raw = Array.isArray(answer.nodes) ? (answer.nodes as unknown[]) : null;
  const route = ROUTES.find((known) => known === answer.route);
  if (!route && !raw) return null;
  const nodes = (raw ?? []).flatMap((node) => {
    const read = readNode(node, tools, []);
    return read
      ? [{ id: read.id, kind: kindMeant(read.kind, tools), name: read.name || read.id, next: read.next }]
      : [];
  });
  const questions = Array.isArray(answer.questions) ? (answer.questions as unknown[]) : [];
  return {
    route: route ?? 'build',
    message: textIn(answer.message),
    summary: textIn(answer.summary),
    name: textIn(answer.name),
    nodes,
    questions: questions.flatMap(readQuestion),
  };
}

export function toQuestions(questions: Plan['questions']): AuthoringQuestion[] {
  return questions.map(({ node_id: nodeId, ...question }, at) => ({
    id: `q${at + 1}`,
    ...(nodeId && { node_id: nodeId }),
    ...question,
  }));
}

function readQuestion(raw: unknown): Plan['questions'] {
  if (typeof raw === 'string') return [{ text: raw, kind: 'text', options: [], node_id: null }];
  if (!isDictionary(raw) || typeof raw.text !== 'string') return [];
  const options = Array.isArray(raw.options) ? raw.options.filter((option) => typeof option === 'string') : [];
  const nodeId = typeof raw.node_id === 'string' ? raw.node_id : null;
  return [{ text: raw.text, kind: raw.kind === 'choice' ? 'choice' : 'text', options, node_id: nodeId }];
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
