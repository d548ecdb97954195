import type { ItemFailures, ItemState } from '../states/item-state.js';
import type { NodeError } from '../states/node-state.js';
import type { SideEffects } from './tool.js';

export interface ItemsOptions {
  /** Items at work at the same time. */
  concurrency: number;
  itemFailures: ItemFailures;
  /** What the work on one item can do. `external`: an item whose worker was lost is not tried again. */
  sideEffects: SideEffects;
}

export interface ItemResult {
  index: number;
  /** Null for a failed item. */
  output: unknown;
  error: NodeError | null;
}

/** How a run that a node started has ended. */
export interface ChildEnd {
  key: string;
  runId: string;
  version: number;
  status: 'COMPLETED' | 'FAILED' | 'STOPPED';
  error: (NodeError & { nodeId: string | null }) | null;
  /** Of its output nodes: the output of the only one that completed, or all of them by node id, or null. */
  result: unknown;
}

export interface ChildRuns {
  /**
   * Starts a run under a key that is unique in this node, unless it was started before. Return a `child` wait for it.
   * @param workflowId null: the node's own param `body`, as a definition. @throws ToolError
   */
  start(key: string, child: { workflowId: string | null; payload: Record<string, unknown> }): Promise<void>;
  /** Those of the runs that have ended. */
  ends(keys: readonly string[]): Promise<ChildEnd[]>;
  stop(keys: readonly string[], reason: string): Promise<void>;
}

/** The items of a node that does its own book-keeping; `processItems` does all of this by itself. */
export interface ItemRecords {
  /** Shows how far the node is. The total of the first call counts, whatever later ones say. */
  report(total: number, completed: number): void;
  /** @throws ToolError when the run has gone to another worker. */
  save(items: readonly ItemState[]): Promise<void>;
  /** What is written, in order of the index; outputs only when asked for, else null. `to` is excluded. */
  load(options?: { withOutputs?: boolean; from?: number; to?: number }): Promise<ItemState[]>;
}

/** What a node can do beside its own work: run other kinds, work through many items, start runs. */
export interface NestedWork {
  /** Tries of this node that failed by themselves. What has to be new for each try is named after it. */
  readonly failures: number;
  /** One of the kind's `itemParams` for one item. @throws ToolError `params_too_large` */
  bind(name: string, item: unknown, index: number): unknown;
  /**
   * Runs another kind as a part of this node and gives its output.
   * @param key unique in the node; makes the idempotency key. @throws ToolError
   */
  runTool(kind: string, params: Record<string, unknown>, key: string): Promise<unknown>;
  /** What a node of the kind with these params, as a definition has them, can do. */
  sideEffectsOf(kind: string, params: Record<string, unknown>): SideEffects;
  /**
   * Does the work on every item once, in no particular order: what was written as done stays done over crashes and
   * tries. @returns the results in order. @throws ToolError `item_failed` with `itemFailures: 'fail'`
   */
  processItems(
    items: readonly unknown[],
    process: (item: unknown, index: number) => Promise<unknown>,
    options: ItemsOptions,
  ): Promise<ItemResult[]>;
  readonly items: ItemRecords;
  readonly children: ChildRuns;
}
