import { AuditLog } from '@app/audit';
import { beingErased } from '@app/erasure';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { domainOf } from '../sso/domains.js';
import type { ScimClient } from './scim-tokens.js';
import { taken } from './scim-transactions.js';

type Candidate = {
  id: number;
  is_active: boolean;
  is_staff: boolean;
  email_verified: boolean;
  organization_id: number | null;
  personal: boolean | null;
  detached_from_id: number | null;
  erasing: boolean;
};

/** Takes accounts that exist already into the organisation whose directory names their address. */
@Injectable()
export class Adoption {
  constructor(private readonly audit: AuditLog) {}

  /**
   * The organisation takes back whom its directory removed before. Somebody on their own it takes in only when the
   * address is of its verified domain and confirmed: an unconfirmed one may have been registered by a stranger.
   * @returns the account's number, or null when nobody has the address
   * @throws ConflictError (`uniqueness`) when somebody has it whom the organisation may not take
   */
  async adopt(client: ScimClient, email: string, tx: EntityManager): Promise<number | null> {
    const [found] = await tx.query<Candidate[]>(
      `SELECT u.id, u.is_active, u.is_staff, u.email_verified, u.organization_id, o.personal, u.detached_from_id,
              ${beingErased('u.id')} AS erasing
       FROM users u LEFT JOIN organizations o ON o.id = u.organization_id
       WHERE lower(u.email) = lower($1) FOR NO KEY UPDATE OF u`,
      [email],
    );
    if (!found) return null;
    // Staff who were let go stay let go: the directory could write their name anew otherwise.
    if (found.erasing || found.is_staff || !(isOwnFormer(found, client) || isOnTheirOwn(found, client, email)))
      throw taken('emails');
    await tx.query(
      `UPDATE users SET organization_id = $2, detached_from_id = NULL, organization_role = 'member' WHERE id = $1`,
      [found.id, client.organizationId],
    );
    // It bears the name of its only member.
    await tx.query(
      'DELETE FROM organizations o WHERE id = $1 AND personal AND NOT EXISTS (SELECT FROM users WHERE organization_id = o.id)',
      [found.organization_id],
    );
    await this.audit.record(
      {
        action: 'account.moved',
        actor: null,
        subjectId: found.id,
        target: `user:${found.id}`,
        details: { organization: client.domain, by: 'scim', token: client.tokenName },
        organizationId: client.organizationId,
      },
      tx,
    );
    return found.id;
  }
}

function isOwnFormer({ organization_id, detached_from_id }: Candidate, { organizationId }: ScimClient): boolean {
  return organization_id === null && detached_from_id === organizationId;
}

function isOnTheirOwn(candidate: Candidate, { domain, domainVerified }: ScimClient, email: string): boolean {
  const { is_active, email_verified, personal, organization_id } = candidate;
  const alone = personal === true || (organization_id === null && candidate.detached_from_id === null);
  return alone && is_active && email_verified && domainVerified && domainOf(email) === domain;
}
