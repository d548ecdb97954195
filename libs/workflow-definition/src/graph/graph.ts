import type { ParamsTemplate } from '../references/params-template.js';

export type OnError = 'fail' | 'continue' | 'branch';

export interface RetryPolicy {
  /** Starts in all, the first included: 1 to 10. */
  maxAttempts: number;
  backoffSeconds: number;
  multiplier: number;
  maxSeconds: number;
}

/** A node of `json_spec` with every default filled in. */
export interface NodeSpec {
  id: string;
  kind: string;
  /** Display label; the id when the author gave none. */
  name: string;
  params: Record<string, unknown>;
  next: readonly string[];
  /** Empty unless `onError` is `branch`. */
  errorNext: readonly string[];
  onError: OnError;
  retry: RetryPolicy | null;
  /** Null: the tool's own limit. */
  timeoutSeconds: number | null;
  requires: { waitFor: readonly string[]; onFailed: 'skip' | 'continue' };
  saveOutput: boolean;
  exportOutput: boolean;
  /** The secrets that its params name; their values are known to nobody but the tool. */
  secretNames: readonly string[];
}

/**
 * A definition that passed every check, with its adjacency by position in `nodes`, so that a run costs time in
 * proportion to its nodes and edges. Immutable: one graph serves many runs at once.
 */
export interface WorkflowGraph {
  name: string;
  version: string;
  nodes: readonly NodeSpec[];
  indexOf: ReadonlyMap<string, number>;
  /** Nodes that start a run, in the order of `nodes`. */
  entries: readonly number[];
  isEntry: readonly boolean[];
  next: readonly (readonly number[])[];
  errorNext: readonly (readonly number[])[];
  /** `next` and `errorNext` together, each node once. */
  successors: readonly (readonly number[])[];
  predecessors: readonly (readonly number[])[];
  waitFor: readonly (readonly number[])[];
  /** The nodes that name this one in `requires.wait_for`. */
  waiters: readonly (readonly number[])[];
  /** Every node after its predecessors and after those that it waits for. */
  topologicalOrder: readonly number[];
  /** The params of each node with their references already read. */
  params: readonly ParamsTemplate[];
}

export interface DefinitionProblem {
  code: string;
  nodeId: string | null;
  /** Where in the definition, like `nodes[2].params.url`; empty for the definition as a whole. */
  path: string;
  message: string;
}

export interface ParsedDefinition {
  /** Null as soon as there is one error. */
  graph: WorkflowGraph | null;
  errors: DefinitionProblem[];
  warnings: DefinitionProblem[];
}
