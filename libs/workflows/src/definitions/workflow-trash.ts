import { NotFoundError } from '@app/common';
import { LiveBus } from '@app/live';
import type { DataSource } from 'typeorm';
import type { RunAnnouncer } from '../runs/run-announcer.js';
import { toJsonText } from '../runs/json-text.js';
import type { WaitingRequests } from '../runs/waiting-requests.js';
import type { WorkflowAccess } from './workflow-access.js';

export interface Trashed {
  id: string;
  deletedAt: Date;
  purgeAt: Date;
  /** Whether a run was stopped by it. */
  runStopped: boolean;
  cancelledRequests: number;
}

/** The way into the trash and back (document 2, section 3). In the trash nothing fires. */
export class WorkflowTrash {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly live: LiveBus,
    private readonly waiting: WaitingRequests,
    private readonly announcer: RunAnnouncer,
    private readonly retentionDays: number,
  ) {}

  /** @throws NotFoundError, ForbiddenError for a collaborator. */
  async trash(userId: number, workflowId: string): Promise<Trashed> {
    await this.access.require(userId, workflowId, 'owner');
    const trashed = await this.dataSource.transaction(async (tx) => {
      const [row] = await tx.query<{ deleted_at: Date; purge_at: Date }[]>(
        `WITH trashed AS (
           UPDATE workflows SET deleted_at = now(), purge_at = now() + $2 * interval '1 day', pending_requests = 0
           WHERE id = $1 AND deleted_at IS NULL RETURNING deleted_at, purge_at)
         SELECT * FROM trashed`,
        [workflowId, this.retentionDays],
      );
      if (!row) throw new NotFoundError();
      const detail = 'The workflow was moved to the trash.';
      const [stopped] = await tx.query<{ id: string | null }[]>(`SELECT (workflow_stop_active($1, $2, $3::jsonb)).id`, [
        workflowId,
        detail,
        toJsonText({ nodeId: null, code: 'trashed', message: detail }),
      ]);
      const [cancelled] = await tx.query<{ count: number }[]>(
        `WITH cancelled AS (
           UPDATE workflow_requests SET status = 'cancelled', finished_at = now(), detail = $2
           WHERE workflow_id = $1 AND status = 'pending' RETURNING 1)
         SELECT count(*)::int FROM cancelled`,
        [workflowId, detail],
      );
      return { row, runId: stopped?.id ?? null, cancelledRequests: cancelled?.count ?? 0 };
    });
    if (trashed.runId) this.live.publish('runs:stop', { runId: trashed.runId });
    this.announcer.nodesChanged(workflowId, 0);
    return {
      id: workflowId,
      deletedAt: trashed.row.deleted_at,
      purgeAt: trashed.row.purge_at,
      runStopped: trashed.runId !== null,
      cancelledRequests: trashed.cancelledRequests,
    };
  }

  /** Requests that came to wait in the meantime (retries) go on. @throws NotFoundError, ForbiddenError. */
  async restore(userId: number, workflowId: string): Promise<void> {
    await this.access.require(userId, workflowId, 'owner', { trashed: true });
    await this.dataSource.query('UPDATE workflows SET deleted_at = NULL, purge_at = NULL WHERE id = $1', [workflowId]);
    await this.waiting.startNext(workflowId);
  }

  /** For a sweeper: removes what has been in the trash for long enough, with all that it owns. @returns how many. */
  async purgeDue(limit: number): Promise<number> {
    const rows = await this.dataSource.query<unknown[]>(
      `WITH due AS (SELECT id FROM workflows WHERE purge_at <= now() ORDER BY purge_at LIMIT $1 FOR UPDATE SKIP LOCKED),
         purged AS (DELETE FROM workflows w USING due WHERE w.id = due.id RETURNING 1)
       SELECT * FROM purged`,
      [limit],
    );
    return rows.length;
  }
}
