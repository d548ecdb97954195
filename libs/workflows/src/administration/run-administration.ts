import { type AuditAction, AuditLog } from '@app/audit';
import { ConflictError, isUuid, NotFoundError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RunRetry } from '../history/run-retry.js';
import { RunControl } from '../runs/run-control.js';
import { WebhookRequests } from '../webhooks/webhook-requests.js';

/** What an operator may ask for: runs that have not ended, or ended so. */
export const RUN_STATUSES = ['pending', 'running', 'completed', 'failed', 'stopped'] as const;
export type RunStatusName = (typeof RUN_STATUSES)[number];

export interface RunFilter {
  status: RunStatusName | null;
  /** A user name, or null for everybody's. */
  owner: string | null;
  hours: number;
  limit: number;
}

interface RunRow {
  id: string;
  workflow: string;
  version: number;
  owner: string;
  trigger: string;
  status: string;
  created: Date;
  finished: Date | null;
  node: string | null;
  code: string | null;
  reason: string | null;
}

const COLUMNS = `r.id, r.workflow_id AS workflow, r.version, u.username AS owner, r.trigger, lower(r.status) AS status,
  r.created_at AS created, r.finished_at AS finished, r.error->>'nodeId' AS node, r.error->>'code' AS code,
  left(r.error->>'message', 200) AS reason`;
const SOURCE = `workflow_runs r JOIN workflows w ON w.id = r.workflow_id JOIN users u ON u.id = w.owner_id`;

/** Runs of everybody, for operators. What they do is done on behalf of the owner, and recorded. */
@Injectable()
export class RunAdministration {
  constructor(
    private readonly dataSource: DataSource,
    private readonly runs: RunControl,
    private readonly retries: RunRetry,
    private readonly requests: WebhookRequests,
    private readonly audit: AuditLog,
  ) {}

  /** Newest first. */
  list({ status, owner, hours, limit }: RunFilter): Promise<RunRow[]> {
    return this.dataSource.query<RunRow[]>(
      `SELECT ${COLUMNS} FROM ${SOURCE}
       WHERE ($1::text IS NULL OR r.status = upper($1)) AND ($2::text IS NULL OR u.username = $2)
         AND coalesce(r.finished_at, r.created_at) > now() - $3 * interval '1 hour'
       ORDER BY coalesce(r.finished_at, r.created_at) DESC LIMIT $4`,
      [status, owner, hours, limit],
    );
  }

  /** One node a row. @throws NotFoundError */
  async nodes(id: string): Promise<object[]> {
    await this.get(id);
    return this.dataSource.query<object[]>(
      `SELECT node_id AS node, lower(status) AS status, attempt, error->>'code' AS code,
         left(error->>'message', 200) AS reason, started_at AS started, finished_at AS finished
       FROM workflow_run_nodes WHERE run_id = $1 ORDER BY started_at NULLS LAST, node_id`,
      [id],
    );
  }

  /**
   * Runs an ended run again: what had finished keeps its results.
   * @throws NotFoundError; ConflictError `run_active` while one of the workflow runs, `spec_incompatible`
   */
  async retry(id: string, from: 'failed' | 'start'): Promise<object> {
    const { workflow, version, ownerId } = await this.get(id);
    const options = { from, spec: 'original', saveOutputs: true } as const;
    const started = await this.retries.retry(ownerId, workflow, version, options);
    await this.record('run.retried', workflow, { run: id, version: started.version });
    return { workflow, version: started.version, nodes_reused: started.nodesReused };
  }

  /** Stops what the workflow of this run is at; its webhook queue goes on. @throws NotFoundError, ConflictError */
  async cancel(id: string): Promise<object> {
    const { workflow } = await this.get(id);
    const nodes = await this.runs.stopActive(workflow, 'Stopped by an operator.');
    if (nodes === null) throw new ConflictError('This run has ended already.', { code: 'not_running' });
    await this.record('run.cancelled', workflow, { run: id });
    return { workflow, nodes_stopped: nodes };
  }

  /** Cancels the webhook requests of a workflow that wait; the one at work ends by itself. @throws NotFoundError */
  async drain(workflow: string): Promise<object> {
    const [row] = isUuid(workflow)
      ? await this.dataSource.query<{ ownerId: number; owner: string }[]>(
          `SELECT w.owner_id AS "ownerId", u.username AS owner FROM workflows w JOIN users u ON u.id = w.owner_id
           WHERE w.id = $1 AND w.deleted_at IS NULL`,
          [workflow],
        )
      : [];
    if (!row) throw new NotFoundError('There is no such workflow.');
    const waiting = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM workflow_requests WHERE workflow_id = $1 AND status = 'pending' ORDER BY seq`,
      [workflow],
    );
    let cancelled = 0;
    for (const { id } of waiting) {
      const user = { userId: row.ownerId, username: row.owner };
      const isOver = await this.requests.act(user, workflow, id, 'cancel').catch((error: unknown) => {
        // It has begun, or was cancelled, in the meantime.
        if ((error as { code?: unknown }).code === 'action_not_applicable') return null;
        throw error;
      });
      if (isOver === 'cancelled') cancelled += 1;
    }
    await this.record('queue.drained', workflow, { cancelled });
    return { workflow, cancelled };
  }

  private async get(id: string): Promise<{ workflow: string; version: number; ownerId: number }> {
    const [row] = isUuid(id)
      ? await this.dataSource.query<{ workflow: string; version: number; ownerId: number }[]>(
          `SELECT r.workflow_id AS workflow, r.version, w.owner_id AS "ownerId" FROM ${SOURCE} WHERE r.id = $1`,
          [id],
        )
      : [];
    if (!row) throw new NotFoundError('There is no such run.');
    return row;
  }

  private async record(action: AuditAction, workflow: string, details: Record<string, unknown>): Promise<void> {
    await this.audit.record({
      action,
      actor: null,
      target: `workflow:${workflow}`,
      details: { ...details, by: 'terminal' },
    });
  }
}
