import { derivedId } from '@app/common';
import { type NodeStatus, type RunStatus, StoredOutput, toStoredOutputView } from '@app/workflow-definition';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type ActingPerson, type ActorsRow, actorsOf, type InnerActor, ShownActors } from '../actors/shown-actors.js';
import { toQuestionData } from './question-data.js';
import { bodyPathOf } from '../runs/child-runs.js';
import { nodeRow, type NodeStateRow, toNodeState } from '../runs/node-state-row.js';
import { revisionAt } from '../revisions/loop-bodies.js';
import { rowShownToRunner } from './shown-to-runner.js';
import { type Revision, RevisionCache, type RevisionNode } from '../revisions/revision-cache.js';

/** A node execution row (docs/contract/workflows.md#node-rows). */
export interface NodeRow {
  /** Of workflow and node, so that it stays the same over reruns. */
  id: string;
  workflowId: string;
  nodeId: string;
  name: string | null;
  kind: string;
  params: Record<string, unknown>;
  status: NodeStatus;
  input: Record<string, unknown>;
  output: unknown;
  next: readonly string[];
  attempt: number;
  saveOutput: boolean;
  exportOutput: boolean;
  startedAt: Date | null;
  finishedAt: Date | null;
  batchId: string | null;
  batchTotal: number | null;
  batchCompleted: number;
  error: { code: string; message: string } | null;
  warnings: string[];
  /** With whose rights it reaches things; null for an account that is gone, or when nobody is known. */
  actsAs: ActingPerson | null;
  /** Nodes of its body that act as somebody else. */
  actsAsWithin: InnerActor[];
}

export interface WorkflowProgress {
  workflowId: string;
  name: string;
  /** Null before the first run. */
  runVersion: number | null;
  runId: string | null;
  status: RunStatus | 'IDLE';
  /** When the content was saved, or the run was asked for, started or ended: the last of them. */
  updatedAt: Date;
  nodes: NodeRow[];
}

/** The node rows of one run of the history. */
export interface RunProgressView {
  runId: string;
  version: number;
  status: RunStatus;
  payload: Record<string, unknown> | null;
  /** As it was when the run started. */
  jsonSpec: Record<string, unknown>;
  nodes: NodeRow[];
}

interface ProgressRow {
  is_app: boolean;
  name: string;
  run_id: string | null;
  content_revision: number;
  run_version: number | null;
  run_revision: number | null;
  status: RunStatus | null;
  payload: Record<string, unknown> | null;
  start_node_id: string | null;
  updated_at: Date;
  nodes: NodeStateRow[] | null;
  actors: ActorsRow | null;
}

/**
 * The node rows of a workflow: its definition joined with what the current run left. While a run is active its own
 * revision counts, else the newest one.
 */
@Injectable()
export class NodeRows {
  constructor(
    private readonly dataSource: DataSource,
    private readonly revisions: RevisionCache,
  ) {}

  /** For a caller who has checked access to `see` it. Null when the workflow is gone. */
  async find(workflowId: string, { withOutputs = true } = {}): Promise<WorkflowProgress | null> {
    const [row] = await this.dataSource.query<ProgressRow[]>(
      `SELECT w.name, w.app_of_id IS NOT NULL AS is_app, w.content_revision, r.id AS run_id, r.version AS run_version, r.content_revision AS run_revision, r.status, r.payload, r.start_node_id,
         greatest(w.updated_at, r.created_at, r.started_at, r.finished_at) AS updated_at,
         (SELECT json_agg(${nodeRow('n', 'CASE WHEN $2 THEN n.output END')})
          FROM workflow_run_nodes n WHERE n.run_id = r.id) AS nodes,
         ${actorsOf('w.id', `CASE WHEN r.status IN ('PENDING', 'RUNNING') THEN r.content_revision ELSE w.content_revision END`)} AS actors
       FROM workflows w LEFT JOIN workflow_runs r ON r.id = w.current_run_id
       WHERE w.id = $1 AND w.deleted_at IS NULL`,
      [workflowId, withOutputs],
    );
    if (!row) return null;
    const isActive = row.status === 'PENDING' || row.status === 'RUNNING';
    const revision = await this.revisions.get(workflowId, isActive ? row.run_revision! : row.content_revision);
    const nodes = toNodeRows(workflowId, revision, row, new ShownActors(row.actors));
    return {
      workflowId,
      name: row.name,
      runVersion: row.run_version,
      runId: row.run_id,
      status: row.status ?? 'IDLE',
      updatedAt: row.updated_at,
      nodes: row.is_app ? nodes.map(rowShownToRunner) : nodes,
    };
  }

