import { type WorkflowNeed, workflowOwnerIsActive } from '@app/access';
import {
  ConflictError,
  currentOrigin,
  InvalidRequestError,
  newTimeOrderedId,
  NotFoundError,
  toJsonText,
} from '@app/common';
import { executeRunJob } from '@app/contracts';
import { Gates } from '@app/entitlements';
import { LiveBus } from '@app/live';
import { noteEnd } from '@app/observability';
import { Outbox } from '@app/queues';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { branchOf, RevisionCache } from '../revisions/revision-cache.js';
import { WorkflowAccess } from '../access/workflow-access.js';
import { RunAnnouncer } from './run-announcer.js';

interface StartRow {
  outcome: 'started' | 'gone' | 'active' | 'exists' | 'parent_ended';
  version: number | null;
  superseded_run_id: string | null;
  outbox_id: string | null;
}

export interface BranchRequest {
  startNodeId: string;
  /** False: the one node. True: it and everything after it. */
  runToTheEnd: boolean;
  saveOutputs: boolean;
}

/** What `start` wants to know beside the workflow. */
export interface RunStart {
  trigger: 'manual' | 'branch' | 'schedule' | 'agent' | 'api';
  /** Who starts it: their right to it is decided again where the run is written. Null: nobody in person. */
  userId: number | null;
  /** What they need to be allowed; `run` when absent. */
  needed?: WorkflowNeed;
  payload: Record<string, unknown> | null;
  branch?: BranchRequest;
  saveOutputs?: boolean;
  /** False: an active run stays, and this one is refused. */
  supersede?: boolean;
  /** Runs beside the current one. */
  isConcurrent?: boolean;
  scheduleId?: string;
  /** Absent: the published one for schedules when there is one, else the newest. */
  contentRevision?: number;
  /** Nodes whose finished rows are copied from the run `version`. */
  reuse?: { version: number; nodeIds: readonly string[] };
}

interface StopRow {
  run_ids: string[] | null;
  run_version: number;
  nodes_stopped: number;
  outbox_id: string | null;
}

/** Who writes, and what they need to be allowed. */
interface ByPerson {
  userId: number;
  needed: WorkflowNeed;
}

