import { parseKeepingNumbers } from '@app/common';
import type { AuthoringQuestion } from '@app/workflows';
import type { Plan, WrittenDefinition, WrittenQuestion } from './authoring-schemas.js';

type Json = Record<string, unknown>;
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What of the definition before goes on: keys of the canvas and of nodes that stay. */
export function toJsonSpec(written: WrittenDefinition, base: Json | null): { spec: Json; problems: string[] } {
  const problems: string[] = [];
  const before = new Map(nodesOf(base).map((node) => [node.id, node]));
  const nodes = written.nodes.map((node) => {
    const known = before.get(node.id);
    const kept = known?.kind === node.kind ? known : {};
    return {
      ...kept,
      id: node.id,
      kind: node.kind,
      name: node.name.slice(0, 100),
      params: readParams(node, problems),
      next: node.next,
      requires: { ...(isJson(kept.requires) && kept.requires), wait_for: node.wait_for },
      on_error: node.on_error,
      ...(node.on_error === 'branch' ? { error_next: node.error_next } : { error_next: [] }),
      save_output: node.save_output,
    };
  });
  const spec = {
    ...base,
    name: written.name,
    version: typeof base?.version === 'string' ? base.version : '1.0',
    entry: written.entry,
    nodes,
    edges: edgesOf(nodes),
  };
  return { spec, problems };
}

/** The graph before its params are written, so that a canvas can be drawn. */
export function toSkeleton({ name, nodes }: Plan): Json {
  const followers = new Set(nodes.flatMap(({ next }) => next));
  return {
    name,
    version: '1.0',
    entry: nodes.filter(({ id }) => !followers.has(id)).map(({ id }) => id),
    nodes: nodes.map((node) => ({ ...node, params: {} })),
    edges: edgesOf(nodes),
  };
}

export function toQuestions(questions: readonly WrittenQuestion[]): AuthoringQuestion[] {
  return questions.map(({ node_id: nodeId, ...question }, at) => ({
    id: `q${at + 1}`,
    ...(nodeId && { node_id: nodeId }),
    ...question,
  }));
}

export function nodesOf(spec: Json | null): Json[] {
  return Array.isArray(spec?.nodes) ? spec.nodes.filter(isJson) : [];
}

function readParams(node: { id: string; params_json: string }, problems: string[]): Json {
  try {
    const params: unknown = parseKeepingNumbers(node.params_json || '{}');
    if (isJson(params)) return params;
  } catch {
    // Reported below, together with what is JSON but no object.
  }
  problems.push(`Node ${JSON.stringify(node.id)}: params_json is not a JSON object.`);
  return {};
}

function edgesOf(nodes: readonly { id: string; next: readonly string[]; error_next?: readonly string[] }[]): Json[] {
  return nodes.flatMap(({ id, next, error_next: errorNext = [] }) =>
    [...new Set([...next, ...errorNext])].map((target) => ({ id: `${id}->${target}`, source: id, target })),
  );
}
