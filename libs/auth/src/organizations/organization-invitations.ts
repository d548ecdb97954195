import { AuditLog } from '@app/audit';
import { ConflictError, hashToken, newId, newToken, NotFoundError } from '@app/common';
import { retriedTransaction } from '@app/entities';
import { Messages } from '@app/messages';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Principal } from '../principal/principal.js';
import {
  type HeldOrganization,
  holdOrganization,
  insufficientRole,
  requireManager,
  requireShared,
} from './hold-organization.js';
import { MemberList } from './member-list.js';
import { type OrganizationRole, rolesUnder } from './organization-roles.js';
import { INVITATION_GOOD } from './good-invitation.js';

export const ORGANIZATION_INVITATION_DAYS = 7;
const MOST_OPEN = 1000;

/** In wire names. */
export interface OrganizationInvitationRecord {
  id: string;
  email: string;
  role: OrganizationRole;
  /** Who invited: display name. */
  inviter: string;
  created_at: Date;
  expires_at: Date;
}

const COLUMNS = `i.id, i.address AS email, i.role,
  coalesce(nullif(trim(by.first_name || ' ' || by.last_name), ''), by.username) AS inviter, i.created_at, i.expires_at`;

/** Asking people to join an organisation, by mail (docs/contract/organisations.md#invitations). */
@Injectable()
export class OrganizationInvitations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly members: MemberList,
    private readonly messages: Messages,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Mails a token that is good once. An address that was invited before gets a new one, and the old one ends. Whether somebody
   * has an account with the address is not told.
   * @throws NotFoundError `no_organization`; ForbiddenError `insufficient_role`; ConflictError `personal_organization`,
   *   `already_member`, `invitation_limit_reached`
   */
  async create(viewer: Principal, email: string, role: OrganizationRole): Promise<OrganizationInvitationRecord> {
    const { id, receipt } = await retriedTransaction(this.dataSource, async (tx) => {
      const held = await holdOrganization(tx, viewer);
      requireManager(held);
      requireShared(held);
      if (!rolesUnder(held.role).includes(role))
        throw insufficientRole('Only owners of the organization invite owners and admins.');
      const [account] = await tx.query<{ id: number; language: 'en' | 'ar'; first_name: string; member: boolean }[]>(
        `SELECT id, language, first_name, organization_id IS NOT DISTINCT FROM $2::int AS member FROM users
         WHERE lower(email) = lower($1) AND is_active`,
        [email, held.id],
      );
      if (account?.member)
        throw new ConflictError('This person is in the organization already.', { code: 'already_member' });
      const token = newToken();
      const invited = await this.write(tx, held, viewer, { email, role, token });
      const params = {
        name: account?.first_name ?? '',
        organization: held.name,
        inviter: viewer.username,
        token,
        days: ORGANIZATION_INVITATION_DAYS,
      };
      const sent = await this.messages.enqueue(
        {
          channel: 'mail',
          template: 'organization-invited',
          language: account?.language ?? (await languageOf(tx, viewer.userId)),
          to: email,
          userId: account?.id ?? null,
          params,
          usefulSeconds: ORGANIZATION_INVITATION_DAYS * 86_400,
        },
        tx,
      );
      return { id: invited, receipt: sent };
    });
    this.messages.publish(receipt);
    return this.get(id);
  }

  /** Newest first. @throws NotFoundError `no_organization`; ForbiddenError `insufficient_role` */
  async list(viewer: Principal): Promise<OrganizationInvitationRecord[]> {
    const { organizationId } = await this.members.requireManager(viewer);
    return this.dataSource.query<OrganizationInvitationRecord[]>(
      `SELECT ${COLUMNS} FROM organization_invitations i JOIN users by ON by.id = i.inviter_id
       WHERE i.organization_id = $1 AND ${INVITATION_GOOD} ORDER BY i.created_at DESC, i.id LIMIT ${MOST_OPEN}`,
      [organizationId],
    );
  }

  /** The token of its mail is good for nothing any more. @throws NotFoundError; ForbiddenError `insufficient_role` */
  async withdraw(viewer: Principal, id: string): Promise<void> {
    await retriedTransaction(this.dataSource, async (tx) => {
      const held = await holdOrganization(tx, viewer);
      requireManager(held);
      const [found] = await tx.query<{ role: OrganizationRole }[]>(
        'SELECT role FROM organization_invitations WHERE id = $1 AND organization_id = $2 FOR UPDATE',
        [id, held.id],
      );
      if (!found) throw new NotFoundError();
      if (!rolesUnder(held.role).includes(found.role))
        throw insufficientRole('Only owners of the organization decide about invitations of owners and admins.');
      await tx.query('DELETE FROM organization_invitations WHERE id = $1', [id]);
      await this.record('organization.invitation_withdrawn', viewer, held, { role: found.role }, tx);
    });
  }

  private async write(
    tx: EntityManager,
    held: HeldOrganization,
    viewer: Principal,
    { email, role, token }: { email: string; role: OrganizationRole; token: string },
  ): Promise<string> {
    await tx.query('DELETE FROM organization_invitations WHERE organization_id = $1 AND expires_at <= now()', [
      held.id,
    ]);
    const [{ id }] = await tx.query<[{ id: string }]>(
      `INSERT INTO organization_invitations (id, organization_id, address, role, inviter_id, token_hash, expires_at)
       VALUES ($1, $2, lower($3), $4, $5, $6, now() + make_interval(days => $7))
       ON CONFLICT ON CONSTRAINT organization_invitations_organization_id_address_key DO UPDATE
         SET id = excluded.id, role = excluded.role, inviter_id = excluded.inviter_id, token_hash = excluded.token_hash,
             created_at = now(), expires_at = excluded.expires_at
       RETURNING id`,
      [newId(), held.id, email, role, viewer.userId, hashToken(token), ORGANIZATION_INVITATION_DAYS],
    );
    const [{ count }] = await tx.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM organization_invitations WHERE organization_id = $1',
      [held.id],
    );
    if (count > MOST_OPEN)
      throw new ConflictError(`At most ${MOST_OPEN} invitations can be open at a time.`, {
        code: 'invitation_limit_reached',
      });
    await this.record('organization.invitation_sent', viewer, held, { role }, tx);
    return id;
  }

  private async get(id: string): Promise<OrganizationInvitationRecord> {
    const [row] = await this.dataSource.query<OrganizationInvitationRecord[]>(
      `SELECT ${COLUMNS} FROM organization_invitations i JOIN users by ON by.id = i.inviter_id WHERE i.id = $1`,
      [id],
    );
    if (!row) throw new NotFoundError();
    return row;
  }

  /** Not to whom: the entry would hold the address of somebody who may have no account to erase it with. */
  private record(
    action: 'organization.invitation_sent' | 'organization.invitation_withdrawn',
    actor: Principal,
    held: HeldOrganization,
    details: Record<string, unknown>,
    tx: EntityManager,
  ): Promise<void> {
    const target = `organization:${held.id}`;
    return this.audit.record({ action, actor, target, details, organizationId: held.id }, tx);
  }
}

async function languageOf(tx: EntityManager, userId: number): Promise<'en' | 'ar'> {
  const [row] = await tx.query<{ language: 'en' | 'ar' }[]>('SELECT language FROM users WHERE id = $1', [userId]);
  return row?.language ?? 'en';
}
