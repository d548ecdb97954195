import { ValidationError } from '@app/common';
import { withConnections } from '../connections/connect-by-edges.js';
import { inLayout, withLayoutEdges } from '../connections/layout-edges.js';
import type { KnownSecrets } from './check-secrets.js';
import type { DefinitionProblem, ParsedDefinition, WorkflowGraph } from '../graph/graph.js';
import { parseDefinition } from './parse-definition.js';
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

/** What a client sends of a definition. */
export interface SentDefinition {
  json: unknown;
  /** The canvas layout beside it, whose edges count where the definition has none. */
  layout?: unknown;
}

/** `parseDefinition` with the edges of the layout. Never throws. */
export function parseSent(
  { json, layout }: SentDefinition,
  catalogue: ToolCatalogue,
  knownSecrets?: KnownSecrets,
): ParsedDefinition & { json: unknown } {
  const whole = withLayoutEdges(json, layout);
  const parsed = parseDefinition(whole, catalogue, catalogue, knownSecrets);
  if (whole === json) return { ...parsed, json };
  return { ...parsed, errors: inLayout(parsed.errors), warnings: inLayout(parsed.warnings), json: whole };
}

/**
 * A definition that may be saved.
 * @param field the name under which the client sent it.
 * @param knownSecrets absent: what it names may be set later.
 * @throws ValidationError with every problem: as texts under the field, and in full under `problems`.
 */
export function requireValidDefinition(
  sent: SentDefinition,
  field: string,
  catalogue: ToolCatalogue,
  knownSecrets?: ReadonlySet<string>,
): CheckedDefinition {
  const { graph, errors, warnings, json } = parseSent(sent, catalogue, knownSecrets);
  if (graph) {
    const connected = withConnections(json as Record<string, unknown>, catalogue);
    // The layout keeps its edges; what they say is in the nodes now.
    const { edges } = sent.json as Record<string, unknown>;
    const { edges: _ours, ...rest } = connected;
    const kept = edges === undefined ? rest : { ...rest, edges };
    return { graph, jsonSpec: json === sent.json ? connected : kept, warnings };
  }
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
