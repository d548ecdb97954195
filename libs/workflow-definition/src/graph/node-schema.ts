import { z } from 'zod';
import { MAX_NODE_ID_LENGTH } from '../references/reference.js';
import type { DefinitionProblem, NodeSpec } from './graph.js';
import { MAX_BACKOFF_SECONDS, MAX_NODE_NAME_LENGTH, MAX_TIMEOUT_SECONDS } from './limits.js';

/** A node that is well formed in itself, and where it stands, like `nodes[2]`. */
export interface PlacedNode {
  node: NodeSpec;
  path: string;
}

/** Clients send null for what is not set. */
const nodeIds = z.array(z.string()).nullish();
const seconds = (max: number) => z.number().min(0).max(max);

const retrySchema = z
  .object({
    max_attempts: z.int().min(1).max(10).default(3),
    backoff_seconds: seconds(MAX_BACKOFF_SECONDS).default(1),
    multiplier: z.number().min(1).max(10).default(2),
    max_seconds: seconds(MAX_BACKOFF_SECONDS).default(300),
  })
  .transform((retry) => ({
    maxAttempts: retry.max_attempts,
    backoffSeconds: retry.backoff_seconds,
    multiplier: retry.multiplier,
    maxSeconds: retry.max_seconds,
  }));

/** A node as it stands in `json_spec`; keys that are not known here belong to the canvas. */
const nodeSchema = z
  .object({
    id: z
      .string('A node needs an id, which is a text.')
      .min(1, 'A node needs an id.')
      .max(MAX_NODE_ID_LENGTH, `An id has at most ${MAX_NODE_ID_LENGTH} characters.`)
      // Braces and brackets would make references ambiguous.
      .regex(
        /^[^\s\p{Cc}{}[\]]([^\p{Cc}{}[\]]*[^\s\p{Cc}{}[\]])?$/u,
        'An id must not hold braces, brackets, control characters or outer spaces.',
      ),
    kind: z.string('A node needs a kind, which is a text.').min(1, 'A node needs a kind.').max(100),
    name: z.string().max(MAX_NODE_NAME_LENGTH, `A name has at most ${MAX_NODE_NAME_LENGTH} characters.`).nullish(),
    params: z.record(z.string(), z.unknown()).nullish(),
    next: nodeIds,
    error_next: nodeIds,
    on_error: z.enum(['fail', 'continue', 'branch']).nullish(),
    retry: retrySchema.nullish(),
    timeout_seconds: z.number().positive().max(MAX_TIMEOUT_SECONDS).nullish(),
    requires: z.object({ wait_for: nodeIds, on_failed: z.enum(['skip', 'continue']).nullish() }).nullish(),
    save_output: z.boolean().nullish(),
    export_output: z.boolean().nullish(),
  })
  .transform((node): NodeSpec => ({
    id: node.id,
    kind: node.kind,
    name: node.name || node.id,
    params: node.params ?? {},
    next: unique(node.next),
    errorNext: unique(node.error_next),
    onError: node.on_error ?? 'fail',
    retry: node.retry ?? null,
    timeoutSeconds: node.timeout_seconds ?? null,
    requires: { waitFor: unique(node.requires?.wait_for), onFailed: node.requires?.on_failed ?? 'skip' },
    saveOutput: node.save_output ?? false,
    exportOutput: node.export_output ?? false,
    secretNames: [],
  }));

/** The JSON Schema of a node, as a definition has it. */
export function nodeShape(): Record<string, unknown> {
  return z.toJSONSchema(nodeSchema, { io: 'input', unrepresentable: 'any' });
}

/** The node, or every problem of its shape; `path` starts at the node. */
export function parseNode(value: unknown, path: string): { node: NodeSpec } | { problems: DefinitionProblem[] } {
  const parsed = nodeSchema.safeParse(value);
  if (parsed.success) return { node: parsed.data };
  const nodeId = idOf(value);
  return {
    problems: parsed.error.issues.map((issue) => ({
      code: codeOf(issue.path, value),
      nodeId,
      path: path + formatPath(issue.path),
      message: issue.message,
    })),
  };
}

/** The id that messages about a broken node may name. */
export function idOf(value: unknown): string | null {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  return typeof id === 'string' && id.length <= MAX_NODE_ID_LENGTH ? id : null;
}

function codeOf(path: readonly PropertyKey[], value: unknown): string {
  const isMissing = (key: string): boolean => {
    const given: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
    return given === undefined || given === null || given === '';
  };
  if (path[0] === 'id') return isMissing('id') ? 'missing_id' : 'invalid_id';
  if (path[0] === 'kind') return isMissing('kind') ? 'missing_kind' : 'invalid_kind';
  if (path[0] === 'name') return 'invalid_name';
  if (path[0] === 'retry') return 'invalid_retry';
  if (path[0] === 'on_error') return 'invalid_on_error';
  return 'invalid_node';
}

/** `['next', 0]` to `.next[0]`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
}

function unique(ids: readonly string[] | null | undefined): readonly string[] {
  return ids?.length ? [...new Set(ids)] : [];
}
