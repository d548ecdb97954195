import { AuditLog } from '@app/audit';
import { ConflictError, ForbiddenError, InvalidRequestError, ValidationError } from '@app/common';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { AccountFactory } from '../accounts/account-factory.js';
import { Seats } from '../accounts/seats.js';
import { CachedPrincipals } from '../principal/cached-principals.js';
import { domainOf } from './domains.js';
import type { ProvenIdentity } from './oidc/claims.js';
import type { SsoClient, SsoOrganization } from './sso-clients.js';
import { SsoIdentities, type Subject } from './sso-identities.js';
import { SsoMembership, vouchesFor } from './sso-membership.js';

const ATTEMPTS = 5;
const UNIQUE_VIOLATION = '23505';
const DEADLOCK = '40P01';

type Account = { id: number; username: string; is_active: boolean; email_verified: boolean; is_staff: boolean };

/** Somebody else was quicker with the same name, address or subject: what they wrote is seen the next time. */
function wasOvertaken(error: unknown): boolean {
  if (error instanceof ValidationError) return true;
  if (!(error instanceof QueryFailedError)) return false;
  const { code } = error.driverError as { code?: string };
  return code === UNIQUE_VIOLATION || code === DEADLOCK;
}

const linkRequired = () =>
  new ConflictError('An account with this address exists. Sign in to it, and link this provider there.', {
    code: 'link_required',
  });

/** An organisation or a provider that may write addresses would else be staff of the whole deployment. */
const staffRefused = () =>
  new ConflictError(
    'This address belongs to a staff account, which single sign-on does not open by its address. Sign in to it in another way, and link this provider there.',
    { code: 'link_required' },
  );

/** Finds the account of whom a provider vouches for, or makes one (docs/contract/accounts.md#single-sign-on). */
@Injectable()
export class SsoAccounts {
  constructor(
    private readonly dataSource: DataSource,
    private readonly identities: SsoIdentities,
    private readonly membership: SsoMembership,
    private readonly factory: AccountFactory,
    private readonly seats: Seats,
    private readonly audit: AuditLog,
    private readonly principals: CachedPrincipals,
  ) {}

  /**
   * @returns the account's number
   * @throws InvalidRequestError `email_not_verified`
   * @throws ConflictError `link_required`
   * @throws ForbiddenError `no_free_seats`
   */
  async resolve(client: SsoClient, identity: ProvenIdentity): Promise<number> {
    const { issuer, subject } = identity;
    const who: Subject = { provider: client.provider, issuer, subject };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const userId = await this.dataSource.transaction((tx) => this.find(client, identity, who, tx));
        this.principals.announce({ userId });
        return userId;
      } catch (error) {
        if (attempt === ATTEMPTS || !wasOvertaken(error)) throw error;
      }
    }
  }

  private async find(client: SsoClient, identity: ProvenIdentity, who: Subject, tx: EntityManager): Promise<number> {
    const { email, emailVerified } = identity;
    const known = await this.identities.findUser(who, emailVerified ? email : '', tx);
    if (known !== null) return known;
    this.demandAddress(client, identity);
    const [account] = await tx.query<Account[]>(
      'SELECT id, username, is_active, email_verified, is_staff FROM users WHERE lower(email) = lower($1) FOR NO KEY UPDATE',
      [email],
    );
    if (!account) return this.provision(client, identity, who, tx);
    // Another call of the same person may have made the account since.
    const meanwhile = await this.identities.findUser(who, email, tx);
    return meanwhile ?? this.linkByAddress(account, client, email, who, tx);
  }

  /** An organisation's provider vouches for addresses of the organisation's own domain only. */
  private demandAddress({ organization }: SsoClient, { email, emailVerified }: ProvenIdentity): void {
    if (!emailVerified)
      throw new InvalidRequestError('The sign-in provider does not confirm your e-mail address.', {
        code: 'email_not_verified',
      });
    if (organization && domainOf(email) !== organization.domain)
      throw new InvalidRequestError(`Your e-mail address is not one of ${organization.domain}.`, {
        code: 'email_not_verified',
      });
  }

  /**
   * An address that its account never confirmed may have been written there by a stranger, who would then share the
   * account; and an account that is linked already belongs to the other subject, even if the address was passed on.
   */
  private async linkByAddress(
    account: Account,
    { organization, provider }: SsoClient,
    email: string,
    who: Subject,
    tx: EntityManager,
  ): Promise<number> {
    const { id: userId, username } = account;
    if (account.is_staff) throw staffRefused();
    if (!vouchesFor(organization, email) || !account.email_verified) throw linkRequired();
    if (await this.identities.has(userId, provider, tx)) throw linkRequired();
    // Its sign-in is refused: whoever closed it, a directory perhaps, finds it as they left it.
    if (!account.is_active) return userId;
    await this.identities.put(userId, who, email, null, tx);
    await this.membership.takeIn(userId, organization, email, tx);
    const details = { provider, issuer: who.issuer, found_by: 'email' };
    const actor = { userId, username };
    await this.audit.record({ action: 'sso.linked', actor, target: `user:${userId}`, details }, tx);
    return userId;
  }

  private async provision(
    { provider, organization }: SsoClient,
    { email, firstName, lastName }: ProvenIdentity,
    who: Subject,
    tx: EntityManager,
  ): Promise<number> {
    const home = organization ?? (await this.organizationOf(email, tx));
    const seatFree = home === null || (await this.seats.lockFree(home.id, tx));
    // Another call of the same person may have had the lock before.
    const meanwhile = await this.identities.findUser(who, email, tx);
    if (meanwhile !== null) return meanwhile;
    if (!seatFree)
      throw new ForbiddenError('Your organization has no free seats. Ask its administrator.', {
        code: 'no_free_seats',
      });
    const username = await this.nameFor(email, tx);
    const userId = await this.factory.create(
      {
        username,
        email,
        passwordHash: null,
        firstName,
        lastName,
        phone: null,
        organizationId: home?.id ?? null,
        // The organisation approves of its own people by letting them sign in.
        verified: vouchesFor(organization, email),
        emailVerified: true,
      },
      tx,
    );
    await this.identities.put(userId, who, email, null, tx);
    const details = { provider, issuer: who.issuer, organization: home?.domain ?? null };
    const actor = { userId, username };
    await this.audit.record({ action: 'account.provisioned', actor, target: `user:${userId}`, details }, tx);
    return userId;
  }

  /** People whose addresses begin alike wait for each other, so that each sees the names of those before. */
  private async nameFor(email: string, tx: EntityManager): Promise<string> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('username:' || lower(split_part($1, '@', 1)), 0))`, [
      email,
    ]);
    return this.factory.deriveUsername(email, tx);
  }

  private async organizationOf(
    email: string,
    tx: EntityManager,
  ): Promise<Pick<SsoOrganization, 'id' | 'domain'> | null> {
    const [row] = await tx.query<Pick<SsoOrganization, 'id' | 'domain'>[]>(
      'SELECT id, domain FROM organizations WHERE domain = $1 AND domain_verified',
      [domainOf(email)],
    );
    return row ?? null;
  }
}
