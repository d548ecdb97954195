import { type AuditAction, AuditLog } from '@app/audit';
import { holdOrganization, MemberList, type Principal, requireManager } from '@app/auth';
import { ForbiddenError } from '@app/common';
import { retriedTransaction } from '@app/entities';
import { type OrganizationSecretRecord, OrganizationSecrets } from '@app/workflows';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** Secrets of organisations, for signed-in people: owners and admins set them, members see what they are called. */
@Injectable()
export class SecretsOfOrganizations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: OrganizationSecrets,
    private readonly members: MemberList,
    private readonly audit: AuditLog,
  ) {}

  /** @throws NotFoundError `no_organization`; ForbiddenError `address_not_confirmed` */
  async list(viewer: Principal): Promise<OrganizationSecretRecord[]> {
    const membership = await this.members.membershipOf(viewer);
    if (!membership.confirmed)
      throw new ForbiddenError('Confirm your e-mail address first.', { code: 'address_not_confirmed' });
    return this.secrets.list(membership.organizationId);
  }

  /** @throws as `OrganizationSecrets.create` does; ForbiddenError `insufficient_role` */
  create(
    viewer: Principal,
    secret: { name: string; value: string; description: string; hosts: readonly string[] },
  ): Promise<OrganizationSecretRecord> {
    return this.change('organization.secret_created', viewer, secret.name, (organizationId, tx) =>
      this.secrets.create(organizationId, secret, tx),
    );
  }

  /** @throws as `OrganizationSecrets.update` does; ForbiddenError `insufficient_role` */
  update(
    viewer: Principal,
    name: string,
    change: { value?: string | undefined; description?: string | undefined; hosts?: readonly string[] | undefined },
  ): Promise<OrganizationSecretRecord> {
    return this.change('organization.secret_updated', viewer, name, (organizationId, tx) =>
      this.secrets.update(organizationId, name, change, tx),
    );
  }

  /** @throws NotFoundError; ForbiddenError `insufficient_role` */
  delete(viewer: Principal, name: string): Promise<void> {
    return this.change('organization.secret_deleted', viewer, name, (organizationId, tx) =>
      this.secrets.delete(organizationId, name, tx),
    );
  }

  private change<T>(
    action: AuditAction,
    viewer: Principal,
    name: string,
    work: (organizationId: number, tx: EntityManager) => Promise<T>,
  ): Promise<T> {
    return retriedTransaction(this.dataSource, async (tx) => {
      const held = await holdOrganization(tx, viewer);
      requireManager(held);
      const done = await work(held.id, tx);
      const target = `organization:${held.id}`;
      await this.audit.record({ action, actor: viewer, target, details: { name }, organizationId: held.id }, tx);
      return done;
    });
  }
}