  /** Whether the workflow is an app, whose definition is hidden. That never changes. */
  async isApp(workflowId: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ is_app: boolean }[]>(
      'SELECT app_of_id IS NOT NULL AS is_app FROM workflows WHERE id = $1',
      [workflowId],
    );
    return row?.is_app ?? true;
  }

  /** The rows of any run, with the definition that it is pinned to. For a caller who has checked access. */
  async findRun(workflowId: string, version: number): Promise<RunProgressView | null> {
    const [row] = await this.dataSource.query<
      (RunRow & Pick<ProgressRow, 'actors' | 'content_revision'> & { status: RunStatus; body_path: string[] | null })[]
    >(
      `SELECT r.id AS run_id, r.version AS run_version, r.content_revision, r.status, r.payload, r.start_node_id,
         (SELECT json_agg(${nodeRow('n', 'n.output')}) FROM workflow_run_nodes n WHERE n.run_id = r.id) AS nodes,
         ${bodyPathOf('r')} AS body_path, ${actorsOf('r.workflow_id', 'r.content_revision')} AS actors
       FROM workflow_runs r WHERE r.workflow_id = $1 AND r.version = $2`,
      [workflowId, version],
    );
    if (!row) return null;
    const revision = revisionAt(await this.revisions.get(workflowId, row.content_revision), row.body_path ?? []);
    if (!revision) return null;
    const { run_id: runId, status, payload } = row;
    const { jsonSpec } = revision;
    const actors = new ShownActors(row.actors, row.body_path ?? []);
    return { runId: runId!, version, status, payload, jsonSpec, nodes: toNodeRows(workflowId, revision, row, actors) };
  }
}

type RunRow = Pick<ProgressRow, 'run_id' | 'run_version' | 'status' | 'payload' | 'start_node_id' | 'nodes'>;

/** The rows of a run; nodes that it has not touched are made of the definition alone. */
export function toNodeRows(workflowId: string, revision: Revision, run: RunRow, actors: ShownActors): NodeRow[] {
  const states = new Map(run.nodes?.map((state) => [state.node_id, state]));
  return revision.nodes.map((node) => {
    const isTriggered = run.start_node_id === null ? node.isEntry : node.id === run.start_node_id;
    const row = toNodeRow(workflowId, node, states.get(node.id), run, isTriggered ? run.payload : null);
    return { ...row, actsAs: actors.of(node.id), actsAsWithin: actors.within(node.id) };
  });
}

/** What a node without a row of its own is: rows are written when there is something to keep. */
export function statusWithoutRow(run: RunStatus | null): NodeStatus {
  if (run === 'STOPPED') return 'STOPPED';
  return run === 'COMPLETED' || run === 'FAILED' ? 'SKIPPED' : 'PENDING';
}

function toNodeRow(
  workflowId: string,
  node: RevisionNode,
  row: NodeStateRow | undefined,
  run: RunRow,
  payload: Record<string, unknown> | null,
): Omit<NodeRow, 'actsAs' | 'actsAsWithin'> {
  const state = row ? toNodeState(row) : null;
  return {
    id: derivedId(workflowId, node.id),
    workflowId,
    nodeId: node.id,
    name: node.name,
    kind: node.kind,
    params: payload ? { ...node.params, _webhook_payload: payload } : node.params,
    status: state?.status ?? statusWithoutRow(run.status),
    input: payload ? { _webhook_payload: payload } : {},
    output: shownOutput(state, run),
    next: node.next,
    attempt: state?.attempt ?? 0,
    saveOutput: node.saveOutput,
    exportOutput: node.exportOutput,
    startedAt: toDate(state?.startedAt),
    finishedAt: toDate(state?.finishedAt),
    batchId: typeof state?.batchTotal === 'number' ? derivedId(workflowId, `batch:${node.id}`) : null,
    batchTotal: state?.batchTotal ?? null,
    batchCompleted: state?.batchCompleted ?? 0,
    error: state?.error ?? null,
    warnings: state?.warnings ?? [],
  };
}

/**
 * Why a node waits or failed is part of its output (docs/contract/workflows.md#node-rows), as long as it has none of
 * its own.
 */
function shownOutput(
  state: ReturnType<typeof toNodeState> | null,
  { run_id: runId, run_version: version }: RunRow,
): unknown {
  if (!state) return null;
  const stored = StoredOutput.from(state.output);
  if (stored && runId) return toStoredOutputView(stored, runId, state.nodeId);
  if (state.output !== null && state.output !== undefined) return state.output;
  if (state.status === 'WAITING' && state.waiting) {
    const { reason, nodes, until } = state.waiting;
    const run = runId !== null && version !== null ? { runId, version } : null;
    const question = run && toQuestionData(run, state.nodeId, state.waiting);
    return {
      waiting: { reason, ...(nodes ? { nodes } : {}), ...(until ? { until: new Date(until).toISOString() } : {}) },
      ...(question && { question }),
    };
  }
  return state.error ? { error: state.error } : null;
}

function toDate(milliseconds: number | null | undefined): Date | null {
  return typeof milliseconds === 'number' ? new Date(milliseconds) : null;
}
