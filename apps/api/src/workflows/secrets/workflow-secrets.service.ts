import { type AuditAction, AuditLog } from '@app/audit';
import { findWorkflowRole } from '@app/access';
import type { Principal } from '@app/auth';
import { secretUses } from '@app/workflow-definition';
import { KnownSecretNames, RevisionCache, type SecretRecord, WorkflowAccess, WorkflowSecrets } from '@app/workflows';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

export interface ListedSecret extends SecretRecord {
  /** Ids of the nodes of the newest revision that name it. */
  usedBy: string[];
}

/** Secrets of workflows, for signed-in users. Whoever may edit a workflow may set them; nobody gets to see them. */
@Injectable()
export class WorkflowSecretsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly access: WorkflowAccess,
    private readonly secrets: WorkflowSecrets,
    private readonly revisions: RevisionCache,
    private readonly audit: AuditLog,
    private readonly names: KnownSecretNames,
  ) {}

  /** Null for those who may not edit the workflow. */
  async findNames(userId: number, workflowId: string): Promise<ReadonlySet<string> | null> {
    const role = await findWorkflowRole(this.dataSource, userId, workflowId);
    return role === 'owner' || role === 'editor' ? this.names.of(workflowId, userId) : null;
  }

  /** @throws NotFoundError; ForbiddenError for viewers. */
  async list({ userId }: Principal, workflowId: string): Promise<ListedSecret[]> {
    await this.access.require(userId, workflowId, 'editor');
    const uses = await this.usesOf(workflowId);
    const records = await this.secrets.list(workflowId);
    return records.map((record) => ({ ...record, usedBy: uses.get(record.name) ?? [] }));
  }

  /** @throws NotFoundError, ForbiddenError. */
  async get({ userId }: Principal, workflowId: string, name: string): Promise<ListedSecret> {
    await this.access.require(userId, workflowId, 'editor');
    return this.withUses(workflowId, await this.secrets.get(workflowId, name));
  }

  /** @throws as `WorkflowSecrets.create` does; ForbiddenError. */
  async create(
    viewer: Principal,
    workflowId: string,
    secret: { name: string; value: string; description: string },
  ): Promise<ListedSecret> {
    const record = await this.dataSource.transaction(async (tx) => {
      await this.access.hold(tx, viewer.userId, workflowId, 'editor');
      const created = await this.secrets.create(workflowId, secret, tx);
      await this.record('workflow.secret_created', viewer, workflowId, secret.name, tx);
      return created;
    });
    return this.withUses(workflowId, record);
  }

  /** @throws as `WorkflowSecrets.update` does; ForbiddenError. */
  async update(
    viewer: Principal,
    workflowId: string,
    name: string,
    change: { value?: string | undefined; description?: string | undefined },
  ): Promise<ListedSecret> {
    const record = await this.dataSource.transaction(async (tx) => {
      await this.access.hold(tx, viewer.userId, workflowId, 'editor');
      const updated = await this.secrets.update(workflowId, name, change, tx);
      await this.record('workflow.secret_updated', viewer, workflowId, name, tx);
      return updated;
    });
    return this.withUses(workflowId, record);
  }

  /** @throws NotFoundError, ForbiddenError. */
  async delete(viewer: Principal, workflowId: string, name: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      await this.access.hold(tx, viewer.userId, workflowId, 'editor');
      await this.secrets.delete(workflowId, name, tx);
      await this.record('workflow.secret_deleted', viewer, workflowId, name, tx);
    });
  }

  private async withUses(workflowId: string, record: SecretRecord): Promise<ListedSecret> {
    return { ...record, usedBy: (await this.usesOf(workflowId)).get(record.name) ?? [] };
  }

  private async usesOf(workflowId: string): Promise<Map<string, string[]>> {
    return secretUses((await this.revisions.getNewest(workflowId)).nodes);
  }

  private record(
    action: AuditAction,
    actor: Principal,
    workflowId: string,
    name: string,
    tx: EntityManager,
  ): Promise<unknown> {
    return this.audit.record({ action, actor, target: `workflow:${workflowId}`, details: { name } }, tx);
  }
}
