import { ValidationError } from '@app/common';
import { withConnections } from '../connections/connect-by-edges.js';
import type { DefinitionProblem, WorkflowGraph } from '../definition/graph.js';
import { parseDefinition } from '../definition/parse-definition.js';
import type { ToolCatalogue } from '../tools/tool-catalogue.js';

const MAX_DEPTH = 64;

export interface WireProblem {
  code: string;
  node_id: string | null;
  path: string;
  message: string;
}

/** As the validate endpoint and refused saves show it (docs/contract/workflows.md#definitions). */
export function toWireProblem({ code, nodeId, path, message }: DefinitionProblem): WireProblem {
  return { code, node_id: nodeId, path, message };
}

/** A definition as it is stored. */
export interface CheckedDefinition {
  graph: WorkflowGraph;
  /** With `next` and outlets made of canvas edges where it has those only; the very same object where it has them. */
  jsonSpec: Record<string, unknown>;
  warnings: DefinitionProblem[];
}

/**
 * A definition that may be saved.
 * @param field the name under which the client sent it.
 * @param knownSecrets absent: what it names may be set later.
 * @throws ValidationError with every problem: as texts under the field, and in full under `problems`.
 */
export function requireValidDefinition(
  json: unknown,
  field: string,
  catalogue: ToolCatalogue,
  knownSecrets?: ReadonlySet<string>,
): CheckedDefinition {
  const { graph, errors, warnings } = parseDefinition(json, catalogue, catalogue, knownSecrets);
  if (graph) return { graph, jsonSpec: withConnections(json as Record<string, unknown>, catalogue), warnings };
  const texts = errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  throw new ValidationError(
    { [field]: texts },
    { code: 'invalid_definition', extra: { problems: errors.map(toWireProblem) } },
  );
}

/** @throws ValidationError for a value so deep that writing it as text would exhaust the stack. */
export function requireFlatEnough(field: string, value: unknown): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw new ValidationError({ [field]: [`Nested more than ${MAX_DEPTH} levels deep.`] });
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
}
