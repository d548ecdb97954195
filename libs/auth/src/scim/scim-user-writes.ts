import { AuditLog } from '@app/audit';
import { InvalidRequestError } from '@app/common';
import { beingErased } from '@app/erasure';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AccountFactory } from '../accounts/account-factory.js';
import { Seats } from '../accounts/seats.js';
import { AccountAccess } from '../administration/account-access.js';
import { CachedPrincipals } from '../principal/cached-principals.js';
import { domainOf } from '../sso/domains.js';
import { Adoption } from './adoption.js';
import type { ScimUserFields, ScimUserRow } from './scim-rows.js';
import type { ScimClient } from './scim-tokens.js';
import { ScimTransactions, taken } from './scim-transactions.js';
import { ScimUsers } from './scim-users.js';

/** Provisioning: what a directory does to the accounts of its organisation. */
@Injectable()
export class ScimUserWrites {
  constructor(
    private readonly transactions: ScimTransactions,
    private readonly users: ScimUsers,
    private readonly accounts: AccountFactory,
    private readonly adoption: Adoption,
    private readonly seats: Seats,
    private readonly access: AccountAccess,
    private readonly principals: CachedPrincipals,
    private readonly audit: AuditLog,
  ) {}

  /**
   * @returns the account's number
   * @throws ConflictError (`uniqueness`)
   * @throws ForbiddenError (`no_free_seats`)
   */
  async create(client: ScimClient, fields: ScimUserFields): Promise<number> {
    const userId = await this.transactions.run(client.organizationId, async (tx) => {
      if (fields.active) await this.seats.claim(client.organizationId, tx);
      const adopted = await this.adoption.adopt(client, fields.email, tx);
      await this.demandFreeNames(fields, adopted, tx);
      const id = adopted ?? (await this.make(client, fields, tx));
      await this.write(id, fields, emailVouched(client, fields.email) ? true : null, tx);
      if (adopted !== null && !fields.active) await this.access.end(id, tx);
      await this.record('scim.user_created', client, id, { adopted: adopted !== null }, tx);
      return id;
    });
    this.principals.announce({ userId });
    return userId;
  }

  /**
   * @param next the account as it is to be, from how it is
   * @throws NotFoundError
   * @throws ConflictError (`uniqueness`)
   * @throws ForbiddenError (`no_free_seats`)
   * @throws InvalidRequestError (`mutability`) for the name or address of staff
   */
  async update(client: ScimClient, id: number, next: (row: ScimUserRow) => ScimUserFields): Promise<void> {
    await this.transactions.run(client.organizationId, async (tx) => {
      const row = await this.users.lock(client, id, tx);
      const fields = next(row);
      const changed = changesOf(row, fields);
      if (changed.length === 0) return;
      if (row.is_staff && (changed.includes('userName') || changed.includes('emails')))
        throw new InvalidRequestError('Name and address of a platform administrator are not changed by a directory.', {
          code: 'mutability',
        });
      if (fields.active && !row.is_active) await this.seats.claim(client.organizationId, tx);
      await this.demandFreeNames(fields, id, tx);
      const moved = row.email.toLowerCase() !== fields.email.toLowerCase();
      await this.write(id, fields, moved ? emailVouched(client, fields.email) : null, tx);
      const ends = row.is_active && !fields.active;
      if (ends) await this.access.end(id, tx);
      await this.record(ends ? 'scim.user_deactivated' : 'scim.user_updated', client, id, { changed }, tx);
    });
    this.principals.announce({ userId: id });
  }

  /**
   * Deactivates the account and takes it out of the organisation; what it owns stays until it is erased.
   * @throws NotFoundError
   */
  async remove(client: ScimClient, id: number): Promise<void> {
    await this.transactions.run(client.organizationId, async (tx) => {
      await this.users.lock(client, id, tx);
      await tx.query(
        `DELETE FROM scim_group_members m USING scim_groups g
         WHERE m.group_id = g.id AND m.user_id = $1 AND g.organization_id = $2`,
        [id, client.organizationId],
      );
      await tx.query(
        `UPDATE users SET is_active = false, organization_id = NULL, detached_from_id = $2, scim_external_id = NULL,
                          scim_display_name = NULL, organization_role = 'member'
         WHERE id = $1`,
        [id, client.organizationId],
      );
      await this.access.end(id, tx);
      await this.record('scim.user_deactivated', client, id, { removed: true }, tx);
    });
    this.principals.announce({ userId: id });
  }

