import {
  JsonText,
  type NodeError,
  type NodeState,
  type NodeStatus,
  type NodeUsage,
  type NodeWait,
  STORED_KEY,
  StoredOutput,
} from '@app/workflow-definition';

const MAX_READ_OUTPUT = 4 * 1024;

/** SQL: a row of workflow_run_nodes for `toNodeState`, with a larger output as text. */
export function nodeRowAsText(alias: string): string {
  return `CASE WHEN length(${alias}.output::text) > ${MAX_READ_OUTPUT}
    THEN (to_jsonb(${alias}) - 'output') || jsonb_build_object('output_text', ${alias}.output::text) ELSE to_jsonb(${alias}) END`;
}

/** A row of workflow_run_nodes. */
export interface NodeStateRow {
  node_id: string;
  status: NodeStatus;
  attempt: number;
  output: unknown;
  /** In place of the output where it is not quite small: read when somebody refers to it. */
  output_text?: string;
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
  const { status, attempt, chosen, error, handled, waiting, warnings } = row;
  return {
    nodeId: row.node_id,
    status,
    attempt,
    output: row.output_text === undefined ? (StoredOutput.from(row.output) ?? row.output) : toOutput(row.output_text),
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

/** An output as the text of its row: a small one is read, a larger one stays text or lies elsewhere. */
export function toOutput(text: string): unknown {
  // The place of a stored output is longer than that only with a preview full of signs that JSON escapes.
  if (!text.startsWith(`{"${STORED_KEY}":`))
    return text.length <= MAX_READ_OUTPUT ? (JSON.parse(text) as unknown) : new JsonText(text);
  return StoredOutput.from(JSON.parse(text)) ?? new JsonText(text);
}
