import type { RunStatus } from '@app/workflow-definition';
import { bodyPathOf } from '../runs/child-runs.js';

export const RUN_TRIGGERS = ['manual', 'webhook', 'schedule', 'branch', 'agent', 'api'] as const;
export type RunTrigger = (typeof RUN_TRIGGERS)[number];

/** One run in the history of its workflow (docs/contract/workflows.md#history). */
export interface RunRecord {
  version: number;
  status: RunStatus;
  trigger: RunTrigger;
  /** Null for what no user asked for, and for accounts that are gone. */
  triggeredBy: { id: number; username: string } | null;
  /** Of the webhook queue. */
  requestId: string | null;
  scheduleId: string | null;
  /** The run whose outputs it reuses. */
  parentVersion: number | null;
  isBranch: boolean;
  startNodeId: string | null;
  contentRevision: number;
  startedAt: Date;
  finishedAt: Date | null;
  durationSeconds: number | null;
  counts: { total: number; completed: number; failed: number; skipped: number };
  error: { nodeId: string | null; code: string; message: string } | null;
  /** What its nodes used of language models. */
  tokens: number;
  spend: number;
  /** When it leaves the history; null as long as it runs. */
  expiresAt: Date | null;
}

export interface RunRecordRow {
  id: string;
  owner_id: number;
  version: number;
  status: RunStatus;
  trigger: RunTrigger;
  triggered_by_id: number | null;
  triggered_by_name: string | null;
  queue_request_id: string | null;
  schedule_id: string | null;
  parent_version: number | null;
  start_node_id: string | null;
  content_revision: number;
  started_at: Date;
  finished_at: Date | null;
  error: { nodeId: string | null; code: string; message: string } | null;
  tokens: string;
  spend: string;
  body_path: string[] | null;
  known_nodes: number;
  completed_nodes: number;
  failed_nodes: number;
  skipped_nodes: number;
}

/** SQL: the columns of a `RunRecordRow` from `workflow_runs r`, to be followed by `RUN_JOINS`. */
export const RUN_COLUMNS = `${bodyPathOf('r')} AS body_path, r.id, w.owner_id, r.version, r.status, r.trigger, r.triggered_by_id,
  u.username AS triggered_by_name, r.queue_request_id, r.schedule_id, r.parent_version, r.start_node_id,
  r.content_revision, coalesce(r.started_at, r.created_at) AS started_at, r.finished_at, r.error, r.tokens, r.spend,
  n.known_nodes, n.completed_nodes, n.failed_nodes, n.skipped_nodes`;

export const RUN_JOINS = `JOIN workflows w ON w.id = r.workflow_id
  LEFT JOIN users u ON u.id = r.triggered_by_id
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS known_nodes,
      (count(*) FILTER (WHERE status = 'COMPLETED'))::int AS completed_nodes,
      (count(*) FILTER (WHERE status = 'FAILED'))::int AS failed_nodes,
      (count(*) FILTER (WHERE status = 'SKIPPED'))::int AS skipped_nodes
    FROM workflow_run_nodes WHERE run_id = r.id) n`;

/** @param totalNodes of the definition that the run is pinned to. */
export function toRunRecord(row: RunRecordRow, totalNodes: number, keptDays: number): RunRecord {
  const { finished_at: finishedAt, started_at: startedAt } = row;
  // Rows are written when there is something to keep: in a run that came to its end, the others were skipped.
  const untouched = row.status === 'COMPLETED' || row.status === 'FAILED' ? totalNodes - row.known_nodes : 0;
  return {
    version: row.version,
    status: row.status,
    trigger: row.trigger,
    triggeredBy:
      row.triggered_by_id === null ? null : { id: row.triggered_by_id, username: row.triggered_by_name ?? '' },
    requestId: row.queue_request_id,
    scheduleId: row.schedule_id,
    parentVersion: row.parent_version,
    isBranch: row.start_node_id !== null,
    startNodeId: row.start_node_id,
    contentRevision: row.content_revision,
    startedAt,
    finishedAt,
    durationSeconds: finishedAt && Math.max(0, finishedAt.getTime() - startedAt.getTime()) / 1000,
    counts: {
      total: totalNodes,
      completed: row.completed_nodes,
      failed: row.failed_nodes,
      skipped: row.skipped_nodes + Math.max(0, untouched),
    },
    error: row.error,
    tokens: Number(row.tokens),
    spend: Number(row.spend),
    expiresAt: finishedAt && new Date(finishedAt.getTime() + keptDays * 86_400_000),
  };
}
