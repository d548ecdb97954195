import type { KnownThings } from '@app/workflows';

export type Json = Record<string, unknown>;

/** One request to have a workflow written, with what a model answers to it, and how its result is judged. */
export interface AuthoringEval {
  id: string;
  prompt: string;
  language: 'en' | 'de' | 'ar';
  /** What is changed; absent: a new one is made. */
  base?: Json;
  things: KnownThings;
  /** The plan: kinds of the nodes that are added or changed, by id. */
  plan: Record<string, string>;
  /** The raw texts that a scripted model answers, one after the other until one is an answer at all. */
  answers: string[];
  /**
   * What a model knows from the request beside what an error tells it: values by node and path, as `send.params.subject`.
   */
  knowledge?: Record<string, unknown>;
  /** What is odd about the answer; empty for a clean one. */
  mistakes: string[];
  /** Ids of the base's nodes that may become other bytes. */
  mayChange?: string[];
  /** Reasons why the result does not do what was asked for; empty when it does. */
  judge(spec: Json): string[];
}

export const nodesOf = (spec: Json): Json[] => spec.nodes as Json[];
export const nodeOf = (spec: Json, id: string): Json | undefined => nodesOf(spec).find((node) => node.id === id);
export const paramsOf = (spec: Json, id: string): Json => (nodeOf(spec, id)?.params ?? {}) as Json;

/** Checks of results in a word. */
export const has =
  (...kinds: string[]) =>
  (spec: Json): string[] => {
    const there = nodesOf(spec).map(({ kind }) => kind);
    return kinds.filter((kind) => !there.includes(kind)).map((kind) => `no ${kind}`);
  };
export const leads =
  (from: string, to: string) =>
  (spec: Json): string[] => {
    const node = nodeOf(spec, from);
    const targets = [...((node?.next ?? []) as string[]), ...((node?.error_next ?? []) as string[])];
    const edges = (spec.edges ?? []) as Json[];
    const isDrawn = edges.some(({ source, target }) => source === from && target === to);
    return targets.includes(to) || (node?.next === undefined && isDrawn) ? [] : [`${from} does not lead to ${to}`];
  };
export const param =
  (id: string, path: string, expected: unknown) =>
  (spec: Json): string[] => {
    let value: unknown = paramsOf(spec, id);
    for (const key of path.split('.')) value = (value as Json | undefined)?.[key];
    const same =
      expected instanceof RegExp
        ? expected.test(JSON.stringify(value) ?? '')
        : JSON.stringify(value) === JSON.stringify(expected);
    return same ? [] : [`${id}.${path} is ${JSON.stringify(value)}`];
  };
export const gone =
  (id: string) =>
  (spec: Json): string[] =>
    nodeOf(spec, id) ? [`${id} is still there`] : [];
export const without =
  (text: string) =>
  (spec: Json): string[] =>
    JSON.stringify(spec).includes(text) ? [`it holds ${text}`] : [];
export const all =
  (...checks: ((spec: Json) => string[])[]) =>
  (spec: Json): string[] =>
    checks.flatMap((check) => check(spec));

/** How models write it. */
export const asJson = (value: unknown): string => JSON.stringify(value);
export const inFence = (value: unknown): string =>
  `Sure! Here it is:\n\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\nLet me know if you need anything else.`;
export const inProse = (value: unknown): string =>
  `I have thought about it. ${JSON.stringify(value)} I hope this helps.`;
export const cut = (value: unknown): string => JSON.stringify(value).slice(0, -60);

/** A node as the schema of definitions wants it. */
export const node = (id: string, kind: string, params: Json, next: string[] = [], more: Json = {}): Json => ({
  id,
  kind,
  name: id.charAt(0).toUpperCase() + id.slice(1).replaceAll('_', ' '),
  params_json: JSON.stringify(params),
  next,
  wait_for: [],
  on_error: 'fail',
  error_next: [],
  save_output: false,
  ...more,
});
export const definition = (name: string, nodes: Json[], more: Json = {}): Json => ({
  name,
  summary: `${name}.`,
  message: 'Here it is.',
  entry: nodes.slice(0, 1).map(({ id }) => id),
  nodes,
  suggestions: [],
  questions: [],
  ...more,
});
export const operations = (...list: Json[]): Json => ({
  message: 'Done.',
  summary: 'A workflow.',
  operations: list,
  suggestions: [],
  questions: [],
});
export const add = (
  id: string,
  kind: string,
  params: Json,
  at: { after?: string; before?: string; outlet?: string } = {},
): Json => ({
  op: 'add_node',
  id,
  kind,
  name: id.replaceAll('_', ' '),
  params_json: JSON.stringify(params),
  after: at.after ?? null,
  outlet: at.outlet ?? null,
  before: at.before ?? null,
});
export const set = (id: string, values: Record<string, unknown>): Json => ({
  op: 'update_node',
  id,
  set: Object.entries(values).map(([path, value]) => ({ path, value_json: JSON.stringify(value) })),
  unset: [],
});
