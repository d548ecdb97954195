import type { DefinitionProblem } from './graph.js';

export const MAX_NODES = 1_000;
export const MAX_CONNECTIONS = 20_000;
export const MAX_DEFINITION_BYTES = 2 * 1024 * 1024;
export const MAX_DEPTH = 64;
/** Document 2, section 8. */
export const MAX_NODE_NAME_LENGTH = 100;
export const MAX_NODE_ID_LENGTH = 128;
export const MAX_TIMEOUT_SECONDS = 24 * 60 * 60;
export const MAX_BACKOFF_SECONDS = 24 * 60 * 60;

/** Nesting is measured without recursion: a definition can be deep enough to exhaust the stack of JSON.stringify. */
export function checkSize(definition: unknown): DefinitionProblem | null {
  if (isDeeperThan(definition, MAX_DEPTH)) {
    return whole('definition_too_deep', `The definition is nested more than ${MAX_DEPTH} levels deep.`);
  }
  if (Buffer.byteLength(JSON.stringify(definition) ?? '') > MAX_DEFINITION_BYTES) {
    return whole('definition_too_large', `The definition is larger than ${MAX_DEFINITION_BYTES} bytes.`);
  }
  return null;
}

function isDeeperThan(root: unknown, limit: number): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > limit) return true;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return false;
}

function whole(code: string, message: string): DefinitionProblem {
  return { code, nodeId: null, path: '', message };
}
