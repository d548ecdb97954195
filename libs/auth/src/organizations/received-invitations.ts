import { AuditLog } from '@app/audit';
import { ConflictError, ForbiddenError, hashToken, NotFoundError, UnauthenticatedError } from '@app/common';
import { retriedTransaction } from '@app/entities';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Seats } from '../accounts/seats.js';
import { CachedPrincipals } from '../principal/cached-principals.js';
import { holdSession } from '../principal/hold-session.js';
import type { Principal } from '../principal/principal.js';
import { INVITATION_GOOD } from './good-invitation.js';
import type { OrganizationRole } from './organization-roles.js';
import { PlanOwners } from './plan-owners.js';
import { removeDeserted } from '../accounts/remove-deserted.js';

/** In wire names. */
export interface ReceivedInvitation {
  id: string;
  organization: string;
  role: OrganizationRole;
  inviter: string;
  created_at: Date;
  expires_at: Date;
}

interface Open {
  id: string;
  organizationId: number;
  address: string;
  role: OrganizationRole;
}

interface Joining {
  email: string;
  email_verified: boolean;
  organization_id: number | null;
  personal: boolean | null;
}

const unknownInvitation = () =>
  new NotFoundError('There is no such invitation, or it has ended. Ask for a new one.', { code: 'unknown_invitation' });

/** The invited person's side (docs/contract/organisations.md#invitations). */
@Injectable()
export class ReceivedInvitations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly seats: Seats,
    private readonly plans: PlanOwners,
    private readonly principals: CachedPrincipals,
    private readonly audit: AuditLog,
  ) {}

  /** Those to the viewer's address once it is confirmed, newest first. */
  async list({ userId }: Principal): Promise<ReceivedInvitation[]> {
    return this.dataSource.query<ReceivedInvitation[]>(
      `SELECT i.id, o.name AS organization, i.role,
              coalesce(nullif(trim(by.first_name || ' ' || by.last_name), ''), by.username) AS inviter, i.created_at, i.expires_at
       FROM users u JOIN organization_invitations i ON i.address = lower(u.email)
       JOIN organizations o ON o.id = i.organization_id JOIN users by ON by.id = i.inviter_id
       WHERE u.id = $1 AND u.email_verified AND ${INVITATION_GOOD} ORDER BY i.created_at DESC, i.id LIMIT 100`,
      [userId],
    );
  }

  /**
   * Takes a seat and joins, in one transaction. The token is good once, and for the account with the invited address alone.
   * @throws NotFoundError `unknown_invitation`; ForbiddenError `address_not_confirmed`, `no_free_seats`;
   *   ConflictError `other_organization`, `already_member`
   */
  async accept(viewer: Principal, token: string): Promise<void> {
    const organizationId = await retriedTransaction(this.dataSource, async (tx) => {
      const open = await this.find(tx, token);
      const hasSeat = await this.seats.lockFree(open.organizationId, tx);
      await holdSession(tx, viewer);
      // Statements of their own: they see what others did while this one waited for the organisation.
      const invitation = await this.find(tx, token);
      const person = await this.require(tx, viewer, invitation);
      if (!hasSeat)
        throw new ForbiddenError('The organization has no free seats. Ask its administrator.', {
          code: 'no_free_seats',
        });
      await tx.query('DELETE FROM organization_invitations WHERE id = $1', [invitation.id]);
      await tx.query(
        `UPDATE users SET organization_id = $2, organization_role = $3, detached_from_id = NULL, scim_external_id = NULL
         WHERE id = $1`,
        [viewer.userId, invitation.organizationId, invitation.role],
      );
      await removeDeserted(tx, person.organization_id);
      await this.audit.record(
        {
          action: 'organization.member_joined',
          actor: viewer,
          target: `user:${viewer.userId}`,
          details: { organization: invitation.organizationId, role: invitation.role },
          organizationId: invitation.organizationId,
        },
        tx,
      );
      return invitation.organizationId;
    });
    this.principals.announce({ userId: viewer.userId });
    this.plans.announce([viewer.userId], organizationId);
  }

  private async find(tx: EntityManager, token: string): Promise<Open> {
    const [open] = await tx.query<Open[]>(
      `SELECT i.id, i.organization_id AS "organizationId", i.address, i.role
       FROM organization_invitations i JOIN users by ON by.id = i.inviter_id WHERE i.token_hash = $1 AND ${INVITATION_GOOD}`,
      [hashToken(token)],
    );
    if (!open) throw unknownInvitation();
    return open;
  }

  private async require(tx: EntityManager, viewer: Principal, invitation: Open): Promise<Joining> {
    const [person] = await tx.query<Joining[]>(
      `SELECT lower(u.email) AS email, u.email_verified, u.organization_id, o.personal
       FROM users u LEFT JOIN organizations o ON o.id = u.organization_id WHERE u.id = $1`,
      [viewer.userId],
    );
    if (!person) throw new UnauthenticatedError();
    // Somebody else's token says nothing, as one that never was.
    if (person.email !== invitation.address) throw unknownInvitation();
    if (!person.email_verified)
      throw new ForbiddenError('Confirm your e-mail address first.', { code: 'address_not_confirmed' });
    if (person.organization_id === invitation.organizationId)
      throw new ConflictError('You are in this organization already.', { code: 'already_member' });
    if (person.organization_id !== null && !person.personal)
      throw new ConflictError('You belong to another organization. Leave it first.', { code: 'other_organization' });
    return person;
  }
}
