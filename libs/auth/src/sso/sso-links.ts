import { AuditLog } from '@app/audit';
import { ConflictError, InvalidRequestError, newId, NotFoundError } from '@app/common';
import { retriedTransaction } from '@app/entities';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import { CachedPrincipals } from '../principal/cached-principals.js';
import { holdSession } from '../principal/hold-session.js';
import type { Principal } from '../principal/principal.js';
import { SignInMethods } from '../sign-in/sign-in-methods.js';
import type { ProvenIdentity } from './oidc/claims.js';
import type { SsoClient } from './sso-clients.js';
import { SsoIdentities } from './sso-identities.js';
import { SsoMembership } from './sso-membership.js';
import type { SsoProvider } from './sso-settings.js';

const VERIFIED_SECONDS = 600;

const linkedElsewhere = () =>
  new ConflictError('This provider account is linked to another user.', { code: 'already_linked_elsewhere' });

function isSubjectTaken(error: unknown): boolean {
  return (
    error instanceof QueryFailedError &&
    (error.driverError as { constraint?: string }).constraint === 'sso_identities_subject_key'
  );
}

/**
 * Linking an account with somebody at a provider, in two steps, and the end of a link
 * (docs/contract/accounts.md#linking).
 */
@Injectable()
export class SsoLinks {
  constructor(
    private readonly dataSource: DataSource,
    private readonly identities: SsoIdentities,
    private readonly membership: SsoMembership,
    private readonly methods: SignInMethods,
    private readonly audit: AuditLog,
    private readonly principals: CachedPrincipals,
  ) {}

  /**
   * Keeps for ten minutes whom the session proved to be at the provider, and takes the account into the organisation.
   * @returns whether it moved there
   * @throws ConflictError `already_linked_elsewhere`; UnauthenticatedError when the session has ended meanwhile
   */
  async remember(viewer: Principal, { provider, organization }: SsoClient, identity: ProvenIdentity): Promise<boolean> {
    const { issuer, subject, email, emailVerified } = identity;
    const moved = await retriedTransaction(this.dataSource, async (tx) => {
      // It may have ended while the provider was asked, and the account may have been deactivated.
      await holdSession(tx, viewer);
      const holder = await this.identities.findUser({ provider, issuer, subject }, '', tx);
      if (holder !== null && holder !== viewer.userId) throw linkedElsewhere();
      await tx.query(
        `INSERT INTO sso_verified_identities (id, user_id, session_id, provider, issuer, subject, email, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8))`,
        [newId(), viewer.userId, viewer.sessionId, provider, issuer, subject, email, VERIFIED_SECONDS],
      );
      return emailVerified && (await this.membership.takeIn(viewer.userId, organization, email, tx));
    });
    if (moved) this.principals.announce({ userId: viewer.userId });
    return moved;
  }

  /**
   * Links whom this session proved to be, once.
   * @throws InvalidRequestError `link_not_verified`
   * @throws ConflictError `already_linked_elsewhere`; UnauthenticatedError when the session has ended meanwhile
   */
  async link(
    viewer: Principal,
    { provider, subject, wrappedKey }: { provider: SsoProvider; subject: string; wrappedKey: string | null },
  ): Promise<{ email: string; hasKey: boolean }> {
    const proven = await this.useUp(viewer, provider, subject);
    try {
      const hasKey = await this.dataSource.transaction(async (tx) => {
        await holdSession(tx, viewer);
        const kept = await this.identities.put(
          viewer.userId,
          { provider, issuer: proven.issuer, subject },
          proven.email,
          wrappedKey,
          tx,
        );
        await this.record('sso.linked', viewer, { provider, issuer: proven.issuer, found_by: 'session' }, tx);
        return kept;
      });
      this.principals.announce({ userId: viewer.userId });
      return { email: proven.email, hasKey };
    } catch (error) {
      throw isSubjectTaken(error) ? linkedElsewhere() : error;
    }
  }

  /**
   * @throws NotFoundError `not_linked`
   * @throws ConflictError `last_sign_in_method`
   */
  async unlink(viewer: Principal, provider: SsoProvider): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const { count } = await this.methods.lock(viewer.userId, tx);
      if (!(await this.identities.has(viewer.userId, provider, tx)))
        throw new NotFoundError('This provider is not linked.', { code: 'not_linked' });
      if (count <= 1)
        throw new ConflictError('It is the only way to sign in to this account. Set a password first.', {
          code: 'last_sign_in_method',
        });
      await this.identities.remove(viewer.userId, provider, tx);
      await this.record('sso.unlinked', viewer, { provider }, tx);
    });
    this.principals.announce({ userId: viewer.userId });
  }

  async purge(): Promise<void> {
    await this.dataSource.query('DELETE FROM sso_verified_identities WHERE expires_at < now()');
  }

  /** The newest, should two issuers have the same subject. */
  private async useUp({ userId, sessionId }: Principal, provider: SsoProvider, subject: string) {
    const [rows] = await this.dataSource.query<[{ issuer: string; email: string }[], number]>(
      `DELETE FROM sso_verified_identities WHERE id = (
         SELECT id FROM sso_verified_identities
         WHERE user_id = $1 AND session_id = $2 AND provider = $3 AND subject = $4 AND expires_at > now()
         ORDER BY expires_at DESC LIMIT 1 FOR UPDATE
       ) RETURNING issuer, email`,
      [userId, sessionId, provider, subject],
    );
    const [row] = rows;
    if (!row)
      throw new InvalidRequestError('Verify the provider account first, in this session.', {
        code: 'link_not_verified',
      });
    return row;
  }

  private record(
    action: 'sso.linked' | 'sso.unlinked',
    { userId, username }: Principal,
    details: Record<string, unknown>,
    tx: EntityManager,
  ): Promise<void> {
    return this.audit.record({ action, actor: { userId, username }, target: `user:${userId}`, details }, tx);
  }
}
