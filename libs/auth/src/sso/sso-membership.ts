import { AuditLog } from '@app/audit';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Seats } from '../accounts/seats.js';
import type { SsoOrganization } from './sso-clients.js';
import { domainOf } from './domains.js';

/** Whether the organisation may take the address for one of its own people's. */
export function vouchesFor(organization: SsoOrganization | null, email: string): organization is SsoOrganization {
  return organization !== null && organization.domainTrusted && domainOf(email) === organization.domain;
}

type Member = { username: string; organization_id: number | null; personal: boolean | null };

/** Takes people of an organisation in who have been on their own. */
@Injectable()
export class SsoMembership {
  constructor(
    private readonly seats: Seats,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Moves the account out of its personal organisation, if it is in one and a seat is free.
   * @param email verified by the provider
   * @returns whether it moved
   */
  async takeIn(userId: number, organization: SsoOrganization | null, email: string, tx: EntityManager) {
    if (!vouchesFor(organization, email)) return false;
    const [member] = await tx.query<Member[]>(
      `SELECT u.username, u.organization_id, o.personal FROM users u LEFT JOIN organizations o ON o.id = u.organization_id
       WHERE u.id = $1 FOR NO KEY UPDATE OF u`,
      [userId],
    );
    if (!member || member.personal === false || !(await this.seats.lockFree(organization.id, tx))) return false;
    await tx.query(
      `UPDATE users SET organization_id = $2, organization_role = 'member', detached_from_id = NULL WHERE id = $1`,
      [userId, organization.id],
    );
    // It bears the name of its only member.
    await tx.query(
      'DELETE FROM organizations o WHERE id = $1 AND personal AND NOT EXISTS (SELECT FROM users WHERE organization_id = o.id)',
      [member.organization_id],
    );
    const actor = { userId, username: member.username };
    const details = { organization: organization.domain };
    await this.audit.record({ action: 'account.moved', actor, target: `user:${userId}`, details }, tx);
    return true;
  }
}