  private make(client: ScimClient, fields: ScimUserFields, tx: EntityManager): Promise<number> {
    const { username, email, firstName, lastName } = fields;
    return this.accounts.create(
      {
        username,
        email,
        firstName,
        lastName,
        passwordHash: null,
        phone: null,
        organizationId: client.organizationId,
        // Its organisation approves of it.
        verified: true,
        emailVerified: emailVouched(client, email),
      },
      tx,
    );
  }

  /** An account that is being erased stays closed. @param emailVerified null to leave it */
  private async write(id: number, fields: ScimUserFields, emailVerified: boolean | null, tx: EntityManager) {
    await tx.query(
      `UPDATE users SET username = $2, email = $3, first_name = $4, last_name = $5, scim_display_name = $6,
         number_verified = number_verified AND phone IS NOT DISTINCT FROM $7::bigint, phone = $7,
         language = coalesce($8, language), scim_external_id = $10,
         is_active = $9 AND NOT ${beingErased('$1')},
         email_verified = coalesce($11, email_verified), verified = true
       WHERE id = $1`,
      [
        id,
        fields.username,
        fields.email,
        fields.firstName,
        fields.lastName,
        fields.displayName,
        fields.phone,
        fields.language,
        fields.active,
        fields.externalId,
        emailVerified,
      ],
    );
  }

  /** Sign-in takes a name or an address: neither may be the other of somebody else, who would be shut out. */
  private async demandFreeNames(fields: ScimUserFields, self: number | null, tx: EntityManager): Promise<void> {
    const [clash] = await tx.query<{ by_name: boolean }[]>(
      `SELECT lower(username) = lower($1) OR lower(email) = lower($1) AS by_name FROM users
       WHERE (lower(username) IN (lower($1), lower($2)) OR lower(email) IN (lower($1), lower($2)))
         AND id IS DISTINCT FROM $3::int
       LIMIT 1`,
      [fields.username, fields.email, self],
    );
    if (clash) throw taken(clash.by_name ? 'userName' : 'emails');
  }

  private async record(
    action: 'scim.user_created' | 'scim.user_updated' | 'scim.user_deactivated',
    client: ScimClient,
    userId: number,
    details: Record<string, unknown>,
    tx: EntityManager,
  ): Promise<void> {
    const { organizationId, tokenName } = client;
    await this.audit.record(
      {
        action,
        actor: null,
        subjectId: userId,
        target: `user:${userId}`,
        details: { ...details, organization: organizationId, token: tokenName },
        organizationId,
      },
      tx,
    );
  }
}

/**
 * A directory vouches for addresses of its organisation's own domain, once that is proved. It could otherwise claim another organisation's
 * people before they come, and take their accounts over by changing the address again.
 */
function emailVouched({ domain, domainVerified }: ScimClient, email: string): boolean {
  return domainVerified && domain !== null && domainOf(email) === domain;
}

function changesOf(row: ScimUserRow, fields: ScimUserFields): string[] {
  const pairs: [string, unknown, unknown][] = [
    ['userName', row.username, fields.username],
    ['emails', row.email, fields.email],
    ['name', `${row.first_name}\n${row.last_name}`, `${fields.firstName}\n${fields.lastName}`],
    ['displayName', row.scim_display_name, fields.displayName],
    ['phoneNumbers', row.phone, fields.phone],
    ['preferredLanguage', row.language, fields.language ?? row.language],
    ['active', row.is_active, fields.active],
    ['externalId', row.scim_external_id, fields.externalId],
  ];
  return pairs.filter(([, before, after]) => before !== after).map(([name]) => name);
}
