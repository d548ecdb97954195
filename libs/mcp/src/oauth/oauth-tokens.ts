import { Injectable } from '@nestjs/common';
import { McpOAuthTokens, SignInNeededError } from '../client/authorization.js';
import { parseChallenge } from './challenge.js';
import { type OAuthGrant, OAuthGrants } from './oauth-grants.js';
import { orAborted } from '../client/or-aborted.js';
import { Revocations } from './revocations.js';
import { TokenRefresh } from './token-refresh.js';
import { unionOf } from './scopes.js';

interface Server {
  id: number;
  userId: number;
  url: string;
}

interface Refused {
  status: 401 | 403;
  challenge: string | null;
  accessToken: string;
}

const EXPIRED = 'The sign-in has expired. Sign in again.';
const REFUSED = 'The server does not accept the sign-in. Sign in again.';
const MAX_NAMED = 20;

/** The tokens of connected servers, for those who call them. */
@Injectable()
export class OAuthTokens extends McpOAuthTokens {
  constructor(
    private readonly grants: OAuthGrants,
    private readonly refresh: TokenRefresh,
    private readonly revocations: Revocations,
  ) {
    super();
  }

  async accessToken(server: Server, { signal }: { signal: AbortSignal }): Promise<string> {
    for (let isRenewed = false; ; isRenewed = true) {
      const grant = await this.getGrant(server);
      const { accessToken, refreshToken, isStale, isExpired } = grant;
      // One that was renewed a moment ago is tried, however short the provider lets it live.
      if (accessToken !== null && (!isStale || isRenewed)) return accessToken;
      const isUsable = accessToken !== null && !isExpired;
      if (refreshToken === null) {
        if (isUsable) return accessToken;
        if (accessToken !== null) await this.grants.demandSignIn(server.id, EXPIRED);
        throw new SignInNeededError(EXPIRED);
      }
      try {
        await orAborted(this.refresh.renew(grant), signal);
      } catch (error) {
        // Ahead of its end a token is renewed for convenience: it is still good.
        if (isUsable && !signal.aborted && !(error instanceof SignInNeededError)) return accessToken;
        throw error;
      }
    }
  }

  async refused(server: Server, refusal: Refused, { signal }: { signal: AbortSignal }): Promise<boolean> {
    const grant = await this.getGrant(server);
    if (grant.accessToken !== refusal.accessToken) return grant.accessToken !== null;
    const { error, scopes } = await parseChallenge(refusal.challenge);
    // What is missing is told and kept in clear, so a server must not have its token there.
    const missing = (scopes ?? []).filter(
      (scope) => !grant.scopes.includes(scope) && !scope.includes(refusal.accessToken),
    );
    if (refusal.status === 403) {
      // Asking for what is granted already would lead in circles.
      if (error !== 'insufficient_scope' || missing.length === 0) return false;
      return this.stepUp(server, grant, missing);
    }
    if (error === 'insufficient_scope' && missing.length > 0) return this.stepUp(server, grant, missing);
    if (grant.refreshToken === null || grant.isFresh) {
      await this.grants.demandSignIn(server.id, REFUSED);
      throw new SignInNeededError(REFUSED);
    }
    await orAborted(this.refresh.renew(grant), signal);
    return true;
  }

  revoke(server: { id: number; userId: number }): Promise<void> {
    return this.revocations.revoke(server);
  }

  /** The server wants more than was granted: only its user can grant that. */
  private async stepUp(server: Server, grant: OAuthGrant, missing: readonly string[]): Promise<never> {
    await this.grants.requireScopes(grant, unionOf(grant.scopes, missing));
    const reason = `The server asks for further permissions: ${missing.slice(0, MAX_NAMED).join(', ')}. Sign in again.`;
    await this.grants.demandSignIn(server.id, reason);
    throw new SignInNeededError(reason);
  }

  private async getGrant(server: Server): Promise<OAuthGrant> {
    const grant = await this.grants.findOf(server);
    // A token goes to nobody but whom it was fetched for.
    if (!grant || grant.origin !== URL.parse(server.url)?.origin) throw new SignInNeededError();
    return grant;
  }
}