/** Starts and stops runs for signed-in users. Neither needs a live worker. */
@Injectable()
export class RunControl {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly access: WorkflowAccess,
    private readonly revisions: RevisionCache,
    private readonly announcer: RunAnnouncer,
    private readonly live: LiveBus,
    private readonly gates: Gates,
  ) {}

  /**
   * Starts the workflow from its entries. A run in flight gives way, and its webhook request ends as superseded.
   * @returns the version reserved for the run. @throws NotFoundError, ForbiddenError for viewers.
   */
  async rerun(userId: number, workflowId: string, payload: Record<string, unknown> | null): Promise<number> {
    await this.access.requireRun(userId, workflowId);
    return this.start(workflowId, { trigger: 'manual', userId, payload });
  }

  /**
   * Runs one node, or the branch that begins there, with the outputs of the run before.
   * @returns the ids of the branch. @throws InvalidRequestError for an unknown node; NotFoundError, ForbiddenError.
   */
  async rerunBranch(
    userId: number,
    workflowId: string,
    payload: Record<string, unknown> | null,
    branch: BranchRequest,
  ): Promise<string[]> {
    await this.access.require(userId, workflowId, 'editor');
    const revision = await this.revisions.getNewest(workflowId);
    const nodeIds = branchOf(revision, branch.startNodeId, branch.runToTheEnd);
    if (!nodeIds)
      throw new InvalidRequestError(`The workflow has no node ${JSON.stringify(branch.startNodeId)}.`, {
        code: 'unknown_node',
      });
    await this.start(workflowId, { trigger: 'branch', userId, needed: 'editor', payload, branch });
    return nodeIds;
  }

  /**
   * Stops the active run; what waits in the webhook queue goes on.
   * @returns how many nodes had not ended. @throws InvalidRequestError when nothing runs; NotFoundError, ForbiddenError.
   */
  async stop(userId: number, workflowId: string): Promise<number> {
    const stopped = await this.stopActive(workflowId, 'Stopped by a user.', { by: { userId, needed: 'run' } });
    if (stopped !== null) return stopped;
    const [row] = await this.dataSource.query<{ status: string | null }[]>(
      'SELECT r.status FROM workflows w LEFT JOIN workflow_runs r ON r.id = w.current_run_id WHERE w.id = $1',
      [workflowId],
    );
    throw new InvalidRequestError(`Workflow cannot be stopped. Current status: ${row?.status ?? 'IDLE'}`, {
      code: 'not_running',
    });
  }

  /**
   * For operators, and for callers who have checked access.
   * @param only what has to be so when it is written: the webhook request that the run serves, and the right of a person.
   * @returns null when no such run is active. @throws NotFoundError, ForbiddenError when the right of `by` is gone.
   */
  async stopActive(
    workflowId: string,
    detail: string,
    only: { queueRequestId?: string; by?: ByPerson } = {},
  ): Promise<number | null> {
    const message = this.outbox.prepare(executeRunJob, { runId: newTimeOrderedId(), fence: 0 });
    const [row] = await this.write(workflowId, only.by ?? null, (db) =>
      db.query<StopRow[]>('SELECT * FROM workflow_stop($1, $2, $3, $4, $5::jsonb)', [
        workflowId,
        only.queueRequestId ?? null,
        detail,
        message.payload.runId,
        toJsonText(message),
      ]),
    );
    if (!row?.run_ids) return null;
    for (const runId of row.run_ids) {
      this.live.publish('runs:stop', { runId });
      noteEnd({ work: 'run', outcome: 'stopped', ids: { workflowId, runId }, ownerId: null, code: 'stopped' });
    }
    this.announcer.nodesChanged(workflowId, row.run_version);
    if (row.outbox_id) this.outbox.publishSoon([this.outbox.adopt(message, row.outbox_id)]);
    return row.nodes_stopped;
  }

  /**
   * For a caller who has checked access; whether whoever starts it still has it is decided in the transaction that
   * writes the run. A run in flight gives way unless `supersede` is false.
   * @returns the version reserved for the run. @throws NotFoundError, ForbiddenError; ConflictError `run_active`, `owner_inactive`;
   * what the plan of the owner refuses.
   */
  async start(workflowId: string, start: RunStart): Promise<number> {
    const { branch, reuse } = start;
    await this.demandAbleOwner(workflowId);
    const message = this.outbox.prepare(executeRunJob, { runId: newTimeOrderedId(), fence: 0 });
    const origin = {
      trigger: start.trigger,
      userId: start.userId,
      scheduleId: start.scheduleId,
      contentRevision: start.contentRevision,
      isConcurrent: start.isConcurrent,
      ...(reuse && { parentVersion: reuse.version, reuse: reuse.nodeIds }),
    };
    const by = start.userId === null ? null : { userId: start.userId, needed: start.needed ?? 'run' };
    const [row] = await this.write(workflowId, by, (db) =>
      db.query<StartRow[]>(
        'SELECT * FROM workflow_start_run($1, $2, $3::jsonb, $4, $5::json, $6, $7, $8, $9, $10::jsonb)',
        [
          workflowId,
          message.payload.runId,
          toJsonText(origin),
          start.supersede ?? true,
          start.payload && toJsonText(start.payload),
          branch?.startNodeId ?? null,
          branch?.runToTheEnd ?? true,
          branch?.saveOutputs ?? start.saveOutputs ?? true,
          currentOrigin(),
          toJsonText(message),
        ],
      ),
    );
    if (row?.outcome === 'active') throw new ConflictError('A run of this workflow is active.', { code: 'run_active' });
    if (!row || row.version === null) throw new NotFoundError();
    if (row.superseded_run_id) {
      this.live.publish('runs:stop', { runId: row.superseded_run_id });
      const ids = { workflowId, runId: row.superseded_run_id };
      noteEnd({ work: 'run', outcome: 'stopped', ids, ownerId: null, code: 'superseded' });
    }
    this.announcer.nodesChanged(workflowId, row.version);
    if (row.outbox_id) this.outbox.publishSoon([this.outbox.adopt(message, row.outbox_id)]);
    return row.version;
  }

  private write<T>(workflowId: string, by: ByPerson | null, write: (db: EntityManager) => Promise<T>): Promise<T> {
    return by ? this.access.writeAs({ ...by, workflowId }, write) : write(this.dataSource.manager);
  }

  /** Those who share a workflow may still see it, but nothing begins in the name of an account that is deactivated, or whose
   * plan has no workflows. What runs already goes on. */
  private async demandAbleOwner(workflowId: string): Promise<void> {
    const [row] = await this.dataSource.query<{ isActive: boolean; ownerId: number }[]>(
      `SELECT ${workflowOwnerIsActive('w.id')} AS "isActive", w.owner_id AS "ownerId" FROM workflows w WHERE w.id = $1`,
      [workflowId],
    );
    if (row && !row.isActive)
      throw new ConflictError('The account of the workflow’s owner is deactivated.', { code: 'owner_inactive' });
    if (row) await this.gates.checkUser(row.ownerId, 'flowapps');
  }
}
