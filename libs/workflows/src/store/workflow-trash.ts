import type { AuditLog } from '@app/audit';
import { NotFoundError } from '@app/common';
import { retriedTransaction } from '@app/entities';
import { LiveBus } from '@app/live';
import type { DataSource } from 'typeorm';
import { stopAllRuns } from '../deletion/stop-all-runs.js';
import type { DestroyedWorkflow, WorkflowDestruction } from '../deletion/workflow-destruction.js';
import type { WorkflowParts } from '../deletion/workflow-parts.js';
import type { RunAnnouncer } from '../runs/run-announcer.js';
import type { RunNotifier } from '../runs/run-notifier.js';
import type { WaitingRequests } from '../runs/waiting-requests.js';
import type { WorkflowAccess } from '../access/workflow-access.js';
import { MAY_COME_BACK } from './workflow-reader.js';

export interface Trashed {
  id: string;
  deletedAt: Date;
  purgeAt: Date;
  /** What else happened, in wire names: `run_stopped`, `cancelled_requests` and what the parts tell. */
  sideEffects: Record<string, unknown>;
}

/**
 * The way into the trash, back, and out of the world (docs/contract/workflows.md#trash). In the trash nothing fires.
 */
export class WorkflowTrash {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly live: LiveBus,
    private readonly waiting: WaitingRequests,
    private readonly announcer: RunAnnouncer,
    private readonly notifier: RunNotifier,
    private readonly parts: WorkflowParts,
    private readonly destruction: WorkflowDestruction,
    /** Null where nobody signs in. */
    private readonly audit: AuditLog | null,
    private readonly retentionDays: number,
  ) {}

  /** @throws NotFoundError, ForbiddenError for a collaborator. */
  async trash(userId: number, workflowId: string): Promise<Trashed> {
    const trashed = await this.access.writeAs({ userId, workflowId, needed: 'discard' }, async (tx) => {
      const [row] = await tx.query<{ deleted_at: Date; purge_at: Date }[]>(
        `WITH trashed AS (
           UPDATE workflows SET deleted_at = now(), purge_at = now() + $2 * interval '1 day'
           WHERE id = $1 AND deleted_at IS NULL RETURNING deleted_at, purge_at)
         SELECT * FROM trashed`,
        [workflowId, this.retentionDays],
      );
      if (!row) throw new NotFoundError();
      const stopped = await stopAllRuns(workflowId, 'trashed', 'The workflow was moved to the trash.', tx);
      const sideEffects: Record<string, unknown> = { run_stopped: stopped.runIds.length > 0 };
      for (const part of this.parts.list()) Object.assign(sideEffects, await part.trash?.(workflowId, tx));
      return { row, stopped, sideEffects };
    });
    for (const runId of trashed.stopped.runIds) this.live.publish('runs:stop', { runId });
    for (const runId of trashed.stopped.waitingRunIds) void this.notifier.notifyOfSignal(runId);
    this.announcer.nodesChanged(workflowId, 0);
    const { row, sideEffects } = trashed;
    return { id: workflowId, deletedAt: row.deleted_at, purgeAt: row.purge_at, sideEffects };
  }

  /** Requests that came to wait in the meantime (retries) go on. @throws NotFoundError, ForbiddenError. */
  async restore(userId: number, workflowId: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await this.access.hold(tx, userId, workflowId, 'discard', { trashed: true });
      const [, count] = await tx.query<[unknown, number]>(
        `UPDATE workflows w SET deleted_at = NULL, purge_at = NULL
         WHERE w.id = $1 AND w.deleted_at IS NOT NULL AND ${MAY_COME_BACK}`,
        [workflowId],
      );
      if (count === 0) throw new NotFoundError();
      for (const part of this.parts.list()) await part.restore?.(workflowId, tx);
    });
    await this.waiting.startNext(workflowId);
  }

  /**
   * Removes the workflow with all that it owns, whether it is in the trash or not; in one transaction, so that a crash
   * leaves it whole. @returns how many of what. @throws NotFoundError for everybody but the owner.
   */
  async deletePermanently(
    owner: { userId: number; username: string },
    workflowId: string,
  ): Promise<Record<string, number>> {
    const destroyed = await retriedTransaction(this.dataSource, async (tx) => {
      await tx.query('SELECT FROM workflows WHERE id = $1 FOR UPDATE', [workflowId]);
      const [row] = await tx.query<unknown[]>(
        `SELECT FROM workflows w JOIN users u ON u.id = w.owner_id AND u.is_active WHERE w.id = $1 AND w.owner_id = $2`,
        [workflowId, owner.userId],
      );
      if (!row) throw new NotFoundError();
      const { deleted, ...rest } = await this.destruction.destroy(workflowId, 'The workflow was deleted.', tx);
      const target = `workflow:${workflowId}`;
      await this.audit?.record({ action: 'workflow.deleted', actor: owner, target, details: { deleted } }, tx);
      return { deleted, ...rest };
    });
    this.destruction.announce(destroyed);
    return destroyed.deleted;
  }

  /** For a sweeper: removes what has been in the trash for long enough, with all that it owns. @returns how many. */
  async purgeDue(limit: number): Promise<number> {
    let purged = 0;
    while (purged < limit && (await this.purgeOne())) purged += 1;
    return purged;
  }

  private async purgeOne(): Promise<boolean> {
    const destroyed = await retriedTransaction(this.dataSource, async (tx): Promise<DestroyedWorkflow | null> => {
      const [due] = await tx.query<{ id: string }[]>(
        'SELECT id FROM workflows WHERE purge_at <= now() ORDER BY purge_at LIMIT 1 FOR UPDATE SKIP LOCKED',
      );
      return due ? this.destruction.destroy(due.id, 'The workflow was deleted.', tx) : null;
    });
    if (destroyed) this.destruction.announce(destroyed);
    return destroyed !== null;
  }
}
