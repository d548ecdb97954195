import type { NodeError } from './node-state.js';

/** `fail`: the first failed item fails the node. `collect`: the others go on, and the node says which failed. */
export type ItemFailures = 'fail' | 'collect';

/** `LOST`: its worker was lost while it may have taken effect, so that it is never tried again. */
export type ItemStatus = 'STARTED' | 'COMPLETED' | 'FAILED' | 'LOST';

/** What is kept of one item of a batch node (docs/contract/workflows.md#graph-rules, rule 8). */
export interface ItemState {
  index: number;
  status: ItemStatus;
  /** Tries of the node that had failed before it was written. */
  round: number;
  output: unknown;
  error: NodeError | null;
}
