import type { DefinitionProblem } from './graph.js';

export const MAX_NODES = 1_000;
export const MAX_CONNECTIONS = 20_000;
/** In params, of all nodes together. */
export const MAX_REFERENCES = 20_000;
export const MAX_DEFINITION_BYTES = 2 * 1024 * 1024;
export const MAX_DEPTH = 64;
/** Objects, lists and what they hold: what they cost to read grows with their number more than with their bytes. */
const MAX_VALUES = 150_000;
/** Whoever made more mistakes needs no list of them, and a list of each would be larger than the definition. */
const MAX_PROBLEMS = 500;
/** docs/contract/conventions.md#limits. */
export const MAX_NODE_NAME_LENGTH = 100;
export const MAX_TIMEOUT_SECONDS = 24 * 60 * 60;
export const MAX_BACKOFF_SECONDS = 24 * 60 * 60;

/** Nesting is measured without recursion: a definition can be deep enough to exhaust the stack of JSON.stringify. */
export function checkSize(definition: unknown): DefinitionProblem | null {
  let level: unknown[] = [definition];
  let values = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH)
      return whole('definition_too_deep', `The definition is nested more than ${MAX_DEPTH} levels deep.`);
    values += level.length;
    if (values > MAX_VALUES)
      return whole('definition_too_large', `The definition holds more than ${MAX_VALUES} values.`);
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  if (Buffer.byteLength(JSON.stringify(definition) ?? '') > MAX_DEFINITION_BYTES)
    return whole('definition_too_large', `The definition is larger than ${MAX_DEFINITION_BYTES} bytes.`);
  return null;
}

/** The first of them, and how many more there are. */
export function firstProblems(problems: DefinitionProblem[]): DefinitionProblem[] {
  if (problems.length <= MAX_PROBLEMS) return problems;
  const more = problems.length - MAX_PROBLEMS;
  return [...problems.slice(0, MAX_PROBLEMS), whole('more_problems', `${more} more are not listed.`)];
}

function whole(code: string, message: string): DefinitionProblem {
  return { code, nodeId: null, path: '', message };
}
