import { ConflictError, NotFoundError, type Page, type PageRequest } from '@app/common';
import type { RunStatus } from '@app/workflow-definition';
import type { DataSource } from 'typeorm';
import { revisionAt } from '../revisions/loop-bodies.js';
import type { NodeRow, NodeRows } from '../progress/node-rows.js';
import type { RevisionCache } from '../revisions/revision-cache.js';
import type { WorkflowAccess } from '../access/workflow-access.js';
import { BODY_KEY } from '../runs/run-store.js';
import type { HistoryLimits } from './history-limits.js';
import {
  RUN_COLUMNS,
  RUN_JOINS,
  type RunRecord,
  type RunRecordRow,
  type RunTrigger,
  toRunRecord,
} from './run-record.js';

/** SQL: whether a run that has not ended waits for what `workflow_runs r` leaves behind. */
export const PARENT_IS_ACTIVE = `EXISTS (
  SELECT FROM workflow_runs parent WHERE parent.id = r.parent_run_id AND parent.finished_at IS NULL)`;

export interface RunDetail extends RunRecord {
  runId: string;
  nodes: NodeRow[];
  /** As it was when the run started. */
  jsonSpec: Record<string, unknown>;
  payload: Record<string, unknown> | null;
}

/** What became of the runs of a workflow (docs/contract/workflows.md#history). */
export class RunHistory {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly revisions: RevisionCache,
    private readonly nodeRows: NodeRows,
    private readonly limits: HistoryLimits,
  ) {}

  /** Newest first. @throws NotFoundError */
  async list(
    userId: number,
    workflowId: string,
    filter: { status?: RunStatus | undefined; trigger?: RunTrigger | undefined },
    at: PageRequest,
  ): Promise<Page<RunRecord>> {
    await this.access.require(userId, workflowId, 'viewer');
    // The bodies of loops are seen from the run that they belong to.
    const matches = `r.workflow_id = $1 AND coalesce(r.parent_key, '') NOT LIKE '${BODY_KEY}%' AND ($2::text IS NULL OR r.status = $2) AND ($3::text IS NULL OR r.trigger = $3)`;
    const values = [workflowId, filter.status ?? null, filter.trigger ?? null];
    const [[{ count }], rows] = await Promise.all([
      this.dataSource.query<[{ count: number }]>(
        `SELECT count(*)::int AS count FROM workflow_runs r WHERE ${matches}`,
        values,
      ),
      this.dataSource.query<RunRecordRow[]>(
        `SELECT ${RUN_COLUMNS} FROM (
           SELECT * FROM workflow_runs r WHERE ${matches} ORDER BY r.version DESC LIMIT $4 OFFSET $5) r
         ${RUN_JOINS} ORDER BY r.version DESC`,
        [...values, at.pageSize, (at.page - 1) * at.pageSize],
      ),
    ]);
    return { count, items: await Promise.all(rows.map((row) => this.toRecord(workflowId, row))) };
  }

  /** @throws NotFoundError */
  async get(userId: number, workflowId: string, version: number): Promise<RunDetail> {
    await this.access.require(userId, workflowId, 'viewer');
    const record = await this.findRecord(workflowId, version);
    const progress = await this.nodeRows.findRun(workflowId, version);
    if (!record || !progress) throw new NotFoundError('Run not found.', { code: 'run_not_found' });
    const { runId, payload, nodes, jsonSpec } = progress;
    return { ...record, runId, nodes, jsonSpec, payload };
  }

  /** For a caller who has checked access. Null when there is no such run. */
  async findRecord(workflowId: string, version: number): Promise<RunRecord | null> {
    const [row] = await this.dataSource.query<RunRecordRow[]>(
      `SELECT ${RUN_COLUMNS} FROM workflow_runs r ${RUN_JOINS} WHERE r.workflow_id = $1 AND r.version = $2`,
      [workflowId, version],
    );
    return row ? this.toRecord(workflowId, row) : null;
  }

  /**
   * Removes a run with its outputs and their files.
   * @throws NotFoundError; ForbiddenError for everybody but the owner; ConflictError `run_active`
   */
  async delete(userId: number, workflowId: string, version: number): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await this.access.hold(tx, userId, workflowId, 'owner');
      const [run] = await tx.query<{ id: string; is_active: boolean }[]>(
        `SELECT r.id, r.finished_at IS NULL OR ${PARENT_IS_ACTIVE} AS is_active FROM workflow_runs r
         WHERE r.workflow_id = $1 AND r.version = $2 FOR UPDATE`,
        [workflowId, version],
      );
      if (!run) throw new NotFoundError('Run not found.', { code: 'run_not_found' });
      if (run.is_active) throw new ConflictError('This run is still active. Stop it first.', { code: 'run_active' });
      // The workflow then shows its newest run that is left.
      await tx.query(
        `UPDATE workflows SET current_run_id = (
           SELECT id FROM workflow_runs WHERE workflow_id = $1 AND id <> $2 AND NOT is_concurrent
           ORDER BY version DESC LIMIT 1)
         WHERE id = $1 AND current_run_id = $2`,
        [workflowId, run.id],
      );
      await tx.query('DELETE FROM workflow_runs WHERE id = $1', [run.id]);
    });
  }

  private async toRecord(workflowId: string, row: RunRecordRow): Promise<RunRecord> {
    const total = await this.revisions.get(workflowId, row.content_revision).then(
      (revision) => revisionAt(revision, row.body_path ?? [])?.nodes.length ?? row.known_nodes,
      (error: unknown) => {
        if (error instanceof NotFoundError) return row.known_nodes;
        throw error;
      },
    );
    return toRunRecord(row, total, (await this.limits.limitFor(row.owner_id)).days);
  }
}
