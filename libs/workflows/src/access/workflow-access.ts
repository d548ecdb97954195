import {
  decideWorkflowAccess,
  findWorkflowRole,
  lockWorkflowRole,
  type WorkflowNeed,
  type WorkflowRole,
} from '@app/access';
import { ForbiddenError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { SharedApps } from './shared-apps.js';

/** The gate that every use of a workflow by a signed-in user goes through. */
@Injectable()
export class WorkflowAccess {
  constructor(
    private readonly dataSource: DataSource,
    private readonly apps: SharedApps,
  ) {}

  /**
   * An app is brought up to date before its receiver gets to it.
   * @param trashed looks in the trash instead of outside it.
   * @returns the user's role. @throws NotFoundError without access, ForbiddenError with too little of it.
   */
  async require(
    userId: number,
    workflowId: string,
    needed: WorkflowNeed,
    options: { trashed?: boolean } = {},
  ): Promise<WorkflowRole> {
    const role = await findWorkflowRole(this.dataSource, userId, workflowId, options);
    decideWorkflowAccess(role, needed);
    if (role === 'runner' && !options.trashed) await this.apps.bringUpToDate(workflowId);
    return role;
  }

  /**
   * To start runs: the receiver of an app has agreed to what it reaches.
   * @throws as `require`; ConflictError `consent_required`.
   */
  async requireRun(userId: number, workflowId: string): Promise<void> {
    if ((await this.require(userId, workflowId, 'run')) === 'runner') await this.apps.requireAgreement(workflowId);
  }

  /** For changes of the definition: with `run_only` editors run it, and its owner alone saves. @throws as `require`. */
  async requireSave(userId: number, workflowId: string): Promise<void> {
    await this.refuseRunOnly(this.dataSource.manager, workflowId, await this.require(userId, workflowId, 'editor'));
  }

  /**
   * `require` inside of the transaction that writes: whoever takes access away waits for its end, or has come before.
   * Locks the workflow's row, so call it first. @throws NotFoundError, ForbiddenError.
   */
  async hold(
    tx: EntityManager,
    userId: number,
    workflowId: string,
    needed: WorkflowNeed,
    options: { trashed?: boolean } = {},
  ): Promise<WorkflowRole> {
    const role = await lockWorkflowRole(tx, userId, workflowId, options);
    decideWorkflowAccess(role, needed);
    return role;
  }

  /**
   * What somebody writes, and their right to it, in one transaction that begins with `hold`.
   * @param write what it throws undoes everything. @throws as `hold`.
   */
  async writeAs<T>(
    { userId, workflowId, needed }: { userId: number; workflowId: string; needed: WorkflowNeed },
    write: (tx: EntityManager) => Promise<T>,
  ): Promise<T> {
    return this.dataSource.transaction(async (tx) => {
      await this.hold(tx, userId, workflowId, needed);
      return write(tx);
    });
  }

  /** `requireSave` inside of the transaction that saves. @throws as `hold`. */
  async holdToSave(tx: EntityManager, userId: number, workflowId: string): Promise<void> {
    await this.refuseRunOnly(tx, workflowId, await this.hold(tx, userId, workflowId, 'editor'));
  }

  private async refuseRunOnly(db: EntityManager, workflowId: string, role: WorkflowRole): Promise<void> {
    if (role === 'owner') return;
    const [row] = await db.query<{ run_only: boolean }[]>('SELECT run_only FROM workflows WHERE id = $1', [workflowId]);
    if (row?.run_only)
      throw new ForbiddenError('Only the owner may change this workflow; others may run it.', { code: 'run_only' });
  }
}
