import type { NodeError, NodeState, NodeStatus, NodeUsage, NodeWait } from '../engine/node-state.js';

/** A row of workflow_run_nodes. */
export interface NodeStateRow {
  node_id: string;
  status: NodeStatus;
  attempt: number;
  output: unknown;
  chosen: string[] | null;
  error: NodeError | null;
  handled: boolean;
  waiting: NodeWait | null;
  warnings: string[];
  /** A `Date` from a plain query, ISO text from jsonb. */
  started_at: Date | string | null;
  finished_at: Date | string | null;
  batch_total: number | null;
  batch_completed: number;
  usage: NodeUsage | null;
}

export function toNodeState(row: NodeStateRow): NodeState {
  const { status, attempt, output, chosen, error, handled, waiting, warnings } = row;
  return {
    nodeId: row.node_id,
    status,
    attempt,
    output,
    chosen,
    error,
    handled,
    waiting,
    warnings,
    startedAt: row.started_at === null ? null : new Date(row.started_at).getTime(),
    finishedAt: row.finished_at === null ? null : new Date(row.finished_at).getTime(),
    batchTotal: row.batch_total,
    batchCompleted: row.batch_completed,
    ...(row.usage && { usage: row.usage }),
  };
}
