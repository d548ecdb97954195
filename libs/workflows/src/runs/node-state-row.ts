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

/**
 * SQL: a row of workflow_run_nodes for `toNodeState`, as JSON: the members of its output keep their order.
 * @param output SQL of its output
 * @param more SQL of further members, each behind a comma
 */
export function nodeRow(alias: string, output: string, more = ''): string {
  return `json_build_object('node_id', ${alias}.node_id, 'status', ${alias}.status, 'attempt', ${alias}.attempt,
    'output', ${output}, 'chosen', ${alias}.chosen, 'error', ${alias}.error, 'handled', ${alias}.handled,
    'waiting', ${alias}.waiting, 'warnings', ${alias}.warnings, 'started_at', ${alias}.started_at,
    'finished_at', ${alias}.finished_at, 'batch_total', ${alias}.batch_total,
    'batch_completed', ${alias}.batch_completed, 'usage', ${alias}.usage${more})`;
}

/** SQL: the same with a larger output as text. */
export function nodeRowAsText(alias: string): string {
  const isLarge = `length(${alias}.output::text) > ${MAX_READ_OUTPUT}`;
  return nodeRow(
    alias,
    `CASE WHEN NOT ${isLarge} THEN ${alias}.output END`,
    `, 'output_text', CASE WHEN ${isLarge} THEN ${alias}.output::text END`,
  );
}

/** A row of workflow_run_nodes. */
export interface NodeStateRow {
  node_id: string;
  status: NodeStatus;
  attempt: number;
  output: unknown;
  /** In place of the output where it is not quite small: read when somebody refers to it. */
  output_text?: string | null;
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
    output:
      typeof row.output_text === 'string' ? toOutput(row.output_text) : (StoredOutput.from(row.output) ?? row.output),
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
