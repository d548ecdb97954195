import { type AuditAction, AuditLog } from '@app/audit';
import { ConflictError, NotFoundError } from '@app/common';
import { retriedTransaction } from '@app/entities';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CachedPrincipals } from '../principal/cached-principals.js';
import type { Principal } from '../principal/principal.js';
import {
  type HeldOrganization,
  holdOrganization,
  insufficientRole,
  requireManager,
  requireOtherOwner,
  requireShared,
} from './hold-organization.js';
import { MemberList, type OrganizationMember } from './member-list.js';
import { isAtMost, mayManage, type OrganizationRole, rolesUnder } from './organization-roles.js';
import { PlanOwners } from './plan-owners.js';
import { moveToPersonal } from './taking-out.js';

interface Target {
  id: number;
  username: string;
  role: OrganizationRole;
  is_active: boolean;
  email_verified: boolean;
}

/** Who belongs to an organisation and as what (docs/contract/organisations.md#members). Each change is one transaction. */
@Injectable()
export class OrganizationMembers {
  constructor(
    private readonly dataSource: DataSource,
    private readonly members: MemberList,
    private readonly plans: PlanOwners,
    private readonly principals: CachedPrincipals,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Owners give every role, admins those of members and viewers to members and viewers. Everybody may step down.
   * @throws NotFoundError for who is not in the organisation; ForbiddenError `insufficient_role`; ConflictError
   *   `personal_organization`, `last_owner`, `address_not_confirmed`
   */
  async changeRole(viewer: Principal, userId: number, role: OrganizationRole): Promise<OrganizationMember> {
    const organizationId = await retriedTransaction(this.dataSource, async (tx) => {
      const held = await this.hold(tx, viewer, userId);
      const target = await this.lock(tx, held, userId);
      const stepsDown = target.id === viewer.userId && isAtMost(role, held.role);
      if (!stepsDown) requireRank(held, target, role);
      if (target.role === role) return held.id;
      if (!stepsDown && mayManage(role)) requireConfirmed(target);
      if (target.role === 'owner') await requireOtherOwner(tx, held.id, target.id);
      await tx.query('UPDATE users SET organization_role = $2 WHERE id = $1', [target.id, role]);
      await this.record('organization.role_changed', viewer, held, target, { from: target.role, to: role }, tx);
      return held.id;
    });
    this.announce([userId]);
    const member = await this.members.find(organizationId, userId);
    if (!member) throw new NotFoundError();
    return member;
  }

  /**
   * What they own stays theirs, and their sessions go on.
   * @throws as `changeRole` does
   */
  async remove(viewer: Principal, userId: number): Promise<void> {
    if (userId === viewer.userId) return this.leave(viewer);
    await retriedTransaction(this.dataSource, async (tx) => {
      const held = await this.hold(tx, viewer, userId);
      const target = await this.lock(tx, held, userId);
      requireRank(held, target, target.role);
      await this.takeOut('organization.member_removed', viewer, held, target, tx);
    });
    this.announce([userId]);
  }

  /** @throws NotFoundError `no_organization`; ConflictError `personal_organization`, `last_owner` */
  async leave(viewer: Principal): Promise<void> {
    await retriedTransaction(this.dataSource, async (tx) => {
      const held = await holdOrganization(tx, viewer);
      requireShared(held);
      const self = await this.lock(tx, held, viewer.userId);
      await this.takeOut('organization.member_left', viewer, held, self, tx);
    });
    this.announce([viewer.userId]);
  }

  /**
   * The receiver becomes an owner and pays from now on, the giver an admin.
   * @throws as `changeRole` does; ConflictError `already_owner` to oneself
   */
  async transferOwnership(viewer: Principal, userId: number): Promise<void> {
    const organizationId = await retriedTransaction(this.dataSource, async (tx) => {
      const held = await holdOrganization(tx, viewer);
      if (held.role !== 'owner') throw insufficientRole('Only owners of the organization may hand it over.');
      requireShared(held);
      if (userId === viewer.userId)
        throw new ConflictError('You own the organization already.', { code: 'already_owner' });
      const target = await this.lock(tx, held, userId);
      if (!target.is_active) throw new NotFoundError();
      requireConfirmed(target);
      await tx.query(
        `UPDATE users SET organization_role = CASE id WHEN $1 THEN 'owner' ELSE 'admin' END WHERE id IN ($1, $2)`,
        [target.id, viewer.userId],
      );
      await this.plans.move(tx, held.id, target.id);
      await this.record('organization.ownership_transferred', viewer, held, target, {}, tx);
      return held.id;
    });
    this.announce([viewer.userId, userId], organizationId);
  }

  /** Before anybody is looked up: who may not do it learns nothing of who is there. */
  private async hold(tx: EntityManager, viewer: Principal, userId: number): Promise<HeldOrganization> {
    const held = await holdOrganization(tx, viewer);
    requireShared(held);
    if (userId !== viewer.userId) requireManager(held);
    return held;
  }

  /** @throws NotFoundError */
  private async lock(tx: EntityManager, held: HeldOrganization, userId: number): Promise<Target> {
    const [target] = await tx.query<Target[]>(
      `SELECT id, username, organization_role AS role, is_active, email_verified FROM users
       WHERE id = $1 AND organization_id = $2 FOR NO KEY UPDATE`,
      [userId, held.id],
    );
    if (!target) throw new NotFoundError();
    return target;
  }

  private async takeOut(
    action: AuditAction,
    actor: Principal,
    held: HeldOrganization,
    target: Target,
    tx: EntityManager,
  ): Promise<void> {
    if (target.role === 'owner') await requireOtherOwner(tx, held.id, target.id);
    await moveToPersonal(tx, held, target);
    await this.record(action, actor, held, target, { role: target.role }, tx);
  }

  private announce(userIds: readonly number[], organizationId?: number): void {
    for (const userId of userIds) this.principals.announce({ userId });
    this.plans.announce(userIds, organizationId);
  }

  private record(
    action: AuditAction,
    actor: Principal,
    held: HeldOrganization,
    target: Target,
    details: Record<string, unknown>,
    tx: EntityManager,
  ): Promise<void> {
    const { id: subjectId, username: user } = target;
    return this.audit.record(
      {
        action,
        actor,
        subjectId,
        target: `user:${subjectId}`,
        details: { organization: held.id, user, ...details },
        organizationId: held.id,
      },
      tx,
    );
  }
}

/** Anybody can register with an address of the domain, and with the name of somebody. @throws ConflictError `address_not_confirmed` */
function requireConfirmed({ email_verified: isConfirmed }: Target): void {
  if (!isConfirmed)
    throw new ConflictError('This person has not confirmed their e-mail address yet.', {
      code: 'address_not_confirmed',
    });
}

/** @throws ForbiddenError `insufficient_role` */
function requireRank(held: HeldOrganization, target: Target, role: OrganizationRole): void {
  requireManager(held);
  const under = rolesUnder(held.role);
  if (!under.includes(target.role))
    throw insufficientRole('Only owners of the organization decide about its owners and admins.');
  if (!under.includes(role)) throw insufficientRole('Only owners of the organization make owners and admins.');
}
