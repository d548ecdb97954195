import { executeRunJob } from '@app/contracts';
import { LiveBus } from '@app/live';
import { Outbox } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RunAnnouncer } from '../runs/run-announcer.js';
import { toJsonText } from '../runs/json-text.js';
import { WorkflowParts } from './workflow-parts.js';

export interface DestroyedWorkflow {
  workflowId: string;
  /** How many of what, in wire names. */
  deleted: Record<string, number>;
  stoppedRunIds: string[];
}

/** Kinds of things that a workflow makes only once the issues that bring them are built. */
const NOTHING_YET = { artifacts: 0, charts: 0, extractor_tables: 0 };

/** Takes a workflow out of the world, with everything that any domain keeps for it. */
@Injectable()
export class WorkflowDestruction {
  constructor(
    private readonly parts: WorkflowParts,
    private readonly outbox: Outbox,
    private readonly live: LiveBus,
    private readonly announcer: RunAnnouncer,
  ) {}

  /**
   * The caller has locked the workflow's row, and calls `announce` after the commit. Files without an owner are left to
   * the sweeper of loose files, so that a crash forgets none.
   * @param detail why, for those who wait for its run.
   */
  async destroy(workflowId: string, detail: string, tx: EntityManager): Promise<DestroyedWorkflow> {
    const stoppedRunIds = await this.stopRuns(workflowId, detail, tx);
    const deleted: Record<string, number> = { ...NOTHING_YET };
    for (const part of this.parts.list()) {
      const { counts, storageKeys = [] } = await part.deleteFor(workflowId, tx);
      for (const [name, count] of Object.entries(counts)) deleted[name] = (deleted[name] ?? 0) + count;
      if (storageKeys.length > 0) {
        await tx.query(
          `INSERT INTO loose_files (storage_key, removable_at) SELECT key, now() FROM unnest($1::text[]) AS key
           ON CONFLICT (storage_key) DO UPDATE SET removable_at = now()`,
          [storageKeys],
        );
        deleted.files = (deleted.files ?? 0) + storageKeys.length;
      }
    }
    await tx.query('DELETE FROM workflows WHERE id = $1', [workflowId]);
    return { workflowId, deleted, stoppedRunIds };
  }

  /** Workers stop what they do outside, sockets close. */
  announce({ workflowId, stoppedRunIds }: DestroyedWorkflow): void {
    for (const runId of stoppedRunIds) this.live.publish('runs:stop', { runId });
    this.announcer.nodesChanged(workflowId, 0);
  }

  private async stopRuns(workflowId: string, detail: string, tx: EntityManager): Promise<string[]> {
    const runs = await tx.query<{ runId: string; fence: number }[]>(
      `SELECT id AS "runId", fence FROM workflow_runs WHERE workflow_id = $1 AND finished_at IS NULL`,
      [workflowId],
    );
    if (runs.length === 0) return [];
    await this.outbox.withdraw(executeRunJob, runs, tx);
    await tx.query('SELECT workflow_stop_active($1, $2, $3::jsonb)', [
      workflowId,
      detail,
      toJsonText({ nodeId: null, code: 'deleted', message: detail }),
    ]);
    return runs.map(({ runId }) => runId);
  }
}
