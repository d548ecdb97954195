import { type AuditAction, AuditLog } from '@app/audit';
import { ConflictError, ForbiddenError } from '@app/common';
import { retriedTransaction } from '@app/entities';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CachedPrincipals } from '../principal/cached-principals.js';
import type { Principal } from '../principal/principal.js';
import {
  type HeldOrganization,
  holdOrganization,
  insufficientRole,
  noOrganization,
  requireShared,
} from './hold-organization.js';
import { organizationRole, type OrganizationRole } from './organization-roles.js';
import { PlanOwners } from './plan-owners.js';
import { requireHonest } from './organization-name.js';
import { moveToPersonal } from './taking-out.js';

export interface CurrentOrganization {
  id: number;
  name: string;
  domain: string | null;
  personal: boolean;
  /** What the viewer is in it. */
  role: OrganizationRole;
  /** Active people, who each take a seat. */
  members: number;
  /** The smaller one of what operators and the plan allow; null for any number. */
  seatLimit: number | null;
  createdAt: Date;
}

/** The organisation that somebody belongs to, as they see it (docs/contract/organisations.md). */
@Injectable()
export class Organizations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly plans: PlanOwners,
    private readonly principals: CachedPrincipals,
    private readonly audit: AuditLog,
  ) {}

  /** @throws NotFoundError `no_organization` */
  async getCurrent({ userId }: Principal): Promise<CurrentOrganization> {
    const [row] = await this.dataSource.query<CurrentOrganization[]>(
      `SELECT o.id, o.name, o.domain, o.personal, o.created_at AS "createdAt", ${organizationRole('u', 'o')} AS role,
              (SELECT count(*) FROM users m WHERE m.organization_id = o.id AND m.is_active)::int AS members,
              least(o.seat_limit, o.plan_seats) AS "seatLimit"
       FROM users u JOIN organizations o ON o.id = u.organization_id WHERE u.id = $1`,
      [userId],
    );
    if (!row) throw noOrganization();
    return row;
  }

  /** @throws ValidationError (`name`); NotFoundError `no_organization`; ForbiddenError `insufficient_role` for all but owners */
  async rename(viewer: Principal, name: string): Promise<void> {
    requireHonest(name);
    await retriedTransaction(this.dataSource, async (tx) => {
      const held = await holdOrganization(tx, viewer);
      if (held.role !== 'owner') throw insufficientRole('Only owners of the organization may change its name.');
      if (held.name === name) return;
      await tx.query('UPDATE organizations SET name = $2 WHERE id = $1', [held.id, name]);
      await this.record('organization.updated', viewer, held.id, { name }, tx);
    });
  }

  /**
   * Makes the viewer's personal organisation a shared one, with them as its owner; what they have stays where it is, and a
   * plan for organisations that they pay for is its plan.
   * @throws ValidationError (`name`); NotFoundError `no_organization`; ForbiddenError `address_not_confirmed`; ConflictError `other_organization`
   */
  async create(viewer: Principal, name: string): Promise<void> {
    requireHonest(name);
    const organizationId = await retriedTransaction(this.dataSource, async (tx) => {
      const held = await holdOrganization(tx, viewer);
      if (!held.personal)
        throw new ConflictError('You belong to another organization. Leave it first.', { code: 'other_organization' });
      await requireConfirmedAddress(tx, viewer);
      await tx.query('UPDATE organizations SET personal = false, name = $2 WHERE id = $1', [held.id, name]);
      await tx.query(
        `UPDATE users SET organization_role = 'owner', detached_from_id = NULL, scim_external_id = NULL WHERE id = $1`,
        [viewer.userId],
      );
      await this.plans.bring(tx, viewer.userId, held.id);
      await this.record('organization.created', viewer, held.id, { name }, tx);
      return held.id;
    });
    this.announce(viewer, organizationId);
  }

  /**
   * Ends an organisation whose owner is its only member, who gets a personal one. Its secrets, invitations and models go.
   * @throws NotFoundError `no_organization`; ForbiddenError `insufficient_role`; ConflictError `personal_organization`,
   *   `organization_has_domain`, `organization_has_members`, `organization_has_plan`
   */
  async dissolve(viewer: Principal): Promise<void> {
    const organizationId = await retriedTransaction(this.dataSource, async (tx) => {
      const held = await holdOrganization(tx, viewer);
      if (held.role !== 'owner') throw insufficientRole('Only owners of the organization may end it.');
      requireShared(held);
      await requireAlone(tx, viewer, held);
      if (!(await this.plans.takeBack(tx, held.id, viewer.userId)))
        throw new ConflictError('Cancel the plan of the organization, and wait until it has ended.', {
          code: 'organization_has_plan',
        });
      await moveToPersonal(tx, held, { id: viewer.userId, username: viewer.username });
      await tx.query('DELETE FROM organizations WHERE id = $1', [held.id]);
      await this.record('organization.dissolved', viewer, held.id, { name: held.name }, tx);
      return held.id;
    });
    this.announce(viewer, organizationId);
  }

  private announce({ userId }: Principal, organizationId: number): void {
    this.principals.announce({ userId });
    this.plans.announce([userId], organizationId);
  }

  private record(action: AuditAction, actor: Principal, id: number, details: object, tx: EntityManager): Promise<void> {
    return this.audit.record(
      { action, actor, target: `organization:${id}`, details: { ...details }, organizationId: id },
      tx,
    );
  }
}

/** Anybody can register with an address; whoever has it confirmed answers for the people that they bring in. */
async function requireConfirmedAddress(tx: EntityManager, { userId }: Principal): Promise<void> {
  const [person] = await tx.query<unknown[]>('SELECT FROM users WHERE id = $1 AND email_verified', [userId]);
  if (!person) throw new ForbiddenError('Confirm your e-mail address first.', { code: 'address_not_confirmed' });
}

/** @throws ConflictError where somebody else belongs to it, or would by the domain */
async function requireAlone(tx: EntityManager, { userId }: Principal, { id }: HeldOrganization): Promise<void> {
  const [found] = await tx.query<[{ has_domain: boolean; has_others: boolean }]>(
    `SELECT o.domain IS NOT NULL AS has_domain,
            EXISTS (SELECT FROM users u WHERE u.id <> $2 AND (u.organization_id = o.id OR u.detached_from_id = o.id)) AS has_others
     FROM organizations o WHERE o.id = $1`,
    [id, userId],
  );
  if (found.has_domain)
    throw new ConflictError('People join the organization by its domain: ask an operator to end it.', {
      code: 'organization_has_domain',
    });
  if (found.has_others)
    throw new ConflictError('Others belong to the organization, deactivated ones too: take them out first.', {
      code: 'organization_has_members',
    });
}
