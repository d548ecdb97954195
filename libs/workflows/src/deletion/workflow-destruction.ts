import { executeRunJob } from '@app/contracts';
import { releaseLooseFiles } from '@app/entitlements';
import { LiveBus } from '@app/live';
import { Outbox } from '@app/queues';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RunAnnouncer } from '../runs/run-announcer.js';
import { RunNotifier } from '../runs/run-notifier.js';
import { type StoppedRuns, stopAllRuns } from './stop-all-runs.js';
import { WorkflowParts } from './workflow-parts.js';

export interface DestroyedWorkflow {
  workflowId: string;
  /** How many of what, in wire names. */
  deleted: Record<string, number>;
  stopped: StoppedRuns;
  /** Apps that were shared off it. */
  apps: DestroyedWorkflow[];
}

/** Takes a workflow out of the world, with everything that any domain keeps for it. */
@Injectable()
export class WorkflowDestruction {
  constructor(
    private readonly parts: WorkflowParts,
    private readonly outbox: Outbox,
    private readonly live: LiveBus,
    private readonly announcer: RunAnnouncer,
    private readonly notifier: RunNotifier,
  ) {}

  /**
   * The caller has locked the workflow's row, and calls `announce` after the commit. Files without an owner are left to
   * the sweeper of loose files, so that a crash forgets none.
   * @param detail why, for those who wait for its run.
   */
  async destroy(workflowId: string, detail: string, tx: EntityManager): Promise<DestroyedWorkflow> {
    const shared = await tx.query<{ id: string }[]>(
      'SELECT id FROM workflows WHERE app_of_id = $1 ORDER BY id FOR UPDATE',
      [workflowId],
    );
    const apps: DestroyedWorkflow[] = [];
    for (const { id } of shared) apps.push(await this.destroy(id, detail, tx));
    const unfinished = await tx.query<{ runId: string; fence: number }[]>(
      `SELECT id AS "runId", fence FROM workflow_runs WHERE workflow_id = $1 AND finished_at IS NULL`,
      [workflowId],
    );
    if (unfinished.length > 0) await this.outbox.withdraw(executeRunJob, unfinished, tx);
    const stopped = await stopAllRuns(workflowId, 'deleted', detail, tx);
    const deleted: Record<string, number> = {};
    for (const part of this.parts.list()) {
      const { counts, storageKeys = [] } = await part.deleteFor(workflowId, tx);
      for (const [name, count] of Object.entries(counts)) deleted[name] = (deleted[name] ?? 0) + count;
      if (storageKeys.length > 0) {
        await releaseLooseFiles(storageKeys, tx);
        deleted.files = (deleted.files ?? 0) + storageKeys.length;
      }
    }
    await tx.query('DELETE FROM workflows WHERE id = $1', [workflowId]);
    if (apps.length > 0) deleted.shared_apps = apps.length;
    return { workflowId, deleted, stopped, apps };
  }

  /** Workers stop what they do outside, who waits for a run goes on, sockets close. */
  announce({ workflowId, stopped, apps }: DestroyedWorkflow): void {
    for (const app of apps) this.announce(app);
    for (const runId of stopped.runIds) this.live.publish('runs:stop', { runId });
    for (const runId of stopped.waitingRunIds) void this.notifier.notifyOfSignal(runId);
    this.announcer.nodesChanged(workflowId, 0);
    this.live.forgetSoon([`workflow:${workflowId}`]);
  }

  /** What was said in these workflows, and by whom, leaves Redis too. @throws while Redis is away */
  forgetEvents(workflowIds: readonly string[]): Promise<void> {
    return this.live.forget(workflowIds.map((id) => `workflow:${id}` as const));
  }
}
